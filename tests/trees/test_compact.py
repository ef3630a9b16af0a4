"""Large trees are kept in few bytes, and come back as they were."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode
from intemi.kernel.errors import MalformedError
from intemi.machines import DecisionTree
from intemi.machines.trees.compact import LARGE_NODES, compacted, expanded
from intemi.machines.trees.tree import Tree


def grown(rows: int, weights: Any = None) -> Tree:
    """A tree of noise, with five classes."""
    rng = np.random.default_rng(0)
    columns = [Column(name) for name in "xyz"]
    labels = Column("class", tuple("abcde"))
    data = Data(Table(columns, rng.normal(size=(3, rows)), labels, rng.integers(5, size=rows), weights))
    tree: Tree = DecisionTree().run(data).outputs["tree"]
    return tree


LARGE = grown(600)
WHOLE = LARGE._whole_state()


def same(one: Tree, other: Tree) -> bool:
    """Whether all arrays of two trees have the same bits."""
    pairs = zip(one._whole_state()[4:], other._whole_state()[4:], strict=True)
    return all(first.dtype == second.dtype and first.tobytes() == second.tobytes() for first, second in pairs)


def test_a_large_tree_takes_a_fraction_of_the_bytes_and_comes_back_as_it_was() -> None:
    assert len(LARGE) > LARGE_NODES
    encoded = encode(LARGE)
    assert len(encoded) < len(encode(WHOLE)) / 2
    assert same(decode(encoded), LARGE)
    assert decode(encoded) == LARGE


def test_weights_that_are_no_counts_and_negative_zeros_are_not_rounded() -> None:
    fractions = grown(600, np.random.default_rng(1).random(600))
    zeros = replace(LARGE, parameters=np.where(LARGE.parameters > 0, -0.0, LARGE.parameters))
    for tree in (fractions, zeros):
        assert same(decode(encode(tree)), tree)


def test_a_large_tree_that_was_kept_as_it_is_can_be_read() -> None:
    assert same(Tree.from_state(WHOLE), LARGE)


@pytest.mark.parametrize("rows", [1, 20])
def test_a_small_tree_is_kept_as_it_is(rows: int) -> None:
    tree = grown(rows)
    assert tree.state() is tree._whole_state()
    assert same(decode(encode(tree)), tree)


@pytest.mark.parametrize(
    ("piece", "value"),
    [
        (2, 0),
        (2, len(LARGE) + 1),
        (4, np.zeros(0, dtype=np.uint8)),
        (4, np.full(len(WHOLE[4]), 200, dtype=np.uint8)),
        (5, np.zeros(1, dtype=np.uint8)),
        (6, np.ones(3, dtype=np.uint8)),
        (8, np.ones((2, 2))),
    ],
)
def test_a_damaged_one_is_refused(piece: int, value: Any) -> None:
    state = list(compacted(WHOLE))
    state[piece] = value
    with pytest.raises(MalformedError):
        Tree.from_state(tuple(state)).check_decoded()
    with pytest.raises(MalformedError):
        expanded(tuple(state)[:-1])
