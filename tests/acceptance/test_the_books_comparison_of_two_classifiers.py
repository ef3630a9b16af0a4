"""The book's comparison of 5NN and SVM (section 4.3, Tables 4.2 to 4.4): run, and asked about after everything is over.

The same folds, answered for by scikit-learn and tested by scipy, say what must come out. The printed numbers of the
book are tested as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from intemi import Project
from intemi.analysis import BasicStatistics, McNemar, PairedTTest, TTest, Wilcoxon
from intemi.data import Data
from intemi.kernel import Capsule, Machine
from intemi.machines import (
    KNN,
    SVM,
    ClassificationTest,
    CorrectnessCommentator,
    CVDistributor,
    DataLoader,
    ExternalTransformation,
    GaussianKernel,
    Repeater,
    Scheme,
    SklearnDataset,
    Standardization,
)
from intemi.query import OnPath
from intemi.series import Series
from tests.analysis.published import NEAREST_NEIGHBOURS, SUPPORT_VECTORS, table_4_3
from tests.datasets import path
from tests.machines import Log

MACHINES = ("5NN", "SVM")
Flags = NDArray[np.bool_]


def comparison(repetitions: int, folds: int) -> Repeater:
    """Cross-validation of 5NN and SVM on standardized data."""
    test = Scheme(training=Data, test=Data)
    std = test.add(Standardization(), data=test.training)
    ext = test.add(ExternalTransformation(), data=test.test, transformation=std.transformation)
    knn = test.add(KNN(k=5), data=std.transformed)
    svm = test.add(SVM(kernel=GaussianKernel(sigma=1.0)), data=std.transformed)
    test.add(ClassificationTest(), data=ext.transformed, classifier=knn.classifier, name="5NN")
    test.add(ClassificationTest(), data=ext.transformed, classifier=svm.classifier, name="SVM")
    return Repeater(distributor=CVDistributor(folds), test=test, repetitions=repetitions, seed=1)


# What scikit-learn says of the same folds


def standardized(training: Data, test: Data) -> tuple[Any, Any]:
    """Rows of both, scaled as the training data require."""
    mean, deviation = training.features.mean(axis=1), training.features.std(axis=1, ddof=1)
    scale = np.where(deviation > 0, deviation, 1.0)
    return tuple((data.features.T - mean) / scale for data in (training, test))


def correctness(cv: Capsule) -> dict[str, list[Flags]]:
    """For either classifier and each fold, which rows scikit-learn's answers are right for."""
    found: dict[str, list[Flags]] = {name: [] for name in MACHINES}
    for distributor in (child for child in cv.children if child.name == "distributor"):
        for training, test in zip(*(distributor.outputs[name] for name in ("training", "test")), strict=True):
            known, asked = standardized(training, test)
            for name, estimator in zip(MACHINES, (KNeighborsClassifier(5), SVC(gamma=1.0)), strict=True):
                found[name].append(estimator.fit(known, training.classes).predict(asked) == test.classes)
    return found


@dataclass
class Finished:
    """A folder in which everything has finished, and what ought to be found there."""

    folder: Path
    five: dict[str, list[Flags]]
    ten: dict[str, list[Flags]]

    def accuracies(self, name: str) -> list[float]:
        return [float(each.mean()) for each in self.ten[name]]


@pytest.fixture(scope="module", params=["breast_cancer", "segment-train"])
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """3 × 5-fold and 10-fold cross-validation, of scikit-learn's data and of the book's (image segmentation)."""
    name: str = request.param
    source: Machine = SklearnDataset("breast_cancer") if name == "breast_cancer" else DataLoader(str(path(name)))
    folder = tmp_path_factory.mktemp(name)
    with Project(folder) as project:
        data = project.request(source).data
        five = project.run(comparison(3, 5), name="3 x 5", data=data)
        ten = project.run(comparison(1, 10), name="1 x 10", data=data)
        return Finished(folder, correctness(five), correctness(ten))


@pytest.fixture
def project(finished: Finished) -> Iterator[Project]:
    """Another session in that folder; it must not run anything."""
    with Project.open(finished.folder) as project:
        log = Log(project)
        yield project
        assert log.events == []


# Table 4.2


def test_table_4_2_is_what_one_query_gives(finished: Finished, project: Project) -> None:
    series = project.query("3 x 5", name="5NN", labels=["Accuracy", OnPath()])
    assert series.main == "Accuracy"
    assert series.labels == ("Accuracy", "Repetition", "Fold")
    assert list(series["Repetition"]) == [1] * 5 + [2] * 5 + [3] * 5
    assert list(series["Fold"]) == [1, 2, 3, 4, 5] * 3
    assert list(series["Accuracy"]) == pytest.approx([each.mean() for each in finished.five["5NN"]])


def test_results_of_both_come_by_turns_and_are_grouped_by_either_way(project: Project) -> None:
    series = project.query("3 x 5", type=ClassificationTest, labels=["Accuracy", "Repetition", "Fold", "machine"])
    assert list(series["machine"]) == ["5NN", "SVM"] * 15
    knn, svm = series.group_by("machine")
    assert tuple(series.group_modulo(2).map(lambda each: each.without("machine"))) == (knn, svm)


