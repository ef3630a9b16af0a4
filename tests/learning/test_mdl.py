"""MDL: the cuts of Fayyad and Irani."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from intemi.data import Data
from intemi.machines.transformations import MDL
from tests import datasets
from tests.learning.tables import classified


def entropy(classes: list[int]) -> float:
    shares = [classes.count(label) / len(classes) for label in set(classes)]
    return -sum(share * math.log2(share) for share in shares)


def cuts(rows: list[tuple[float, int]]) -> list[float]:
    """The definition, word for word: the rows are sorted."""
    every = [label for _, label in rows]
    best = None
    for index in range(1, len(rows)):
        if rows[index - 1][0] < rows[index][0]:
            left, right = every[:index], every[index:]
            remaining = (len(left) * entropy(left) + len(right) * entropy(right)) / len(rows)
            if best is None or remaining < best[0] - 1e-12:
                best = (remaining, index)
    if best is None:
        return []
    remaining, index = best
    left, right = every[:index], every[index:]
    k, k1, k2 = len(set(every)), len(set(left)), len(set(right))
    delta = math.log2(3**k - 2) - (k * entropy(every) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(every) - remaining <= (math.log2(len(rows) - 1) + delta) / len(rows):
        return []
    return [*cuts(rows[:index]), (rows[index - 1][0] + rows[index][0]) / 2, *cuts(rows[index:])]


@given(data=classified(least=20, most=60))
def test_cuts_are_those_of_the_definition(data: Data) -> None:
    values = np.round(data.feature(0) / np.nanstd(data.feature(0)) + data.classes, 1)
    known = ~np.isnan(values)
    values, classes = values[known], data.classes[known]
    found = MDL().thresholds(values, np.ones(len(values)), classes)
    assert found == pytest.approx(cuts(sorted(zip(values.tolist(), classes.tolist(), strict=True))))


def test_the_cuts_of_iris_are_those_that_are_published() -> None:
    data = datasets.load("iris")
    found = [MDL().thresholds(data.feature(i), data.weights, data.classes).tolist() for i in range(4)]
    assert found == [
        pytest.approx([5.55, 6.15]),
        pytest.approx([2.95, 3.35]),
        pytest.approx([2.45, 4.75]),
        pytest.approx([0.8, 1.75]),
    ]


def test_chance_is_not_cut() -> None:
    rng = np.random.default_rng(0)
    assert not len(MDL().thresholds(rng.normal(size=200), np.ones(200), rng.integers(2, size=200)))


def test_rows_of_unknown_class_take_no_part() -> None:
    values = np.arange(40.0)
    classes = np.array([0] * 20 + [1] * 20)
    unknown = np.concatenate([classes, np.full(40, -1)])
    expected = MDL().thresholds(values, np.ones(40), classes)
    assert expected.tolist() == [19.5]
    assert MDL().thresholds(np.concatenate([values, values]), np.ones(80), unknown).tolist() == [19.5]
    assert not len(MDL().thresholds(values, np.ones(40), np.full(40, -1)))


def test_twice_all_weights_is_the_same() -> None:
    values, classes = np.arange(12.0), np.array([0] * 6 + [1] * 6)
    assert MDL().thresholds(values, np.ones(12), classes).tolist() == [5.5]
    assert MDL().thresholds(values, np.full(12, 0.001), classes).tolist() == [5.5]


def test_neighbouring_numbers_are_cut_between() -> None:
    low, high = 1.0, np.nextafter(1.0, 2.0)
    values, classes = np.array([low] * 10 + [high] * 10), np.array([0] * 10 + [1] * 10)
    (cut,) = MDL().thresholds(values, np.ones(20), classes)
    assert low < cut <= high


def test_twenty_six_classes_are_no_problem() -> None:
    values = np.repeat(np.arange(26.0), 40)
    assert len(MDL().thresholds(values, np.ones(len(values)), np.repeat(np.arange(26), 40))) == 25
