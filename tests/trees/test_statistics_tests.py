"""Tails and tests of the trees' statistics agree with scipy, with hand-checked numbers, and with exact fractions where
scipy underflows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.statistics import (
    analysis_of_variance,
    class_moments,
    distances,
    fisher_exact,
    levene,
    log_p_chi_squared,
    log_p_f,
    log_sidak,
    normal_deviates,
    pearson,
    tamed,
)

C9 = np.array([[1.0, 2, 3, 4, 5, 6, 7, 9, 11]])
C9_CLASSES = np.repeat([0, 1, 2], 3).astype(np.int32)
L10 = np.array([[4, 4.5, 5, 5.5, 6, -1, 0, 5, 10, 11]])
L10_CLASSES = np.repeat([0, 1], 5).astype(np.int32)


@st.composite
def samples(draw: st.DrawFn) -> tuple[Floats, Codes]:
    """Two features of rows in up to four classes."""
    size = draw(st.integers(6, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    classes = rng.integers(draw(st.integers(2, 4)), size=size).astype(np.int32)
    return np.stack([rng.normal(size=size) + classes, rng.integers(4, size=size).astype(float)]), classes


def test_very_small_probabilities_keep_their_logarithms() -> None:
    assert float(log_p_chi_squared(3000, 4)) == pytest.approx(-1492.686113, abs=1e-6)
    assert float(log_p_f(50000, 2, 1470)) == pytest.approx(-3112.358079, abs=1e-6)
    assert float(log_p_f(18.5, 2, 6)) == pytest.approx(-5.908322, abs=1e-6)


@pytest.mark.parametrize(("chi2", "pairs"), [(2000.0, 2), (3000.0, 250), (5000.0, 40), (1e5, 1)])
def test_the_tail_of_a_chi_squared_is_a_sum_of_poisson_probabilities(chi2: float, pairs: int) -> None:
    # With 2m degrees of freedom: exp(−z) Σ_{i<m} zⁱ / i!, where z = χ² / 2.
    z = Fraction(chi2) / 2
    term, total = Fraction(1), Fraction(0)
    for index in range(pairs):
        total += term
        term = term * z / (index + 1)
    expected = -float(z) + math.log(total.numerator) - math.log(total.denominator)
    assert float(log_p_chi_squared(chi2, 2 * pairs)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("f", "df_within"), [(50000.0, 1470), (1e8, 100), (3000.0, 900), (1e200, 4)])
def test_the_tail_of_an_f_with_two_degrees_of_freedom_is_a_power(f: float, df_within: int) -> None:
    expected = -df_within / 2 * math.log1p(2 * f / df_within)
    assert float(log_p_f(f, 2, df_within)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3, 7, 30, 200])
def test_tails_agree_with_scipy_and_have_no_step_where_it_underflows(df: int) -> None:
    moderate = np.array([0.0, 0.1, 1.0, 10.0, 300.0])
    assert log_p_chi_squared(moderate, df) == pytest.approx(stats.chi2.logsf(moderate, df), rel=1e-10, abs=1e-15)
    assert log_p_f(moderate, df, 25) == pytest.approx(stats.f.logsf(moderate, df, 25), rel=1e-10, abs=1e-15)
    # 290 ln 10 is where the other form takes over; slopes on both sides of it are alike.
    around = np.linspace(1200, 2200, 101)
    slopes = np.diff(log_p_chi_squared(around, df))
    assert (slopes < 0).all()
    assert np.abs(np.diff(slopes)).max() < 0.05 * np.abs(slopes).max()


@pytest.mark.parametrize("df_within", [1, 4, 25, 1000])
@pytest.mark.parametrize("df", [1, 2, 9, 25])
def test_tails_agree_with_scipy_over_many_sizes(df: int, df_within: int) -> None:
    wide = np.geomspace(1e-4, 500, 60)
    expected = stats.f.logsf(wide, df, df_within)
    told = expected > -600  # beyond, scipy underflows
    assert log_p_f(wide, df, df_within)[told] == pytest.approx(expected[told], rel=1e-8, abs=1e-12)
    assert log_p_chi_squared(wide, df) == pytest.approx(stats.chi2.logsf(wide, df), rel=1e-9, abs=1e-13)


def test_an_infinite_statistic_has_no_probability_and_no_degree_of_freedom_makes_it_certain() -> None:
    assert float(log_p_f(math.inf, 2, 10)) == -math.inf
    assert float(log_p_f(5.0, 0, 10)) == 0.0
    assert float(log_p_chi_squared(5.0, 0)) == 0.0


def test_analysis_of_variance_of_hand_checked_numbers() -> None:
    moments = class_moments(C9, C9_CLASSES, np.ones(9), 3)
    assert moments.between == pytest.approx([74])
    assert moments.within == pytest.approx([12])
    tested = analysis_of_variance(moments)
    assert tested.statistic == pytest.approx([18.5])
    assert np.exp(tested.log_p) == pytest.approx([0.0027167], abs=1e-7)
    spread = levene(C9, C9_CLASSES, np.ones(9), moments)
    assert spread.statistic == pytest.approx([0.6666667], abs=1e-7)
    assert np.exp(spread.log_p) == pytest.approx([0.5477085], abs=1e-7)
    apart = class_moments(L10, L10_CLASSES, np.ones(10), 2)
    assert analysis_of_variance(apart).statistic == pytest.approx([0.0])
    assert analysis_of_variance(apart).log_p == pytest.approx([0.0])
    spread = levene(L10, L10_CLASSES, np.ones(10), apart)
    assert spread.statistic == pytest.approx([11.150579], abs=1e-6)
    assert np.exp(spread.log_p) == pytest.approx([0.010243], abs=1e-6)


@given(samples())
def test_analysis_of_variance_and_levene_agree_with_scipy(sample: tuple[Floats, Codes]) -> None:
    features, classes = sample
    sizes = np.bincount(classes)
    assume((sizes > 0).sum() > 1)
    assume(len(classes) > (sizes > 0).sum())
    moments = class_moments(features, classes, np.ones(len(classes)), 4)
    found, spread = analysis_of_variance(moments), levene(features, classes, np.ones(len(classes)), moments)
    for row, values in enumerate(features):
        groups = [values[classes == each] for each in np.flatnonzero(sizes)]
        if any(np.ptp(group) > 1e-9 for group in groups):
            oracle = stats.f_oneway(*groups)
            assert found.statistic[row] == pytest.approx(oracle.statistic, rel=1e-9, abs=1e-12)
            if oracle.statistic >= 0:  # it may be a rounding error below
                assert np.exp(found.log_p[row]) == pytest.approx(oracle.pvalue, rel=1e-8)
        distances = [np.abs(group - group.mean()) for group in groups]
        if any(np.ptp(each) > 1e-9 for each in distances):
            oracle = stats.levene(*groups, center="mean")
            assert spread.statistic[row] == pytest.approx(oracle.statistic, rel=1e-9, abs=1e-12)


@given(samples(), st.integers(0, 2**32))
def test_a_weight_of_two_is_the_row_twice(sample: tuple[Floats, Codes], seed: int) -> None:
    features, classes = sample
    counts = np.random.default_rng(seed).integers(1, 4, size=len(classes))
    weighted = class_moments(features, classes, counts.astype(float), 4)
    times = np.repeat(np.arange(len(classes)), counts)
    repeated = class_moments(features[:, times], classes[times], np.ones(len(times)), 4)
    for one, other in zip(analysis_of_variance(weighted), analysis_of_variance(repeated), strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12)
    one_levene = levene(features, classes, counts.astype(float), weighted)
    other_levene = levene(features[:, times], classes[times], np.ones(len(times)), repeated)
    assert one_levene.statistic == pytest.approx(other_levene.statistic, rel=1e-9, abs=1e-12)


def test_values_that_are_equal_within_classes_separate_them_perfectly_or_not_at_all() -> None:
    classes = np.array([0, 0, 1, 1, 1], np.int32)
    features = np.array([[0.1, 0.1, 0.3, 0.3, 0.3], [0.1] * 5, [1e8 + 0.1] * 5])
    tested = analysis_of_variance(class_moments(features, classes, np.ones(5), 2))
    assert tested.statistic.tolist() == [math.inf, 0.0, 0.0]
    assert tested.log_p.tolist() == [-math.inf, 0.0, 0.0]


def test_missing_values_take_no_part_in_their_feature_only() -> None:
    with_missing = np.vstack([np.append(C9, np.nan), np.append(C9, 4.0)])
    classes = np.append(C9_CLASSES, 1).astype(np.int32)
    moments = class_moments(with_missing, classes, np.ones(10), 3)
    assert analysis_of_variance(moments).statistic[0] == pytest.approx(18.5)
    assert moments.total.tolist() == [9, 10]
    nothing = class_moments(np.full((1, 3), np.nan), np.array([0, 1, 1], np.int32), np.ones(3), 2)
    assert analysis_of_variance(nothing).log_p.tolist() == [0.0]


def test_the_f_of_iris_is_that_of_scipy() -> None:
    from sklearn.datasets import load_iris

    features, target = load_iris(return_X_y=True)
    classes = target.astype(np.int32)
    moments = class_moments(features.T, classes, np.ones(150), 3)
    assert analysis_of_variance(moments).statistic == pytest.approx([119.2645, 49.1600, 1180.1612, 960.0071], abs=5e-5)
    spread = levene(features.T, classes, np.ones(150), moments)
    assert spread.statistic == pytest.approx([7.3811, 0.6006, 20.6835, 19.6517], abs=5e-5)


@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(2, 4))
def test_pearsons_chi_squared_agrees_with_scipy_on_tables_with_empty_rows(seed: int, rows: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    table = np.zeros((rows + 1, columns + 1))
    np.add.at(table, (rng.integers(rows, size=25), rng.integers(columns, size=25)), 1.0)
    filled = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    chi2, df = pearson(table)
    oracle = stats.chi2_contingency(filled, correction=False)
    assert chi2 == pytest.approx(oracle.statistic, rel=1e-9, abs=1e-12)
    assert df == oracle.dof
    assert math.exp(log_p_chi_squared(chi2, df)) == pytest.approx(oracle.pvalue, rel=1e-9)


def test_pearsons_chi_squared_of_the_golf_table() -> None:
    outlook = np.array([[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]])
    humidity = np.array([[3.0, 4.0], [6.0, 1.0]])
    assert pearson(outlook) == (pytest.approx(3.546667, abs=1e-6), 2)
    assert pearson(humidity) == (pytest.approx(2.8), 1)
    assert math.exp(log_p_chi_squared(*pearson(outlook))) == pytest.approx(0.169766, abs=1e-6)
    assert pearson(np.zeros((3, 2))) == (0.0, 0)


@given(st.lists(st.integers(0, 12), min_size=4, max_size=4))
def test_fishers_exact_test_agrees_with_scipy(cells: list[int]) -> None:
    table = [cells[:2], cells[2:]]
    assert fisher_exact(table) == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-6)


@pytest.mark.parametrize("table", [[[700, 300], [320, 710]], [[50_000, 3], [49_000, 4]], [[0, 40_000], [2, 60_000]]])
def test_fishers_exact_test_of_large_tables(table: list[list[int]]) -> None:
    assert fisher_exact(table) == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-5, abs=1e-12)


@pytest.mark.parametrize(
    ("chi2", "df", "z"),
    [
        (10, 6, 1.156077),
        (20, 4, 3.296894),
        (5, 6, -0.105409),
        (3.546667, 2, 0.983539),
        (15, 6, 2.052190),
        (16, 3, 3.062364),
    ],
)
def test_chi_squared_as_a_normal_deviates(chi2: float, df: int, z: float) -> None:
    assert float(normal_deviates(chi2, df)) == pytest.approx(z, abs=1e-6)


@pytest.mark.parametrize("df", [2, 5, 50])
def test_the_normal_deviate_is_smooth_where_its_formula_is_not(df: int) -> None:
    middle = float(normal_deviates(df - 1, df))
    for step in (1e-9, 1e-5, 0.99e-4, 1.01e-4):
        change = step * (df - 1)
        slope = (normal_deviates(df - 1 + change, df) - middle) / change
        assert slope == pytest.approx((normal_deviates(df - 1 + 1e-3, df) - middle) / 1e-3, rel=0.05)


def test_the_least_of_several_p_is_adjusted_without_losing_digits() -> None:
    assert math.exp(log_sidak(math.log(0.01), 3)) == pytest.approx(1 - 0.99**3, rel=1e-12)
    assert log_sidak(-29.999999, 7) == pytest.approx(log_sidak(-30.000001, 7), abs=1e-5)
    assert log_sidak(-5000.0, 7) == pytest.approx(-5000 + math.log(7))
    assert log_sidak(-math.inf, 7) == -math.inf
    assert log_sidak(0.0, 7) == 0.0


@given(samples(), st.sampled_from([1e-290, 1e-100, 1e-30, 1e30, 1e100, 1e290]))
def test_no_test_depends_on_the_unit_of_a_feature(sample: tuple[Floats, Codes], unit: float) -> None:
    features, classes = sample
    numbers, exponents = tamed(features * unit)
    assert np.ldexp(numbers, exponents[:, None]) == pytest.approx(features * unit, rel=1e-12, abs=0)
    moments = [class_moments(each, classes, np.ones(len(classes)), 4) for each in (features, numbers)]
    first, second = (analysis_of_variance(each).statistic for each in moments)
    assert first == pytest.approx(second, rel=1e-9)


def test_values_far_from_0_keep_their_digits() -> None:
    moments = class_moments(C9 + 1e15, C9_CLASSES, np.ones(9), 3)
    assert analysis_of_variance(moments).statistic == pytest.approx([18.5])


def test_distances_that_are_equal_but_for_rounding_do_not_differ() -> None:
    # 0.1 and 0.7 are equally far from their mean, 0.4; in floats not quite.
    features, classes = np.array([[0.1, 0.1, 0.7, 0.7]]), np.array([0, 0, 1, 1], np.int32)
    away = distances(features, np.full((1, 1), features.mean()))
    assert analysis_of_variance(class_moments(away, classes, np.ones(4), 2)).statistic.tolist() == [0.0]
    moments = class_moments(features, classes, np.ones(4), 2)
    assert levene(features, classes, np.ones(4), moments).statistic.tolist() == [0.0]
