"""What holds for validation of any tree: random trees against brute force, and laws."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Floats
from intemi.machines.trees import (
    CostComplexity,
    Degree,
    DepthImpurity,
    DepthImpurityValidation,
    MEstimateError,
    MEstimateValidation,
    OptimalSize,
    ReducedError,
    Tree,
    Validator,
)
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.path_validator import PathValidator
from intemi.machines.trees.refinement.tables import errors_as_leaves, node_classes
from tests.trees.refinement.fixtures import collapsed, prunings, random_trees, reversed_children
from tests.trees.refinement.validating import MAJORITY

PATHS: list[type[PathValidator]] = [CostComplexity, Degree, OptimalSize, MEstimateValidation, DepthImpurityValidation]
NESTED: list[type[PathValidator]] = [CostComplexity, Degree, DepthImpurityValidation]
kinds = pytest.mark.parametrize("kind", PATHS, ids=lambda kind: kind.__name__)
nested_kinds = pytest.mark.parametrize("kind", NESTED, ids=lambda kind: kind.__name__)


@st.composite
def validated_trees(draw: st.DrawFn, most: int = 6) -> tuple[Tree, Floats]:
    """Trees, and the class weights of validation rows in their nodes, at least one row in all."""
    tree = draw(random_trees(most=most))
    counts = np.zeros_like(tree.class_weights)
    for node in range(len(tree) - 1, -1, -1):
        if tree.branch_count[node]:
            counts[node] = counts[list(tree.children(node))].sum(axis=0)
        else:
            counts[node] = draw(st.lists(st.integers(0, 4), min_size=counts.shape[1], max_size=counts.shape[1]))
    if not counts[0].sum():
        node = 0
        while True:
            counts[node, 0] += 1
            if not tree.branch_count[node]:
                break
            node = int(tree.first_child[node])
    return tree, counts


def leaves_of(tree: Tree, cut: frozenset[int]) -> list[int]:
    """The leaves of a pruning."""
    leaves, stack = [], [0]
    while stack:
        node = stack.pop()
        if node in cut or not tree.branch_count[node]:
            leaves.append(node)
        else:
            stack += tree.children(node)
    return leaves


def summed(tree: Tree, cut: frozenset[int], values: Floats) -> float:
    """What the leaves of a pruning have together."""
    return float(sum(values[leaf] for leaf in leaves_of(tree, cut)))


def topmost(tree: Tree, nodes: Any) -> frozenset[int]:
    """Cut nodes that are not below others, which is what makes a pruning."""
    return frozenset(collapsed(tree, cut_at(tree, nodes)))


def steps(validator: PathValidator, tree: Tree) -> list[frozenset[int]]:
    """The prunings of a path."""
    path = validator.path(tree, MAJORITY)
    return [topmost(tree, path.cut(step)) for step in range(len(path.keys))]


def answer(validator: Validator, tree: Tree, *counts: Floats) -> frozenset[int]:
    """Where a tree is cut by passes over itself."""
    tables = [validator.table(tree, each, MAJORITY) for each in counts]
    return topmost(tree, validator.choose(tree, tables, MAJORITY).nodes)


# Tables


@kinds
@given(validated=validated_trees())
def test_tables_tell_leaves_and_errors_of_each_pruning(
    kind: type[PathValidator], validated: tuple[Tree, Floats]
) -> None:
    tree, counts = validated
    table: Any = kind().table(tree, counts, MAJORITY)
    for step, cut in enumerate(steps(kind(), tree)):
        assert table.leaves[step] == len(leaves_of(tree, cut))
        decision = kind().decided(float(table.keys[step])) or MAJORITY
        classes = node_classes(tree, decision)
        assert table.validation[step] == summed(tree, cut, errors_as_leaves(counts, classes))
        assert table.training[step] == summed(tree, cut, errors_as_leaves(tree.class_weights, classes))


@kinds
@given(tree=random_trees())
def test_paths_go_from_weak_to_strong(kind: type[PathValidator], tree: Tree) -> None:
    path = kind().path(tree, MAJORITY)
    assert (np.diff(path.keys) > 0).all()
    if kind in (CostComplexity, Degree, OptimalSize, DepthImpurityValidation):
        assert path.leaves[-1] == 1
        assert (np.diff(path.leaves) <= 0).all()


@nested_kinds
@given(tree=random_trees())
def test_nested_prunings_only_ever_cut_more(kind: type[PathValidator], tree: Tree) -> None:
    inner = [set(range(len(tree))) - below(tree, cut) for cut in steps(kind(), tree)]
    assert all(after <= before for before, after in pairwise(inner))


def below(tree: Tree, cut: frozenset[int]) -> set[int]:
    """The nodes that are not split in a pruning."""
    gone = set(cut)
    for node in range(1, len(tree)):
        if tree.parent[node] in gone:
            gone.add(node)
    return gone


# Cost-complexity
@given(tree=random_trees(), risk=st.sampled_from(["error", "gini", "entropy"]))
def test_cost_complexity_steps_are_the_smallest_minimisers(tree: Tree, risk: Any) -> None:
    validator = CostComplexity(risk=risk)
    path, risks = validator.path(tree, MAJORITY), validator.risks(tree, MAJORITY) / tree.weights[0]
    every = [(summed(tree, cut, risks), len(leaves_of(tree, cut)), cut) for cut in prunings(tree)]
    for step, cut in enumerate(steps(validator, tree)):
        low = path.keys[step]
        high = path.keys[step + 1] if step + 1 < len(path.keys) else 2 * low + 1
        for cost in (low, (low + high) / 2):
            least = min(value + cost * leaves for value, leaves, _ in every)
            best = [(leaves, each) for value, leaves, each in every if value + cost * leaves <= least + 1e-9]
            smallest = min(leaves for leaves, _ in best)
            assert [each for leaves, each in best if leaves == smallest] == [cut]


@given(tree=random_trees())
def test_cost_complexity_is_strictly_nested_and_convex(tree: Tree) -> None:
    table = CostComplexity().table(tree, tree.class_weights, MAJORITY)
    assert (np.diff(table.leaves) < 0).all()
    slopes = np.diff(table.training) / -np.diff(table.leaves) / table.trained
    assert slopes.tolist() == pytest.approx(table.keys[1:].tolist())


# Optimal sizes
@given(tree=random_trees(most=5))
def test_no_pruning_of_a_size_makes_fewer_training_errors(tree: Tree) -> None:
    errors = errors_as_leaves(tree.class_weights, node_classes(tree, MAJORITY))
    least: dict[int, float] = {}
    for cut in prunings(tree):
        size = len(leaves_of(tree, cut))
        least[size] = min(least.get(size, np.inf), summed(tree, cut, errors))
    table = OptimalSize().table(tree, tree.class_weights, MAJORITY)
    assert dict(zip(table.leaves.tolist(), table.training.tolist(), strict=True)) == least
    costs = CostComplexity().table(tree, tree.class_weights, MAJORITY)
    assert all(least[size] == error for size, error in zip(costs.leaves.tolist(), costs.training, strict=True))


# Degree, depth impurity, m-estimate
@given(tree=random_trees())
def test_degrees_are_those_of_the_iterative_definition(tree: Tree) -> None:
    errors = errors_as_leaves(tree.class_weights, node_classes(tree, MAJORITY))
    path = Degree().path(tree, MAJORITY)
    for step, degree in enumerate(path.keys):
        cut: set[int] = set()
        for node in range(len(tree) - 1, -1, -1):  # children come before their parent
            if tree.branch_count[node]:
                children = list(tree.children(node))
                are_leaves = all(child in cut or not tree.branch_count[child] for child in children)
                if are_leaves and errors[node] - errors[children].sum() <= degree:
                    cut.add(node)
        assert topmost(tree, np.array(sorted(cut), dtype=np.int32)) == steps(Degree(), tree)[step]


@given(tree=random_trees(), impurity=st.sampled_from(["gini", "entropy"]))
def test_each_beta_cuts_as_direct_pruning_does(tree: Tree, impurity: Any) -> None:
    validator = DepthImpurityValidation(impurity=impurity)
    path = validator.path(tree, MAJORITY)
    for step in range(len(path.keys)):
        direct = DepthImpurity(beta=validator.named(path.keys[step]), impurity=impurity).pruned(tree)
        assert cut_at(tree, path.cut(step)) == direct


@given(tree=random_trees(), impurity=st.sampled_from(["gini", "entropy"]))
def test_exact_values_of_beta_are_where_direct_pruning_cuts_more(tree: Tree, impurity: Any) -> None:
    path = DepthImpurityValidation(impurity=impurity, candidates="exact").path(tree, MAJORITY)
    betas = -path.keys
    for step, beta in enumerate(betas):
        following = betas[step + 1] if step + 1 < len(betas) else 0.0
        for between in (beta - 1e-9 * beta, (beta + following) / 2):
            direct = DepthImpurity(beta=between, impurity=impurity).pruned(tree)
            assert cut_at(tree, path.cut(step)) == direct


@given(tree=random_trees())
def test_each_m_cuts_as_direct_pruning_does(tree: Tree) -> None:
    path = MEstimateValidation().path(tree, MAJORITY)
    for step in range(0, 25, 3):
        assert cut_at(tree, path.cut(step)) == MEstimateError(m=2.0 ** path.keys[step]).pruned(tree)


# Reduced errors
@given(validated=validated_trees(most=5), tef=st.sampled_from([0.0, 0.5, 1.0]))
def test_reduced_error_pruning_is_the_smallest_of_the_best_prunings(validated: tuple[Tree, Floats], tef: float) -> None:
    tree, counts = validated
    classes = node_classes(tree, MAJORITY)
    values = errors_as_leaves(counts, classes) / counts[0].sum()
    values = (values + tef * errors_as_leaves(tree.class_weights, classes) / tree.weights[0]) / (1 + tef)
    every = [(summed(tree, cut, values), len(leaves_of(tree, cut)), cut) for cut in prunings(tree)]
    least = min(error for error, _, _ in every)
    best = [(leaves, cut) for error, leaves, cut in every if error <= least + 1e-9]
    smallest = min(leaves for leaves, _ in best)
    validator = ReducedError(tef=tef)
    assert [cut for leaves, cut in best if leaves == smallest] == [answer(validator, tree, counts)]
    chosen = validator.choose(tree, [validator.table(tree, counts, MAJORITY)], MAJORITY)
    assert chosen.results["Validation error"] == pytest.approx(least)
    assert answer(validator, tree, 2 * counts) == answer(validator, tree, counts)


# Selection


@kinds
@given(validated=validated_trees(), tef=st.sampled_from([0.0, 0.5, 1.0]))
def test_more_standard_errors_never_give_a_larger_tree(kind: Any, validated: tuple[Tree, Floats], tef: float) -> None:
    tree, counts = validated
    sizes = [len(leaves_of(tree, answer(kind(se=se, tef=tef), tree, counts))) for se in (0, 0.5, 1, 2)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] <= tree.leaf_count


@kinds
@given(validated=validated_trees())
def test_a_larger_weight_of_training_errors_never_selects_more_of_them(
    kind: Any, validated: tuple[Tree, Floats]
) -> None:
    tree, counts = validated
    table = kind().table(tree, counts, MAJORITY)
    found = []
    for tef in (0.0, 0.5, 1.0, 4.0):
        validator = kind(tef=tef)
        chosen = validator.choose(tree, [table], MAJORITY)
        names = [validator.named(float(key)) for key in validator.path(tree, MAJORITY).keys]
        found.append(table.training[names.index(chosen.results["Chosen"])])
    assert found == sorted(found, reverse=True)


@kinds
@given(validated=validated_trees())
def test_the_same_pass_twice_selects_the_same(kind: Any, validated: tuple[Tree, Floats]) -> None:
    tree, counts = validated
    assert answer(kind(), tree, counts, counts) == answer(kind(), tree, counts)


@pytest.mark.parametrize("kind", [CostComplexity, OptimalSize], ids=lambda kind: kind.__name__)
@given(validated=validated_trees())
def test_twice_as_many_training_rows_change_nothing(kind: Any, validated: tuple[Tree, Floats]) -> None:
    tree, counts = validated
    doubled = replace(tree, class_weights=2 * tree.class_weights)
    assert answer(kind(), doubled, counts) == answer(kind(), tree, counts)


@given(tree=random_trees())
def test_twice_as_many_training_rows_double_the_degrees(tree: Tree) -> None:
    doubled = replace(tree, class_weights=2 * tree.class_weights)
    assert (2 * Degree().path(tree, MAJORITY).keys).tolist() == Degree().path(doubled, MAJORITY).keys.tolist()


@given(tree=random_trees())
def test_the_order_of_the_children_makes_no_difference(tree: Tree) -> None:
    turned, place = reversed_children(tree)
    for kind in (CostComplexity, Degree, MEstimateValidation, DepthImpurityValidation):
        mirrored = [frozenset(place[node] for node in cut) for cut in steps(kind(), tree)]
        assert mirrored == steps(kind(), turned)
    same, mirror = (OptimalSize().table(each, each.class_weights, MAJORITY) for each in (tree, turned))
    assert (same.leaves.tolist(), same.training.tolist()) == (mirror.leaves.tolist(), mirror.training.tolist())


@given(tree=random_trees(), numbers=st.permutations([0, 1, 2]))
def test_other_numbers_of_classes_change_nothing(tree: Tree, numbers: list[int]) -> None:
    k = tree.class_weights.shape[1]
    order = [number for number in numbers if number < k]
    renumbered = replace(tree, class_weights=np.ascontiguousarray(tree.class_weights[:, order]))
    for validator in (CostComplexity(risk="gini"), DepthImpurityValidation()):  # these do not ask which class wins
        assert steps(validator, renumbered) == steps(validator, tree)
    for kind in (CostComplexity, OptimalSize):  # how many errors are made is the same whichever of equal classes wins
        table = kind().table(renumbered, renumbered.class_weights, MAJORITY)
        same = kind().table(tree, tree.class_weights, MAJORITY)
        assert (table.leaves.tolist(), table.training.tolist()) == (same.leaves.tolist(), same.training.tolist())


@given(random_trees(), st.integers(-6, 0), st.integers(0, 6))
def test_a_smaller_grid_is_a_part_of_the_larger_one(tree: Tree, smallest: int, largest: int) -> None:
    few = MEstimateValidation(smallest=smallest, largest=largest)
    every, some = (each.path(tree, MAJORITY) for each in (MEstimateValidation(), few))
    assert some.keys.tolist() == list(range(smallest, largest + 1))
    for step, key in enumerate(some.keys):
        assert some.cut(step).tolist() == every.cut(every.keys.tolist().index(key)).tolist()
    full, short = DepthImpurityValidation(), DepthImpurityValidation(largest=largest)
    for step in range(largest + 1):
        assert short.path(tree, MAJORITY).cut(step).tolist() == full.path(tree, MAJORITY).cut(step).tolist()
        assert short.named(step) == full.named(step)
    assert short.named(largest + 1) == 0
    assert short.path(tree, MAJORITY).leaves[-1] == 1


def test_a_grid_ends_where_it_begins_at_the_earliest() -> None:
    with pytest.raises(ConfigurationError, match="MEstimateValidation: smallest must be at most largest, got 3 and 2"):
        MEstimateValidation(smallest=3, largest=2)
    assert MEstimateValidation(smallest=3, largest=3).named(3) == 8


@pytest.mark.parametrize("risk", ["error", "gini", "entropy"])
@given(random_trees())
def test_costs_are_those_at_which_nodes_are_cut(risk: Any, tree: Tree) -> None:
    path = CostComplexity(risk=risk).path(tree, MAJORITY)
    inner = tree.branch_count > 0
    assert path.keys.tolist() == sorted({0.0, *path.critical[inner].tolist()})
    assert np.isneginf(path.critical[~inner]).all()
