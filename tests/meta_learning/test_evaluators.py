"""What machines are expected to take: exact through structure, close to what is measured, in the right order."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from intemi import Machine, Project
from intemi.data import Data
from intemi.machines import (
    KNN,
    LVQ,
    SVM,
    Bagging,
    Boosting,
    ClassificationTest,
    CVDistributor,
    DecisionTree,
    ExpectedClass,
    FeatureSelection,
    FScoreRanking,
    Grid,
    Learner,
    NaiveBayes,
    NominalToIndicators,
    ParameterSearch,
    Repeater,
    Scheme,
    Standardization,
    Steps,
    TransformAndClassify,
    Transformer,
    placeholder,
    tune,
)
from intemi.machines.meta_learning import Flow, MetaLearner, Set, Tuned, cross_validation
from intemi.machines.meta_learning import evaluators as evaluators
from intemi.machines.meta_learning.calibration import Calibration, MachineWarning, Regression, shipped_calibration
from intemi.machines.meta_learning.descriptions import DataDescription, describe
from intemi.machines.meta_learning.evaluation import SECONDS_A_MACHINE, evaluate
from intemi.machines.meta_learning.measuring import made_data, measured
from intemi.machines.meta_learning.universal import universal_power
from intemi.machines.meta_learning.validation import CANDIDATE
from intemi.machines.rankings import Count
from intemi.query import Query

IRIS = DataDescription(rows=150, numeric=4, classes=3)


class Given(Calibration):
    """A second for each run, and a hundredth for each row in use, whatever it is."""

    def seconds(self, kind: str, stage: Any, inputs: Any) -> float:
        return 1.0 if stage == "run" else 0.01


def expected(machine: Machine, data: DataDescription = IRIS, calibration: Calibration | None = None) -> float:
    return evaluate(machine, {"data": data}, calibration or shipped_calibration()).seconds


def selection(features: int) -> Scheme:
    filled = placeholder(Transformer)
    scheme = Scheme(**dict[str, Any](filled.inputs), **dict[str, Any](filled.outputs))
    ranking = scheme.add(FScoreRanking(), data=scheme.data)
    chosen = scheme.add(FeatureSelection(Count(features)), data=scheme.data, ranking=ranking.ranking)
    scheme.expose(transformed=chosen.transformed, transformation=chosen.transformation)
    return scheme


def test_structure_is_followed_exactly() -> None:
    candidate = TransformAndClassify(Standardization(), NaiveBayes())
    test = cross_validation(folds=5, repetitions=2).fill({CANDIDATE: candidate})
    own = evaluators.SECONDS_A_ROW
    learning = 1.0 + 1.0 + 3 * SECONDS_A_MACHINE
    testing = 0.01 * 30 + 0.01 * 30 + own * 30 + SECONDS_A_MACHINE
    one_pass = own * 150 * 5 + SECONDS_A_MACHINE + 5 * (learning + testing + 2 * SECONDS_A_MACHINE)
    assert expected(test, calibration=Given()) == pytest.approx(2 * one_pass + SECONDS_A_MACHINE, rel=1e-3)


def test_members_and_candidates_are_counted() -> None:
    member = expected(DecisionTree(), calibration=Given())
    assert expected(Bagging(DecisionTree(), size=7), calibration=Given()) == pytest.approx(7 * member, rel=0.01)
    boosted = expected(Boosting(DecisionTree(), size=7), calibration=Given())
    assert boosted == pytest.approx(7 * (member + 0.01 * 150), rel=0.01)
    inner = cross_validation(folds=5, repetitions=1).fill({CANDIDATE: KNN()})
    search = ParameterSearch(
        inner, Steps("test/candidate/knn.k", start=1, step=2, count=6), Query("test/result", "Accuracy").mean()
    )
    six, winner = 6 * expected(inner, calibration=Given()), expected(KNN(), calibration=Given())
    assert expected(search, calibration=Given()) == pytest.approx(six, rel=0.01)
    with_winner = search.replace("winner", "test/candidate/knn")
    assert expected(with_winner, calibration=Given()) == pytest.approx(six + winner, rel=0.01)


def test_a_meta_learner_takes_no_more_than_its_time() -> None:
    flow = Flow((Set((KNN(), NaiveBayes(), DecisionTree())),))
    whole = expected(MetaLearner(flow), calibration=Given())
    assert whole > 30
    assert expected(MetaLearner(flow, seconds=5.0), calibration=Given()) == pytest.approx(6.0, rel=0.01)


def test_a_selection_of_features_makes_a_larger_machine_cheaper() -> None:
    wide = DataDescription(rows=3000, numeric=60, classes=3)
    plain = cross_validation().fill({CANDIDATE: KNN()})
    selected = cross_validation().fill({CANDIDATE: TransformAndClassify(selection(2), KNN())})
    assert expected(selected, wide) < expected(plain, wide)


def test_what_is_requested_twice_for_the_same_data_is_counted_once() -> None:
    scheme = Scheme(data=Data)
    for name in ("one", "other"):
        scheme.add(KNN(), data=scheme.data, name=name)
    scheme.add(KNN(k=1), data=scheme.data, name="another")
    assert expected(scheme, calibration=Given()) == pytest.approx(2.0, rel=0.01)
    ranked = [TransformAndClassify(selection(count), KNN()) for count in (1, 2, 3)]
    tests = [expected(cross_validation(5, 1).fill({CANDIDATE: each}), calibration=Given()) for each in ranked]
    search = tune(ranked[0], {"features": (1, 2, 3)}, distributor=CVDistributor(5))
    repeated = 2 * 5 * 1.0  # the ranking of two more candidates in five folds
    winner = expected(ranked[0], calibration=Given())
    assert expected(search, calibration=Given()) == pytest.approx(sum(tests) - repeated + winner, rel=0.01)


def test_data_of_equal_sizes_are_not_the_same_data() -> None:
    scheme = Scheme(training=Data, test=Data)
    for name in ("training", "test"):
        scheme.add(KNN(), data=getattr(scheme, name), name=f"knn of {name}")
    found = evaluate(scheme, {"training": IRIS, "test": IRIS}, Given())
    assert found.seconds == pytest.approx(2.0, rel=0.01)


def test_a_selection_of_all_features_changes_nothing() -> None:
    scheme = Scheme(data=Data)
    chosen = scheme.add(selection(10), data=scheme.data)
    scheme.add(KNN(), data=chosen.transformed, name="behind")
    scheme.add(KNN(), data=scheme.data, name="alone")
    assert expected(scheme, calibration=Given()) == pytest.approx(2.0, rel=0.01), "a ranking and one learner"


def test_prototypes_are_few_rows() -> None:
    data = DataDescription(rows=1000, numeric=4, classes=3)
    for machine, rows in ((ExpectedClass(), 3), (LVQ(per_class=5), 15)):
        assert evaluate(machine, {"data": data}, shipped_calibration()).outputs["prototypes"].rows == rows
    nearest = cross_validation().fill({CANDIDATE: [ExpectedClass(), KNN(k=1)]})
    assert expected(nearest, data) < expected(cross_validation().fill({CANDIDATE: KNN(k=1)}), data)


def test_a_search_that_chooses_nothing_takes_what_it_holds_takes() -> None:
    [item] = Flow((Tuned(Set((NaiveBayes(),)), only=()),)).begin().poll()
    assert expected(item.configuration) == pytest.approx(expected(NaiveBayes()), abs=2 * SECONDS_A_MACHINE)


def test_a_calibration_of_other_sizes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the sizes of a calibration must be rows, features, .*, got rows"):
        Calibration.of_text('{"sizes": ["rows"], "regressions": []}')


def test_indicators_are_features() -> None:
    data = DataDescription(rows=100, numeric=2, nominal=3, symbols=4.0)
    found = evaluate(NominalToIndicators(), {"data": data}, shipped_calibration()).outputs["transformed"]
    assert (found.numeric, found.nominal) == (14.0, 0.0)


def test_data_are_described_as_they_are() -> None:
    assert describe(made_data(150, 4, 2, 3)) == DataDescription(150, 4, 2, 4.0, 3, 0.0)


def test_a_kind_that_was_not_measured_is_guessed_with_a_note() -> None:
    class Unheard(Learner):
        def run(self, data: Data) -> Any: ...

    with pytest.warns(MachineWarning, match="nothing was measured of Unheard"):
        assert 0 < expected(Unheard()) < 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected(Unheard())


def test_a_regression_finds_a_power_law_and_goes_not_far_beyond_it() -> None:
    sizes = np.log1p(np.array([[10.0], [100.0], [1000.0]]))
    found = Regression.fitted(sizes, np.exp(2 * sizes[:, 0]) * 1e-6)
    assert found.predicted([np.log1p(300.0)]) == pytest.approx(301.0**2 * 1e-6, rel=0.1)
    assert found.predicted([100.0]) == pytest.approx(1001.0**2 * 1e-6 * 1000, rel=0.1)


def test_what_was_measured_is_saved_and_found_again(tmp_path: Any) -> None:
    found = measured([NaiveBayes()], sizes=((60, 4, 0, 2), (60, 2, 4, 2), (200, 8, 0, 3)))
    found.save(tmp_path / "calibration.json")
    assert Calibration.of_text((tmp_path / "calibration.json").read_text("utf-8")) == found
    assert set(found.regressions) == {("NaiveBayes", "run"), ("NaiveBayes", "use")}


TASKS: Mapping[str, Machine] = {
    "nbc": NaiveBayes(),
    "knn": KNN(),
    "tree": DecisionTree(),
    "svm": SVM(),
    "selected nbc": TransformAndClassify(selection(2), NaiveBayes()),
    "selected knn": TransformAndClassify(selection(2), KNN()),
    "scaled svm": TransformAndClassify(Standardization(), SVM()),
    "boosted": Boosting(NaiveBayes(), size=10),
    "bagged": Bagging(DecisionTree(), size=10),
    "tuned": ParameterSearch(
        cross_validation(3, 1).fill({CANDIDATE: SVM()}),
        Grid(Steps("test/candidate/svm.C", base=2.0, start=-1, step=2, count=3)),
        Query("test/result", "Accuracy").mean(),
        winner="test/candidate/svm",
    ),
}
SIZES = ((100, 6, 0, 2), (400, 20, 0, 3), (1200, 10, 0, 4))


def test_estimates_are_of_the_right_size_and_in_the_right_order() -> None:
    estimated, true = [], []
    for size, candidate in product(SIZES, TASKS.values()):
        data = made_data(*size, seed=1)
        test = cross_validation(3, 1).fill({CANDIDATE: candidate})
        costs = []
        for _ in range(2):  # the first may load libraries
            with Project(workers=1) as project:
                costs.append(project.run(test, data=project.given(data)).cpu * universal_power())
        true.append(min(costs))
        estimated.append(expected(test, describe(data)))
    errors = np.abs(np.log10(np.array(estimated) / np.array(true)))
    assert spearmanr(estimated, true).statistic >= 0.9
    assert np.median(errors) <= np.log10(2)


def test_the_repeater_and_its_distributor_are_what_they_seem() -> None:
    scheme = Scheme(training=Data, test=Data)
    learned = scheme.add(KNN(), data=scheme.training)
    scheme.add(ClassificationTest(), data=scheme.test, classifier=learned.classifier)
    once, thrice = (expected(Repeater(CVDistributor(10), scheme, times), calibration=Given()) for times in (1, 3))
    assert thrice == pytest.approx(3 * once, rel=1e-3)
