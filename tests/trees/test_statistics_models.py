"""Scores of categories, powers, cuts between normal distributions: against hand-checked numbers and direct forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intemi.machines.interfaces import Floats
from intemi.machines.trees.statistics import (
    BoxCox,
    analysis_of_variance,
    class_moments,
    crimcoord,
    fit_box_cox,
    linear_intervals,
    pearson,
    quadratic_roots,
)
from intemi.machines.trees.statistics.box_cox import squares_within

TABLE = np.array([[4.0, 1, 0], [1, 3, 2], [1, 0, 3]])


def tables(rows: int = 5, columns: int = 4) -> st.SearchStrategy[Floats]:
    """Tables of small counts."""
    cells = st.lists(st.integers(0, 6), min_size=rows * columns, max_size=rows * columns)
    return cells.map(lambda each: np.array(each, float).reshape(rows, columns))


def objects(table: Floats) -> tuple[Floats, Floats, Floats]:
    """Category, class and weight of each cell of a table that holds something."""
    rows, columns = np.nonzero(table)
    return rows.astype(float), columns.astype(np.int32), table[rows, columns]


def test_scores_of_categories_as_checked_by_hand() -> None:
    scores = crimcoord(TABLE)
    assert scores is not None
    assert scores == pytest.approx([1.327589, -0.319188, -1.180704], abs=1e-6)
    category, classes, weights = objects(TABLE)
    moments = class_moments(scores[category.astype(int)][None], classes, weights, 3)
    assert analysis_of_variance(moments).statistic == pytest.approx([3.944165], abs=1e-6)
    assert float(moments.between[0] / (moments.between + moments.within)[0]) == pytest.approx(0.3966311, abs=1e-7)
    assert pearson(TABLE)[0] / 15 == pytest.approx(0.6111111, abs=1e-7)


@given(tables())
def test_scores_have_mean_0_and_variance_1_and_no_other_scores_separate_classes_better(table: Floats) -> None:
    scores = crimcoord(table)
    assume(scores is not None)
    assert scores is not None
    sizes = table.sum(axis=1)
    there = sizes > 0
    assert np.isnan(scores[~there]).all()
    assert sizes[there] @ scores[there] == pytest.approx(0, abs=1e-7)
    assert sizes[there] @ scores[there] ** 2 == pytest.approx(sizes.sum(), rel=1e-7)
    category, classes, weights = objects(table)

    def separation(numbers: Floats) -> float:
        moments = class_moments(numbers[category.astype(int)][None], classes, weights, table.shape[1])
        return float(moments.between[0] / (moments.between + moments.within)[0])

    best = separation(scores)
    rng = np.random.default_rng(0)
    others = rng.normal(size=(20, len(table)))
    near = scores + 0.01 * rng.normal(size=(20, len(table)))
    assert all(separation(each) <= best + 1e-9 for each in [*others, *near])


@given(tables(columns=2))
def test_scores_of_two_classes_go_along_with_the_probability_of_one(table: Floats) -> None:
    scores = crimcoord(table)
    assume(scores is not None)
    assert scores is not None
    there = table.sum(axis=1) > 0
    share = table[there, 0] / table[there].sum(axis=1)
    slope, intercept = np.polyfit(share, scores[there], 1)
    assert scores[there] == pytest.approx(slope * share + intercept, abs=1e-6)


def test_categories_that_say_nothing_about_classes_have_no_scores() -> None:
    assert crimcoord(np.array([[2.0, 4.0], [1.0, 2.0]])) is None
    assert crimcoord(np.array([[2.0, 4.0], [0.0, 0.0]])) is None
    assert crimcoord(np.array([[2.0, 0.0], [3.0, 0.0]])) is None


def test_the_scores_are_those_of_the_books_way_over_indicators() -> None:
    # The indicators are whitened by their singular values, then the class means in that space have a leading direction.
    category, classes, weights = objects(TABLE)
    times = weights.astype(int)
    category, classes = np.repeat(category, times).astype(int), np.repeat(classes, times)
    indicators = np.eye(3)[category]
    centered = indicators - indicators.mean(axis=0)
    _, lengths, directions = np.linalg.svd(centered, full_matrices=False)
    whitening = directions[:2].T / lengths[:2]
    white = centered @ whitening
    means = np.stack([math.sqrt((classes == each).sum()) * white[classes == each].mean(axis=0) for each in range(3)])
    leading = np.linalg.svd(means)[2][0]
    direct = (np.eye(3) - indicators.mean(axis=0)) @ whitening @ leading
    scores = crimcoord(TABLE)
    assert scores is not None
    assert direct / direct[0] == pytest.approx(scores / scores[0], abs=1e-9)


POWERS = np.array([1.0, 2, 4, 8, 16, 32])
TWO = np.repeat([0, 1], 3).astype(np.int32)


def test_the_power_of_a_geometric_series_is_the_logarithm() -> None:
    found = fit_box_cox(POWERS, TWO, np.ones(6))
    assert found is not None
    assert found.power == pytest.approx(0, abs=1e-6)
    assert found.shift == 0
    for power, expected in [
        (0, 1.921812),
        (1, 9.479167),
        (-1, 9.479167),
        (0.5, 3.213203),
        (-0.5, 3.213203),
    ]:
        assert squares_within(np.log(POWERS), power, TWO, np.ones(6)) == pytest.approx(expected, abs=1e-6)


@given(st.integers(0, 2**32), st.sampled_from([-2.0, -0.5, -3e-16, 0.0, 1e-8, 0.3, 2.5]))
def test_what_is_transformed_comes_back(seed: int, power: float) -> None:
    values = np.random.default_rng(seed).uniform(-3, 10, size=20)
    change = BoxCox(power, shift=4.0)
    assert change.inverse(change(values)) == pytest.approx(values, rel=1e-6, abs=1e-6)
    assert (np.diff(change(np.sort(values))) >= 0).all()


def test_nothing_is_transformed_to_what_lies_beyond_the_range() -> None:
    assert np.isnan(BoxCox(-1.0, 0.0).inverse(np.array([1.5]))).all()
    assert np.isnan(BoxCox(2.0, 0.0).inverse(np.array([-0.6]))).all()


def test_values_that_are_not_positive_are_shifted() -> None:
    found = fit_box_cox(np.array([-1.0, -1.0, 2.0, 5.0]), np.array([0, 1, 0, 1], np.int32), np.ones(4))
    assert found is not None
    assert found.shift == 4.0
    always = fit_box_cox(POWERS, TWO, np.ones(6), always_shift=True)
    assert always is not None
    assert always.shift == 0.0
    assert fit_box_cox(np.ones(4), np.array([0, 1, 0, 1], np.int32), np.ones(4)) is None


def test_values_that_differ_by_rounding_are_not_the_two_least() -> None:
    classes = np.array([0, 1, 0, 1], np.int32)
    found = fit_box_cox(np.array([-0.3, -(0.1 + 0.2), 0.2, 0.7]), classes, np.ones(4))
    assert found is not None
    assert found.shift == pytest.approx(0.2 + 2 * 0.3)


@pytest.mark.parametrize("sizes", [(2, 3), (3, 3), (1, 1)])
def test_nothing_is_transformed_where_classes_are_constant(sizes: tuple[int, int]) -> None:
    """Any power is as good, so rounding would choose one."""
    classes = np.repeat([0, 1], sizes).astype(np.int32)
    assert fit_box_cox(np.where(classes, 6.0, 2.0), classes, np.ones(len(classes))) is None


def test_intervals_of_classes_as_checked_by_hand() -> None:
    cuts, owners = linear_intervals(np.array([2.0, 5.0, 9.0]), 2.0, np.array([3.0, 3.0, 3.0]))
    assert cuts == pytest.approx([3.5, 7.0])
    assert owners.tolist() == [0, 1, 2]
    cuts, _ = linear_intervals(np.array([2.0, 5.0, 9.0]), 1.0, np.array([3.0, 3.0, 9.0]))
    assert cuts == pytest.approx([3.5, 7 - math.log(3) / 4])
    cuts, owners = linear_intervals(np.array([9.0, 5.0, 2.0]), 0.0, np.array([1.0, 0.0, 2.0]))
    assert cuts.tolist() == [5.5]
    assert owners.tolist() == [2, 0]


@pytest.mark.parametrize("moved", [0.0, -7.0, 1e6])
def test_of_classes_of_equal_means_the_heaviest_has_the_interval(moved: float) -> None:
    means = np.array([0.1 + 0.2, 0.3, 5.0]) + moved
    cuts, owners = linear_intervals(means, 1.0, np.array([3.0, 4.0, 4.0]))
    assert owners.tolist() == [1, 2]
    assert cuts == pytest.approx([2.65 + moved])


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
def test_scores_do_not_depend_on_the_order_of_classes(order: list[int]) -> None:
    """Each class has a category of its own: all axes are of equal length, and the first category scores highest."""
    equal = np.eye(3)[:, order] * 4.0
    scores = crimcoord(equal)
    assert scores is not None
    assert scores == pytest.approx([2 / math.sqrt(2), -1 / math.sqrt(2), -1 / math.sqrt(2)])
    assert scores[1] == scores[2]


def test_equal_scores_are_equal_to_the_last_digit() -> None:
    table = np.array([[2.0, 0, 3], [0, 0, 4], [3, 0, 5], [0, 0, 3], [0, 6, 0], [0, 5, 0]])
    scores = crimcoord(table)
    assert scores is not None
    assert len(set(scores.tolist())) == 2


@given(st.integers(0, 2**32), st.integers(1, 6), st.floats(0.05, 20))
def test_in_each_interval_its_owner_is_the_most_likely_class(seed: int, count: int, variance: float) -> None:
    rng = np.random.default_rng(seed)
    means = rng.integers(-4, 5, size=count).astype(float)
    weights = rng.integers(1, 30, size=count).astype(float)
    cuts, owners = linear_intervals(means, variance, weights)
    assert (np.diff(cuts) > 0).all()
    points = np.linspace(-30, 30, 241)
    discriminants = np.outer(means, points) / variance + (np.log(weights) - means**2 / variance / 2)[:, None]
    found = discriminants[owners[np.searchsorted(cuts, points)], np.arange(len(points))]
    assert found == pytest.approx(discriminants.max(axis=0), rel=1e-9, abs=1e-9)


def test_roots_as_checked_by_hand() -> None:
    assert quadratic_roots((2.5, 9.0), (5 / 3, 10.0), (4, 5)) == pytest.approx([4.782031, -2.382031], abs=1e-6)
    assert quadratic_roots((2.0, 6.0), (1.0, 1.0), (3, 6)) == pytest.approx([3.826713], abs=1e-6)
    assert quadratic_roots((3.5, 9.0), (3.5, 4.0), (6, 3)) == pytest.approx([6.671994, -76.671994], abs=1e-6)
    assert quadratic_roots((5.0, 5.0), (0.625, 30.5), (5, 5)) == pytest.approx([3.424987, 6.575013], abs=1e-6)
    assert quadratic_roots((5.0, 5.0), (2.0, 2.0), (5, 5)) == []


def test_roots_are_those_of_the_printed_quadratic_where_densities_meet() -> None:
    """a, b, c = −8.333333, 20, 94.924539; both densities, times the shares of the classes, are 0.0287942 there."""
    first, second = quadratic_roots((2.5, 9.0), (5 / 3, 10.0), (4, 5))
    a = 5 / 3 - 10
    assert (-a * (first + second), a * first * second) == pytest.approx((20, 94.924539), abs=1e-5)
    for mean, variance, share in ((2.5, 5 / 3, 4 / 9), (9.0, 10.0, 5 / 9)):
        density = math.exp(-((first - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        assert share * density == pytest.approx(0.0287942, abs=1e-7)


@given(
    st.tuples(st.floats(-5, 5), st.floats(-5, 5)),
    st.tuples(st.floats(0.1, 9), st.floats(0.1, 9)),
    st.tuples(st.integers(2, 50), st.integers(2, 50)),
)
def test_both_densities_are_equal_at_a_root(
    means: tuple[float, float], variances: tuple[float, float], sizes: tuple[int, int]
) -> None:
    assume(abs(variances[0] - variances[1]) > 0.01)
    roots = quadratic_roots(means, variances, sizes)
    for root in roots:
        one, other = (
            math.log(size) - math.log(variance) / 2 - (root - mean) ** 2 / (2 * variance)
            for mean, variance, size in zip(means, variances, sizes, strict=True)
        )
        assert one == pytest.approx(other, rel=1e-5, abs=1e-5)
    distances = [abs(root - means[0]) for root in roots]
    assert distances == pytest.approx(sorted(distances))
