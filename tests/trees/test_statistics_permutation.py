"""The closed forms of permutation statistics are those of the general one, and the numbers of libcoin."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.statistics import (
    class_moments,
    greatest_nominal,
    greatest_numeric,
    log_p_by_resampling,
    quadratic_nominal,
    quadratic_numeric,
)
from tests.trees.small_nodes import C9, C9_CLASSES

N8 = np.arange(1.0, 9.0)
N8_CLASSES = np.array([0, 0, 0, 1, 0, 1, 1, 1], np.int32)
OUTLOOK = np.array([[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]])


def general(scores: Floats, classes: Codes, weights: Floats) -> tuple[float, int, float]:
    """Quadratic statistic, its rank and the greatest one of scores (a row for each object) by the Kronecker form."""
    targets = np.eye(int(classes.max()) + 1)[classes]
    total = weights.sum()
    expected = weights @ targets / total
    variance = (targets - expected).T @ ((targets - expected) * weights[:, None]) / total
    sums = weights @ scores
    squares = scores.T @ (scores * weights[:, None])
    covariance = (total * np.kron(variance, squares) - np.kron(variance, np.outer(sums, sums))) / (total - 1)
    deviations = ((scores * weights[:, None]).T @ targets - np.outer(sums, expected)).T.ravel()
    inverse = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    spread = np.diag(covariance)
    some = spread > 1e-10
    return (
        float(deviations @ inverse @ deviations),
        int(np.linalg.matrix_rank(covariance, tol=1e-8 * max(spread.max(), 1e-300), hermitian=True)),
        float((np.abs(deviations[some]) / np.sqrt(spread[some])).max(initial=0)),
    )


def test_numbers_of_libcoin_for_eight_rows() -> None:
    moments = class_moments(N8[None], N8_CLASSES, np.ones(8), 2)
    tested = quadratic_numeric(moments)
    assert tested.statistic == pytest.approx([4.083333], abs=1e-6)
    assert np.exp(tested.log_p) == pytest.approx([0.043308], abs=1e-6)
    assert greatest_numeric(moments, 0)[0] == pytest.approx(2.020726, abs=1e-6)
    weighted = class_moments(N8[None], N8_CLASSES, np.array([1.0, 2, 1, 1, 1, 1, 3, 1]), 2)
    assert quadratic_numeric(weighted).statistic == pytest.approx([6.892749], abs=1e-6)


def test_the_statistic_of_three_classes_as_checked_by_hand() -> None:
    tested = quadratic_numeric(class_moments(np.array([C9]), np.array(C9_CLASSES, np.int32), np.ones(9), 3))
    assert (tested.statistic.tolist(), tested.df.tolist()) == (pytest.approx([6.883721], abs=1e-6), [2])


def test_numbers_of_libcoin_for_a_nominal_feature() -> None:
    statistic, df, log_p = quadratic_nominal(OUTLOOK)
    assert (statistic, df, math.exp(log_p)) == pytest.approx((3.293333, 2, 0.192691), abs=1e-6)
    greatest, log_p = greatest_nominal(OUTLOOK)
    assert greatest == pytest.approx(1.699673, abs=1e-6)
    assert math.exp(log_p) == pytest.approx(0.205135, abs=2e-3)


def test_numbers_of_libcoin_for_iris() -> None:
    from sklearn.datasets import load_iris

    features, target = load_iris(return_X_y=True)
    tested = quadratic_numeric(class_moments(features.T, target.astype(np.int32), np.ones(150), 3))
    assert tested.statistic == pytest.approx([92.18715, 59.71664, 140.2644, 138.4036], abs=1e-4)


@given(st.integers(0, 2**32), st.integers(2, 4))
def test_closed_forms_are_those_of_the_general_statistic(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    classes = rng.integers(count, size=20).astype(np.int32)
    _, classes = np.unique(classes, return_inverse=True)
    assume(classes.max() > 0)
    weights = rng.integers(1, 4, size=20).astype(float)
    numbers, symbols = rng.normal(size=20), rng.integers(3, size=20)
    assume(len(np.unique(symbols)) == 3)

    quadratic, rank, greatest = general(numbers[:, None], classes, weights)
    moments = class_moments(numbers[None], classes.astype(np.int32), weights, count)
    assert quadratic_numeric(moments).statistic == pytest.approx([quadratic], rel=1e-7)
    assert quadratic_numeric(moments).df.tolist() == [rank]
    assert greatest_numeric(moments, 0)[0] == pytest.approx(greatest, rel=1e-7)

    quadratic, rank, greatest = general(np.eye(3)[symbols], classes, weights)
    table = np.zeros((5, count))
    np.add.at(table, (symbols, classes), weights)
    assert quadratic_nominal(table)[:2] == (pytest.approx(quadratic, rel=1e-7), rank)
    assert greatest_nominal(table)[0] == pytest.approx(greatest, rel=1e-7)


def test_the_probability_of_the_greatest_is_that_of_permutations() -> None:
    rng = np.random.default_rng(3)
    table = np.array([[20.0, 9, 11], [10, 15, 10], [12, 10, 14]])
    greatest, log_p = greatest_nominal(table)
    rows, columns = np.nonzero(table)
    times = table[rows, columns].astype(int)
    symbols, classes = np.eye(3)[np.repeat(rows, times)], np.repeat(columns, times).astype(np.int32)
    draws = [general(symbols, rng.permutation(classes), np.ones(len(classes)))[2] for _ in range(10_000)]
    assert math.exp(log_p) == pytest.approx(np.mean(np.array(draws) >= greatest - 1e-9), abs=0.02)


def test_constant_features_single_classes_and_single_rows_are_certain() -> None:
    for features, classes in [
        ([[0.1] * 4], [0, 0, 1, 1]),
        ([[1.0, 2, 3, 4]], [1] * 4),
        ([[1.0]], [0]),
        ([[0.1] * 7], [0] * 3 + [1] * 4),
    ]:
        moments = class_moments(np.array(features), np.array(classes, np.int32), np.ones(len(classes)), 2)
        assert quadratic_numeric(moments).log_p.tolist() == [0.0]
        assert quadratic_numeric(moments).df.tolist() == [0.0]
        assert greatest_numeric(moments, 0) == (0.0, 0.0)
    assert quadratic_nominal(np.array([[3.0, 2.0], [0.0, 0.0]])) == (0.0, 0, 0.0)
    assert greatest_nominal(np.array([[3.0, 2.0], [0.0, 0.0]])) == (0.0, 0.0)


@pytest.mark.parametrize("statistic", ["quadratic", "maximum"])
def test_resampling_comes_close_to_all_ways_to_deal_out_the_classes(
    statistic: Literal["quadratic", "maximum"],
) -> None:
    numbers, symbols = N8**2, np.array([0, 0, 0, 1, 1, 2, 2, 2])

    def associations(classes: Codes) -> tuple[float, float]:
        moments, table = class_moments(numbers[None], classes, np.ones(8), 2), np.zeros((3, 2))
        np.add.at(table, (symbols, classes), 1.0)
        if statistic == "maximum":
            return greatest_numeric(moments, 0)[0], greatest_nominal(table)[0]
        return float(quadratic_numeric(moments).statistic[0]), quadratic_nominal(table)[0]

    ways = [np.isin(np.arange(8), chosen).astype(np.int32) for chosen in combinations(range(8), 4)]
    observed = associations(N8_CLASSES)
    reached = np.array([associations(way) for way in ways]) >= np.array(observed) - 1e-9
    expected, times = reached.mean(axis=0), 4000
    parts = [numbers[:, None], np.eye(3)[symbols]]
    found = np.exp(log_p_by_resampling(parts, N8_CLASSES, times, np.random.default_rng(0), statistic))
    assert (np.abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / times)).all(), (found, expected)


def test_resampling_of_three_classes_is_that_of_their_statistic() -> None:
    """The limit is close where there are many rows."""
    rng = np.random.default_rng(5)
    classes = rng.integers(3, size=300).astype(np.int32)
    numbers, symbols = rng.normal(size=300) + 0.1 * classes, rng.integers(4, size=300)
    table = np.zeros((4, 3))
    np.add.at(table, (symbols, classes), 1.0)
    limit = [float(quadratic_numeric(class_moments(numbers[None], classes, np.ones(300), 3)).log_p[0])]
    limit += [quadratic_nominal(table)[2]]
    expected, times = np.exp(limit), 40_000
    found = np.exp(log_p_by_resampling([numbers[:, None], np.eye(4)[symbols]], classes, times, rng))
    assert (np.abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / times)).all(), (found, expected)


def test_nothing_to_resample_is_no_error() -> None:
    rng = np.random.default_rng(0)
    assert log_p_by_resampling([], N8_CLASSES, 9, rng).tolist() == []
    assert log_p_by_resampling([N8[:, None]], np.zeros(8, np.int32), 9, rng).tolist() == [0.0]
    assert log_p_by_resampling([np.ones((8, 1))], N8_CLASSES, 9, rng).tolist() == [0.0]
