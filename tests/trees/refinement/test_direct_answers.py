"""Direct prunings that count errors count those of what the nodes answer."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.kernel import Project
from intemi.machines.trees.algorithms import C45
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decisions import Laplace, LeastCost, MEstimate, PathCombined, Proportions, WithPriors
from intemi.machines.trees.refinement.direct import PessimisticError
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.refinement.machines import PrunedTree
from intemi.machines.trees.refinement.minimum_error import MinimumError
from intemi.machines.trees.refinement.refinement import DirectPruning
from intemi.machines.trees.refinement.tables import node_classes
from intemi.machines.trees.tree import Tree
from scripts.reference_data import HOME
from tests.trees.refinement.fixtures import collapsed, pair, random_trees

ANSWERS = [
    Proportions(), Laplace(), MEstimate(m=16), PathCombined(), WithPriors(priors=(1.0, 9.0, 2.0)),
    LeastCost(cost=((0, 5, 1), (1, 0, 1), (1, 2, 0))),
]  # fmt: skip
PRUNINGS: list[DirectPruning] = [PessimisticError(), PessimisticError(se=0), ErrorBased(), ErrorBased(se=0.5)]


def rows(tree: Tree) -> Data:
    """As many rows of each class as the tree was grown on; where they are does not matter."""
    classes = np.repeat(np.arange(len(tree.labels)), tree.class_weights[0].astype(int))
    return Data(Table([Column("x")], [np.zeros(len(classes))], Column("class", tree.labels), classes))


def cut(pruning: DirectPruning, tree: Tree, decision: DecisionModule) -> set[int]:
    """The nodes that a refinement makes leaves, if these answer by a decision module."""
    model = PrunedTree(pruning, decision).run(tree, rows(tree), ())
    return collapsed(tree, model.outputs["pruned"])


def errors(tree: Tree, decision: DecisionModule) -> list[float]:
    answers = node_classes(tree, decision)
    return [float(row.sum() - row[answer]) for row, answer in zip(tree.class_weights, answers, strict=True)]


def leaves_below(tree: Tree, node: int) -> list[int]:
    below = [leaf for child in tree.children(node) for leaf in leaves_below(tree, child)]
    return below if tree.branch_count[node] else [node]


def pessimistic(tree: Tree, decision: DecisionModule, se: float, node: int = 0) -> set[int]:
    """The rule as it is written."""
    if not tree.branch_count[node]:
        return set()
    wrong, n = errors(tree, decision), tree.weights[node]
    below = sum(wrong[leaf] + 0.5 * (tree.weights[leaf] > 0) for leaf in leaves_below(tree, node))
    allowed = below + (se * sqrt(below * (n - below) / n) if below < n else 0.0)
    if wrong[node] + 0.5 * (n > 0) <= allowed + 1e-9:
        return {node}
    return {each for child in tree.children(node) for each in pessimistic(tree, decision, se, child)}


def error_based(pruning: ErrorBased, tree: Tree, decision: DecisionModule, node: int = 0) -> tuple[float, set[int]]:
    """The same for the limits of C4.5: what is to be expected of a subtree, and where it is cut."""
    n, wrong = tree.weights[[node]], np.array([errors(tree, decision)[node]])
    as_leaf = float(pruning.expected_errors(n, wrong)[0])
    if not tree.branch_count[node]:
        return as_leaf, set()
    parts = [error_based(pruning, tree, decision, child) for child in tree.children(node)]
    below = sum(each for each, _ in parts)
    margin = float(pruning.margins(np.array([below]), n)[0])
    if as_leaf <= below + margin + 1e-9:
        return as_leaf, {node}
    return below, set[int]().union(*(nodes for _, nodes in parts))


def fitting(decision: DecisionModule, tree: Tree) -> DecisionModule:
    """The decision module for as many classes as the tree has."""
    k = len(tree.labels)
    if isinstance(decision, WithPriors):
        return WithPriors(priors=decision.priors[:k])
    if isinstance(decision, LeastCost):
        return LeastCost(cost=tuple(row[:k] for row in decision.cost[:k]))
    return decision


@given(random_trees(), st.sampled_from(ANSWERS), st.sampled_from([0.0, 0.5, 1.0]))
def test_cuts_are_those_of_the_rules(tree: Tree, decision: DecisionModule, se: float) -> None:
    decision = fitting(decision, tree)
    assert cut(PessimisticError(se=se), tree, decision) == pessimistic(tree, decision, se)
    pruning = ErrorBased(se=se)
    assert cut(pruning, tree, decision) == error_based(pruning, tree, decision)[1]


@pytest.mark.parametrize("pruning", PRUNINGS, ids=repr)
@given(tree=random_trees())
def test_majorities_are_pruned_as_ever(pruning: DirectPruning, tree: Tree) -> None:
    expected = collapsed(tree, pruning.pruned(tree))
    assert [cut(pruning, tree, decision) for decision in (Proportions(), Laplace())] == [expected] * 2


def test_a_leaf_that_answers_with_those_above_it_may_save_nothing() -> None:
    # y has one A and two B, and answers A since most rows above are.
    example = pair([8, 1], [1, 2])
    pruning = PessimisticError(se=0)
    assert [cut(pruning, example.tree, each) for each in (Proportions(), PathCombined())] == [set(), {0}]


def test_the_estimate_of_laplace_counts_majorities() -> None:
    example = pair([8, 1], [1, 2])
    assert len({frozenset(cut(MinimumError(), example.tree, each)) for each in (Proportions(), PathCombined())}) == 1


def test_a_learner_is_pruned_by_what_it_answers() -> None:
    data = HOME.load("balance-scale")  # of classes that are not of one size
    with Project() as project:
        given_data = project.given(data)
        for refinement in (PessimisticError(), ErrorBased()):
            sizes = {
                decision.kind: project.run(
                    C45(refinement=refinement).replace("learner.decision", decision), data=given_data
                ).results["Leaves"]
                for decision in (Proportions(), Laplace(), MEstimate(m=40))
            }
            assert sizes["Proportions"] == sizes["Laplace"]
            assert sizes["MEstimate"] < sizes["Proportions"]
        assert project.counts().physical["DecisionTree"] == 1
