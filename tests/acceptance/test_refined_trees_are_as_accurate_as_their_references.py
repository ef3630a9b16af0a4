"""Refined trees are as accurate and as large as those of trusted programs, in ten-fold cross-validation on given folds.

Inner folds are drawn by each program in its own way, so trees are not the same: accuracies are compared with their
standard errors, and leaves over all data sets. `docs/parity.md` has more data sets, and other inner folds.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from scripts.parity_folds import Outcome, learners, outcomes
from scripts.reference_data import HOME, WIDE
from tests.acceptance.test_trees_are_as_accurate_as_their_references import reference

# The data sets that come with the tests

AT_HOME = {"SimpleCart": "WEKA SimpleCart", "rpart-1se": "R rpart-1se"}
SMALL = ("balance-scale", "breast-diagnostic", "codes", "digits", "grades", "iris", "led7", "monks-1", "monks-3")
SMALL += ("rings", "survey", "twenty", "waveform", "wine")
"""The data sets that take no more than a second or two."""

PINNED = {
    "SimpleCart": {
        "balance-scale": (79.52, 22.4), "breast-diagnostic": (93.85, 7.6), "codes": (78.0, 14.2),
        "digits": (80.6, 31.7), "grades": (91.56, 5.2), "iris": (94.67, 4.2), "led7": (72.4, 21.3),
        "monks-1": (90.97, 22.2), "monks-3": (94.91, 5.0), "rings": (73.25, 12.6), "survey": (63.5, 38.3),
        "twenty": (77.67, 34.8), "waveform": (72.75, 21.9), "wine": (85.96, 5.8),
    },
    "rpart-1se": {
        "balance-scale": (78.24, 19.9), "breast-diagnostic": (92.27, 4.6), "digits": (81.2, 30.3),
        "grades": (92.22, 4.5), "iris": (94.0, 3.8), "led7": (72.2, 19.3), "monks-1": (93.06, 25.8),
        "monks-3": (94.91, 5.0), "rings": (73.0, 10.0), "survey": (59.33, 12.0), "twenty": (77.67, 35.4),
        "waveform": (71.0, 16.4), "wine": (85.96, 6.3),
    },
}  # fmt: skip
"""Our accuracy in percent and mean leaves. Inner folds are not those of the reference, so that bounds are wide: what
changes within them is noticed here."""


@cache
def at_home(name: str) -> dict[str, Outcome]:
    return outcomes({program: learners(1)[program] for program in AT_HOME}, name, HOME)


@pytest.mark.full
@pytest.mark.parametrize("program", AT_HOME)
def test_accuracy_and_size_are_near_those_of_the_reference(program: str) -> None:
    rows = {row["dataset"]: row for row in HOME.rows("cv10.csv") if row["program"] == AT_HOME[program]}
    names = [name for name in SMALL if name in rows]
    assert len(names) >= 13
    differences, theirs_leaves, our_leaves = [], [], []
    for name in names:
        ours, row = at_home(name)[program], rows[name]
        assert (ours.accuracy, ours.leaves) == pytest.approx(PINNED[program][name], abs=0.0051), name
        error = float(row["fold_sd"]) / np.sqrt(10)
        differences.append(ours.accuracy - float(row["accuracy"]))
        assert abs(differences[-1]) <= 2.5 * error + 1e-4, name
        theirs_leaves.append(float(row["mean_leaves"]))
        our_leaves.append(ours.leaves)
        assert 0.5 <= our_leaves[-1] / theirs_leaves[-1] <= 2, name  # the best size is the minimum of a flat curve
    assert abs(np.mean(differences)) < 0.5
    assert sum(our_leaves) == pytest.approx(sum(theirs_leaves), rel=0.15)


# The wide check

LARGEST = 1000
"""Cases of the data sets that are compared."""
SLOW = ("soybean", "soybean-large", "vote")
"""Many symbols with missing values: best-first trees take half a minute. `docs/parity.md` has their numbers."""
LEAST = {("BFTree", "hepatitis"): -2.7}
"""How many standard errors worse ours may be, where it is more than two: here five cases of 155 fewer are right; on
BFTree's own inner folds it is one (`docs/parity.md`)."""


def names_for(program: str) -> list[str]:
    """The data sets on which a program is the reference."""
    left_out = SLOW if program in ("SimpleCart", "BFTree") else ()
    names = [name for peer, name in reference() if peer == program and name not in left_out]
    return [name for name in names if len(WIDE.load(name)) <= LARGEST]


@cache
def found(name: str) -> dict[str, Outcome]:
    """What all reach on a data set, in one run: two of them each grow the same trees."""
    return outcomes({program: each for program, each in learners(1).items() if name in names_for(program)}, name)


@pytest.mark.wide
@pytest.mark.parametrize("program", learners(1))
def test_accuracy_is_within_two_standard_errors_of_the_reference(program: str) -> None:
    worse, theirs_leaves, our_leaves = {}, [], []
    for name in names_for(program):
        expected, error, leaves = reference()[program, name]
        ours = found(name)[program]
        theirs_leaves.append(leaves)
        our_leaves.append(ours.leaves)
        if ours.accuracy < expected + LEAST.get((program, name), -2) * error:
            worse[name] = f"{ours.accuracy:.2f} instead of {expected:.2f} ± {error:.2f}"
    assert len(names_for(program)) >= 20
    assert worse == {}
    assert sum(our_leaves) == pytest.approx(sum(theirs_leaves), rel=0.15)
