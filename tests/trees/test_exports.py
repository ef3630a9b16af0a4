"""What people and other programs see of a tree: text, rules, plain data, Graphviz and drawings."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines.trees import (
    C45,
    CART,
    CRUISE1D,
    FACT,
    ID3,
    Cal5,
    Condition,
    DecisionModule,
    DecisionTree,
    ImputeNode,
    Laplace,
    MEstimate,
    PrincipalAxes,
    Rule,
    SSVTree,
    Tree,
    TreeClassifier,
    WithPriors,
)
from intemi.machines.trees.svg import depth_of_so_many
from scripts.reference_data import HOME
from tests import datasets
from tests.trees.examples import D1, G14, N8, learned, table_of, tree_of
from tests.trees.test_exhaustive_search import tables

EVERY_KIND_OF_SPLIT = {
    "thresholds and sets": CART(surrogates=0, refinement=None),
    "surrogates": CART(refinement=None),
    "branches for symbols": C45(refinement=None),
    "imputation": ID3(),
    "several cuts": Cal5(),
    "discriminants": FACT(),
    "deviations": CRUISE1D(),
    "sums of features": DecisionTree(transformation=PrincipalAxes()),
    "sums with replacements": DecisionTree(transformation=PrincipalAxes(), missing_values=ImputeNode()),
}
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """The texts of a drawing."""
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def odd_names() -> Tree:
    """A tree whose names need care in every format."""
    name, symbols = 'a "quoted" \\N <b>&\nname', ("<", '"', "\\", "\x00é")
    data = Table([Column(name, symbols)], [[0, 1, 2, 3]], Column("class", ("<p>", 'q"')), [0, 0, 1, 1])
    return tree_of(C45(min_objects=1, refinement=None), Data(data))


class TestPlainData:
    @pytest.mark.parametrize("name", EVERY_KIND_OF_SPLIT)
    @given(data=tables(weighted=True))
    def test_a_tree_survives_json(self, name: str, data: Data) -> None:
        tree = tree_of(EVERY_KIND_OF_SPLIT[name], data)
        assert Tree.from_plain(json.loads(json.dumps(tree.plain()))) == tree

    @pytest.mark.parametrize("name", ["iris", "vote", "labor", "glass"])
    def test_a_tree_of_real_data_survives_json_and_answers_as_before(self, name: str) -> None:
        data = datasets.load(name)
        for machine in EVERY_KIND_OF_SPLIT.values():
            classifier = learned(machine, data).outputs["classifier"]
            again = Tree.from_plain(json.loads(json.dumps(classifier.tree.plain())))
            other = TreeClassifier(again.columns, again.labels, again, classifier.decision)
            assert np.array_equal(classifier.probabilities(data), other.probabilities(data))

    def test_it_can_be_read(self) -> None:
        plain = tree_of(CART(surrogates=1, refinement=None), table_of({"x": [1, 2, 8, 9], "c": "aabb"}, "AABB")).plain()
        assert plain["columns"] == [{"name": "x", "categories": None}, {"name": "c", "categories": ["a", "b"]}]
        assert plain["labels"] == ["A", "B"]
        assert plain["nodes"][0]["tests"] == [
            {"kind": "thresholds", "feature": "x", "cuts": [5.0]},
            {"kind": "symbols", "feature": "c", "sets": [["a"], ["b"]]},
        ]
        assert plain["nodes"][2] == {"class_weights": [0.0, 2.0], "branch_weight": 2.0}

    @pytest.mark.parametrize(
        ("path", "value", "message"),
        [
            (("labels",), [], "the tree: at least a root and a label are needed, got 9 nodes, 0 labels"),
            (("nodes",), None, "the tree: 'nodes' is needed, got ['columns', 'labels']"),
            (("nodes", 0, "children"), [1, 3], "node 0: its children must be [1, 2]"),
            (("nodes", 0, "children"), [1], "node 0: a node has tests and two or more children, or neither"),
            (("nodes", 0, "tests"), [], "node 0: a node has tests and two or more children, or neither"),
            (("nodes", 8, "children"), [9, 10], "node 8: 'tests' is needed"),
            (("nodes", 0, "children"), [1, 2, 3], "node 0: its 3 children need tests of as many branches, got 2"),
            (("nodes", 0, "tests", 0, "feature"), "y", "node 0: tests must be of features among the columns, got y"),
            (("nodes", 0, "tests", 0, "kind"), "tree", "node 0: the kind of a test must be thresholds, symbols,"),
            (("nodes", 0, "tests", 0, "kind"), "symbols", "node 0: its test needs a nominal feature, got x1 (numeric)"),
            (("nodes", 0, "tests", 0, "cuts"), [2, 1], "node 0: cuts must be one or more numbers, in ascending order"),
            (("nodes", 0, "tests", 0, "cuts"), None, "node 0: 'cuts' is needed"),
            (("nodes", 0, "default_branch"), 2, "node 0: default_branch must be -1 or one of its 2 branches, got 2"),
            (("nodes", 1, "class_weights"), [1, 2, 3], "node 1: its weights must be 2 finite numbers and one more"),
            (("nodes", 1, "class_weights"), [1, -2], "node 1: its weights must be 2 finite numbers and one more"),
            (("nodes", 1, "class_weights"), "AB", "node 1: 'class_weights' must be a list, got AB"),
            (("nodes", 1, "branch_weight"), "much", "node 1: 'branch_weight' must be a number, got much"),
        ],
    )
    def test_what_is_no_tree_gets_an_error_that_says_where(
        self, path: tuple[Any, ...], value: object, message: str
    ) -> None:
        plain = tree_of(DecisionTree(), D1).plain()
        part: Any = plain
        for step in path[:-1]:
            part = part[step]
        if value is None:
            del part[path[-1]]
        else:
            part[path[-1]] = value
        with pytest.raises(ConfigurationError) as error:
            Tree.from_plain(plain)
        assert str(error.value).startswith(f"Tree.from_plain: {message}")

    def test_too_many_nodes_are_an_error(self) -> None:
        plain = tree_of(DecisionTree(), N8).plain()
        plain["nodes"].append(plain["nodes"][-1])
        with pytest.raises(ConfigurationError, match="the tree: there must be"):
            Tree.from_plain(plain)

    @given(st.data())
    def test_a_damaged_tree_gets_an_error_or_can_be_used(self, draw: st.DataObject) -> None:
        data = datasets_of_two_kinds()
        plain: Any = deepcopy(PLAIN)
        part, path = plain, []
        while isinstance(part, dict | list) and part and (not path or draw.draw(st.integers(0, 4))):
            steps: list[Any] = sorted(part) if isinstance(part, dict) else list(range(len(part)))
            path.append((part, draw.draw(st.sampled_from(steps))))
            part = path[-1][0][path[-1][1]]
        holder, step = path[-1]
        holder[step] = draw.draw(
            st.sampled_from([None, -1, 0, 1, 7, 2**40, 0.5, float("nan"), "x", "symbols", [], {}, [0], [[]], ["a"]])
        )
        try:
            tree = Tree.from_plain(plain)
        except ConfigurationError:
            return
        if tree.columns == data.columns:
            classifier = TreeClassifier(tree.columns, tree.labels, tree, DecisionTree().decision)
            assert classifier.leaves(data).max() < len(tree)


def datasets_of_two_kinds() -> Data:
    """Numbers, symbols and missing values."""
    return table_of({"x": [1, 2, 3, 4, None, 6], "c": ["a", "b", "c", "a", "b", None]}, "ABABBA")


PLAIN = tree_of(CART(refinement=None), datasets_of_two_kinds()).plain()


class TestRules:
    def test_every_leaf_has_a_rule_in_which_each_feature_is_said_once(self) -> None:
        data = table_of({"x": [1, 2, 3, 4, 5, 6], "c": "abcabc"}, "BBAABB")
        assert [str(rule) for rule in tree_of(CART(refinement=None), data).rules()] == [
            "if x <= 2.5 then B (2)",
            "if 2.5 < x <= 4.5 then A (2)",
            "if x > 4.5 then B (2)",
        ]

    def test_sets_of_symbols_are_narrowed_on_the_way_down(self) -> None:
        data = table_of({"c": "aabbccdd"}, "AABBCCDD")
        rules = tree_of(CART(refinement=None), data).rules()
        assert sorted(str(rule) for rule in rules) == [
            "if c = a then A (2)",
            "if c = b then B (2)",
            "if c = c then C (2)",
            "if c = d then D (2)",
        ]

    def test_a_tree_without_splits_is_a_rule_without_conditions(self) -> None:
        assert tree_of(CART(refinement=None), table_of({"x": [1, 1, 1]}, "AAB")).rules() == (
            Rule((), "A", 3.0, 1.0, 0),
        )
        assert str(tree_of(CART(refinement=None), table_of({"x": [1, 1, 1]}, "AAB")).rules()[0]) == "always A (3/1)"

    @given(tables(missing=False))
    def test_a_row_fulfils_the_rule_of_its_leaf_and_no_other(self, data: Data) -> None:
        for machine in (CART(refinement=None), C45(collapse=False, refinement=None), SSVTree(), Cal5()):
            classifier = learned(machine, data).outputs["classifier"]
            rules = classifier.tree.rules()
            assert len(rules) == classifier.tree.leaf_count
            for row, leaf in enumerate(classifier.leaves(data)):
                assert [rule.leaf for rule in rules if fulfils(data, row, rule)] == [leaf]


class TestAnswersOfAClassifier:
    """What is shown of a classifier is what it answers; a tree by itself knows majorities only."""

    DATA = table_of({"x": [1] * 5 + [2] * 3}, "AAAABBBB")

    def test_they_are_those_of_its_decision_module(self) -> None:
        classifier = learned(CART(cost=((0, 9), (1, 0)), refinement=None), self.DATA).outputs["classifier"]
        assert classifier.classify(self.DATA).tolist() == [1] * 8
        assert str(classifier).splitlines() == ["x <= 1.5: B (5/4)", "x > 1.5: B (3)"]
        assert str(classifier.tree).splitlines() == ["x <= 1.5: A (5/1)", "x > 1.5: B (3)"]
        assert [rule.label for rule in classifier.rules()] == ["B", "B"]
        assert '  1 [label="B (5/4)"];' in classifier.dot()
        assert texts(classifier.svg())[-2:] == ["x > 1.5", "B (3)"]
        assert "B (5/4)" in texts(classifier.svg())

    @pytest.mark.parametrize("decision", [Laplace(), MEstimate(m=9.0), WithPriors((1, 9))], ids=repr)
    def test_they_are_those_of_any_module(self, decision: DecisionModule) -> None:
        classifier = learned(CART(refinement=None).replace("decision", decision), D1).outputs["classifier"]
        shown = {rule.leaf: D1.labels.index(rule.label) for rule in classifier.rules()}
        assert [shown[leaf] for leaf in classifier.leaves(D1)] == classifier.classify(D1).tolist()


def fulfils(data: Data, row: int, rule: Rule) -> bool:
    """Whether a row fulfils the conditions of a rule, as they are written."""
    names = [column.name for column in data.columns]

    def holds(condition: Condition) -> bool:
        index = names.index(condition.quantity)
        value, categories = float(data.feature(index)[row]), data.columns[index].categories
        if condition.symbols is None:
            return condition.low < value <= condition.high
        assert categories is not None
        return categories[int(value)] in condition.symbols

    return all(map(holds, rule.conditions))


class TestGraphviz:
    def test_nodes_show_their_answers_and_edges_their_conditions(self) -> None:
        lines = tree_of(C45(refinement=None), G14).dot().splitlines()
        assert lines[0] == "digraph tree {"
        assert lines[-1] == "}"
        assert '  0 [label="yes (14/5)", shape=ellipse];' in lines
        assert '  0 -> 1 [label="outlook = overcast"];' in lines
        assert sum("->" in line for line in lines) == 7

    def test_quotes_and_backslashes_stay_within_their_text(self) -> None:
        quoted = r'"(?:[^"\\\n]|\\["\\])*"'
        statement = rf"  (\d+( -> \d+)?|node) \[(label={quoted}|shape=\w+)(, shape=ellipse)?\];"
        lines = odd_names().dot().splitlines()[1:-1]
        assert len(lines) == 10
        for line in lines:
            assert re.fullmatch(statement, line), line


class TestDrawings:
    def test_all_answers_and_conditions_are_drawn(self) -> None:
        tree = tree_of(C45(refinement=None), G14)
        drawn = texts(tree.svg())
        for rule in tree.rules():
            assert rule.answer in drawn
        assert {"outlook = sunny", "humidity = high", "windy = T", "yes", "no"} <= set(drawn)

    @pytest.mark.parametrize("name", EVERY_KIND_OF_SPLIT)
    def test_every_kind_of_tree_can_be_drawn(self, name: str) -> None:
        tree = tree_of(EVERY_KIND_OF_SPLIT[name], datasets.load("zoo"))
        root = ElementTree.fromstring(tree.svg())
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        for box in root.iter(f"{SVG}rect"):
            if box.get("x"):
                assert float(box.get("x", 0)) + float(box.get("width", 0)) <= width
                assert float(box.get("y", 0)) + 12 <= height

    def test_leaves_have_lines_of_their_own(self) -> None:
        tree = tree_of(CART(refinement=None), datasets.load("glass"))
        root = ElementTree.fromstring(tree.svg())
        heights = [each.get("y") for each in root.iter(f"{SVG}text") if each.get("font-weight")]
        assert len(heights) == len(set(heights)) == tree.leaf_count

    def test_any_name_can_be_drawn(self) -> None:
        drawn = texts(odd_names().svg())
        assert {"<p>", 'q"', "<p> (1)"} <= set(drawn)
        assert texts(odd_names()._repr_svg_()) == drawn

    def test_a_root_alone_can_be_drawn(self) -> None:
        assert texts(tree_of(CART(refinement=None), table_of({"x": [1, 1, 1]}, "AAB")).svg()) == ["A", "B", "A (3/1)"]

    def test_below_a_depth_nothing_is_drawn(self) -> None:
        drawn = texts(tree_of(C45(refinement=None), G14).svg(depth=2))
        assert "windy = T" not in drawn
        assert {"yes (4)", "no (5/2) …", "yes (5/2) …"} <= set(drawn)

    def test_a_notebook_shows_all_of_a_small_tree_and_the_upper_part_of_a_large_one(self) -> None:
        small, large = (
            tree_of(CART(refinement=None), G14),
            tree_of(CART(surrogates=0, refinement=None), HOME.load("survey")),
        )
        assert small._repr_html_().count("<svg") == 1
        assert small._repr_svg_() == small.svg()
        depth = depth_of_so_many(large, 150)
        assert 1 < depth < large.depth
        bars = large._repr_svg_().count("<title>node ")
        assert bars <= 150 < large.svg(depth + 1).count("<title>node ")

    def test_many_classes_have_colours_and_a_legend_of_the_first(self) -> None:
        data = table_of({"x": list(range(30))}, [f"c{i:02}" for i in range(30)])
        svg = tree_of(CART(refinement=None), data).svg()
        assert "and 18 more" in texts(svg)
        assert len(set(re.findall(r'fill="(#\w+|hsl[^"]+)"', svg))) == 30


class TestEquality:
    def test_trees_are_equal_if_their_contents_are(self) -> None:
        one, other = tree_of(CART(refinement=None), N8), tree_of(CART(refinement=None), N8)
        assert one is not other
        assert one == other
        assert hash(one) == hash(other)
        assert one != tree_of(CART(refinement=None), D1)
        assert one != "a tree"
