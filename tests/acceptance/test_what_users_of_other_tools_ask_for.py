"""What is asked for again and again in the trackers of other tools, each as a count of what was really run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from intemi.data import Column, Data, Table
from intemi.kernel import Input, Machine, Model, Project
from intemi.machines import Repeater, Scheme
from intemi.machines.classifiers import (
    KNN,
    SVM,
    ClassificationTest,
    LinearKernel,
    Majority,
    NaiveBayes,
    SklearnClassifier,
    TransformAndClassify,
)
from intemi.machines.distributors import CVDistributor
from intemi.machines.interfaces import Classifier
from intemi.machines.measures import USUAL_MEASURES, Correctness
from intemi.machines.rankings.correlation import CorrelationRanking
from intemi.machines.rankings.selection import Count, FeatureSelection
from intemi.machines.transformations.external import ExternalTransformation
from intemi.machines.transformations.standardization import Standardization

FOLDS = 5
REPETITIONS = 2
TESTS = FOLDS * REPETITIONS


class BrierScore(Machine):
    """A measure that a user writes, long after everything was trained."""

    data = Input(Data)
    classifier = Input(Classifier)

    def run(self, data: Data, classifier: Classifier) -> Model:
        wanted = np.eye(len(data.labels))[data.classes]
        errors = (classifier.probabilities(data) - wanted) ** 2
        return Model(results={"Brier score": float(errors.sum(axis=1).mean())})


def table(rows: int = 60, features: int = 50) -> Data:
    """Features of which some tell the class."""
    rng = np.random.default_rng(0)
    classes = rng.permutation(np.arange(rows) % 2)
    values = rng.normal(size=(features, rows)) + np.linspace(2, 0, features)[:, None] * classes
    columns = [Column(f"f{index}") for index in range(features)]
    return Data(Table(columns, values, Column("class", ("no", "yes")), classes))


def cross_validation(test: Scheme) -> Repeater:
    """Two times five-fold cross-validation."""
    return Repeater(CVDistributor(folds=FOLDS), test, REPETITIONS, seed=1)


def validated(classifier: Machine, *more_measures: Machine) -> Repeater:
    """Train and test a classifier behind a standardization."""
    test = Scheme(training=Data, test=Data)
    learner = test.add(TransformAndClassify(Standardization(), classifier), name="learner", data=test.training)
    for measure in (ClassificationTest(), *more_measures):
        test.add(measure, data=test.test, classifier=learner.classifier)
    return cross_validation(test)


def runs(experiments: Iterable[Repeater], folder: Path | None = None) -> Counter[str]:
    """How many machines of each kind a program runs that asks for these experiments, one after the other."""
    with Project(folder, workers=2) as project:
        data = project.given(table())
        for experiment in experiments:
            project.run(experiment, data=data)
        return project.counts().physical


def with_best_features(*counts: int) -> Repeater:
    """Classify with the best features of one ranking, for several numbers of them."""
    test = Scheme(training=Data, test=Data)
    ranking = test.add(CorrelationRanking(), data=test.training)
    for k in counts:
        chosen = test.add(FeatureSelection(Count(k)), data=test.training, ranking=ranking.ranking)
        bayes = test.add(NaiveBayes(), data=chosen.transformed)
        transformed = test.add(ExternalTransformation(), data=test.test, transformation=chosen.transformation)
        test.add(ClassificationTest(), data=transformed.transformed, classifier=bayes.classifier, name=f"best {k}")
    return cross_validation(test)


def test_five_numbers_of_features_cost_one_ranking_per_fold() -> None:
    run = runs([with_best_features(5, 10, 20, 30, 40)])
    assert run["CVDistributor"] == REPETITIONS
    assert run["CorrelationRanking"] == TESTS
    assert run["FeatureSelection"] == run["NaiveBayes"] == run["ClassificationTest"] == 5 * TESTS


def test_the_ranking_is_shared_though_every_number_of_features_is_an_experiment_of_its_own() -> None:
    run = runs(with_best_features(k) for k in (5, 10, 20, 30, 40))
    assert run["CorrelationRanking"] == TESTS
    assert run["NaiveBayes"] == 5 * TESTS


def test_ten_classifiers_behind_one_preprocessing_cost_one_preprocessing_per_fold() -> None:
    classifiers = [
        *(KNN(k=k) for k in (1, 3, 5, 7)),
        *(SVM(C=C) for C in (0.5, 1, 2)),
        *(Majority(), NaiveBayes(), SklearnClassifier("sklearn.tree.DecisionTreeClassifier")),
    ]
    run = runs(map(validated, classifiers))
    assert run["TransformAndClassify"] == 10 * TESTS
    assert run["Standardization"] == TESTS
    assert run["CVDistributor"] == REPETITIONS
    assert run["KNN"] == 4 * TESTS
    assert run["SVM"] == 3 * TESTS
    assert run["KernelProvider"] == TESTS


def test_widening_a_search_later_runs_only_what_is_new(tmp_path: Path) -> None:
    runs((validated(KNN(k=k)) for k in (1, 3, 5)), tmp_path)
    wider = runs((validated(KNN(k=k)) for k in (1, 3, 5, 7)), tmp_path)
    assert wider["KNN"] == wider["ClassificationTest"] == TESTS
    assert wider["Repeater"] == 1
    assert wider["Standardization"] == wider["CVDistributor"] == 0


def test_another_dimension_of_a_search_runs_only_what_is_new(tmp_path: Path) -> None:
    runs((validated(SVM(C=C)) for C in (1, 2)), tmp_path)
    wider = runs(
        (validated(SVM(C=C, kernel=kernel)) for C in (1, 2) for kernel in (SVM().kernel, LinearKernel())), tmp_path
    )
    assert wider["SVM"] == 2 * TESTS
    assert wider["KernelProvider"] == TESTS
    assert wider["Standardization"] == wider["CVDistributor"] == 0


def test_more_repetitions_keep_those_that_were_made(tmp_path: Path) -> None:
    runs([validated(KNN())], tmp_path)
    more = runs([validated(KNN()).replace("repetitions", REPETITIONS + 1)], tmp_path)
    assert more["KNN"] == more["Standardization"] == FOLDS
    assert more["CVDistributor"] == 1


def test_a_second_measure_on_finished_models_trains_nothing(tmp_path: Path) -> None:
    runs([validated(SVM())], tmp_path)
    measured = runs([validated(SVM(), BrierScore())], tmp_path)
    assert measured == {"Repeater": 1, "test scheme": TESTS, "BrierScore": TESTS}


def test_the_correctness_of_single_cases_is_asked_for_later_without_training(tmp_path: Path) -> None:
    runs([validated(KNN())], tmp_path)
    measured = runs([validated(KNN(), ClassificationTest(measures=(*USUAL_MEASURES, Correctness())))], tmp_path)
    assert measured == {"Repeater": 1, "test scheme": TESTS, "ClassificationTest": TESTS}
