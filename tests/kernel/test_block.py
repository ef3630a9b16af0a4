"""Blocks: arrays of results with labelled axes, as values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from intemi.kernel import Block, ConfigurationError, Machine, MachineFailed, Model, Project
from intemi.kernel.block import axes_of, is_block
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode
from intemi.kernel.errors import EncodingError, MalformedError

AXES = {"Size": (1, 2, 3), ("Mode", "Errors"): [("separate", 0.0), ("common", 0.5)]}


@given(
    arrays(np.float64, (3, 2), elements=st.floats(allow_nan=True))
    | arrays(np.int64, (3, 2))
    | arrays(np.bool_, (3, 2))
    | arrays(np.float64, (3, 2), elements=st.sampled_from([0.0, -0.0, 0.5, np.nan]))
)
def test_a_block_that_was_written_and_read_has_the_same_values(values: Any) -> None:
    block = decode(encode(Block(values, AXES)))
    assert block.values.dtype == values.dtype
    assert encode(block.values) == encode(
        np.where(np.isnan(values), np.nan, values) if values.dtype == float else values
    )
    assert block == Block(values, AXES)
    assert [block.value(cell) for cell in range(6)] == pytest.approx(values.ravel().tolist(), nan_ok=True)


def test_values_that_repeat_take_a_byte_each() -> None:
    size = 10_000
    few = np.random.default_rng(1).integers(0, 50, size) / 50
    many = np.random.default_rng(1).random(size)
    axes = {"Place": range(size)}
    assert len(encode(Block(many, axes))) - len(encode(Block(few, axes))) > 6.9 * size


def test_labels_of_one_axis_change_together() -> None:
    series = Block([[1, 2], [3, 4], [5, 6]], AXES).series("Value")
    assert series.row(3) == {"Value": 4, "Size": 2, "Mode": "common", "Errors": 0.5}
    assert len(series) == 6


def test_cells_are_chosen_by_their_labels() -> None:
    axes = Block(np.zeros((3, 2)), AXES).axes
    assert [cell.number for cell in axes.cells()] == list(range(6))
    assert [cell.number for cell in axes.cells(lambda label, value: label != "Size" or value > 1)] == [2, 3, 4, 5]
    assert [cell.number for cell in axes.cells(lambda label, value: label != "Mode" or value == "common")] == [1, 3, 5]


@pytest.mark.parametrize(
    ("values", "axes", "message"),
    [
        ([1, 2], {}, "axes must be a mapping from labels to coordinates"),
        ([1, 2], {"Size": (1, 2, 3)}, r"be of the shape \(3,\), got \(2,\)"),
        ([1, 2], {"Size": (1, 1)}, "coordinates of Size must be some, and all different"),
        ([1, 2], {"Size": (1, None)}, "must be texts, numbers or truth values"),
        ([1, 2], {("Size", "Rule"): [(1, "vote"), (2,)]}, "one for each of"),
        ([[1], [2]], {"Size": (1, 2), ("Size",): [(1,)]}, "must be different texts, got 'Size'"),
        (["a", "b"], {"Size": (1, 2)}, "values must be numbers or truth values"),
    ],
)
def test_a_block_that_does_not_fit_together_is_refused(values: Any, axes: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Block(values, axes)


class Leaves(Machine):
    """Leaves what it is told to."""

    version = 1
    case: str = "axes"

    def run(self) -> Model:
        one = Block([1, 2], {"Size": (1, 2)})
        if self.case == "axes":
            return Model(results={"One": one, "Other": Block([1, 2], {"Size": (1, 3)})})
        return Model(results={"One": one, "Size": 2})


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("axes", "Leaves.run: the blocks of one machine must have the same axes, got 'One' and 'Other'"),
        ("label", "Leaves.run: a result cannot have the label of an axis, got 'Size'"),
    ],
)
def test_results_whose_labels_would_have_two_meanings_are_refused(case: str, message: str) -> None:
    with Project() as project, pytest.raises(MachineFailed, match=message):
        project.run(Leaves(case))


@pytest.mark.parametrize(
    "state",
    [
        (b"", None, np.zeros(2)),
        (encode(((("Size",), (((1, 2), np.array([0, 5], dtype=np.uint8)),)),)), None, np.zeros(2)),
        (encode(((("Size",), (((1, 1), np.array([0, 1], dtype=np.uint8)),)),)), None, np.zeros(2)),
        (Block([1, 2], {"Size": (1, 2)}).encoded_axes, None, np.zeros(3)),
        (Block([1, 2], {"Size": (1, 2)}).encoded_axes, np.zeros(1), np.array([0, 1], dtype=np.uint8)),
        (Block([1, 2], {"Size": (1, 2)}).encoded_axes, np.zeros(3), np.array([0, -1], dtype=np.int8)),
        (Block([1, 2], {"Size": (1, 2)}).encoded_axes, None, np.array(["a", "b"])),
        (1, 2),
    ],
)
def test_a_state_that_no_block_has_is_refused_when_it_is_read(state: Any) -> None:
    good = encode(Block([1, 2], {"Size": (1, 2)}))
    head = good[: good.index(encode(Block([1, 2], {"Size": (1, 2)}).state())[:9])]
    assert is_block(head)
    with pytest.raises(EncodingError):
        decode(head + encode(state))


def test_bytes_that_are_no_axes_are_refused() -> None:
    with pytest.raises(MalformedError, match="not the axes of a block"):
        axes_of(encode((("Size", 3),)))
