"""Distributions: inside their bounds, of their type, and spread as they say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines.classifiers import GaussianKernel, LinearKernel
from intemi.machines.search import Choice, Distribution, Integers, LogUniform, Uniform


def sample(distribution: Distribution, size: int = 2000) -> list[Any]:
    rng = np.random.default_rng(7)
    return [distribution.draw(rng) for _ in range(size)]


@given(low=st.floats(1e-6, 1e6), factor=st.floats(1.001, 1e6), seed=st.integers(0, 99))
def test_reals_are_floats_within_their_bounds(low: float, factor: float, seed: int) -> None:
    for kind in (Uniform, LogUniform):
        drawn = kind("x", low, low * factor).draw(np.random.default_rng(seed))
        assert type(drawn) is float
        assert low <= drawn <= low * factor


@pytest.mark.parametrize(
    ("distribution", "scale"),
    [
        (Uniform("x", -2, 3), lambda value: (value + 2) / 5),
        (LogUniform("x", 0.01, 100), lambda value: math.log10(value) / 4 + 0.5),
    ],
)
def test_reals_are_spread_evenly_on_their_scale(distribution: Distribution, scale: Any) -> None:
    from scipy.stats import kstest

    assert kstest([scale(value) for value in sample(distribution)], "uniform").pvalue > 0.01


@pytest.mark.parametrize(
    ("distribution", "all_values"),
    [
        (Integers("k", 3, 7), [3, 4, 5, 6, 7]),
        (
            Choice("k", ["a", 1, None, GaussianKernel(), LinearKernel()]),
            ["a", 1, None, GaussianKernel(), LinearKernel()],
        ),
    ],
)
def test_whole_numbers_and_choices_are_equally_likely(distribution: Distribution, all_values: list[Any]) -> None:
    from scipy.stats import chisquare

    drawn = sample(distribution)
    counts = [drawn.count(value) for value in all_values]
    assert sum(counts) == len(drawn)
    assert chisquare(counts).pvalue > 0.01
    assert {type(value) for value in drawn} == {type(value) for value in all_values}


def test_a_distribution_can_be_moved() -> None:
    assert Choice("kernel", [1]).at("svm") == Choice("svm.kernel", [1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Uniform("x", 1, 1), "Uniform: low must be below high and both finite, got 1.0 and 1.0"),
        (lambda: Uniform("x", 0, math.inf), "Uniform: low must be below high and both finite"),
        (lambda: LogUniform("x", 0, 1), "LogUniform: low must be above 0, got 0"),
        (lambda: LogUniform("x", 2, 1), "LogUniform: low must be below high"),
        (lambda: Integers("x", 3, 2), "Integers: low must be below high and both finite, got 3 and 2"),
        (lambda: Integers("x", 0.5, 2), "Integers: low must be an int, got 0.5"),  # type: ignore[arg-type]
        (lambda: Choice("x", []), "Choice: values must be at least one, got none"),
        (lambda: Uniform("a..b", 0, 1), "Uniform: a path must be written like"),
    ],
)
def test_a_distribution_over_nothing_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make()
