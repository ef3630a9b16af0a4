from __future__ import annotations

import datetime
import enum
from typing import Any

import numpy as np
import pytest

from intemi.series import SeriesError
from intemi.series.cells import cell, identity, same


class Colour(enum.IntEnum):
    RED = 3


class Kind(str, enum.Enum):  # noqa: UP042 - its str() is not its text, which is the point
    KNN = "knn"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.float32(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.int8(3), 3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.bool_(True), True),
        (np.str_("knn"), "knn"),
        (np.array(3), 3),
        (Colour.RED, 3),
        (Kind.KNN, "knn"),
    ],
)
def test_a_value_of_another_kind_becomes_pythons_own(given: Any, expected: Any) -> None:
    found = cell(given)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "given",
    [
        *(b"bytes", 1j, object(), {}, {1, 2}),
        *(datetime.date(2020, 1, 1), np.datetime64("2020-01-01"), np.timedelta64(1, "ns")),
        *(["a"], [1, None], [[1], [1, 2]], [2**70], np.zeros((1, 1, 1)), np.array([1j]), "\ud800", 2**14_000),
        np.array([2**63], dtype=np.uint64),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_no_file_could_hold_is_refused(given: Any) -> None:
    with pytest.raises(SeriesError, match=r"must be|must have|may hold"):
        cell(given)


def test_an_array_becomes_a_read_only_copy() -> None:
    given = np.array([1, 2], dtype=np.int8)
    found = cell(given)
    given[0] = 9
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [1, 2]
    assert found.dtype == np.int64
    assert not found.flags.writeable


def test_a_view_of_an_array_that_can_change_is_copied_even_if_it_is_read_only() -> None:
    given = np.array([1.0, 2.0])
    view = given[:]
    view.flags.writeable = False
    found = cell(view)
    given[0] = 9
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [1, 2]


def test_cells_belong_together_if_they_are_equal_and_not_by_chance() -> None:
    cells = [0, False, None, "", "0", np.array([0]), np.array([False]), np.array([[0]]), np.array([0, 0]), np.zeros(1)]
    assert len({identity(each) for each in cells}) == len(cells)
    assert identity(0) == identity(0.0) == identity(-0.0)
    assert identity(np.array([1.0, np.nan])) == identity(np.array([1.0, np.nan]))


def test_cells_are_the_same_if_kind_and_value_are() -> None:
    assert same(np.array([np.nan]), np.array([np.nan]))
    assert not same(np.array([1]), np.array([1.0]))
    assert not same(np.array([1]), 1)
    assert not same(True, 1)
    assert not same(None, 0)
