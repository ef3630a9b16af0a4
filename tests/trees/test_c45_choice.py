"""C4.5's choice among features is that of J48 and of C4.5 release 8, in both ways to grow a tree."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.machines.trees import C45
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.statistics.rounding import largest_values
from tests.trees.examples import same_tree, searched_tree, table_of, tree_of

BOTH = pytest.mark.parametrize("grown", [tree_of, searched_tree])


def learner(**options: bool) -> DecisionTree:
    machine = C45(**options, refinement=None)
    assert isinstance(machine, DecisionTree)
    return machine


HUSBANDS = Data(
    Table(
        [Column("education", tuple("1234")), Column("occupation", tuple("1234")), Column("exposure", tuple("12"))],
        [[int(symbol) - 1 for symbol in rows] for rows in ("1332322431242322", "2423332233233332", "1121122111212112")],
        Column("class", ("a", "b")),
        ["ab".index(label) for label in "aaabbbbababbaaba"],
    )
)


@BOTH
def test_nominal_features_that_gain_nothing_count_in_the_average_gain(grown) -> None:  # type: ignore[no-untyped-def]
    tree = grown(learner(), HUSBANDS)
    assert tree.columns[tree.feature[0]].name == "occupation"  # gains 0.194, 0.139 and 0: the average is 0.111
    assert int((tree.branch_count == 0).sum()) == 7


@BOTH
def test_numeric_features_that_gain_nothing_do_not(grown) -> None:  # type: ignore[no-untyped-def]
    table = HUSBANDS.table
    columns = [*table.columns[:2], Column("exposure")]
    data = Data(Table(columns, table.features, table.target, table.classes))
    assert grown(learner(), data).feature[0] == 0  # the average of 0.194 and 0.139 is 0.167


@BOTH
def test_a_node_where_only_features_of_many_symbols_can_be_split_is_a_leaf(grown) -> None:  # type: ignore[no-untyped-def]
    data = table_of({"a0": [None, 0, 0, 0], "a2": ["s0", "s0", "s2", "s2"]}, "aabb")
    many = Data(
        Table([data.columns[0], Column("a2", ("s0", "s1", "s2"))], data.features, data.table.target, data.table.classes)
    )
    assert len(grown(learner(), many)) == 1
    alone = many.select_columns([1])
    assert len(grown(learner(), alone)) == 4  # a branch for each symbol: all features have many of them


@pytest.mark.parametrize("options", [{}, {"binary": True}, {"mdl": False}])
@pytest.mark.parametrize("seed", range(8))
def test_both_ways_to_grow_choose_the_same_features(seed: int, options: dict[str, bool]) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(8, 60))
    symbols = random.integers(2, 12, size=4)
    columns = [Column(f"n{i}", tuple(map(str, range(count)))) for i, count in enumerate(symbols)]
    features = [random.integers(count, size=size).astype(float) for count in symbols]
    columns += [Column("constant", ("a", "b")), Column("x"), Column("decimal")]
    features += [np.zeros(size), random.integers(4, size=size).astype(float), random.integers(60, size=size) / 100]
    data = Data(Table(columns, np.array(features), Column("class", tuple("abc")), random.integers(3, size=size)))
    assert same_tree(tree_of(learner(**options), data), searched_tree(learner(**options), data))


# Thresholds that are values


@BOTH
def test_a_value_in_the_middle_is_a_threshold_whatever_its_binary_digits(grown) -> None:  # type: ignore[no-untyped-def]
    # 0.68 is known to the tree but not to the node that is cut between 0.67 and 0.69: in binary digits the middle of
    # these is a little less than 0.68.
    x = [0.66, 0.67, 0.67, 0.69, 0.69, 0.7] * 2 + [0.68] * 6
    z = [0] * 12 + [1] * 6
    tree = grown(learner(), table_of({"x": x, "z": z}, "aaabbb" * 2 + "c" * 6))
    assert sorted(tree.parameters.tolist()) == [0.0, 0.68]


def test_a_value_on_the_other_side_of_a_cut_is_never_taken() -> None:
    for below in (0.1 + 0.2, 1.0, 1e-300, -1.0):
        above = float(np.nextafter(below, np.inf))
        between = below + (above - below) / 2
        cut = below if between >= above else between
        assert largest_values(np.array([above, below]), np.array([cut])).tolist() == [below]


def test_missing_values_are_no_thresholds() -> None:
    assert largest_values(np.array([np.nan, 1.0, 3.0]), np.array([2.0, 3.0])).tolist() == [1.0, 3.0]
