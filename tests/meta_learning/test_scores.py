"""Scores by pairwise comparisons, on tables computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from intemi import ConfigurationError
from intemi.machines.meta_learning import (
    AccuracyRatioScore,
    AdjustedRatioScore,
    BestOnAverage,
    KnowledgeBase,
    Setting,
    SignificantWinsScore,
)

ACCURACIES = [[[0.9], [0.8], [0.6]]]
SECONDS = np.array([[10.0, 1.0, 100.0]])


def test_ratios_of_accuracies_are_averaged_over_others() -> None:
    base = KnowledgeBase(("d",), ("a", "b", "c"), ACCURACIES)
    expected = [(0.9 / 0.8 + 0.9 / 0.6) / 2, (0.8 / 0.9 + 0.8 / 0.6) / 2, (0.6 / 0.9 + 0.6 / 0.8) / 2]
    assert AccuracyRatioScore().of(base)[0] == pytest.approx(expected)


def test_ratios_are_adjusted_by_times() -> None:
    base = KnowledgeBase(("d",), ("a", "b", "c"), ACCURACIES, SECONDS)
    assert AdjustedRatioScore().of(base)[0] == pytest.approx([1.314506, 1.129206, 0.697680], abs=1e-6)
    assert AdjustedRatioScore(trade=0.0).of(base)[0] == pytest.approx(AccuracyRatioScore().of(base)[0])


def test_the_denominator_never_reaches_zero() -> None:
    base = KnowledgeBase(("d",), ("slow", "quick"), [[[0.5], [0.5]]], np.array([[100.0, 1.0]]))
    assert AdjustedRatioScore(trade=1.0).of(base)[0] == pytest.approx([1 / 3, 1 / 0.1])


def test_wins_count_if_they_are_significant() -> None:
    results = [[[0.9, 0.92, 0.88, 0.9], [0.8, 0.81, 0.79, 0.8], [0.5, 0.9, 0.2, 0.6]]]
    base = KnowledgeBase(("d",), ("a", "b", "c"), results)
    assert SignificantWinsScore().of(base)[0].tolist() == [0.5, 0.0, 0.0]
    assert SignificantWinsScore(alpha=0.1).of(base)[0].tolist() == [1.0, 0.0, 0.0]


def test_what_is_not_known_is_not_compared() -> None:
    base = KnowledgeBase(("d", "e"), ("a", "b", "c"), [[[0.9], [np.nan], [0.6]], [[0.5], [0.5], [0.5]]])
    found = AccuracyRatioScore().of(base)
    assert found[0, [0, 2]] == pytest.approx([1.5, 1 / 1.5])
    assert np.isnan(found[0, 1])
    assert BestOnAverage(AccuracyRatioScore()).ordered(Setting(("b", "c", "a"), base)) == ["a", "b", "c"]


def test_comparisons_of_very_many_are_refused() -> None:
    base = KnowledgeBase(("d",), tuple(range(201)), np.full((1, 201, 2), 0.5))
    with pytest.raises(ConfigurationError, match="at most 200 configurations are compared, got 201"):
        SignificantWinsScore().of(base)
    few = KnowledgeBase(("d",), ("a", "b"), [[[0.5], [0.6]]])
    with pytest.raises(ConfigurationError, match="AdjustedRatioScore: it needs a knowledge base with seconds"):
        AdjustedRatioScore().of(few)
