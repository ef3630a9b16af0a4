"""The committee as a machine and as a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode, encode_parts
from intemi.machines import (
    KNN,
    Average,
    Committee,
    CommitteeClassifier,
    DecisionTree,
    Majority,
    NaiveBayes,
    Predict,
    Support,
    Vote,
    WeightedVote,
)
from intemi.machines.committees import classifier as committee_classifier
from tests.learning.tables import mixed, outputs
from tests.learning.test_classifiers import blobs

DATA = blobs(40)


def learned(learner: Any, data: Data = DATA) -> Any:
    return outputs(learner, data=data)["classifier"]


def committee(machine: Committee, members: Any, weights: Any = (), data: Data = DATA) -> CommitteeClassifier:
    made: CommitteeClassifier = machine.run(data, members, weights).outputs["classifier"]
    return made


def test_a_vote_of_weight_outvotes_others() -> None:
    members = [learned(KNN(k=1)), learned(Majority()), learned(Majority())]
    plain = committee(Committee(WeightedVote()), members)
    weighted = committee(Committee(WeightedVote()), members, [3.0, 1.0, 1.0])
    np.testing.assert_array_equal(plain.classify(DATA), learned(Majority()).classify(DATA))
    np.testing.assert_array_equal(weighted.classify(DATA), learned(KNN(k=1)).classify(DATA))


def test_only_the_first_members_count_if_a_size_is_given() -> None:
    members = [learned(KNN(k=1)), learned(Majority()), learned(Majority())]
    assert committee(Committee(size=1), members).members == (members[0],)
    assert len(committee(Committee(size=5), members).members) == 3


def test_a_member_that_lacks_a_class_has_zero_there() -> None:
    small = Data(Table(DATA.columns, DATA.features[:, :8], Column("class", DATA.labels[1:]), [0, 1] * 4))
    other = learned(KNN(k=1), small)
    assert other.labels == DATA.labels[1:]
    mixed_up = committee(Committee(Average()), [other, other])
    assert (mixed_up.probabilities(DATA)[:, 0] == 0).all()
    np.testing.assert_array_equal(mixed_up.classify(DATA), other.classify(DATA) + 1)
    np.testing.assert_array_equal(committee(Committee(Vote()), [other]).classify(DATA), other.classify(DATA) + 1)


def test_members_may_be_committees() -> None:
    inner = committee(Committee(), [learned(KNN(k=1)), learned(NaiveBayes()), learned(Majority())])
    outer = committee(Committee(), [inner, learned(KNN(k=1))])
    np.testing.assert_array_equal(committee(Committee(), [inner]).classify(DATA), inner.classify(DATA))
    assert len(outer.classify(DATA)) == len(DATA)


def test_many_rows_are_answered_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    members = [learned(KNN(k=1)), learned(NaiveBayes())]
    both = committee(Committee(Average()), members)
    whole = both.answers(DATA)
    monkeypatch.setattr(committee_classifier, "MAX_CELLS", 50)
    for one, other in zip(whole, both.answers(DATA), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_committee_refers_to_the_trees_of_its_members_instead_of_repeating_them() -> None:
    data = mixed()
    trees = [learned(DecisionTree(), data.select_rows(np.arange(start, len(data)))) for start in range(3)]
    made = committee(Committee(), trees, data=data)
    shared: dict[bytes, object] = {}
    encoded = b"".join(encode_parts(made, shared))
    assert set(shared) == {each.tree.content_digest() for each in trees}
    read = decode(encoded, shared.__getitem__)
    np.testing.assert_array_equal(read.classify(data), made.classify(data))
    assert encode(read) == encode(made)


def test_supports_are_the_rows_in_the_leaves() -> None:
    tree = learned(DecisionTree())
    supports = tree.supports(DATA)
    assert (supports.sum(axis=1) >= 1).all()
    np.testing.assert_array_equal(committee(Committee(Support()), [tree, tree]).classify(DATA), tree.classify(DATA))
    with pytest.raises(ConfigurationError, match=r"Support: members must tell .* got NearestNeighbors"):
        committee(Committee(Support()), [learned(KNN(k=1))]).classify(DATA)


def test_what_a_committee_cannot_be_made_of_is_refused() -> None:
    knn = learned(KNN(k=1))
    with pytest.raises(ConfigurationError, match="members must be at least one classifier, got none"):
        committee(Committee(), [])
    with pytest.raises(ConfigurationError, match="weights must be one for each of 2 members, got 1"):
        committee(Committee(), [knn, knn], [1.0])
    with pytest.raises(ConfigurationError, match=r"weights must be finite and at least 0, got -1\.0"):
        committee(Committee(), [knn, knn], [1.0, -1.0])
    stranger = Data(Table(DATA.columns, DATA.features, Column("class", ("x", "y", "z")), np.arange(len(DATA)) % 3))
    with pytest.raises(ConfigurationError, match="a member knows the class"):
        committee(Committee(), [knn], data=stranger)


def test_predictions_say_which_rows_they_are_of_and_how_many_rows_are_behind_them() -> None:
    part = DATA.select_rows([3, 5, 7])
    tree = learned(DecisionTree())
    predictions = Predict().run(part, tree).outputs["predictions"]
    assert predictions.rows.tolist() == [3, 5, 7]
    np.testing.assert_array_equal(predictions.answers, tree.classify(part))
    np.testing.assert_array_equal(predictions.probabilities, tree.probabilities(part))
    np.testing.assert_array_equal(predictions.weights, tree.supports(part).sum(axis=1))
    assert Predict().run(part, learned(KNN(k=1))).outputs["predictions"].weights is None
