"""Pruning of best-first trees by their number of expansions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi import Project
from intemi.kernel import ConfigurationError, MachineFailed
from intemi.machines import CVDistributor
from intemi.machines.trees import (
    BeamSearch,
    BestFirstTree,
    BranchForEach,
    Collapse,
    CostComplexity,
    DecisionTree,
    ExhaustiveSearch,
    Expansions,
    Laplace,
    LockstepTree,
    Proportions,
    TreeClassifier,
)
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.machines import NodeCounts
from intemi.machines.trees.refinement.selection import Estimates
from intemi.machines.trees.refinement.tables import ErrorTable, node_classes
from tests import datasets
from tests.trees.examples import D1, tree_of
from tests.trees.refinement.fixtures import Example
from tests.trees.refinement.validating import MAJORITY

# The curves of the glass data: errors and root mean squares of 0 to 27 expansions, and how many folds go so far.
ERRORS = [
    0.6478, 0.5307, 0.5210, 0.3846, 0.3519, 0.3422, 0.3470, 0.3242, 0.3050, 0.3190, 0.3000, 0.2859, 0.2859, 0.2716,
    0.2576, 0.2487, 0.2719, 0.2671, 0.2721, 0.2673, 0.2864, 0.2623, 0.2524, 0.2669, 0.2462, 0.2489, 0.3182, 0.3182,
]  # fmt: skip
CARRIED = [*ERRORS[:22], 0.2580, 0.2762, 0.2810, 0.2810, 0.2810, 0.2810]
RMSE = [
    0.3247, 0.2970, 0.3003, 0.2829, 0.2714, 0.2693, 0.2715, 0.2689, 0.2634, 0.2665, 0.2666, 0.2641, 0.2633, 0.2601,
    0.2557, 0.2558, 0.2595, 0.2620, 0.2649, 0.2650, 0.2660, 0.2605, 0.2571, 0.2596, 0.2534, 0.2591, 0.3033, 0.3042,
]  # fmt: skip
RULES: dict[str, dict[str, Any]] = {
    "first_increase": {"rule": "first_increase"},
    "min": {},
    "min, 1SE": {"se": 1},
    "new 1SE": {"rule": "new1se", "se": 1},
}


def expansions_of(curve: list[float], **options: Any) -> int:
    """How many expansions are selected from a curve of errors."""
    found = Estimates(np.array(curve), np.array([curve]), 214.0)
    return Expansions(**options)._selected(found)


@pytest.mark.parametrize(("rule", "expected"), [*zip(RULES, (5, 24, 13, 13), strict=True)])
def test_selection_by_errors_on_the_glass_curve(rule: str, expected: int) -> None:
    assert expansions_of(ERRORS, **RULES[rule]) == expected


@pytest.mark.parametrize(("rule", "expected"), [*zip(RULES, (1, 24, 3, 3), strict=True)])
def test_selection_by_root_mean_squares_on_the_glass_curve(rule: str, expected: int) -> None:
    assert expansions_of(RMSE, **RULES[rule]) == expected


def test_selection_where_exhausted_folds_are_carried() -> None:
    assert [expansions_of(CARRIED, **RULES[rule]) for rule in ("min", "min, 1SE")] == [15, 13]


def test_the_new_rule_stops_where_an_error_is_clearly_worse() -> None:
    for curve, stop, selected in ((ERRORS, 20, 13), (RMSE, 26, 3)):
        for length in (stop, stop + 1, stop + 2):  # whatever comes behind is not looked at
            changed = [*curve[: stop + 1], *[0.0] * (length - stop)]
            assert expansions_of(changed, rule="new1se", se=1) == selected
        assert expansions_of([*curve[:stop], 0.0], rule="new1se", se=1) == stop


def test_equal_errors_go_on_before_the_first_increase() -> None:
    assert expansions_of([0.5, 0.4, 0.4, 0.4, 0.5, 0.1], rule="first_increase") == 3
    assert expansions_of([0.5, 0.4], rule="first_increase") == 1
    assert expansions_of([0.5], rule="first_increase") == 0
    assert expansions_of([0.5, 0.2, 0.2], rule="min") == 1


def grown() -> Example:
    """The best-first tree of `D1`, its nodes numbered."""
    tree = tree_of(BestFirstTree(min_objects=1), D1)
    return Example(tree, tuple(map(str, range(len(tree)))), tree.class_weights)


def test_each_step_is_the_tree_that_was_grown_so_far() -> None:
    tree = grown().tree
    path = Expansions().path(tree, MAJORITY)
    assert path.keys.tolist() == [-4, -3, -2, -1, 0]
    assert path.leaves.tolist() == [5, 4, 3, 2, 1]
    for expansions in range(5):
        assert cut_at(tree, path.cut(4 - expansions)) == tree_of(
            BestFirstTree(min_objects=1, expansions=expansions), D1
        )


@pytest.mark.parametrize("name", ["iris", "glass", "heart-statlog"])
def test_cutting_back_gives_what_would_have_been_grown(name: str) -> None:
    data = datasets.load(name)
    tree = tree_of(BestFirstTree(), data)
    path = Expansions().path(tree, MAJORITY)
    for expansions in (0, 1, 3, len(path.keys) - 1):
        assert cut_at(tree, path.cut(len(path.keys) - 1 - expansions)) == tree_of(
            BestFirstTree(expansions=expansions), data
        )


def with_errors(*sums: float) -> ErrorTable:
    """A pass over 10 rows whose tree makes so many errors after 0, 1, … expansions."""
    sizes = len(sums)
    descending = np.array(sums[::-1], dtype=float)
    return ErrorTable(10.0, 10.0, np.arange(1.0 - sizes, 1), np.arange(sizes, 0, -1), descending, descending)


def test_folds_that_are_exhausted_are_dropped_or_carried() -> None:
    tables = [with_errors(5, 4, 3, 1), with_errors(5, 4)]
    for exhausted, number, error in (("drop", 3, 0.1), ("carry", 3, 0.25)):
        found = Expansions(exhausted=exhausted).choose(grown().tree, tables, MAJORITY)
        assert found.results == {"Chosen": number, "Validation error": pytest.approx(error)}
    tables = [with_errors(5, 4, 3, 2), with_errors(5, 1)]
    for exhausted, number in (("drop", 3), ("carry", 3)):
        assert Expansions(exhausted=exhausted).choose(grown().tree, tables, MAJORITY).results["Chosen"] == number
    tables = [with_errors(5, 1, 3, 2), with_errors(5, 4)]
    for exhausted, number in (("drop", 3), ("carry", 1)):
        assert Expansions(exhausted=exhausted).choose(grown().tree, tables, MAJORITY).results["Chosen"] == number


curves = st.lists(st.integers(0, 10), min_size=1, max_size=8)


@given(sums=st.lists(curves, min_size=1, max_size=5))
def test_as_long_as_no_fold_is_exhausted_it_makes_no_difference_what_becomes_of_those(sums: list[list[int]]) -> None:
    tables = [with_errors(*each) for each in sums]
    dropped, carried = (Expansions(exhausted=each)._estimates(tables).errors for each in ("drop", "carry"))
    least = min(map(len, sums))
    assert dropped[:least].tolist() == carried[:least].tolist()


def test_a_tree_that_cannot_grow_as_far_as_those_of_the_folds_stays_whole() -> None:
    found = Expansions().choose(grown().tree, [with_errors(9, 8, 7, 6, 5, 4, 3)], MAJORITY)
    assert (found.results["Chosen"], len(found.nodes)) == (6, 0)


def test_root_mean_squares() -> None:
    """Two rows: of the second class, answered by (.2, .7, .1), and of the first, answered by (.5, .5, 0)."""
    from intemi.machines.trees.refinement.expansions import _losses

    class Answers:
        def probabilities(self, tree: Any) -> Any:
            return np.array([[0.2, 0.7, 0.1], [0.5, 0.5, 0.0]])

    class Nodes:
        class_weights = np.zeros((2, 3))

    losses = _losses(Nodes(), Answers(), "rmse")  # type: ignore[arg-type]
    assert float(np.sqrt((losses[0, 1] + losses[1, 0]) / 2)) == pytest.approx(0.326599, abs=5e-7)


@pytest.mark.parametrize("decision", [Proportions(), Laplace()], ids=["Proportions", "Laplace"])
def test_curves_are_those_of_the_pruned_trees(decision: Any) -> None:
    tree, counts = grown().tree, np.round(grown().tree.class_weights * 1.7)
    for node in range(len(tree) - 1, -1, -1):
        if tree.branch_count[node]:
            counts[node] = counts[list(tree.children(node))].sum(axis=0)
    for estimate in ("error", "rmse"):
        table = Expansions(estimate=estimate).table(tree, counts, decision)
        path = Expansions(estimate=estimate).path(tree, decision)
        answers, classes = decision.probabilities(tree), node_classes(tree, decision)
        for step in range(len(table)):
            cut = set(path.cut(step).tolist())
            leaves, stack = [], [0]
            while stack:
                node = stack.pop()
                if node in cut or not tree.branch_count[node]:
                    leaves.append(node)
                else:
                    stack += tree.children(node)
            if estimate == "error":
                expected = sum(counts[leaf].sum() - counts[leaf, classes[leaf]] for leaf in leaves)
            else:
                one = np.eye(2)
                expected = sum(
                    counts[leaf, c] * ((one[c] - answers[leaf]) ** 2).sum() / 2 for leaf in leaves for c in range(2)
                )
            assert table.validation[step] == pytest.approx(expected)


def test_what_makes_no_sense_together_is_refused() -> None:
    for options, message in (
        ({"rule": "first_increase", "se": 1}, "se must be 0 with rule='first_increase', got 1.0"),
        ({"rule": "new1se", "se": 1, "se_of": "sample"}, "se_of must be 'theory' with rule='new1se', got 'sample'"),
    ):
        with pytest.raises(ConfigurationError, match=f"Expansions: {message}"):
            Expansions(**options)


def test_the_new_rule_allows_one_standard_error_unless_it_is_told() -> None:
    for curve in (ERRORS, RMSE):
        assert expansions_of(curve, rule="new1se") == expansions_of(curve, rule="new1se", se=1)
    # By half of one it stops at 16 (0.2719 > 0.2487 + 0.0148), and takes the first that is not above 0.2635.
    assert [expansions_of(ERRORS, rule="new1se", se=se) for se in (0, 0.5)] == [5, 14]


def test_rules_share_their_tables() -> None:
    keys = {
        Expansions(rule=rule, se=se, exhausted=exhausted).growth_key()
        for rule, se in (("min", 0), ("min", 1), ("first_increase", 0), ("new1se", 1))
        for exhausted in ("drop", "carry")
    }
    assert len(keys) == 1


def test_the_cost_complexity_sequence_of_balance_scale() -> None:
    """Of the thesis: leaves, 625 times the cost of a leaf, and training errors."""
    tree = tree_of(BestFirstTree(), datasets.load("balance-scale"))
    assert int((tree.branch_count > 0).sum()) == 104
    table = CostComplexity().table(tree, tree.class_weights, MAJORITY)
    assert table.leaves.tolist() == [61, 58, 50, 45, 17, 14, 13, 11, 10, 8, 7, 5, 4, 3, 2, 1]
    costs = ("0", "1/3", "3/4", "4/5", "1", "4/3", "3", "9/2", "6", "15/2", "9", "10", "15", "21", "31", "109")
    assert (625 * table.keys).tolist() == pytest.approx([float(Fraction(cost)) for cost in costs], rel=1e-12)
    assert table.training.tolist() == [56, 57, 63, 67, 95, 99, 102, 111, 117, 132, 141, 161, 176, 197, 228, 337]


# Missing values


@pytest.mark.parametrize("estimate", ["error", "rmse"])
@pytest.mark.parametrize("name", ["labor", "hepatitis", "breast-cancer"])
def test_rows_that_go_to_several_leaves_are_answered_by_their_mixture(name: str, estimate: Any) -> None:
    data = datasets.load(name)
    is_test = np.arange(len(data)) % 3 == 0
    tree, test = tree_of(BestFirstTree(), data.select_rows(~is_test)), data.select_rows(is_test)
    validator = Expansions(estimate=estimate)
    table = validator.table_of_rows(tree, test, MAJORITY)
    assert table.validated == len(test)
    path = validator.path(tree, MAJORITY)
    for step in range(len(table)):
        pruned = cut_at(tree, path.cut(step))
        classifier = TreeClassifier(pruned.columns, pruned.labels, pruned, MAJORITY)
        if estimate == "error":
            expected = (classifier.classify(test) != test.classes).sum()
        else:
            right = np.eye(len(test.labels))[test.classes]
            expected = ((classifier.probabilities(test) - right) ** 2).sum() / len(test.labels)
        assert table.validation[step] == pytest.approx(expected)


def test_without_missing_values_it_makes_no_difference_how_parts_count() -> None:
    tree, data = tree_of(BestFirstTree(), datasets.load("glass")), datasets.load("glass")
    counts = NodeCounts().run(tree, data).outputs["counts"]
    by_rows, by_counts = Expansions().table_of_rows(tree, data, MAJORITY), Expansions().table(tree, counts, MAJORITY)
    assert by_rows.validation.tolist() == by_counts.validation.tolist()


def test_parts_of_rows_can_count_by_themselves() -> None:
    with Project() as project:
        data = project.given(datasets.load("labor"))
        found = [
            project.run(BestFirstTree(refinement=Expansions(missing=missing)), data=data).results["Validation error"]
            for missing in ("mixture", "parts")
        ]
        assert found[0] != found[1]
        counts = project.counts().physical
        assert (counts["ErrorsOnRows"], counts["ErrorsOfPrunings"], counts["DecisionTree"]) == (10, 10, 11)


# Growing no further than the rule looks


@pytest.mark.parametrize("name", ["iris", "glass", "heart-statlog", "labor", "hepatitis"])
@pytest.mark.parametrize("first", [1, 8])
@pytest.mark.parametrize("rule", ["first_increase", "new 1SE"])
def test_trees_that_grow_in_lockstep_end_as_those_that_are_cut_back(name: str, first: int, rule: str) -> None:
    refinement = Expansions(**RULES[rule], passes=CVDistributor(3, seed=1))
    with Project() as project:
        data = project.given(datasets.load(name))
        whole = project.run(BestFirstTree(refinement=refinement), data=data)
        early = project.run(LockstepTree(BestFirstTree(), refinement, first=first), data=data)
        assert early.outputs["tree"] == whole.outputs["tree"]
        assert early.results == whole.results


def test_in_lockstep_trees_grow_little_further_than_the_rule_looks() -> None:
    refinement = Expansions(rule="first_increase", passes=CVDistributor(3, seed=1))
    with Project() as project:
        done = project.run(
            LockstepTree(BestFirstTree(), refinement, first=2), data=project.given(datasets.load("glass"))
        )
        grown = project.query(done, type=DecisionTree, labels=["Leaves"]).values
        assert max(grown) - 1 <= 4 * max(2, done.results["Chosen"] + 1)
        assert max(grown) < tree_of(BestFirstTree(), datasets.load("glass")).leaf_count


def test_lockstep_needs_a_rule_that_stops() -> None:
    with pytest.raises(ConfigurationError, match=r"LockstepTree: refinement\.rule must stop somewhere, got 'min'"):
        LockstepTree(BestFirstTree(), Expansions())
    with pytest.raises(ConfigurationError, match=r"LockstepTree: refinement\.passes must be a distributor, got None"):
        LockstepTree(BestFirstTree(), Expansions(rule="first_increase", passes=None))


def test_lockstep_needs_trees_that_begin_alike() -> None:
    rule = Expansions(rule="first_increase")
    for learner in (DecisionTree(search=BeamSearch()), DecisionTree(pruning=Collapse())):
        with pytest.raises(ConfigurationError, match="LockstepTree: learner must climb a hill and prune nothing"):
            LockstepTree(learner, rule)
    many = DecisionTree(splitter=ExhaustiveSearch(nominal=BranchForEach()))
    with Project() as project, pytest.raises(MachineFailed, match="must make two branches a split, got one of 4"):
        project.run(LockstepTree(many, rule), data=project.given(datasets.load("lymph")))
