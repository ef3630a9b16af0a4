"""What a knowledge base derives from results: means, ranks, differences from the best and their significance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from intemi import ConfigurationError
from intemi.machines.meta_learning import KnowledgeBase
from intemi.machines.meta_learning.knowledge_base import DERIVED, paired_p_values

RESULTS = arrays(np.float64, (3, 4, 6), elements=st.floats(0.1, 0.9).map(lambda value: round(value, 3)))


def base(results: np.ndarray) -> KnowledgeBase:
    return KnowledgeBase(("a", "b", "c"), ("p", "q", "r", "s"), results)


def with_mean_and_t(t: float, n: int) -> np.ndarray:
    """Differences whose t statistic is known."""
    shape = np.linspace(-1, 1, n)
    return shape / shape.std(ddof=1) + t / np.sqrt(n)


@pytest.mark.parametrize(("t", "p"), [(2.262, 0.05), (3.250, 0.01)])
def test_p_values_are_those_of_the_tables(t: float, p: float) -> None:
    assert paired_p_values(with_mean_and_t(t, 10)) == pytest.approx(p, abs=2e-5)


@given(RESULTS)
def test_nothing_is_better_than_the_best(results: np.ndarray) -> None:
    known = base(results)
    rows = np.arange(3)
    assert (known.p_values[rows, known.best] == 1).all()
    finite = known.differences[np.isfinite(known.differences)]
    assert (finite <= 0).all()
    usable = known.best_deviations > 0
    assert (known.differences[usable, known.best[usable]] == 0).all()
    assert (known.ranks[rows, known.best] == known.ranks.min(axis=1)).all()


@given(RESULTS)
def test_p_values_agree_with_scipy(results: np.ndarray) -> None:
    known = base(results)
    for row, best in enumerate(known.best):
        for column in range(4):
            differences = results[row, column] - results[row, best]
            if differences.std() > 1e-9:
                expected = stats.ttest_rel(results[row, column], results[row, best]).pvalue
                assert known.p_values[row, column] == pytest.approx(expected, rel=1e-6)


@given(RESULTS, st.integers(0, 2))
def test_what_is_derived_from_a_part_is_a_part_of_what_is_derived(results: np.ndarray, left_out: int) -> None:
    whole = base(results)
    for name in DERIVED:
        getattr(whole, name)
    rest = whole.without("abc"[left_out])
    anew = KnowledgeBase(rest.data_sets, rest.configurations, rest.results)
    for name in DERIVED:
        np.testing.assert_array_equal(getattr(rest, name), getattr(anew, name))


def test_results_that_are_not_known_count_nowhere() -> None:
    results = np.array([[[0.9, 0.8, 0.7], [np.nan] * 3, [0.5, np.nan, 0.6]]])
    known = KnowledgeBase(("a",), ("p", "q", "r"), results)
    assert known.accuracies[0, [0, 2]].tolist() == pytest.approx([0.8, 0.55])
    assert np.isnan([known.accuracies[0, 1], known.ranks[0, 1], known.p_values[0, 1]]).all()
    assert known.ranks[0, [0, 2]].tolist() == [1, 2]


def test_a_base_that_does_not_fit_together_is_refused() -> None:
    with pytest.raises(
        ConfigurationError, match=r"1 data sets × 2 configurations × splits, got an array of \(1, 3, 5\)"
    ):
        KnowledgeBase(("a",), ("p", "q"), np.zeros((1, 3, 5)))
    with pytest.raises(ConfigurationError, match="seconds must be 1 data sets × 1 configurations"):
        KnowledgeBase(("a",), ("p",), np.zeros((1, 1, 5)), np.zeros(3))
    with pytest.raises(ConfigurationError, match="there is no data set 'b'"):
        KnowledgeBase(("a",), ("p",), np.zeros((1, 1, 5))).without("b")
    with pytest.raises(ConfigurationError, match="nothing is known of the data set 'a'"):
        _ = KnowledgeBase(("a",), ("p",), np.full((1, 1, 5), np.nan)).best
