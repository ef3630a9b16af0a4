"""Leaks, copies, oracles and looks: what the book calls bad practices 1 to 4 and 10 is refused, warned of or counted.

Each has its fair form beside it, which runs, and most claim more than is true if they are forced to run.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from intemi import Input, Machine, Model, Output, Project
from intemi.data import Column, Data, Table, from_numpy
from intemi.kernel import MachineFailed
from intemi.machines import (
    KNN,
    MDL,
    BootstrapDistributor,
    ClassificationTest,
    ContestTest,
    Count,
    CVDistributor,
    DecisionTree,
    Discretization,
    Distributor,
    Euclidean,
    ExternalTransformation,
    FeatureSelection,
    FScoreRanking,
    Grid,
    HoldOutDistributor,
    LeaveOneOutDistributor,
    Manhattan,
    NaiveBayes,
    ParameterSearch,
    Reads,
    Repeater,
    Scheme,
    SklearnTransformer,
    Standardization,
    TransductiveWarning,
    TransformAndClassify,
    Transformer,
    Values,
)
from intemi.machines.interfaces import Classifier
from intemi.query import Query

ACCURACY = ["Accuracy", "Fold"]


def noise(rows: int = 100, columns: int = 200, seed: int = 0) -> Data:
    """There is nothing to learn."""
    rng = np.random.default_rng(seed)
    return from_numpy(rng.normal(size=(rows, columns)), rng.integers(0, 2, rows).astype(str))


def validated(learner: Machine, distributor: Machine | None = None, **options: Any) -> Repeater:
    test = Scheme(training=Data, test=Data)
    learned = test.add(learner, data=test.training, name="learner")
    test.add(ClassificationTest(**options), data=test.test, classifier=learned.classifier, name="test")
    return Repeater(distributor or CVDistributor(folds=5), test, seed=1)


def selection() -> Scheme:
    scheme = Scheme(data=Data)
    ranking = scheme.add(FScoreRanking(), data=scheme.data)
    best = scheme.add(FeatureSelection(Count(5)), data=scheme.data, ranking=ranking.ranking)
    scheme.expose(transformed=best.transformed, transformation=best.transformation)
    return scheme


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=1) as opened:
        yield opened


# B1: supervised preprocessing before the split


class Rule(Machine):
    """A feature that a classifier of all rows makes."""

    version = 1
    data = Input(Data)
    classifier = Input(Classifier)
    extended = Output(Data)

    def run(self, data: Data, classifier: Classifier) -> Model:
        answers = classifier.classify(data).astype(float)
        columns = [*data.columns, Column("rule", data.labels)]
        return Model(extended=data.with_features(columns, np.vstack((data.features, answers))))


def with_rule(project: Project) -> Any:
    data = project.given(noise(columns=5))
    tree = project.request(DecisionTree(), data=data)
    return project.request(Rule(), data=data, classifier=tree.classifier).extended


def test_a_rule_learned_on_all_rows_is_no_feature(project: Project) -> None:
    with pytest.raises(MachineFailed, match=r"LeakageError.*DecisionTree.*learned from targets") as refused:
        project.run(validated(NaiveBayes()), data=with_rule(project))
    assert "TransformAndClassify" in str(refused.value)
    assert project.counts().physical["NaiveBayes"] == 0  # nothing is trained in vain


@pytest.mark.parametrize(
    "transformation",
    [Discretization(MDL()), SklearnTransformer("sklearn.feature_selection.SelectKBest", {"k": 5})],
    ids=lambda each: each.kind,
)
def test_supervised_preprocessing_above_a_split_is_refused(project: Project, transformation: Machine) -> None:
    data = project.given(noise())
    above = project.request(transformation, data=data)
    with pytest.raises(MachineFailed, match=f"LeakageError.*{transformation.kind} learned from targets"):
        project.run(validated(NaiveBayes()), data=above.transformed)
    project.run(validated(TransformAndClassify(transformation=transformation, learner=NaiveBayes())), data=data)


def test_a_leak_that_is_allowed_is_stamped_in_every_row(project: Project) -> None:
    data = project.given(noise())
    above = project.request(selection(), data=data)
    unfair = project.run(validated(NaiveBayes(), allow_leak=True), data=above.transformed)
    fair = project.run(validated(TransformAndClassify(transformation=selection(), learner=NaiveBayes())), data=data)
    claimed, true = (project.query(each, path="test/test", labels=ACCURACY) for each in (unfair, fair))
    assert claimed.labels == (*ACCURACY, "Leak")
    assert all("FScoreRanking" in said for said in claimed["Leak"])
    assert true.labels == tuple(ACCURACY)
    assert np.mean(claimed.values) > 0.65 > 0.6 > np.mean(true.values)


def test_an_equal_table_that_came_another_way_is_not_answered_with_a_leak(project: Project) -> None:
    """The leaking features are the same as those of a file that was there before: contents are equal, lineages not."""
    data = noise()
    above = project.request(selection(), data=project.given(data))
    chosen = [column.name for column in above.wait().outputs["transformed"].columns]
    fair = project.run(validated(NaiveBayes()), data=project.given(data.select_columns(chosen)))
    with pytest.raises(MachineFailed, match="LeakageError"):
        project.run(validated(NaiveBayes()), data=above.transformed)
    unfair = project.run(validated(NaiveBayes(), allow_leak=True), data=above.transformed)
    assert "Leak" not in project.query(fair, path="test/test").labels
    assert "Leak" in project.query(unfair, path="test/test").labels


def search(winner: str | None) -> ParameterSearch:
    values, objective = Values("test/learner.k", [1, 3]), Query("test/test", "Accuracy").mean()
    return ParameterSearch(validated(KNN()), Grid(values), objective, winner)


def test_a_search_on_spoilt_data_claims_nothing(project: Project) -> None:
    above = project.request(selection(), data=project.given(noise(60, 20)))
    with pytest.raises(MachineFailed, match=r"LeakageError.*FScoreRanking"):
        project.run(search(winner=None), data=above.transformed)
    found = project.run(search(winner="test/learner"), data=above.transformed)  # a learner, to be tested elsewhere
    assert "FScoreRanking" in found.results["Leak"]
    assert "Leak" in project.query(found, type=ClassificationTest, labels=["Accuracy"]).labels


@pytest.mark.parametrize("first", ["alone", "inside"])
def test_a_search_behind_a_transformation_is_a_learner(project: Project, first: str) -> None:
    """The same search is on record already, or comes later: neither is mistaken for the other."""
    data = project.given(noise(60, 20))
    above = project.request(selection(), data=data)
    learner = TransformAndClassify(transformation=selection(), learner=search("test/learner"))
    if first == "alone":
        project.run(search("test/learner"), data=above.transformed)
    project.run(learner, data=data)  # training on everything claims nothing
    done = project.run(validated(learner), data=data)
    assert project.query(done, path="test/test", labels=ACCURACY).labels == tuple(ACCURACY)
    assert "Leak" in project.run(search("test/learner"), data=above.transformed).results


class Shouting(Transformer):
    """A user's transformation that does not say what it reads."""

    version = 1

    def run(self, data: Data) -> Model:
        from intemi.machines.transformations.scaling import Scaling

        scaling = Scaling(data.columns, np.zeros(len(data.columns)), np.full(len(data.columns), 2.0))
        return Model(transformed=scaling.transform(data), transformation=scaling)


