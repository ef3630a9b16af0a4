from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.analysis import BayesianSignedRank
from intemi.analysis.bayesian_signed_rank import shares
from intemi.kernel import ConfigurationError
from intemi.series import Series
from tests.analysis.published import demsar_auc


def test_the_same_seed_gives_the_same_probabilities_and_another_seed_others() -> None:
    first, second = demsar_auc("C4.5"), demsar_auc("C4.5+m")
    found = [BayesianSignedRank(seed=seed, samples=7000)(first, second).row(0)["equivalent"] for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_probabilities_sum_to_one_and_swap_with_the_series() -> None:
    first, second = demsar_auc("C4.5"), demsar_auc("C4.5+m")
    one, other = (BayesianSignedRank(samples=2000)(*pair).row(0) for pair in ((first, second), (second, first)))
    assert one["first higher"] == other["second higher"]
    assert one["first higher"] + one["equivalent"] + one["second higher"] == pytest.approx(1)


def test_shares_are_sums_over_all_pairs_of_differences() -> None:
    random = np.random.default_rng(1)
    differences, weights = random.normal(size=5), random.dirichlet(np.ones(5), size=3)
    for row, drawn in zip(shares(differences, weights, rope=0.2), weights, strict=True):
        above = sum(drawn[i] * drawn[j] * (differences[i] + differences[j] > 0.4) for i in range(5) for j in range(5))
        assert row[0] == pytest.approx(above)
        assert row.sum() == pytest.approx(1)


@pytest.mark.parametrize("options", [{"rope": -1}, {"samples": 0}, {"prior": 0}])
def test_options_that_mean_nothing_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=f"BayesianSignedRank: {next(iter(options))} must be"):
        BayesianSignedRank(**options)


def series_of(*values: float) -> Series:
    return Series({"Accuracy": list(values), "data": [f"set {i}" for i in range(len(values))]})


def test_equal_machines_are_higher_with_equal_probability_where_nothing_is_equivalent() -> None:
    found = BayesianSignedRank(rope=0, samples=1000)(series_of(0.5, 0.7, 0.9), series_of(0.5, 0.7, 0.9)).row(0)
    assert (found["first higher"], found["equivalent"], found["second higher"]) == (0.5, 0.0, 0.5)


def test_a_difference_of_exactly_the_rope_counts_half_whatever_its_binary_digits() -> None:
    found = [
        BayesianSignedRank(samples=2000)(series_of(*[high] * 8), series_of(*[high - 0.01] * 8)).row(0)
        for high in (0.90, 0.57, 0.56, 0.11)
    ]
    written = [(0.90, 0.89), (0.57, 0.56), (0.3, 0.29), (0.07, 0.06)]
    found += [
        BayesianSignedRank(samples=2000)(series_of(*[one] * 8), series_of(*[other] * 8)).row(0)
        for one, other in written
    ]
    outcomes = {(row["first higher"], row["equivalent"], row["second higher"]) for row in found}
    assert len(outcomes) == 1
    [(higher, equivalent, lower)] = outcomes
    assert (higher, lower) == (0.0, 0.0)  # half of what is at the border, less what the prior takes
    assert equivalent == 1.0
