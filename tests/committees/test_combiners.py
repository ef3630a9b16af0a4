"""What combiners have in common: templates, names, committees of committees, and tests that stay fair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Data
from intemi.kernel import BindingError, ConfigurationError, Machine, MachineFailed, Project
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode_parts
from intemi.machines import (
    C45,
    KNN,
    SCANN,
    Arbiters,
    Cascading,
    ClassificationTest,
    CrossPredictions,
    CVDistributor,
    InnerFolds,
    LeakageError,
    Logistic,
    MetaData,
    MetaDecisionTree,
    NaiveBayes,
    Predict,
    Repeater,
    Scheme,
    SelectBest,
    Stack,
    Stacking,
    StackingC45,
    Voting,
)
from scripts.reference_data import HOME

IRIS = HOME.load("iris")
LEARNERS: tuple[Machine, ...] = (KNN(k=3), NaiveBayes(), C45())
COMBINERS: dict[str, Machine] = {
    "voting": Voting(LEARNERS),
    "select best": SelectBest(LEARNERS),
    "stacking": Stacking(LEARNERS),
    "C-C4.5": StackingC45(LEARNERS),
    "scann": SCANN(LEARNERS),
    "cascading": Cascading(LEARNERS),
    "cascading by folds": Cascading(LEARNERS, distributor=InnerFolds(3)),
    "arbiters": Arbiters(LEARNERS),
    "meta decision tree": MetaDecisionTree(LEARNERS),
}
every_combiner = pytest.mark.parametrize("combiner", COMBINERS.values(), ids=COMBINERS)


def learned(combiner: Machine, data: Data = IRIS) -> Any:
    with Project() as project:
        return project.run(combiner, data=project.given(data)).outputs["classifier"]


@every_combiner
def test_a_combiner_learns_and_what_it_learned_is_stored(combiner: Machine) -> None:
    made = learned(combiner)
    assert np.allclose(made.probabilities(IRIS).sum(axis=1), 1)
    shared: dict[bytes, Any] = {}
    encoded = b"".join(encode_parts(made, shared))
    parts = {name: decode(b"".join(encode_parts(part))) for name, part in shared.items()}
    again = decode(encoded, parts.__getitem__)
    assert np.array_equal(again.probabilities(IRIS), made.probabilities(IRIS))


@every_combiner
def test_a_combiner_is_a_template_until_its_learners_are_there(combiner: Machine) -> None:
    raw = type(combiner)()
    assert [each.partition(":")[0] for each in raw.missing()] == ["learners.0"]
    filled = raw.fill({"learners.0": NaiveBayes()})
    assert filled.missing() == []


@every_combiner
def test_a_combiner_can_be_a_member_of_a_combiner(combiner: Machine) -> None:
    members = (combiner, NaiveBayes(), KNN())
    first, *others = [learned(member).classify(IRIS) for member in members]
    voted = np.where(others[0] == others[1], others[0], first)  # of three different answers, that of the first
    assert np.array_equal(learned(Voting(members)).classify(IRIS), voted)


def test_what_is_no_learner_is_refused() -> None:
    with pytest.raises(BindingError, match=r"Stacking: learners.1 must have the role Learner"):
        Stacking((KNN(), CVDistributor()))
    with pytest.raises(ConfigurationError, match="Voting: learners must be at least one, got none"):
        Voting(())
    with pytest.raises(ConfigurationError, match="names must be 2 different ones"):
        Voting((KNN(), KNN()), names=("a", "a"))


def test_learners_of_one_kind_are_told_apart() -> None:
    assert Voting((KNN(), KNN(k=1), C45())).called() == ("KNN", "KNN (2)", "RefinedTree")
    assert Voting((KNN(), KNN(k=1)), names=("five", "one")).called() == ("five", "one")


def cross_validated(combiner: Machine) -> Repeater:
    test = Scheme(training=Data, test=Data)
    made = test.add(combiner, data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=made.classifier, name="test")
    return Repeater(CVDistributor(folds=3), test, seed=1)


@every_combiner
def test_inner_folds_of_training_data_are_fair(combiner: Machine) -> None:
    with Project() as project:
        done = project.run(cross_validated(combiner), data=project.given(IRIS))
        assert project.query(done, path="test/test", labels=["Accuracy", "Fold"]).labels == ("Accuracy", "Fold")


def test_answers_of_models_that_saw_all_rows_are_refused_above_a_split() -> None:
    with Project() as project:
        data = project.given(IRIS)
        told = [project.request(CrossPredictions(each), data=data).predictions for each in LEARNERS]
        table = project.request(MetaData(), data=data, predictions=told)
        with pytest.raises(MachineFailed, match="CrossPredictions learned from targets"):
            project.run(cross_validated(Logistic()), data=table.meta)


def test_a_meta_learner_that_is_fed_with_test_rows_is_refused() -> None:
    test = Scheme(training=Data, test=Data)
    member = test.add(NaiveBayes(), data=test.training, name="member")
    told = test.add(Predict(), data=test.test, classifier=member.classifier, name="told")
    table = test.add(MetaData(), data=test.test, predictions=[told.predictions], name="table")
    meta = test.add(Logistic(), data=table.meta, name="meta")
    bound = {"predictions": [told.predictions], "members": [member.classifier], "meta": meta.classifier}
    stack = test.add(Stack(), data=test.test, name="stack", **bound)
    test.add(ClassificationTest(), data=test.test, classifier=stack.classifier, name="test")
    with Project() as project, pytest.raises(MachineFailed, match="learned from targets of rows") as refused:
        project.run(Repeater(CVDistributor(folds=3), test, seed=1), data=project.given(IRIS))
    assert LeakageError.__name__ in str(refused.value)