def test_basic_statistics_of_each_repetition_take_one_line(finished: Finished, project: Project) -> None:
    series = project.query("3 x 5", name="SVM", labels=["Accuracy", "Repetition"])
    found = series.group_by("Repetition").map(BasicStatistics()).ungroup()
    accuracies = np.array([each.mean() for each in finished.five["SVM"]]).reshape(3, 5)
    assert list(found["Repetition"]) == [1, 2, 3]
    assert list(found["mean"]) == pytest.approx(accuracies.mean(axis=1))
    assert list(found["sd"]) == pytest.approx(accuracies.std(axis=1, ddof=1))
    assert list(found["min"]) == pytest.approx(accuracies.min(axis=1))
    assert list(found["max"]) == pytest.approx(accuracies.max(axis=1))


# Tables 4.3 and 4.4


def test_tables_4_3_and_4_4_take_a_query_and_a_line_for_each_test(finished: Finished, project: Project) -> None:
    series = project.query("1 x 10", type=ClassificationTest, labels=["Accuracy", "Repetition", "Fold", "machine"])
    knn, svm = series.group_by("machine")
    difference = knn - svm
    t_test, paired, wilcoxon = TTest()(knn, svm), PairedTTest()(knn, svm), Wilcoxon()(knn, svm)

    a, b = np.array(finished.accuracies("5NN")), np.array(finished.accuracies("SVM"))
    assert list(difference.values) == pytest.approx(a - b)
    assert (t_test["t"][0], t_test["p"][0]) == pytest.approx(tuple(stats.ttest_ind(a, b)))
    assert (paired["t"][0], paired["p"][0]) == pytest.approx(tuple(stats.ttest_rel(a, b)))
    every_sign = stats.PermutationMethod(n_resamples=2**10)  # all of them, so that ties do not matter
    expected = stats.wilcoxon(np.round(a - b, 12), method=every_sign).pvalue
    assert wilcoxon["p"][0] == pytest.approx(expected)


def test_mcnemars_test_takes_a_commentator_that_is_run_after_everything_has_finished(
    finished: Finished, project: Project
) -> None:
    said = project.comment(CorrectnessCommentator(), "1 x 10")
    series = project.query("1 x 10", type=ClassificationTest, labels=["Correct", "Fold", "machine"])
    found = McNemar()(*series.group_by("machine")).row(0)

    assert said == {"commented": 20, "gone": 0}
    knn, svm = (np.concatenate(finished.ten[name]) for name in MACHINES)
    only_knn, only_svm = int(np.sum(knn & ~svm)), int(np.sum(~knn & svm))
    assert (found["n10"], found["n01"], found["n"]) == (only_knn, only_svm, len(knn))
    chi2 = (only_knn - only_svm) ** 2 / (only_knn + only_svm)
    assert (found["chi2"], found["p"]) == pytest.approx((chi2, stats.chi2.sf(chi2, 1)))


@pytest.mark.wide
@pytest.mark.parametrize("finished", ["segment-train"], indirect=True)
def test_the_book_found_the_same_on_its_data_within_sampling_error(project: Project) -> None:
    series = project.query("1 x 10", type=ClassificationTest, labels=["Accuracy", "machine"])
    found = series.group_by("machine").map(BasicStatistics()).ungroup()
    printed, deviations = np.array([0.881, 0.814]), np.array([0.056, 0.069])
    assert np.all(np.abs(found["mean"] - printed) < 2 * deviations / np.sqrt(10))
    assert all(round(each * 21, 9).is_integer() for each in series["Accuracy"])


# The numbers that the book prints

PRINTED = {
    "5NN": [95.2, 81.0, 90.5, 81.0, 95.2, 81.0, 90.5, 85.7, 90.5, 90.5],
    "SVM": [81.0, 76.2, 90.5, 71.4, 81.0, 76.2, 90.5, 76.2, 90.5, 81.0],
}


def test_the_printed_numbers_of_table_4_3_give_the_printed_t_test_of_table_4_4() -> None:
    knn, svm = (Series({"Accuracy": PRINTED[name], "Fold": range(1, 11)}) for name in MACHINES)
    found = TTest()(knn, svm).row(0)
    assert (f"{found['t']:.3f}", f"{found['p']:.4f}") == ("2.370", "0.0292")


def test_the_hits_that_they_stand_for_give_all_of_tables_4_3_and_4_4() -> None:
    knn, svm = table_4_3()
    assert np.round(100 * knn.values, 1).tolist() == PRINTED["5NN"]
    assert np.round(100 * svm.values, 1).tolist() == PRINTED["SVM"]
    for series, printed in ((knn, "88.1±5.6"), (svm, "81.4±6.9"), (knn - svm, "6.7±5.6")):
        found = BasicStatistics()(100 * series).row(0)
        assert f"{found['mean']:.1f}±{found['sd']:.1f}" == printed
    for test, statistic, p in ((TTest(), "2.370", "0.0292"), (PairedTTest(), "3.772", "0.0044")):
        found = test(knn, svm).row(0)
        assert (f"{found['t']:.3f}", f"{found['p']:.4f}") == (statistic, p)


def test_correct_answers_of_each_fold_give_the_printed_test_of_mcnemar() -> None:
    # 14 hits more, and χ² = 12.25: only 5NN is right for 15 rows, only SVM for 1. That one is put into the third fold.
    folds = range(1, 11)
    knn = [np.arange(21) < hits for hits in NEAREST_NEIGHBOURS]
    svm = [np.arange(21) < hits for hits in SUPPORT_VECTORS]
    svm[2] = np.roll(svm[2], 1)
    found = McNemar()(Series({"Correct": knn, "Fold": folds}), Series({"Correct": svm, "Fold": folds})).row(0)
    assert (found["n10"], found["n01"], found["n"]) == (15, 1, 210)
    assert (found["chi2"], f"{found['p']:.4f}") == (12.25, "0.0005")
