"""Ten-fold accuracy on given folds is not worse than that of trusted programs by more than two standard errors."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from intemi.kernel import Machine, Project
from intemi.machines.trees.algorithms import C45, CART
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.statistical_algorithms import CTree
from tests.datasets import SHARED, folds, load

AS_J48 = "C45 pruned as J48 prunes"
UNPRUNED, PRUNED = C45(), C45(refinement=ErrorBased(cf=0.25))
LEARNERS: dict[str, tuple[str, Machine]] = {
    "C45 with error-based pruning": ("J48", PRUNED),
    AS_J48: ("J48", C45(refinement=ErrorBased(estimator="j48", slack=0.1, raising=True))),
    "CART": ("sklearn", CART(surrogates=0)),
    "CTree": ("ctree", CTree()),
}
"""Each with the program that is its reference."""
SLOW = ("arrhythmia", "letter")
LARGEST = {AS_J48: 1000, "CTree": 1000}
"""Cases of the data sets that are compared, where trees take their time."""
BY_PRUNING = {
    "australian": (82.46, 86.23),
    "breast-cancer": (69.58, 75.52),
    "credit-a": (81.88, 86.38),
    "german-numeric": (70.40, 73.70),
}
"""Where C4.5 with its pruning left out is worse than J48: its accuracy without and with pruning. J48 prunes, which is
the reason: the same trees, pruned, are within two standard errors."""
NOT_AS_J48 = ("ann-thyroid", "segment", "segment-train", "wdbc", "waveform-21")
"""Where one to four cases more or fewer are right than with J48. All but the last have values closer than 0.00001 to
each other, between which WEKA does not cut. In waveform-21 it is one case of 5,000; its cause is not known."""


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


@pytest.fixture(scope="module")
def project() -> Iterator[Project]:
    """One for all, so that the prunings of C4.5 share its trees."""
    with Project() as opened:
        yield opened


@cache
def accuracy(project: Project, learner: Machine, name: str) -> float:
    """The share of the cases of a data set, in percent, that are classified right by a tree that never saw them."""
    data, fold_of = load(name), np.array(folds(name))
    right = 0
    for fold in range(10):
        test, training = data.select_rows(fold_of == fold), data.select_rows(fold_of != fold)
        classifier = project.run(learner, data=project.given(training)).outputs["classifier"]
        right += int((classifier.classify(test) == test.classes).sum())
    return 100 * right / len(data)


@pytest.mark.skipif(not reference(), reason="the reference accuracies are not there")
@pytest.mark.parametrize("learner", LEARNERS)
def test_accuracy_is_within_two_standard_errors_of_the_reference(project: Project, learner: str) -> None:
    program, machine = LEARNERS[learner]
    names = [name for peer, name in reference() if peer == program and name not in SLOW]
    names = [name for name in names if len(load(name)) <= LARGEST.get(learner, 10**6)]
    worse = {}
    for name in names:
        expected, error = reference()[program, name]
        found = accuracy(project, machine, name)
        if found < expected - 2 * error:
            worse[name] = f"{found:.2f} instead of {expected:.2f} ± {error:.2f}"
    assert len(names) >= 20
    assert worse == {}


@pytest.mark.skipif(not reference(), reason="the reference accuracies are not there")
def test_without_pruning_c45_is_worse_than_j48_only_where_pruning_is_the_reason(project: Project) -> None:
    names = [name for peer, name in reference() if peer == "J48" and name not in SLOW and len(load(name)) <= 1000]
    least = {name: reference()["J48", name][0] - 2 * reference()["J48", name][1] for name in names}
    worse = {name for name in names if accuracy(project, UNPRUNED, name) < least[name]}
    assert len(names) >= 30
    assert worse == BY_PRUNING.keys()
    for name, expected in BY_PRUNING.items():
        found = [accuracy(project, learner, name) for learner in (UNPRUNED, PRUNED)]
        assert found == pytest.approx(expected, abs=0.01), name
        assert found[1] >= least[name], name


@pytest.mark.skipif(not reference(), reason="the reference accuracies are not there")
def test_pruned_as_j48_prunes_c45_is_exactly_as_accurate(project: Project) -> None:
    program, machine = LEARNERS[AS_J48]
    names = [name for peer, name in reference() if peer == program and name not in (*SLOW, *NOT_AS_J48)]
    names = [name for name in names if len(load(name)) <= LARGEST[AS_J48]]
    found = {name: round(accuracy(project, machine, name), 3) for name in names}
    assert len(names) >= 30
    assert found == {name: pytest.approx(reference()[program, name][0], abs=1e-3) for name in names}
