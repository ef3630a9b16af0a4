"""The hand-checked numbers of every direct pruning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from intemi.machines.trees.algorithms import C45
from intemi.machines.trees.decisions import MEstimate, PathCombined, Proportions
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.bottom_up import Judgement, errors_deviation
from intemi.machines.trees.refinement.cost_complexity import CostComplexity
from intemi.machines.trees.refinement.depth_impurity import DepthImpurity
from intemi.machines.trees.refinement.description_length import DescriptionLength
from intemi.machines.trees.refinement.direct import Collapse, PathError, PessimisticError
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.refinement.error_limits import ERROR_LIMITS
from intemi.machines.trees.refinement.fixed_cost_complexity import FixedCostComplexity
from intemi.machines.trees.refinement.minimum_error import MEstimateError, MinimumError
from intemi.machines.trees.refinement.refinement import DirectPruning
from tests import datasets
from tests.trees.examples import tree_of
from tests.trees.refinement.fixtures import SINGLE, T1, T2, TM, Example, Q, pair


def cut(pruning: DirectPruning, example: Example) -> str:
    """The nodes that it makes leaves, "a f"."""
    return " ".join(sorted(example.collapsed(pruning.pruned(example.tree))))


def costs(judged: Judgement, example: Example, name: str) -> tuple[float, float]:
    """What a node costs as a leaf and with what is left below."""
    [node] = example.nodes(name)
    return float(judged.as_leaf[node]), float(judged.as_subtree[node])


MATRIX = [
    (PessimisticError, ("", "f", "a f")),
    (ErrorBased, ("", "a f", "a f")),
    (MinimumError, ("", "f", "a f")),
    (MEstimateError, ("", "", "a f")),
]


@pytest.mark.parametrize(("pruning", "expected"), MATRIX)
def test_the_regression_matrix_of_standard_errors(pruning: Any, expected: tuple[str, ...]) -> None:
    assert tuple(cut(pruning(se=se), T1) for se in (0, 0.5, 1)) == expected


def test_the_regression_matrix_without_standard_errors() -> None:
    assert cut(DescriptionLength(), T1) == ""
    assert cut(DepthImpurity(beta=0.5), T1) == "a"


def test_a_fixed_cost_cuts_the_links_that_are_worth_no_more() -> None:
    path = CostComplexity().path(T1.tree, Proportions())
    root = float(T1.tree.weights[0] - T1.tree.class_weights[0].max()) / float(T1.tree.weights[0])
    for cost in path.keys:
        expected = T1.collapsed(cut_at(T1.tree, path.cut(int(np.searchsorted(path.keys, cost)))))
        assert T1.collapsed(FixedCostComplexity(cp=float(cost) / root).pruned(T1.tree)) == expected
    assert len(FixedCostComplexity(cp=1.0).pruned(T1.tree)) == 1
    assert FixedCostComplexity(cp=0.0).pruned(SINGLE.tree) == SINGLE.tree


# Pessimistic error


def test_pessimistic_errors_of_every_node() -> None:
    judged = PessimisticError().judged(T1.tree)
    for name, leaf, subtree, deviation in (
        ("R", 8.5, 3.5, 1.6993),
        ("a", 2.5, 1.5, 1.1456),
        ("c", 2.5, 1.0, 0.8660),
        ("f", 2.5, 2.0, 1.2247),
    ):
        assert costs(judged, T1, name) == (leaf, subtree)
        [weight] = T1.tree.weights[T1.nodes(name)]
        assert errors_deviation(np.array(subtree), np.array(weight)) == pytest.approx(deviation, abs=5e-5)


def test_two_leaves_of_one_row_each_are_merged_by_a_standard_error() -> None:
    assert cut(PessimisticError(se=1), pair([1, 0], [0, 1])) == "P"
    assert cut(PessimisticError(se=0), pair([1, 0], [0, 1])) == ""


def test_empty_leaves_get_no_half_error() -> None:
    assert costs(PessimisticError().judged(pair([5, 1], [0, 0]).tree), pair([5, 1], [0, 0]), "P") == (1.5, 1.5)


# Error-based


@pytest.mark.parametrize(
    ("n", "e", "c45", "j48", "wilson", "exact"),
    [
        (6, 0, 0.2063, 0.2063, 0.0705, 0.2063),
        (9, 0, 0.1428, 0.1428, 0.0481, 0.1428),
        (1, 0, 0.7500, 0.7500, 0.3127, 0.7500),
        (16, 1, 0.1567, 0.1547, 0.1166, 0.1596),
        (4, 2, 0.7706, 0.7675, 0.6598, 0.7570),
        (12, 2, 0.2999, 0.2973, 0.2511, 0.3012),
    ],
)
def test_error_limits(n: int, e: int, c45: float, j48: float, wilson: float, exact: float) -> None:
    for name, expected in (("c45", c45), ("j48", j48), ("wilson", wilson), ("exact", exact)):
        limit = ERROR_LIMITS[name](np.array([float(n)]), np.array([float(e)]), 0.25)
        assert limit / n == pytest.approx([expected], abs=5e-5)


@pytest.mark.parametrize(
    ("estimator", "leaf", "subtree", "expected"),
    [
        ("c45", 2.5069, 3.2726, "Q"),
        ("j48", 2.4757, 3.2726, "Q"),
        ("exact", 2.5538, 3.2726, "Q"),
        ("wilson", 1.8660, 1.1686, ""),
        ("wilson two-sided", 2.7313, 2.8074, "Q"),
    ],
)
def test_estimators_disagree_on_the_textbook_tree(estimator: Any, leaf: float, subtree: float, expected: str) -> None:
    pruning = ErrorBased(estimator=estimator)
    assert costs(pruning.judged(Q.tree), Q, "Q") == pytest.approx((leaf, subtree), abs=6e-5)
    assert cut(pruning, Q) == expected


def test_errors_to_be_expected_of_every_node() -> None:
    judged = ErrorBased().judged(T1.tree)
    assert costs(judged, T1, "c") == pytest.approx((3.0823, 2.0), abs=5e-5)
    assert costs(judged, T1, "a") == pytest.approx((3.5992, 3.2728), abs=5e-5)
    assert costs(judged, T1, "f") == pytest.approx((3.4707, 3.2676), abs=5e-5)
    assert costs(judged, T1, "R") == pytest.approx((10.0485, 6.5404), abs=5e-5)
    assert cut(ErrorBased(slack=0.1), T1) == ""
    strict = ErrorBased(se=1).judged(T1.tree)
    assert costs(strict, T1, "R")[1] == pytest.approx(7.0700, abs=6e-5)
    assert not strict.is_cut[T1.nodes("c")].any()
    assert ErrorBased(se=1).margins(np.array([3.2728, 3.2676, 7.07]), np.array([12.0, 8, 20])) == pytest.approx(
        [1.5428, 1.3903, 2.1379], abs=5e-5
    )


@pytest.mark.wide
@pytest.mark.parametrize(
    ("name", "full", "pruned"),
    [
        ("sonar", 23, 20),
        ("diabetes", 120, 77),
        ("iris", 7, 5),
        ("glass", 39, 27),
        ("vehicle", 129, 103),
    ],
)
def test_it_leaves_as_many_leaves_as_j48(name: str, full: int, pruned: int) -> None:
    """With the options `-O -J`, and `-U` or `-S`: nothing collapsed, no cost of thresholds, no raising."""
    data = datasets.load(name)
    tree = tree_of(C45(mdl=False, collapse=False, refinement=None), data)
    after = ErrorBased(estimator="j48", slack=0.1).pruned(tree, data)
    assert (tree.leaf_count, after.leaf_count) == (full, pruned)


def test_wilsons_limits_need_a_standard_error_to_cut() -> None:
    assert [cut(ErrorBased(estimator="wilson", se=se), T1) for se in (0, 0.5, 1)] == ["", "", "f"]


# Minimum error


def test_minimum_errors_of_every_node() -> None:
    judged = MinimumError().judged(T1.tree)
    assert costs(judged, T1, "c") == pytest.approx((1 / 2, 1 / 4))
    assert costs(judged, T1, "a") == pytest.approx((3 / 14, 3 / 20))
    assert costs(judged, T1, "f") == pytest.approx((3 / 10, 67 / 280))
    assert costs(judged, T1, "R") == pytest.approx((9 / 22, 13 / 70))
    assert costs(MinimumError(se=0.5).judged(T1.tree), T1, "R")[1] == pytest.approx(21 / 100)
    assert costs(MinimumError(se=1).judged(T1.tree), T1, "R")[1] == pytest.approx(87 / 350)


def test_minimum_error_of_three_classes() -> None:
    judged = MinimumError().judged(TM.tree)
    assert costs(judged, TM, "c") == pytest.approx((2 / 5, 37 / 98))
    assert costs(judged, TM, "R") == pytest.approx((2 / 3, 11 / 30))
    assert (cut(MinimumError(), TM), cut(MinimumError(), T2)) == ("", "n3")


def test_m_estimates_of_every_node() -> None:
    judged = MEstimateError(m=8).judged(T1.tree)
    assert costs(judged, T1, "a") == pytest.approx((0.2600, 0.2667), abs=5e-5)
    assert costs(judged, T1, "f") == pytest.approx((0.4250, 0.3740), abs=5e-5)
    assert costs(judged, T1, "R") == pytest.approx((0.4000, 0.3056), abs=5e-5)


@pytest.mark.parametrize(("m", "expected"), [(0, ""), (1, ""), (2, ""), (4, ""), (8, "a"), (4096, "a")])
def test_m_estimates_cut_as_far(m: float, expected: str) -> None:
    assert cut(MEstimateError(m=m), T1) == expected


def test_standard_errors_of_m_estimates() -> None:
    assert [cut(MEstimateError(m=8, se=se), T1) for se in (0, 0.5, 1)] == ["a", "a f", "R"]


def test_a_larger_m_may_cut_less() -> None:
    assert [cut(MEstimateError(m=m), T2) for m in (1, 2, 4, 8)] == ["n3", "n3", "", "n1"]
    assert costs(MEstimateError(m=2).judged(T2.tree), T2, "n3") == pytest.approx((43 / 91, 221 / 462))
    judged = MEstimateError(m=4).judged(T2.tree)
    assert costs(judged, T2, "n3") == pytest.approx((17 / 35, 117 / 245))
    assert costs(judged, T2, "n1") == pytest.approx((3 / 7, 1467 / 3430))


def test_leaves_answer_by_the_estimate_that_cut_them() -> None:
    assert MEstimateError(m=8).decision() == MEstimate(m=8)
    assert PathError(w=0.5).decision() == PathCombined(w=0.5)
    assert MinimumError().decision() is None


# Description length


def test_code_lengths_of_every_node() -> None:
    judged = DescriptionLength().judged(T1.tree)
    assert costs(judged, T1, "c") == pytest.approx((4.9069, 4.1699), abs=5e-5)
    assert costs(judged, T1, "a") == pytest.approx((9.7448, 8.3399), abs=6e-5)
    assert costs(judged, T1, "f") == pytest.approx((7.9773, 7.1699), abs=5e-5)
    assert costs(judged, T1, "R") == pytest.approx((21.3350, 16.5098), abs=6e-5)


def test_code_lengths_of_three_classes() -> None:
    judged = DescriptionLength().judged(TM.tree)
    assert costs(judged, TM, "c") == pytest.approx((9.5622, 9.8138), abs=5e-5)
    assert costs(judged, TM, "R") == pytest.approx((26.6169, 20.3760), abs=5e-5)
    assert cut(DescriptionLength(), TM) == "c"


@pytest.mark.parametrize(
    ("first", "second", "leaf", "subtree", "expected"),
    [([3, 1], [2, 1], 7.3923, 8.9069, "P"), ([1, 0], [0, 1], 2.5850, 3.0, "P"), ([0, 1], [2, 0], 3.5850, 3.5850, "")],
)
def test_code_lengths_of_two_leaves(
    first: list[float], second: list[float], leaf: float, subtree: float, expected: str
) -> None:
    example = pair(first, second)
    assert costs(DescriptionLength().judged(example.tree), example, "P") == pytest.approx((leaf, subtree), abs=5e-5)
    assert cut(DescriptionLength(), example) == expected
    assert cut(DescriptionLength(tie="prune"), example) == "P"


# Depth and impurity


@pytest.mark.parametrize(("beta", "expected"), [(1, ""), (1 / 2, "a"), (1 / 4, "a f"), (0.0884, "R"), (0, "R")])
def test_a_smaller_beta_cuts_more(beta: float, expected: str) -> None:
    assert cut(DepthImpurity(beta=beta), T1) == expected


def test_purities_of_every_node() -> None:
    assert costs(DepthImpurity(beta=1).judged(T1.tree), T1, "R") == pytest.approx((-1 / 25, -13 / 15))
    judged = DepthImpurity(beta=0.5).judged(T1.tree)
    assert costs(judged, T1, "a") == pytest.approx((-4 / 9, -5 / 12))
    assert costs(judged, T1, "f") == pytest.approx((-1 / 4, -1 / 3))
    assert costs(judged, T1, "R") == pytest.approx((-1 / 25, -1 / 5))


@pytest.mark.parametrize(
    ("impurity", "name", "threshold"),
    [
        ("gini", "a", math.sqrt(7 / 3) - 1),
        ("gini", "f", 3 / 8),
        ("gini", "R", 6 / 55),
        ("entropy", "a", 0.431759),
        ("entropy", "f", 0.287844),
        ("entropy", "R", 0.101758),
    ],
)
def test_every_node_has_a_threshold_of_beta(impurity: Any, name: str, threshold: float) -> None:
    [node] = T1.nodes(name)
    for beta, expected in ((threshold - 1e-6, True), (threshold + 1e-6, False)):
        assert DepthImpurity(beta=beta, impurity=impurity).judged(T1.tree).is_cut[node] == expected
    assert not DepthImpurity(beta=1e-9).judged(T1.tree).is_cut[T1.nodes("c")]


# Path error and collapsing


def test_answers_along_paths_may_make_a_subtree_worse_than_its_root() -> None:
    example = pair([8, 1], [1, 2])
    assert costs(PathError().judged(example.tree), example, "P") == (3, 3)
    assert cut(PathError(), example) == "P"
    assert cut(Collapse(), example) == ""
    assert cut(PathError(), T1) == ""


def test_splits_without_use_collapse() -> None:
    assert cut(Collapse(), pair([5, 1], [3, 2])) == "P"
    assert cut(Collapse(), T1) == ""


# Edges

PRUNINGS = (
    Collapse(),
    PessimisticError(),
    ErrorBased(slack=0.1, se=0.5),
    ErrorBased(estimator="j48"),
    ErrorBased(estimator="wilson"),
    ErrorBased(estimator="wilson two-sided"),
    ErrorBased(estimator="exact"),
    MinimumError(),
    MEstimateError(),
    MEstimateError(m=0),
    DescriptionLength(),
    DepthImpurity(beta=0.5),
    DepthImpurity(beta=0.5, impurity="entropy"),
    PathError(),
)


@pytest.mark.parametrize("pruning", PRUNINGS, ids=repr)
def test_a_root_alone_stays_as_it_is(pruning: DirectPruning) -> None:
    assert pruning.pruned(SINGLE.tree) is SINGLE.tree


@pytest.mark.parametrize("pruning", PRUNINGS, ids=repr)
def test_a_split_that_leaves_a_branch_empty_is_undone(pruning: DirectPruning) -> None:
    assert cut(pruning, pair([5, 1], [0, 0])) == "P"
