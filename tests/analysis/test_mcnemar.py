from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from intemi.analysis import InvalidComparison, McNemar
from intemi.kernel import ConfigurationError
from intemi.series import Series


def vectors(*samples: list[Any], **labels: Any) -> Series:
    return Series({"Correct": [np.array(each) for each in samples], **(labels or {"Fold": range(len(samples))})})


def refused(first: Series, second: Series, why: str) -> None:
    with pytest.raises(InvalidComparison, match=re.escape(f"McNemar: {why}")):
        McNemar()(first, second)


def test_vectors_of_the_same_samples_are_pooled() -> None:
    pooled = McNemar()(vectors([1, 1, 0], [True, False]), vectors([0, 1, 1], [False, False])).row(0)
    single = McNemar()(Series({"Correct": [1, 1, 0, 1, 0]}), Series({"Correct": [0, 1, 1, 0, 0]})).row(0)
    for label in ("n11", "n10", "n01", "n00", "n", "chi2", "p"):
        assert pooled[label] == single[label]
    assert [pooled[label] for label in ("n11", "n10", "n01", "n00")] == [1, 2, 1, 1]


def test_the_order_of_samples_does_not_matter() -> None:
    first = vectors([1, 1, 1], [0, 0], Fold=[1, 2])
    second = vectors([0, 1], [1, 0, 1], Fold=[2, 1])
    assert McNemar()(first, second).row(0)["n10"] == 1


def test_no_disagreement_is_a_draw() -> None:
    same = Series({"Correct": [True, False]})
    for test in (McNemar(), McNemar(continuity=1), McNemar(distribution="exact")):
        assert test(same, same).row(0)["p"] == 1


def test_what_is_not_correctness_is_refused() -> None:
    refused(Series({"Accuracy": [0.9, 1.0]}), Series({"Accuracy": [1.0, 1.0]}), "correctness must be 0 or 1, got 0.9")
    refused(Series({"Correct": ["yes"]}), Series({"Correct": ["no"]}), "correctness must be 0 or 1, got 'yes'")


def test_samples_of_different_sizes_are_refused() -> None:
    refused(vectors([1, 1]), vectors([1, 1, 1]), "Fold 0 must be vectors of one length, got (2,) and (3,)")


def test_objects_that_were_answered_several_times_are_refused() -> None:
    repeated = vectors([1, 1], [1, 0], Repetition=[1, 2])
    refused(repeated, repeated, "the items are of 2 repetitions, so that the same objects would count 2 times")


def test_the_exact_distribution_needs_no_correction() -> None:
    with pytest.raises(ConfigurationError):
        McNemar(distribution="exact", continuity=1)
