"""On scikit-learn's own bootstrap samples, bagging and forests of all features give its votes and its probabilities.

Where two features separate equally well, scikit-learn draws. In small nodes that is often so: most fully grown trees
differ somewhere, and are left out. Trees of three levels seldom do, and most of them are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.machines import Average, Committee, DecisionTree, Vote
from intemi.machines.trees import MaxDepth
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.tree import Tree
from scripts.reference_data import HOME


def same_splits(ours: Tree, theirs: Any) -> bool:
    """Whether two trees have the same tests in the same places."""
    pairs = [(0, 0)]
    for node, other in pairs:
        if (ours.first_child[node] < 0) != (theirs.children_left[other] < 0):
            return False
        if ours.first_child[node] >= 0:
            test = ours.test_start[node]
            cut = ours.parameters[ours.parameter_start[test]]
            if ours.feature[test] != theirs.feature[other] or not np.isclose(cut, theirs.threshold[other], rtol=1e-6):
                return False
            first = ours.first_child[node]
            pairs += [(first, theirs.children_left[other]), (first + 1, theirs.children_right[other])]
    return True


def ensemble(kind: str, depth: int | None) -> Any:
    from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    if kind == "bagging":
        return BaggingClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=60, random_state=0)
    return RandomForestClassifier(n_estimators=60, max_features=None, max_depth=depth, random_state=0)


@pytest.mark.parametrize("kind", ["bagging", "forest"])
@pytest.mark.parametrize(
    ("name", "depth", "fewest"),
    [("wine", None, 5), ("waveform", 3, 40), ("balance-scale", 3, 40), ("rings", 3, 40)],
)
def test_votes_are_those_of_scikit_learn(kind: str, name: str, depth: int | None, fewest: int) -> None:
    data = HOME.load(name)
    values = data.features.astype(np.float32)
    data = data.with_features(data.columns, values.astype(np.float64))
    theirs = ensemble(kind, depth).fit(values.T, data.classes)
    learner = DecisionTree() if depth is None else DecisionTree(stop=MaxDepth(depth + 1))
    agreeing = []
    for fitted, rows in zip(theirs.estimators_, theirs.estimators_samples_, strict=True):
        member = learner.run(data.select_rows(rows)).outputs["classifier"]
        assert isinstance(member, TreeClassifier)
        if same_splits(member.tree, fitted.tree_):
            agreeing.append((member, fitted))
    assert len(agreeing) >= fewest
    members, fitted_trees = zip(*agreeing, strict=True)
    probabilities = np.mean([each.predict_proba(values.T) for each in fitted_trees], axis=0)
    votes = np.zeros((len(data), len(data.labels)))
    for each in fitted_trees:
        votes[np.arange(len(data)), each.predict_proba(values.T).argmax(axis=1)] += 1
    for rule, expected in ((Average(), probabilities), (Vote(), votes / len(members))):
        committee = Committee(rule).run(data, members, ()).outputs["classifier"]
        answers, shares = committee.answers(data)
        np.testing.assert_allclose(shares, expected, atol=1e-12)
        clear = np.sort(expected, axis=1)[:, -1] > np.sort(expected, axis=1)[:, -2] + 1e-9
        assert (answers[clear] == expected.argmax(axis=1)[clear]).all()
