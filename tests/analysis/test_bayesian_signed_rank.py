from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.analysis import BayesianSignedRank
from intemi.analysis.bayesian_signed_rank import shares
from intemi.kernel import ConfigurationError
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
