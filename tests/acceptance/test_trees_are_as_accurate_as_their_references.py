"""Ten-fold accuracy on given folds is not worse than that of trusted programs by more than two standard errors."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from intemi.machines.trees.algorithms import C45, CART
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.statistical_algorithms import CTree
from tests.datasets import SHARED, folds, load

LEARNERS: dict[str, Callable[[], DecisionTree]] = {"J48": C45, "sklearn": partial(CART, surrogates=0), "ctree": CTree}
"""By the program that is the reference."""
SLOW = ("arrhythmia", "letter")
PRUNED = ("australian", "breast-cancer", "credit-a", "german-numeric", "splice")
"""Where C4.5 is worse: in the reference J48 has pruned its trees. Grown on all cases these have 29, 4, 30, 84 and 184
leaves; without pruning they have 98, 152, 101, 155 and 445, and are the same as ours."""


@cache
def reference() -> dict[tuple[str, str], tuple[float, float]]:
    """For each program and data set the accuracy in percent and its standard error."""
    file = SHARED / "reference" / "cv10.csv"
    if not file.exists():
        return {}
    with file.open(newline="") as lines:
        return {
            (row["peer"], row["dataset"]): (float(row["accuracy"]), float(row["fold_sd"]) / np.sqrt(10))
            for row in csv.DictReader(lines)
        }


def accuracy(learner: DecisionTree, name: str) -> float:
    """The share of the cases of a data set, in percent, that are classified right by a tree that never saw them."""
    data, fold_of = load(name), np.array(folds(name))
    right = 0
    for fold in range(10):
        test = data.select_rows(fold_of == fold)
        classifier = learner.run(data.select_rows(fold_of != fold)).outputs["classifier"]
        right += int((classifier.classify(test) == test.classes).sum())
    return 100 * right / len(data)


@pytest.mark.skipif(not reference(), reason="the reference accuracies are not there")
@pytest.mark.parametrize("program", LEARNERS)
def test_accuracy_is_within_two_standard_errors_of_the_reference(program: str) -> None:
    names = [name for peer, name in reference() if peer == program and name not in SLOW]
    explained = PRUNED if program == "J48" else ()
    worse = {}
    for name in names:
        expected, error = reference()[program, name]
        found = accuracy(LEARNERS[program](), name)
        if found < expected - 2 * error and name not in explained:
            worse[name] = f"{found:.2f} instead of {expected:.2f} ± {error:.2f}"
    assert len(names) >= 30
    assert worse == {}
