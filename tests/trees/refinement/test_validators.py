"""The hand-checked vectors of validation, and all combinations of standard errors and training error factors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from intemi.kernel import ConfigurationError
from intemi.machines.distributors import CVDistributor, HoldOutDistributor
from intemi.machines.trees import (
    CostComplexity,
    CriticalValue,
    Degree,
    DepthImpurityValidation,
    MEstimate,
    MEstimateError,
    MEstimateValidation,
    OptimalSize,
    PathCombined,
    ReducedError,
    Validator,
)
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.path_validator import PathValidator
from intemi.machines.trees.refinement.selection import margin, rows_validated
from intemi.machines.trees.refinement.tables import node_classes
from tests.trees.refinement.fixtures import F1, F2, SINGLE, T1, T2, TM, Example, example, pair, with_class_weights
from tests.trees.refinement.validating import (
    MAJORITY,
    chosen,
    cut,
    cut_in_one_pass,
    errors,
    estimated,
    flat,
    path_of,
    tables_of,
)

PATHS: list[type[PathValidator]] = [CostComplexity, Degree, OptimalSize, MEstimateValidation, DepthImpurityValidation]
MARGINS = [(0.0, "theory"), (0.5, "theory"), (1.0, "theory"), (0.5, "sample"), (1.0, "sample")]


# All combinations (regression matrix)

IN_ONE_PASS: dict[type[Validator], dict[float, list[str]]] = {
    ReducedError: {0: ["a f"] * 3, 0.5: ["a f"] * 3, 1: ["f", "a f", "a f"]},
    CostComplexity: {0: ["a f"] * 3, 0.5: ["a f"] * 3, 1: ["a f"] * 3},
    Degree: {0: ["a f"] * 3, 0.5: ["a f"] * 3, 1: ["f", "a f", "a f"]},
    OptimalSize: {0: ["a f"] * 3, 0.5: ["a f"] * 3, 1: ["f", "a f", "a f"]},
    MEstimateValidation: {0: ["a"] * 3, 0.5: ["a"] * 3, 1: ["", "a", "a"]},
    DepthImpurityValidation: {0: ["a f"] * 3, 0.5: ["a f"] * 3, 1: ["a f"] * 3},
}
IN_TWO_PASSES: dict[type[Validator], dict[float, list[str]]] = {
    CostComplexity: {0: ["a f"] * 5, 0.5: ["a f"] * 5, 1: ["", *["a f"] * 4]},
    Degree: {0: ["f"] * 5, 0.5: ["f"] * 5, 1: ["", *["f"] * 4]},
    OptimalSize: {0: ["a f"] * 5, 0.5: ["a", *["a f"] * 4], 1: ["a", *["a f"] * 4]},
    MEstimateValidation: {0: ["a"] * 5, 0.5: ["a"] * 5, 1: ["a"] * 5},
    DepthImpurityValidation: {0: ["a f"] * 5, 0.5: ["a f"] * 5, 1: ["a f"] * 5},
}


@pytest.mark.parametrize("tef", [0, 0.5, 1])
@pytest.mark.parametrize("kind", IN_ONE_PASS, ids=lambda kind: kind.__name__)
def test_one_pass_cuts_as_the_regression_matrix_says(kind: Any, tef: float) -> None:
    assert [cut_in_one_pass(kind(se=se, tef=tef)) for se in (0, 0.5, 1)] == IN_ONE_PASS[kind][tef]


@pytest.mark.parametrize("tef", [0, 0.5, 1])
@pytest.mark.parametrize("kind", IN_TWO_PASSES, ids=lambda kind: kind.__name__)
def test_two_passes_cut_as_the_regression_matrix_says(kind: Any, tef: float) -> None:
    assert [cut(kind(se=se, se_of=of, tef=tef)) for se, of in MARGINS] == IN_TWO_PASSES[kind][tef]


@pytest.mark.parametrize("kind", [CostComplexity, OptimalSize], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("passes", ["its own", "all"])
def test_the_trees_of_folds_can_be_cut_by_their_own_or_by_all_passes(kind: Any, passes: str) -> None:
    for tree, expected in ((F1, "p"), (F2, "k2")):
        assert cut(kind(), tree, (tree,) if passes == "its own" else (F1, F2)) == expected


# Trees of the folds: validation and training errors of their prunings


def test_errors_of_the_prunings_of_folds() -> None:
    [first, second] = tables_of(OptimalSize(), F1, F2)
    assert (first.validated, first.trained) == (10, 10)
    assert list(zip(first.leaves, first.validation, first.training, strict=True)) == [
        (4, 4, 1), (3, 3, 2), (2, 3, 2), (1, 4, 4),
    ]  # fmt: skip
    assert list(zip(second.leaves, second.validation, second.training, strict=True)) == [
        (3, 2, 1),
        (2, 2, 2),
        (1, 4, 4),
    ]


# Reduced error pruning


class TestReducedError:
    def test_nodes_without_validation_rows_go_unless_training_errors_count(self) -> None:
        without = example(
            ("R", [12, 8], [
                ("a", [10, 2], [
                    ("b", [8, 0], [], [4, 1]),
                    ("c", [2, 2], [("d", [2, 0], []), ("e", [0, 2], [])]),
                ]),
                ("f", [2, 6], [("g", [2, 1], [], [0, 1]), ("h", [0, 5], [], [1, 2])]),
            ])
        )  # fmt: skip
        assert [cut_in_one_pass(ReducedError(tef=tef), without) for tef in (0, 0.5, 1)] == ["a f", "f", "f"]

    def test_the_error_of_what_is_left_is_told(self) -> None:
        assert chosen(ReducedError(), T1, (T1,)).results == {"Validation error": pytest.approx(2 / 11)}

    def test_it_takes_one_pass_over_the_tree_itself(self) -> None:
        for passes in ((F1,), (T1, T1), ()):
            with pytest.raises(ConfigurationError, match="ReducedError: one pass is needed, over the tree that is cut"):
                cut(ReducedError(), T1, passes)
        with pytest.raises(ConfigurationError, match="one sample, a FirstFold or TwoSamples, got CVDistributor"):
            ReducedError(passes=CVDistributor())
        with pytest.raises(ConfigurationError, match="must be a HoldOutDistributor with one sample"):
            ReducedError(passes=HoldOutDistributor(samples=2))


# Cost-complexity


class TestCostComplexity:
    def test_paths(self) -> None:
        validator = CostComplexity()
        assert path_of(validator, T1) == [(0, "", 5), (0.05, "a f", 2), (0.2, "R", 1)]
        assert path_of(validator, F1) == [(0, "", 4), (0.05, "p", 2), (0.2, "R1", 1)]
        assert path_of(validator, F2) == [(0, "", 3), (0.1, "k2", 2), (0.2, "R2", 1)]
        [(_, _, first), (weakest, c, _), (strongest, root, _)] = path_of(validator, TM)
        assert (first, c, root) == (4, "c", "R")
        assert (weakest, strongest) == (pytest.approx(1 / 15), pytest.approx(7 / 30))
        assert tables_of(validator, T1)[0].training.tolist() == [1, 4, 8]

    def test_each_node_has_the_cost_at_which_it_goes(self) -> None:
        critical = CostComplexity().path(T1.tree, MAJORITY).critical
        assert flat(critical[T1.nodes("a c f R")]) == [0.05, 0.05, 0.05, 0.2]

    def test_path_by_impurity(self) -> None:
        path = CostComplexity(risk="gini").path(T1.tree, MAJORITY)
        assert path.keys.tolist() == pytest.approx([0, 1 / 12, 49 / 300])
        risks = path.summed(CostComplexity(risk="gini").risks(T1.tree, MAJORITY)) / 20
        assert risks.tolist() == pytest.approx([1 / 15, 19 / 60, 12 / 25])

    @pytest.mark.parametrize(
        ("tef", "expected"), [(0, [0.3, 0.25, 0.4]), (0.5, [0.2333, 0.2333, 0.4]), (1, [0.2, 0.225, 0.4])]
    )
    def test_errors_in_two_passes(self, tef: float, expected: list[float]) -> None:
        assert errors(CostComplexity(tef=tef)) == expected

    def test_errors_in_one_pass(self) -> None:
        found = estimated(CostComplexity(se=1), T1, (T1,))
        assert flat(found.errors) == flat(np.array([4, 2, 4]) / 11)
        assert round(margin(CostComplexity(se=1), found, 1), 4) == 0.1163

    def test_standard_errors(self) -> None:
        for validator, best, expected in (
            (CostComplexity(se=1), 1, 0.0968),
            (CostComplexity(se=1, tef=1), 0, 0.0894),
            (CostComplexity(se=0.5, tef=1), 0, 0.0447),
            (CostComplexity(se=1, se_of="sample", tef=1), 0, 0.05),
            (CostComplexity(se=1, se_of="sd", tef=1), 0, 0.0707),  # of two passes: not divided by the root of two
        ):
            assert round(margin(validator, estimated(validator), best), 4) == expected

    def test_whatever_tree_is_cut_standard_errors_are_of_the_rows_validated(self) -> None:
        for tree in (T1, F1, F2):
            assert estimated(CostComplexity(se=1), tree).rows == 20
        twice = [replace(table, repeats=2.0) for table in tables_of(CostComplexity(), F1, F2, F1, F2)]
        assert rows_validated(twice) == 20

    def test_a_tree_of_rows_that_weigh_little_has_the_path_of_any_other(self) -> None:
        for factor in (2.0**-60, 2.0**60):
            tree = with_class_weights(T1.tree, factor * T1.tree.class_weights)
            scaled = Example(tree, T1.names, T1.validation)
            for risk in ("error", "gini", "entropy"):
                assert path_of(CostComplexity(risk=risk), scaled) == path_of(CostComplexity(risk=risk), T1)

    def test_what_was_chosen_is_told(self) -> None:
        assert chosen(CostComplexity()).results == {"Chosen": 0.05, "Validation error": 0.25}


# Degree


class TestDegree:
    def test_paths(self) -> None:
        assert path_of(Degree(), T1) == [(0, "", 5), (1, "f", 4), (2, "a f", 2), (4, "R", 1)]
        assert path_of(Degree(), TM) == [(0, "", 4), (1, "c", 3), (7, "R", 1)]
        assert path_of(Degree(), F1) == [(0, "", 4), (1, "p", 2), (2, "R1", 1)]
        assert path_of(Degree(), F2) == [(0, "", 3), (1, "k2", 2), (2, "R2", 1)]

    @pytest.mark.parametrize(
        ("tef", "expected"),
        [(0, [0.3, 0.25, 0.4, 0.4]), (0.5, [0.2333, 0.2333, 0.4, 0.4]), (1, [0.2, 0.225, 0.4, 0.4])],
    )
    def test_errors_in_two_passes(self, tef: float, expected: list[float]) -> None:
        assert errors(Degree(tef=tef)) == expected

    def test_errors_in_one_pass(self) -> None:
        assert errors(Degree(), T1, (T1,)) == [0.3636, 0.2727, 0.1818, 0.3636]
        assert errors(Degree(tef=1), T1, (T1,)) == [0.2068, 0.1864, 0.1909, 0.3818]
        assert [chosen(Degree(tef=1, se=se), T1, (T1,)).results["Chosen"] for se in (0, 1)] == [1, 2]
        found = estimated(Degree(tef=1, se=1), T1, (T1,))
        assert round(margin(Degree(tef=1, se=1), found, 1), 4) == 0.1174

    def test_prunings_can_be_looked_up_by_their_leaves(self) -> None:
        by_leaves = Degree(select="leaves")
        assert path_of(by_leaves, T1) == [(-5, "", 5), (-4, "f", 4), (-2, "a f", 2), (-1, "R", 1)]
        assert errors(by_leaves) == [0.3, 0.3, 0.25, 0.4]
        assert (cut(by_leaves), chosen(by_leaves).results["Chosen"]) == ("a f", 2)
        assert errors(by_leaves, T1, (T1,)) == errors(Degree(), T1, (T1,))


# Critical values


class TestCriticalValue:
    def test_a_good_split_protects_those_above_it(self) -> None:
        assert path_of(CriticalValue(), of_qualities(R=0.1, a=0.05, c=0.02, f=0.03)) == [
            (0, "", 5), (0.02, "c", 4), (0.03, "c f", 3), (0.05, "a f", 2), (0.1, "R", 1),
        ]  # fmt: skip
        assert path_of(CriticalValue(), of_qualities(R=0.1, a=0.05, c=0.2, f=0.03)) == [
            (0, "", 5), (0.03, "f", 4), (0.2, "R", 1),
        ]  # fmt: skip

    def test_a_split_without_any_gain_goes_first(self) -> None:
        assert path_of(CriticalValue(), of_qualities(R=0.1, a=0.0, c=0.0, f=0.03))[0] == (0, "a", 3)

    def test_candidates_stand_for_what_is_between_them_and_the_next(self) -> None:
        validated = of_qualities(R=0.4, a=0.1, c=0.04, f=0.1)
        assert errors(CriticalValue(), validated, (validated,)) == [0.3636, 0.2727, 0.1818, 0.3636]
        other = of_qualities(R=0.4, a=0.15, c=0.05, f=0.15)
        # 0, 0.063, 0.2 and above all of them: {}, {c}, {a f}, {R} in the other tree.
        assert errors(CriticalValue(), validated, (other,)) == [0.3636, 0.2727, 0.1818, 0.3636]
        assert cut(CriticalValue(), validated, (other,)) == "a f"


def of_qualities(**qualities: float) -> Example:
    """T1, its splits being so good."""
    quality = [qualities.get(name, 0.0) for name in T1.names]
    return Example(replace(T1.tree, quality=np.array(quality)), T1.names, T1.validation)


# Optimal size


class TestOptimalSize:
    def test_paths(self) -> None:
        assert path_of(OptimalSize(), T1) == [
            (-5, "", 5), (-4, "f", 4), (-3, "a", 3), (-2, "a f", 2), (-1, "R", 1),
        ]  # fmt: skip
        assert tables_of(OptimalSize(), T1)[0].training.tolist() == [1, 2, 3, 4, 8]
        assert path_of(OptimalSize(), TM) == [(-4, "", 4), (-3, "c", 3), (-1, "R", 1)]
        assert tables_of(OptimalSize(), TM)[0].training.tolist() == [2, 3, 10]

    @pytest.mark.parametrize(
        ("tef", "expected"),
        [
            (0, [0.3, 0.3, 0.25, 0.25, 0.4]),
            (0.5, [0.2333, 0.2333, 0.2167, 0.2333, 0.4]),
            (1, [0.2, 0.2, 0.2, 0.225, 0.4]),
        ],
    )
    def test_errors_in_two_passes(self, tef: float, expected: list[float]) -> None:
        assert errors(OptimalSize(tef=tef)) == expected

    def test_errors_in_one_pass(self) -> None:
        assert errors(OptimalSize(), T1, (T1,)) == [0.3636, 0.2727, 0.2727, 0.1818, 0.3636]
        assert errors(OptimalSize(tef=1), T1, (T1,)) == [0.2068, 0.1864, 0.2114, 0.1909, 0.3818]
        assert [chosen(OptimalSize(tef=tef), T1, (T1,)).results["Chosen"] for tef in (0, 1)] == [2, 4]


# m-estimate


def by_exponent(found: list[float]) -> dict[float, tuple[int, int]]:
    """For each error the first and the last exponent of 2 that has it."""
    exponents = range(-12, 13)
    return {
        error: (min(at), max(at))
        for error in dict.fromkeys(found)
        if (at := [k for k, each in zip(exponents, found, strict=True) if each == error])
    }


class TestMEstimateValidation:
    def test_two_passes(self) -> None:
        assert by_exponent(errors(MEstimateValidation())) == {0.3: (-12, 1), 0.25: (2, 3), 0.4: (4, 12)}
        assert by_exponent(errors(MEstimateValidation(tef=1))) == {0.2: (-12, 3), 0.4: (4, 12)}
        leaves = MEstimateValidation().path(T1.tree, MAJORITY).leaves.tolist()
        assert leaves == [5] * 15 + [3] * 10
        for tef in (0, 1):
            found = chosen(MEstimateValidation(tef=tef))
            assert (found.results["Chosen"], found.decision) == (8.0, MEstimate(m=8))

    def test_one_pass(self) -> None:
        found = errors(MEstimateValidation(), T1, (T1,))
        assert found == [0.3636] * 15 + [0.2727] * 2 + [0.3636] * 8
        assert errors(MEstimateValidation(tef=1), T1, (T1,)) == [0.2068] * 15 + [0.2114] * 2 + [0.3818] * 8
        for se in (0, 1):  # of as many leaves, those with fewer errors
            assert chosen(MEstimateValidation(se=se), T1, (T1,)).results["Chosen"] == 16
        assert chosen(MEstimateValidation(tef=1), T1, (T1,)).results["Chosen"] == 4

    def test_of_equal_classes_the_first_is_answered(self) -> None:
        tied = pair([1, 0, 0], [1, 5, 5])  # with m = 4, x has 1 + 4 · 2/12 of the first class, 4 · 5/12 of the others
        assert node_classes(tied.tree, MEstimate(m=4)).tolist() == [1, 0, 1]
        validated = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        table = MEstimateValidation().table(tied.tree, validated, MAJORITY)
        assert (table.leaves[14], table.validation[14], table.training[14]) == (2, 0, 6)

    @pytest.mark.parametrize("tree", [T1, T2, TM, F1, F2], ids=["T1", "T2", "TM", "F1", "F2"])
    def test_each_m_cuts_as_direct_pruning_does(self, tree: Example) -> None:
        path = MEstimateValidation().path(tree.tree, MAJORITY)
        for step, exponent in enumerate(range(-12, 13)):
            assert cut_at(tree.tree, path.cut(step)) == MEstimateError(m=2.0**exponent).pruned(tree.tree)


# Depth impurity


class TestDepthImpurityValidation:
    def test_the_tree_shrinks_as_beta_does(self) -> None:
        leaves = DepthImpurityValidation().path(T1.tree, MAJORITY).leaves.tolist()
        assert leaves == [5] * 2 + [3] + [2] * 4 + [1] * 19
        critical = DepthImpurityValidation().path(F2.tree, MAJORITY).critical
        assert critical[F2.nodes("k2 R2")].tolist() == [4, 7]  # at β = 1/4 leaf and branches are worth the same

    @pytest.mark.parametrize(
        ("tef", "expected", "beta"),
        [
            (0, [0.3] * 2 + [0.25] * 5 + [0.4] * 19, 2**-3),
            (0.5, [0.2333] * 2 + [0.2167] * 2 + [0.2333] * 3 + [0.4] * 19, 2**-1.5),
            (1, [0.2] * 4 + [0.225] * 3 + [0.4] * 19, 2**-1.5),
        ],
    )
    def test_two_passes(self, tef: float, expected: list[float], beta: float) -> None:
        assert errors(DepthImpurityValidation(tef=tef)) == expected
        assert chosen(DepthImpurityValidation(tef=tef)).results["Chosen"] == beta

    def test_one_pass(self) -> None:
        expected = [0.3636] * 2 + [0.2727] + [0.1818] * 4 + [0.3636] * 19
        assert errors(DepthImpurityValidation(), T1, (T1,)) == expected

    def test_exact_values_of_beta(self) -> None:
        exact = DepthImpurityValidation(candidates="exact")
        for tree, expected in (
            (T1, [(1, "", 5), (7**0.5 / 3**0.5 - 1, "a", 3), (3 / 8, "a f", 2), (6 / 55, "R", 1)]),
            (F1, [(1, "", 4), (7**0.5 / 3**0.5 - 1, "p", 2), (6 / 55, "R1", 1)]),
            (F2, [(1, "", 3), (1 / 4, "k2", 2), (6 / 55, "R2", 1)]),
        ):
            found = path_of(exact, tree)
            assert [(-key, *rest) for key, *rest in found] == [(pytest.approx(beta), *rest) for beta, *rest in expected]
        assert errors(exact) == [0.3, 0.25, 0.25, 0.4]
        assert (cut(exact), chosen(exact).results["Chosen"]) == ("a f", pytest.approx(3 / 8))
        by_entropy = DepthImpurityValidation(impurity="entropy", candidates="exact").path(T1.tree, MAJORITY)
        assert flat(-by_entropy.keys) == [1, 0.431759, 0.287844, 0.101758]

    def test_a_node_of_equally_frequent_classes_goes_with_the_last_beta(self) -> None:
        even = pair([3, 0], [0, 3])
        assert DepthImpurityValidation().path(even.tree, MAJORITY).leaves.tolist() == [2] * 25 + [1]


# What all have in common


@pytest.mark.parametrize("kind", [ReducedError, *PATHS], ids=lambda kind: kind.__name__)
class TestAll:
    def test_a_single_node_stays(self, kind: Any) -> None:
        validated = Example(SINGLE.tree, SINGLE.names, np.array([[2.0, 1.0]]))
        assert cut_in_one_pass(kind(), validated) == ""

    def test_selection_is_no_part_of_the_growth_key(self, kind: Any) -> None:
        key = kind().growth_key()
        assert kind(se=1, tef=0.5, averages="rows").growth_key() == key
        assert key.passes is None
        assert not key.is_random

    def test_passes_without_rows_are_left_out(self, kind: Any) -> None:
        empty = Example(F1.tree, F1.names, np.zeros_like(F1.validation))
        with pytest.raises(ConfigurationError, match=f"{kind.__name__}: none of 1 passes has rows to validate on"):
            cut_in_one_pass(kind(), empty)
        if kind is not ReducedError:
            assert cut(kind(), T1, (F1, empty, F2)) == cut(kind())

    def test_sample_errors_need_several_passes(self, kind: Any) -> None:
        for of in ("sample", "sd"):
            with pytest.raises(ConfigurationError, match=f"{kind.__name__}: se_of='{of}' needs several passes"):
                kind(se=1, se_of=of, passes=HoldOutDistributor())
            if kind is not ReducedError:
                with pytest.raises(ConfigurationError, match=f"se_of='{of}' needs at least 2 passes, got 1"):
                    cut(kind(se=1, se_of=of), T1, (F1,))


def test_rows_or_folds_count_alike() -> None:
    heavy = Example(F2.tree, F2.names, 3 * F2.validation)
    assert errors(CostComplexity(averages="folds"), T1, (F1, heavy)) == errors(CostComplexity())
    pooled = estimated(CostComplexity(averages="rows"), T1, (F1, heavy)).errors
    assert flat(pooled) == flat(np.array([4 + 6, 3 + 6, 4 + 12]) / 40)


def test_classes_are_those_of_the_decision_module() -> None:
    tree = pair([8, 1], [1, 2])
    validated = Example(tree.tree, tree.names, np.array([[3.0, 4.0], [2.0, 0.0], [1.0, 4.0]]))
    for decision, expected in ((MAJORITY, [1, 4]), (PathCombined(), [4, 4])):
        table = OptimalSize().table(validated.tree, validated.validation, decision)
        assert table.validation.tolist() == expected
