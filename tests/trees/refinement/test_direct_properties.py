"""What holds for direct prunings of any tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.bottom_up import BottomUpPruning
from intemi.machines.trees.refinement.depth_impurity import DepthImpurity
from intemi.machines.trees.refinement.description_length import DescriptionLength
from intemi.machines.trees.refinement.direct import Collapse, PathError, PessimisticError
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.refinement.error_limits import ERROR_LIMITS, exact_limit
from intemi.machines.trees.refinement.minimum_error import MEstimateError, MinimumError
from intemi.machines.trees.refinement.refinement import DirectPruning
from intemi.machines.trees.tree import Tree
from tests.trees.refinement.fixtures import T1, collapsed, prunings, random_trees, reversed_children, with_class_weights

"""Each of them is pruned in many ways."""
SYMMETRIC = (
    ErrorBased(),
    ErrorBased(estimator="j48", cf=0.1),
    ErrorBased(estimator="wilson"),
    ErrorBased(estimator="exact"),
    MinimumError(),
    MEstimateError(m=0.5),
    MEstimateError(m=8),
    DescriptionLength(),
    DescriptionLength(tie="prune"),
    DepthImpurity(beta=0.7),
    DepthImpurity(beta=0.25, impurity="entropy"),
)
"""Those that do not ask which class is which."""
BOTTOM_UP = (*SYMMETRIC, PathError(), PathError(w=0.3))
ALL: tuple[DirectPruning, ...] = (
    *BOTTOM_UP,
    Collapse(),
    PessimisticError(),
    PessimisticError(se=0),
    ErrorBased(slack=0.1, se=1),
    MinimumError(se=0.5),
    MEstimateError(se=1),
)


@given(tree=random_trees())
def test_a_pruned_tree_is_the_tree_without_what_is_below_some_nodes(tree: Tree) -> None:
    for pruning in ALL:
        pruned = pruning.pruned(tree)
        nodes = collapsed(tree, pruned)
        assert frozenset(nodes) in prunings(tree)
        assert pruned == cut_at(tree, np.array(sorted(nodes), dtype=np.int32))
        assert pruned.leaf_count <= tree.leaf_count


@given(tree=random_trees())
def test_pruning_from_the_leaves_up_a_second_time_changes_nothing(tree: Tree) -> None:
    for pruning in BOTTOM_UP:
        pruned = pruning.pruned(tree)
        assert pruning.pruned(pruned) == pruned


@given(tree=random_trees(most=5))
def test_no_other_pruning_costs_less_and_of_equal_ones_none_is_smaller(tree: Tree) -> None:
    for pruning in BOTTOM_UP:
        candidates = {nodes: cost_of(pruning, tree, nodes) for nodes in prunings(tree)}
        chosen = frozenset(collapsed(tree, pruning.pruned(tree)))
        assert candidates[chosen] == pytest.approx(min(candidates.values()), abs=1e-9)
        equal = [nodes for nodes, cost in candidates.items() if cost <= candidates[chosen] + 1e-10]
        sizes = {nodes: cut_at(tree, np.array(sorted(nodes), dtype=np.int32)).leaf_count for nodes in equal}
        best = max if isinstance(pruning, DescriptionLength) and pruning.tie == "keep" else min
        assert sizes[chosen] == best(sizes.values())


def cost_of(pruning: BottomUpPruning, tree: Tree, cuts: frozenset[int], node: int = 0) -> float:
    """What a pruned tree costs, by definition."""
    if node in cuts or not tree.branch_count[node]:
        return float(pruning.costs(tree)[node])
    children = tree.children(node)
    costs = np.array([cost_of(pruning, tree, cuts, child) for child in children])
    if not pruning.averages:
        return float(pruning.of_subtrees(costs.sum()))
    weights = tree.weights[list(children)]
    mean = np.average(costs, weights=weights) if weights.sum() > 0 else costs.mean()
    return float(pruning.of_subtrees(mean))


@given(tree=random_trees())
def test_more_standard_errors_leave_fewer_leaves_to_the_pessimist(tree: Tree) -> None:
    leaves = [PessimisticError(se=se).pruned(tree).leaf_count for se in (0, 0.5, 1, 2)]
    assert leaves == sorted(leaves, reverse=True)


@given(tree=random_trees())
def test_prunings_by_depth_and_impurity_are_nested(tree: Tree) -> None:
    above = DepthImpurity(beta=1).pruned(tree)
    for beta in (0.9, 0.6, 0.3, 0.1, 0):
        below = DepthImpurity(beta=beta).pruned(tree)
        assert below.leaf_count == above.leaf_count or collapsed(above, below), "collapsed checks that it is a pruning"
        above = below


@given(tree=random_trees())
def test_twice_the_rows_are_as_impure(tree: Tree) -> None:
    doubled = with_class_weights(tree, 2 * tree.class_weights)
    for pruning in (DepthImpurity(beta=0.5), Collapse(slack=0)):
        assert collapsed(tree, pruning.pruned(tree)) == collapsed(doubled, pruning.pruned(doubled))


@given(tree=random_trees())
def test_the_order_of_the_classes_makes_no_difference(tree: Tree) -> None:
    for pruning in SYMMETRIC:
        turned = with_class_weights(tree, tree.class_weights[:, ::-1])
        assert collapsed(tree, pruning.pruned(tree)) == collapsed(turned, pruning.pruned(turned))


@given(tree=random_trees())
def test_the_order_of_the_children_makes_no_difference(tree: Tree) -> None:
    for pruning in ALL:
        turned, place = reversed_children(tree)
        cut = {place[node] for node in collapsed(tree, pruning.pruned(tree))}
        assert cut == collapsed(turned, pruning.pruned(turned))


# Limits of errors


@pytest.mark.parametrize("name", ERROR_LIMITS)
@given(n=st.floats(0.01, 500), cf=st.floats(0.001, 0.5))
def test_limits_grow_with_the_errors_and_exceed_them(name: str, n: float, cf: float) -> None:
    errors = np.linspace(0, n, 50)
    limits = ERROR_LIMITS[name](np.full(50, n), errors, cf)
    assert np.isfinite(limits).all()
    if n >= 1.5 or name not in ("c45", "j48"):  # of parts of a row these interpolate towards a whole error
        assert (limits >= errors - 1e-9).all()
        assert (limits <= n + 1e-9).all()
    if name in ("wilson", "wilson two-sided", "exact"):
        assert (np.diff(limits) >= -1e-9).all()


@pytest.mark.parametrize("name", ERROR_LIMITS)
def test_of_nothing_nothing_is_expected(name: str) -> None:
    assert ERROR_LIMITS[name](np.zeros(1), np.zeros(1), 0.25) == [0.0]


@given(n=st.integers(1, 200), share=st.floats(0, 1), cf=st.floats(0.01, 0.5))
def test_the_exact_limit_is_the_rate_at_which_so_few_errors_have_that_probability(
    n: int, share: float, cf: float
) -> None:
    e = min(int(share * n), n - 1)
    limit = exact_limit(np.array([float(n)]), np.array([float(e)]), cf)[0]
    assert binom.cdf(e, n, limit / n) == pytest.approx(cf, rel=1e-6)


def test_fewer_rows_of_the_same_error_rate_are_trusted_less() -> None:
    weights = np.array([4.0, 40.0, 400.0])
    for limit in ERROR_LIMITS.values():
        rates = limit(weights, weights / 4, 0.25) / weights
        assert (np.diff(rates) < 0).all()


def test_pruning_leaves_the_tree_itself_alone() -> None:
    before = T1.tree.class_weights.copy()
    for pruning in ALL:
        pruning.pruned(T1.tree)
    np.testing.assert_array_equal(before, T1.tree.class_weights)
    assert T1.tree.leaf_count == 5
