"""Stop criteria, acceptors, prospects, decisions and missing values: the vectors of the specifications."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, Project
from intemi.machines.distributors import CVDistributor
from intemi.machines.trees.acceptors import AcceptIfImproved, MinBranchSize
from intemi.machines.trees.algorithms import C45, CART
from intemi.machines.trees.best_first_algorithms import BestFirstTree
from intemi.machines.trees.components import DecisionModule, Growth, MissingPolicy, SplitProspects, StopCriterion
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.decisions import Laplace, LeastCost, MEstimate, PathCombined, Proportions
from intemi.machines.trees.growing import divide
from intemi.machines.trees.missing import Fractional, ImputeNode, MajorityBranch, Surrogates
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.prospects import (
    BestSplitGain,
    ClassificationProspects,
    ConstantProspects,
    DepthProspects,
    SSVProspects,
)
from intemi.machines.trees.quality import Gini, InformationGain
from intemi.machines.trees.refinement.cost_complexity import CostComplexity
from intemi.machines.trees.refinement.machines import RefinedTree
from intemi.machines.trees.refinement.tables import errors_as_leaves, node_classes
from intemi.machines.trees.search import BeamSearch, HillClimbing, SearchMethod
from intemi.machines.trees.splits import LinearSplit, ReversedSplit, SymbolSplit, ThresholdSplit
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import BranchForEach
from intemi.machines.trees.stop import (
    AllOf,
    AnyOf,
    FewLargeClasses,
    MaxDepth,
    MaxErrors,
    MaxLeaves,
    MinClassCount,
    MinNodeSize,
)
from intemi.machines.trees.transformations import PrincipalAxes
from intemi.machines.trees.tree import LINEAR
from tests import datasets
from tests.trees.examples import D1, G14, N8, learned, leaves_of, same_tree, searched_tree, table_of, tree_of

T1 = {
    "R": (12, 8), "a": (10, 2), "b": (8, 0), "c": (2, 2), "d": (2, 0), "e": (0, 2), "f": (2, 6), "g": (2, 1),
    "h": (0, 5),
}  # fmt: skip
"""Class counts of the nodes of the tree that D1 grows."""
INNER = {"R": "af", "a": "bc", "c": "de", "f": "gh"}


def node(name: str) -> NodeData:
    """A node of that tree."""
    return node_of(*T1[name])


def node_of(first: int, second: int) -> NodeData:
    """A node with these class counts."""
    classes = "A" * first + "B" * second
    return NodeData.of(table_of({"x": range(len(classes))}, classes, labels="AB"))


def stopped(criterion: StopCriterion) -> str:
    """The nodes at which a criterion stops."""
    return "".join(name for name in T1 if criterion.stops(node(name), Growth()))


@pytest.mark.parametrize(
    ("criterion", "nodes"),
    [
        (MaxErrors(), "bdeh"),
        (MaxErrors(errors=1), "bdegh"),
        (MaxErrors(rate=0.25), "abdefh"),
        (MinNodeSize(size=4), "deg"),
        (MinClassCount(count=5), "abcdefgh"),
        (FewLargeClasses(size=3), "abcdefgh"),
        (FewLargeClasses(size=2), "bdegh"),
        (AllOf((MaxErrors(errors=2), MinNodeSize(size=5))), "cdeg"),
        (AnyOf((MaxErrors(errors=2), MinNodeSize(size=5))), "abcdefgh"),
        (AllOf(), ""),
        (AnyOf(), ""),
    ],
    ids=repr,
)
def test_criteria_stop_where_the_specification_says(criterion: StopCriterion, nodes: str) -> None:
    assert stopped(criterion) == nodes


def test_the_limits_of_criteria_are_the_strictest_of_theirs() -> None:
    limits = AnyOf((MaxErrors(errors=2), MinNodeSize(size=5), MaxLeaves(leaves=3))).limits()
    assert limits is not None
    assert (limits.max_errors, limits.least_weight, limits.max_leaves) == (2, 5, 3)
    assert AnyOf((MaxErrors(), MinClassCount())).limits() is None
    assert AllOf((MaxErrors(), MinNodeSize())).limits() is None


def improved(name: str, cost: Any = None) -> bool:
    """Whether the split of a node makes fewer errors, or cheaper ones."""
    parts = [node(child) for child in INNER[name]]
    return AcceptIfImproved(cost=cost).accepts(node(name), None, parts)  # type: ignore[arg-type]


def test_a_split_is_accepted_if_it_makes_fewer_errors() -> None:
    assert [improved(name) for name in "Raf"] == [True, False, True]
    tree = searched_tree(DecisionTree(acceptor=AcceptIfImproved()), D1)
    assert sorted(leaves_of(tree)) == sorted([[10.0, 2.0], [2.0, 1.0], [0.0, 5.0]])


def test_errors_may_cost_more_than_others() -> None:
    """To answer A where B is right costs 3: node a costs 6, its children 0 and 2; node f costs 2, and so does g."""
    costs = ((0, 3), (1, 0))
    assert [improved(name, costs) for name in "Racf"] == [True, True, True, False]
    tree = searched_tree(DecisionTree(acceptor=AcceptIfImproved(cost=costs)), D1)
    assert sorted(leaves_of(tree)) == sorted([[8.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 6.0]])


def test_costs_of_one_are_errors() -> None:
    parent, children = node_of(5, 4), [node_of(4, 1), node_of(1, 3)]
    for acceptor in (AcceptIfImproved(), AcceptIfImproved(cost=((0, 1), (1, 0)))):
        assert acceptor.accepts(parent, None, children)  # type: ignore[arg-type]
    data = datasets.load("glass")
    ones = tuple(tuple(float(i != j) for j in range(len(data.labels))) for i in range(len(data.labels)))
    trees = [searched_tree(DecisionTree(acceptor=AcceptIfImproved(cost=cost)), data) for cost in (None, ones)]
    assert trees[0] == trees[1]


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ((), "as many rows as columns, at least one"),
        (((0, 1),), "as many rows as columns"),
        (((0, 1), (1,)), "as many rows as columns"),
        (((0, -1), (1, 0)), "finite numbers that are at least 0"),
        (((0, float("inf")), (1, 0)), "finite numbers that are at least 0"),
    ],
)
def test_costs_are_a_square_of_numbers(cost: Any, message: str) -> None:
    for component in (AcceptIfImproved, LeastCost):
        with pytest.raises(ConfigurationError, match=f"{component.__name__}: cost must .*{message}"):
            component(cost=cost)


def test_costs_are_for_as_many_classes_as_there_are() -> None:
    with pytest.raises(ConfigurationError, match="AcceptIfImproved: cost is for 3 classes, but the data have 2"):
        tree_of(DecisionTree(acceptor=AcceptIfImproved(cost=((0, 1, 1), (1, 0, 1), (1, 1, 0)))), D1)
    with pytest.raises(ConfigurationError, match="LeastCost: cost is for 1 classes, but the data have 2"):
        tree_of(DecisionTree(decision=LeastCost(cost=((0,),))), D1)


def test_a_split_is_accepted_if_its_branches_are_large() -> None:
    def accepts(name: str, acceptor: MinBranchSize) -> bool:
        return acceptor.accepts(node(name), None, [node(child) for child in INNER[name]])  # type: ignore[arg-type]

    assert not accepts("c", MinBranchSize(size=3))
    assert accepts("f", MinBranchSize(size=3))
    assert not accepts("a", MinBranchSize(size=5, which="two"))


@pytest.mark.parametrize(
    ("leaves", "prospects", "expected"),
    [
        (3, SSVProspects(), "bcf"),
        (4, SSVProspects(), "bcgh"),
        (4, ClassificationProspects(), "bcgh"),
        (4, ConstantProspects(), "bcgh"),
        (4, DepthProspects(), "bdef"),
    ],
)
def test_prospects_say_what_is_split_before_growth_ends(leaves: int, prospects: SplitProspects, expected: str) -> None:
    machine = DecisionTree(prospects=prospects, stop=MaxLeaves(leaves=leaves))
    assert sorted(leaves_of(tree_of(machine, D1))) == sorted([list(map(float, T1[name])) for name in expected])


MANY_BRANCHES = DecisionTree(splitter=ExhaustiveSearch(quality=InformationGain(), nominal=BranchForEach()))


@pytest.mark.parametrize("search", [HillClimbing(), BeamSearch(width=3)], ids=repr)
@pytest.mark.parametrize("name", ["car", "vote", "anneal"])
def test_a_strict_limit_of_leaves_is_never_exceeded(name: str, search: SearchMethod) -> None:
    data, found = datasets.load(name), []
    for most in (1, 2, 3, 5, 8):
        for strict in (False, True):
            stop = AnyOf((MaxErrors(), MaxLeaves(leaves=most, strict=strict)))
            tree = tree_of(MANY_BRANCHES.replace("stop", stop).replace("search", search), data)
            found.append((strict, tree.leaf_count - most))
    assert max(over for strict, over in found if strict) <= 0
    assert max(over for strict, over in found if not strict) > 0 or name == "vote"


def test_a_refused_split_leaves_room_for_others() -> None:
    """The root has two branches; of three leaves, one more split into two is all that is left."""
    first = ["l"] * 6 + ["r"] * 6
    many, two = ["a", "a", "b", "b", "c", "c"] + ["a"] * 6, ["d"] * 6 + ["d", "d", "d", "e", "e", "e"]
    data = table_of({"first": first, "many": many, "two": two}, "AABBAA" + "CCCDDD")
    trees = [
        tree_of(MANY_BRANCHES.replace("stop", MaxLeaves(leaves=3, strict=strict)), data) for strict in (False, True)
    ]
    assert [tree.leaf_count for tree in trees] == [4, 3]
    assert sorted(leaves_of(trees[1])) == sorted([[4.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 3.0]])


@pytest.mark.parametrize("name", ["iris", "vote", "glass"])
def test_with_two_branches_a_limit_of_leaves_is_strict_by_itself(name: str) -> None:
    data = datasets.load(name)
    for learner in (DecisionTree(), BestFirstTree()):
        for most in (1, 2, 5):
            stops = [AnyOf((MaxErrors(), MaxLeaves(leaves=most, strict=strict))) for strict in (False, True)]
            one, other = (tree_of(learner.replace("stop", stop), data) for stop in stops)
            assert same_tree(one, other)
            assert one.leaf_count == most


def test_criteria_together_refuse_what_any_of_them_or_all_of_them_do() -> None:
    strict, growth = MaxLeaves(leaves=4, strict=True), Growth(leaves=3)
    assert [strict.refuses(branches, growth) for branches in (2, 3)] == [False, True]
    assert AnyOf((MaxErrors(), strict)).refuses(3, growth)
    assert AllOf((strict,)).refuses(3, growth)
    assert not AllOf((MaxErrors(), strict)).refuses(3, growth)
    assert not AllOf().refuses(3, growth)


def test_a_limit_of_leaves_inside_other_criteria_ends_best_first_growth_in_its_order() -> None:
    data, learner = datasets.load("iris"), BestFirstTree()
    for most in (2, 4, 6):
        plain, wrapped = (
            tree_of(learner.replace("stop", AnyOf((MaxErrors(), criterion))), data)
            for criterion in (MaxLeaves(leaves=most), AllOf((MaxLeaves(leaves=most),)))
        )
        assert same_tree(plain, wrapped)


def test_a_criterion_that_stops_elsewhere_than_its_base_does_not_inherit_its_limits() -> None:
    class Deeper(MaxDepth):
        """One level more than its base."""

        def stops(self, data: NodeData, growth: Growth) -> bool:
            return data.depth > self.depth

    assert Deeper(depth=2).limits() is None
    assert tree_of(DecisionTree(stop=Deeper(depth=2)), datasets.load("iris")).depth == 3


def test_the_prospects_of_ssv_are_pairs() -> None:
    found = {name: SSVProspects().prospects(node(name), None) for name in T1}
    assert {name: value for name, value in found.items() if value} == {"R": 96, "a": 20, "f": 12, "c": 4, "g": 2}


def expansions(machine: DecisionTree, data: Any) -> list[tuple[str, float, list[float]]]:
    """Features, cuts and class weights in the order of splitting."""
    tree = tree_of(machine, data)
    found = []
    for place in range(1, int(tree.expansion.max()) + 1):
        at = int(np.flatnonzero(tree.expansion == place)[0])
        test = tree.tests(at)[0]
        name = tree.columns[tree.feature[test]].name
        found.append((name, round(float(tree.parameters_of(test)[0]), 2), tree.class_weights[at].tolist()))
    return found


def test_best_first_splits_iris_in_the_order_of_the_thesis() -> None:
    machine = DecisionTree(prospects=BestSplitGain(), search=HillClimbing(ties="last"))
    assert expansions(machine, datasets.load("iris")) == [
        ("petallength", 2.45, [50, 50, 50]),
        ("petalwidth", 1.75, [0, 50, 50]),
        ("petallength", 4.95, [0, 49, 5]),
        ("petalwidth", 1.55, [0, 2, 4]),
        ("sepallength", 6.95, [0, 2, 1]),
        ("petalwidth", 1.65, [0, 47, 1]),
        ("petallength", 4.85, [0, 1, 45]),
        ("sepallength", 5.95, [0, 1, 2]),
    ]


def test_best_first_by_the_whole_tree_splits_large_nodes_earlier() -> None:
    machine = DecisionTree(prospects=BestSplitGain(scope="tree"))
    assert expansions(machine, datasets.load("iris"))[3] == ("petalwidth", 1.65, [0, 47, 1])


def test_the_order_of_splitting_does_not_change_a_tree_that_is_grown_to_the_end() -> None:
    data = datasets.load("heart-c")
    plain = tree_of(DecisionTree(), data)
    for prospects in (ClassificationProspects(), SSVProspects(), BestSplitGain()):
        other = tree_of(DecisionTree(prospects=prospects), data)
        assert np.array_equal(plain.parameters, other.parameters)
        assert np.array_equal(plain.class_weights, other.class_weights)


def answers(decision: DecisionModule) -> dict[tuple[float, ...], list[float]]:
    """What the nodes of the tree of D1 answer, by their class counts."""
    tree = tree_of(DecisionTree(decision=decision), D1)
    rows = decision.probabilities(tree)
    return {tuple(map(int, weights)): list(row) for weights, row in zip(tree.class_weights, rows, strict=True)}


@pytest.mark.parametrize(
    ("decision", "e", "g", "f"),
    [
        (Proportions(), 0, Fraction(2, 3), 0.25),
        (Laplace(), 0.25, 0.6, 0.3),
        (MEstimate(m=2), 0.3, 0.64, 0.32),
        (MEstimate(m=16), 0.5333, 0.6105, 0.4833),
        (PathCombined(w=1), Fraction(73, 240), Fraction(131, 240), Fraction(17, 40)),
        (PathCombined(w=0.5), Fraction(167, 405), Fraction(49, 90), Fraction(29, 60)),
    ],
    ids=repr,
)
def test_decisions_answer_what_the_specification_says(decision: DecisionModule, e: float, g: float, f: float) -> None:
    found = answers(decision)
    for name, share in (("e", e), ("g", g), ("f", f)):
        assert found[T1[name]] == pytest.approx([float(share), 1 - float(share)], abs=5e-5)


COSTS = ((0, 1), (9, 0))
"""To answer B where A is right costs 9."""


@pytest.mark.parametrize("decision", [Proportions(), Laplace(), MEstimate(), PathCombined()], ids=repr)
def test_rounding_does_not_decide_between_classes(decision: DecisionModule) -> None:
    """A tenth and two tenths are a little more than three of them; of the equal classes the first is answered."""
    tree = tree_of(DecisionTree(), table_of({"x": [1, 1]}, "AB"))
    tree = replace(tree, class_weights=np.array([[0.3, 0.1 + 0.2]]))
    assert node_classes(tree, decision).tolist() == [0]


def test_the_class_is_answered_that_costs_least() -> None:
    """Of the leaf of two A and six B, B is the majority and costs 18, A 6."""
    learner = DecisionTree(stop=MaxLeaves(leaves=2), decision=LeastCost(cost=COSTS))
    plain, costly = (learned(each, D1) for each in (learner.replace("decision", Proportions()), learner))
    assert plain.outputs["tree"] == costly.outputs["tree"]
    one, other = plain.outputs["classifier"], costly.outputs["classifier"]
    assert np.array_equal(one.probabilities(D1), other.probabilities(D1))
    assert set(one.classify(D1).tolist()) == {0, 1}
    assert set(other.classify(D1).tolist()) == {0}
    assert (plain.results["Training error"], costly.results["Training error"]) == (0.2, 0.4)


def test_costs_of_one_change_no_answer() -> None:
    data = datasets.load("vote")
    learner = C45(refinement=None)
    classes = range(len(data.labels))
    ones = tuple(tuple(float(i != j) for j in classes) for i in classes)
    for decision in (Proportions(), MEstimate(m=5), PathCombined()):
        costly = LeastCost(cost=ones, decision=decision)
        one, other = (learned(learner.replace("decision", each), data) for each in (decision, costly))
        assert np.array_equal(one.outputs["classifier"].classify(data), other.outputs["classifier"].classify(data))
        assert one.results == other.results


def test_validation_counts_the_errors_of_what_is_answered() -> None:
    """Node f, of two A and six B, answers A: six errors instead of two."""
    tree, decision = tree_of(DecisionTree(), D1), LeastCost(cost=COSTS)
    errors = errors_as_leaves(tree.class_weights, node_classes(tree, decision))
    assert errors[tree.class_weights.tolist().index([2.0, 6.0])] == 6
    with Project() as project:
        refined = project.run(
            RefinedTree(DecisionTree(decision=decision), CostComplexity(passes=CVDistributor(folds=2))),
            data=project.given(D1),
        )
        assert refined.outputs["classifier"].decision == decision


def test_the_object_with_a_missing_outlook_enters_all_branches() -> None:
    values = [G14.columns[0].categories[int(code)] for code in G14.feature(0)]  # type: ignore[index]
    root = NodeData.of(table_of({"outlook": [None, *values[1:]]}, G14.classes.tolist()))
    split = SymbolSplit.of(root, 0, [0, 1, 2])
    assert split is not None
    division = divide(root, split, Fractional())
    assert [part.weight for part in division.parts] == pytest.approx([4 + 4 / 13, 5 + 5 / 13, 4 + 4 / 13])


MISSING = table_of({"x": [1, 2, 3, 4, None, None]}, "AABBAB")


@pytest.mark.parametrize(
    ("policy", "answer"),
    [(MajorityBranch(), [0.75, 0.25]), (ImputeNode(), [0.75, 0.25]), (Fractional(), [0.5, 0.5])],
    ids=repr,
)
def test_a_missing_value_is_answered_as_the_policy_says(policy: MissingPolicy, answer: list[float]) -> None:
    machine = DecisionTree(missing_values=policy, stop=MaxLeaves(leaves=2))
    classifier = learned(machine, MISSING).outputs["classifier"]
    assert classifier.probabilities(table_of({"x": [None]}, "A", labels="AB"))[0] == pytest.approx(answer)


def test_the_surrogate_of_eight_rows_is_that_of_rpart() -> None:
    data = table_of({"x": range(1, 9), "q": [1, 1, 1, 1, 2, 2, 1, 2]}, "AAABABBB")
    root = NodeData.of(data)
    [split] = ExhaustiveSearch().best_splits(root, 1)
    [surrogate] = Surrogates().surrogates(root, split)
    assert isinstance(surrogate, ThresholdSplit)
    assert (surrogate.feature, surrogate.cuts.tolist(), surrogate.quality) == (1, [1.5], 0.75)


def test_a_surrogate_may_point_the_other_way() -> None:
    x, z = np.arange(10.0), np.arange(10.0)[::-1].copy()
    data = table_of({"x": x, "z": z, "s": ["l"] * 5 + ["r"] * 5}, "AAAAABBBBB")
    root = NodeData.of(data)
    split = ThresholdSplit.of(root, 0, [4.5])
    assert split is not None
    found = Surrogates().surrogates(root, split)
    assert isinstance(found[0], ReversedSplit)
    assert found[0].route(root).tolist() == split.route(root).tolist()
    assert found[1].route(root).tolist() == split.route(root).tolist()
    without_x = table_of({"x": [None] * 10, "z": z, "s": data_of_s(data)}, "AAAAABBBBB")
    assert learned(CART(refinement=None), data).outputs["classifier"].classify(without_x).tolist() == [0] * 5 + [1] * 5


def test_of_surrogates_that_agree_alike_the_first_feature_is_asked_first() -> None:
    """(6/8 − 1/2) / (1 − 1/2) and (8/10 − 6/10) / (1 − 6/10) are both a half, but for rounding."""
    later = ["a"] * 5 + ["b"] * 4 + ["a"]
    first = [None, None, "a", "a", "a", "b", "b", "b", "b", "a"]
    root = NodeData.of(table_of({"x": range(10), "first": first, "later": later}, "AAAAAABBBB"))
    split = ThresholdSplit.of(root, 0, [5.5])
    assert split is not None
    assert [surrogate.feature for surrogate in Surrogates().surrogates(root, split)] == [1, 2]


def test_a_sum_takes_the_means_of_the_node_for_what_is_missing() -> None:
    """The mean of x is 2.2, far below any sum, and that of z is 26."""
    x, z = [1, 2, 3, 4, None, 1], [10, 20, 30, 40, 30, None]
    root = NodeData.of(table_of({"x": x, "z": z}, "AABBBB"))
    split = LinearSplit.of(root, [0, 1], [1.0, 1.0], [26.0])
    assert split is not None
    division = divide(root, split, ImputeNode())
    assert isinstance(division.split, LinearSplit)
    assert division.split.replacements == pytest.approx([2.2, 26.0])
    assert [part.class_weights.tolist() for part in division.parts] == [[2.0, 0.0], [0.0, 4.0]]
    assert division.default_branch == 1
    assert divide(root, split, MajorityBranch()).parts[0].class_weights.tolist() == [2.0, 2.0]


def test_rows_that_miss_a_part_of_a_sum_are_answered_as_they_were_learned() -> None:
    rng = np.random.default_rng(0)
    values = np.array([rng.normal(100, 1, 80), rng.normal(-5, 1, 80)])
    classes = (values.sum(axis=0) > 95).astype(int)
    values[rng.random(values.shape) < 0.2] = np.nan
    data = Data(Table([Column("x"), Column("z")], values, Column("class", ("A", "B")), classes))
    learner = DecisionTree(transformation=PrincipalAxes(), missing_values=ImputeNode())
    classifier = learned(learner, data).outputs["classifier"]
    leaves = classifier.leaves(data)
    counts = np.array([np.bincount(classes[leaves == leaf], minlength=2) for leaf in np.unique(leaves)])
    assert np.array_equal(counts, classifier.tree.class_weights[np.unique(leaves)])
    assert classifier.tree.kind[0] == LINEAR


def data_of_s(data: Any) -> list[str]:
    """The symbols of the last column."""
    return [data.columns[2].categories[int(code)] for code in data.feature(2)]


def test_c45_collapses_splits_that_remove_no_errors() -> None:
    data = datasets.load("iris")
    assert learned(C45(refinement=None), data).results["Leaves"] == 5
    assert learned(C45(collapse=False, refinement=None), data).results["Leaves"] == 7
    assert (
        learned(C45(refinement=None), data).results["Training error"]
        == learned(C45(collapse=False, refinement=None), data).results["Training error"]
    )


@pytest.mark.parametrize("quality", [Gini(), InformationGain()], ids=repr)
def test_zero_gain_ends_growth_unless_it_is_allowed(quality: Any) -> None:
    data = table_of({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, "ABBA")
    assert len(tree_of(CART(quality, refinement=None), data)) == 1
    machine = DecisionTree(splitter=ExhaustiveSearch(quality=quality, allow_zero_gain=True))
    assert learned(machine, data).results["Training error"] == 0.0


def test_trees_are_shown_line_by_line() -> None:
    assert str(tree_of(DecisionTree(), N8)).splitlines() == [
        "x <= 3.5: A (3)",
        "x > 3.5",
        "|   x <= 5.5",
        "|   |   x <= 4.5: B (1)",
        "|   |   x > 4.5: A (1)",
        "|   x > 5.5: B (3)",
    ]
    assert str(tree_of(C45(min_objects=1, refinement=None), G14)).splitlines()[0] == "outlook = overcast: yes (4)"
    assert "in {" in str(tree_of(CART(refinement=None), G14))
    assert str(tree_of(CART(refinement=None), table_of({"x": [1, 1]}, "AB"))) == "A (2/1)"
