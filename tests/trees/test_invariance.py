"""Whole trees do not depend on what says nothing: the order of rows, the names of classes, the way rows are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.machines.trees import (
    C45,
    CART,
    CRUISE1D,
    FACT,
    QUEST,
    ImportanceWeights,
    NodeData,
    SSVLexicographic,
    SSVTree,
    Tree,
)
from tests.trees.examples import searched_tree, table_of, tree_of

ALGORITHMS: dict[str, Any] = {
    "fact": FACT(min_class=2),
    "quest": QUEST(),
    "cruise 1d": CRUISE1D(),
    "cart": CART(surrogates=0, refinement=None),
    "c4.5": C45(refinement=None),
    "c4.5, binary": C45(binary=True, refinement=None),
    "ssv": SSVTree(),
    "ssv, lexicographic": SSVTree(quality=SSVLexicographic()),
}


@dataclass(frozen=True)
class Rows:
    """A small table in its parts; values are few, so that means, scores and cuts coincide as often as they can."""

    columns: tuple[Column, ...]
    values: np.ndarray
    classes: np.ndarray
    weights: np.ndarray
    labels: tuple[str, ...]

    @classmethod
    def drawn(cls, seed: int) -> Rows:
        rng = np.random.default_rng(seed)
        rows, numeric, symbols = int(rng.integers(8, 40)), int(rng.integers(4)), int(rng.choice([3, 6, 15]))
        numbers = [rng.integers(12, size=rows) * rng.choice([1.0, 0.1]) for _ in range(numeric)]
        named = [rng.integers(symbols, size=rows).astype(float) for _ in range(3 - numeric)]
        columns = [Column(f"x{i}") for i in range(numeric)]
        columns += [Column(f"s{i}", tuple(f"v{each}" for each in range(symbols))) for i in range(3 - numeric)]
        values = np.array([*numbers, *named])
        if rng.random() < 0.3:
            values[rng.random(values.shape) < 0.15] = np.nan
        labels = tuple("ABC"[: rng.integers(2, 4)])
        classes, weights = rng.integers(len(labels), size=rows), rng.integers(1, 4, size=rows)
        return cls(tuple(columns), values, classes, weights, labels)

    def data(self, rows: Any = slice(None), weighted: bool = True) -> Data:
        """Some of the rows, in any order."""
        weights = self.weights[rows].astype(float) if weighted else None
        target = Column("class", self.labels)
        return Data(Table(self.columns, self.values[:, rows], target, self.classes[rows], weights))

    def renamed(self, codes: np.ndarray) -> Data:
        """The same rows, class c being called what class `codes[c]` was."""
        return Rows(self.columns, self.values, codes[self.classes], self.weights, self.labels).data()


def same(one: Tree, other: Tree, codes: Any = slice(None)) -> bool:
    """Whether trees have the same nodes; powers are found numerically, so cuts may differ a little."""
    return (
        np.array_equal(one.parent, other.parent)
        and np.array_equal(one.feature, other.feature)
        and np.allclose(one.class_weights, other.class_weights[:, codes])
        and np.allclose(one.parameters, other.parameters, rtol=1e-4, atol=1e-4)
    )


@pytest.mark.parametrize("name", ALGORITHMS)
@given(seed=st.integers(0, 2**32))
def test_the_order_of_rows_does_not_matter(name: str, seed: int) -> None:
    rows, rng = Rows.drawn(seed), np.random.default_rng(seed)
    mixed = rows.data(rng.permutation(len(rows.classes)))
    assert same(tree_of(ALGORITHMS[name], rows.data()), tree_of(ALGORITHMS[name], mixed))


@pytest.mark.parametrize("name", ["fact", "quest", "cruise 1d", "c4.5", "ssv"])
@given(seed=st.integers(0, 2**32))
def test_the_names_of_classes_do_not_matter(name: str, seed: int) -> None:
    rows = Rows.drawn(seed)
    codes = np.random.default_rng(seed).permutation(len(rows.labels))
    assert same(tree_of(ALGORITHMS[name], rows.data()), tree_of(ALGORITHMS[name], rows.renamed(codes)), codes)


@pytest.mark.parametrize("name", ALGORITHMS)
@given(seed=st.integers(0, 2**32))
def test_a_weight_of_two_is_the_row_twice(name: str, seed: int) -> None:
    rows = Rows.drawn(seed)
    twice = rows.data(np.repeat(np.arange(len(rows.classes)), rows.weights), weighted=False)
    assert same(tree_of(ALGORITHMS[name], rows.data()), tree_of(ALGORITHMS[name], twice))


def test_classes_of_equal_means_share_a_region_whatever_the_unit() -> None:
    tenths = table_of({"x": [0.1, 0.2, 0.3, 0.2, 0.2, 0.2, 5, 5.1, 5.2]}, "AAACCCBBB")
    ones = table_of({"x": [1, 2, 3, 2, 2, 2, 50, 51, 52]}, "AAACCCBBB")
    for data in (tenths, ones):
        assert tree_of(FACT(min_class=1), data).branch_count[0] == 2


def counted(counts: dict[str, str]) -> Data:
    """Rows of a nominal feature, the classes of each symbol one after the other."""
    symbols = [symbol for symbol, classes in counts.items() for _ in classes]
    return table_of({"s": symbols}, "".join(counts.values()))


def test_symbols_of_equal_scores_stay_together() -> None:
    data = counted({"u": "AACCC", "v": "CCCC", "w": "AAACCCCC", "z": "CCC", "p": "BBBBBB", "q": "BBBBB"})
    lines = str(tree_of(FACT(min_class=1), data)).splitlines()
    assert lines == ["s in {u, v, w, z}: C (20/5)", "s in {p, q}: B (11)"]


def test_cruise_does_not_ask_which_class_is_called_first() -> None:
    counts = {"u": "AABB", "v": "AAAAB", "w": "AAABBB", "x": "AB", "y": "AAAB", "z": "AAAAABBB"}
    exchanged = {symbol: classes.translate(str.maketrans("AB", "BA")) for symbol, classes in counts.items()}
    one, other = (tree_of(CRUISE1D(), counted(each)) for each in (counts, exchanged))
    assert same(one, other, [1, 0])


def weighing(data: Data, weight: float) -> Data:
    """The rows, all of one weight."""
    table = data.table
    return Data(Table(table.columns, table.features, table.target, table.classes, np.full(len(data), weight)))


@pytest.mark.parametrize("grown", [tree_of, searched_tree])
def test_sets_of_symbols_are_as_many_as_the_node_weighs(grown: Any) -> None:
    """Of six symbols, 6 sets of one are nearest to 8, and with 15 of two to 16; the best set is one of two."""
    data = table_of({"s": list("cdefaaef")}, "AABAABAA")
    weighted, repeated = grown(SSVTree(), weighing(data, 2.0)), grown(SSVTree(), data.select_rows([*range(8)] * 2))
    assert same(weighted, repeated)
    assert str(repeated).startswith("s in {a, e}")


MANY = table_of({"many": list("cdadbccbda"), "x": [1, 1, 2, 1, 0, 0, 0, 0, 0, 3]}, "ABBAAAABAB")
"""Four symbols are many for 10 rows, not for 20."""


@pytest.mark.parametrize("grown", [tree_of, searched_tree])
def test_symbols_are_many_for_what_rows_weigh_and_not_for_their_number(grown: Any) -> None:
    weighted, repeated = (
        grown(C45(refinement=None), weighing(MANY, 2.0)),
        grown(C45(refinement=None), MANY.select_rows([*range(10)] * 2)),
    )
    assert same(weighted, repeated)
    assert str(repeated).startswith("many = a")
    assert str(grown(C45(refinement=None), MANY)).startswith("x <= 1")


@pytest.mark.parametrize("weight", [0.1, 2.0])
def test_symbols_of_important_rows_are_as_many_as_those_of_others(weight: float) -> None:
    plain = C45(refinement=None)
    important = plain.replace("splitter", ImportanceWeights(plain.get("splitter")))
    root = NodeData.of(weighing(MANY, weight))
    [split] = important.get("splitter").best_splits(root, 1)
    assert split.feature == 1