class Quiet(Shouting):
    """One that says that it reads nothing."""

    version = 1
    reads = Reads.NOTHING


def test_a_users_machine_says_what_it_reads(project: Project) -> None:
    data = project.given(noise(40, 5))
    with pytest.raises(MachineFailed, match=r"LeakageError.*Shouting(.|\n)*reads = Reads.FEATURES"):
        project.run(validated(NaiveBayes()), data=project.request(Shouting(), data=data).transformed)
    project.run(validated(NaiveBayes()), data=project.request(Quiet(), data=data).transformed)


# B2: unsupervised preprocessing before the split


def test_standardization_of_all_rows_is_worth_a_warning(project: Project) -> None:
    data = project.given(noise(40, 5))
    above = project.request(Standardization(), data=data)
    with pytest.warns(TransductiveWarning, match="transductive: Standardization"):
        done = project.run(validated(KNN()), data=above.transformed)
    assert set(project.query(done, path="test/test", labels=["Transductive"])["Transductive"]) == {"Standardization"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        project.run(validated(TransformAndClassify(transformation=Standardization(), learner=KNN())), data=data)


# B3: copies of rows


def copied(times: int = 4) -> Data:
    """Eighty rows of one class and twenty of another, each of these so many times."""
    rng = np.random.default_rng(3)
    data = from_numpy(rng.normal(size=(100, 5)), np.repeat(["a", "b"], (80, 20)))
    return data.select_rows(np.concatenate((np.arange(80), np.repeat(np.arange(80, 100), times))))


@pytest.mark.parametrize(
    "distributor",
    [CVDistributor(10), HoldOutDistributor(samples=5), BootstrapDistributor(5), LeaveOneOutDistributor()],
    ids=lambda each: each.kind,
)
def test_copies_of_a_row_stay_on_one_side_of_every_split(project: Project, distributor: Machine) -> None:
    scaled = project.request(Standardization(), data=project.given(copied()))  # another table, the same rows
    parts = project.run(distributor.replace("seed", 1), data=scaled.transformed)
    for training, test in zip(parts.outputs["training"], parts.outputs["test"], strict=True):
        assert not set(training.origins.tolist()) & set(test.origins.tolist())
        assert len(test) > 0
        assert distributor.kind == "BootstrapDistributor" or len(training) + len(test) == 160


class Careless(Distributor):
    """A user's distributor that does not look where rows come from."""

    version = 1

    def run(self, data: Data) -> Model:
        fold = np.arange(len(data)) % 4
        tests, trainings = data.parts(fold, 4)
        return Model(training=trainings, test=tests)


def test_copies_on_both_sides_of_a_users_split_are_refused(project: Project) -> None:
    data = project.given(copied())
    with pytest.raises(MachineFailed, match=r"LeakageError(.|\n)*copies"):
        project.run(validated(KNN(k=1), Careless()), data=data)
    claimed = project.run(validated(KNN(k=1), Careless(), allow_leak=True), data=data)
    fair = project.run(validated(KNN(k=1), CVDistributor(4)), data=data)
    claims, truth = (np.mean(project.query(each, path="test/test", labels=ACCURACY).values) for each in (claimed, fair))
    assert claims > truth + 0.1
    project.run(
        validated(KNN(k=1), Careless()), data=project.given(noise(40, 5))
    )  # it is right where there are no copies


class Oversampling(Transformer):
    """Copies rows of the rarer class, in training data only."""

    version = 1

    def run(self, data: Data) -> Model:
        from intemi.machines.rankings.selection import ColumnSelection

        rare = np.flatnonzero(data.classes == 1)
        more = data.select_rows(np.concatenate((np.arange(len(data)), np.repeat(rare, 3))))
        return Model(transformed=more, transformation=ColumnSelection(data.columns, tuple(range(len(data.columns)))))


def test_copies_made_of_training_data_alone_are_fair(project: Project) -> None:
    rng = np.random.default_rng(3)
    features, classes = rng.normal(size=(100, 5)), np.repeat([0, 1], (80, 20))
    columns, target = [Column(f"x{i}") for i in range(5)], Column("class", ("a", "b"))
    plain = Data(Table(columns, features.T, target, classes))
    weighted = Data(Table(columns, features.T, target, classes, np.where(classes == 1, 4.0, 1.0)))
    copying = TransformAndClassify(transformation=Oversampling(), learner=NaiveBayes())
    by_copies = project.run(validated(copying), data=project.given(plain))
    by_weights = project.run(validated(NaiveBayes()), data=project.given(weighted))
    answered = [
        project.query(each, path="test/test", labels=["Confusion matrix"])["Confusion matrix"]
        for each in (by_copies, by_weights)
    ]
    for copies, weights in zip(*answered, strict=True):
        assert np.array_equal(np.asarray(copies) > 0, np.asarray(weights) > 0)


# B4: one test sample, many looks


def halves() -> tuple[Data, Data]:
    data = noise(80, 5)
    return from_numpy(data.features.T[:40], data.classes[:40].astype(str), name="training"), from_numpy(
        data.features.T[40:], data.classes[40:].astype(str), name="test file"
    )


def test_looks_at_one_test_sample_are_counted(tmp_path: Any) -> None:
    training, test = halves()
    for first in (1, 26):
        with Project(tmp_path) as project:
            data, fixed = project.given(training), project.given(test)
            for k in range(first, first + (25 if first == 1 else 26)):
                learned = project.request(KNN(k=k % 40 + 1, distance=Manhattan() if k > 40 else Euclidean()), data=data)
                last = project.run(ClassificationTest(), data=fixed, classifier=learned.classifier)
            row = project.query(last, labels=["Accuracy"])
    assert row["Looks"] == (51,)
    assert row["Corrected level"][0] == pytest.approx(0.05 / 51)


def test_asking_again_is_no_further_look_and_cross_validation_none_at_all(project: Project) -> None:
    training, test = halves()
    data, fixed = project.given(training), project.given(test)
    for k in (1, 3, 1):
        learned = project.request(KNN(k=k), data=data)
        last = project.run(ClassificationTest(), data=fixed, classifier=learned.classifier)
    assert project.query(last, labels=["Accuracy"])["Looks"] == (2,)
    done = project.run(validated(KNN()), data=data)
    assert project.query(done, path="test/test", labels=ACCURACY).labels == tuple(ACCURACY)


def test_a_contest_sample_is_revealed_once(tmp_path: Any) -> None:
    training, test = halves()
    with Project(tmp_path) as project:
        data, sealed = project.given(training), project.given(test)
        best = project.request(KNN(k=3), data=data)
        first = project.run(ContestTest(), data=sealed, classifier=best.classifier).results["Accuracy"]
    with Project(tmp_path) as project:
        data, sealed = project.given(training), project.given(test)
        again = project.request(KNN(k=3), data=data)
        assert project.run(ContestTest(), data=sealed, classifier=again.classifier).results["Accuracy"] == first
        other = project.request(KNN(k=5), data=data)
        with pytest.raises(MachineFailed, match=r"AlreadyRevealed.*revealed before, to the classifier of KNN"):
            project.run(ContestTest(), data=sealed, classifier=other.classifier)


# B10: machines that look at test targets


class Peeking(Machine):
    """Learns from the training and the test data."""

    version = 1
    training = Input(Data)
    test = Input(Data)
    classifier = Output(Classifier)

    def run(self, training: Data, test: Data) -> Model:
        del training
        return Model(classifier=KNN(k=1).run(test).outputs["classifier"])


def peeked(**options: Any) -> Repeater:
    test = Scheme(training=Data, test=Data)
    learned = test.add(Peeking(), training=test.training, test=test.test, name="learner")
    test.add(ClassificationTest(**options), data=test.test, classifier=learned.classifier, name="test")
    return Repeater(CVDistributor(5), test, seed=1)


def test_an_oracle_is_declared_and_shown(project: Project) -> None:
    data = project.given(noise(50, 5))
    with pytest.raises(MachineFailed, match=r"LeakageError.*Peeking(.|\n)*oracle=True"):
        project.run(peeked(), data=data)
    done = project.run(peeked(oracle=True), data=data)
    shown = project.query(done, path="test/test", labels=ACCURACY)
    assert set(shown.values) == {1.0}
    assert all("Peeking" in said for said in shown["Oracle"])


def test_a_search_that_chooses_by_test_targets_is_an_oracle(project: Project) -> None:
    """The winner itself has seen training data only; what chose it has seen the test data."""
    inner = Scheme(training=Data, test=Data)
    learned = inner.add(KNN(), data=inner.training, name="learner")
    inner.add(ClassificationTest(), data=inner.test, classifier=learned.classifier, name="test")
    inner.expose(classifier=learned.classifier)
    search = ParameterSearch(inner, Grid(Values("learner.k", [1, 3, 5])), Query("test", "Accuracy").mean())
    test = Scheme(training=Data, test=Data)
    found = test.add(search, training=test.training, test=test.test, name="search")
    test.add(ClassificationTest(), data=test.test, classifier=found.classifier, name="test")
    with pytest.raises(MachineFailed, match=r"LeakageError.*ParameterSearch"):
        project.run(Repeater(CVDistributor(5), test, seed=1), data=project.given(noise(50, 5)))


# What is no unfair test


def test_a_test_on_training_data_is_stamped_for_what_it_is(project: Project) -> None:
    data = project.given(noise(40, 5))
    learned = project.request(KNN(k=1), data=data)
    done = project.run(ClassificationTest(), data=data, classifier=learned.classifier)
    assert done.results["Accuracy"] == 1
    assert "trained on" in done.results["Resubstitution"]


def test_training_on_all_rows_and_testing_on_folds_of_them_is_refused(project: Project) -> None:
    data = project.given(noise(40, 5))
    folds = project.run(CVDistributor(4, seed=1), data=data)
    learned = project.request(KNN(k=1), data=data)
    with pytest.raises(MachineFailed, match="LeakageError"):
        project.run(ClassificationTest(), data=folds.test[0], classifier=learned.classifier)


def test_folds_of_two_splits_of_the_same_rows_do_not_mix(project: Project) -> None:
    data = project.given(noise(40, 5))
    one, other = (project.run(CVDistributor(4, seed=seed), data=data) for seed in (1, 2))
    learned = project.request(KNN(k=1), data=one.training[0])
    project.run(ClassificationTest(), data=one.test[0], classifier=learned.classifier)
    with pytest.raises(MachineFailed, match="LeakageError"):
        project.run(ClassificationTest(), data=other.test[0], classifier=learned.classifier)


def test_test_data_transformed_with_training_data_are_fair(project: Project) -> None:
    test = Scheme(training=Data, test=Data)
    cut = test.add(Discretization(MDL()), data=test.training)
    other = test.add(ExternalTransformation(), data=test.test, transformation=cut.transformation)
    learned = test.add(NaiveBayes(), data=cut.transformed)
    test.add(ClassificationTest(), data=other.transformed, classifier=learned.classifier, name="test")
    done = project.run(Repeater(CVDistributor(5), test, seed=1), data=project.given(noise(50, 5)))
    assert project.query(done, path="test/test", labels=ACCURACY).labels == tuple(ACCURACY)
