"""Sentences about a comparison say what its numbers say, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.experiments.compared import Compared
from intemi.experiments.comparison import Comparison, compare
from intemi.experiments.findings import findings
from intemi.machines import CVDistributor
from intemi.series import Series

FOLDS = 10


def compared(means: dict[tuple[str, str], float], **options: Any) -> Compared:
    """Learners on data sets whose folds lie around given means."""
    noise = np.random.default_rng(1).normal(0, 0.01, FOLDS)
    noise -= noise.mean()
    columns: dict[str, list[Any]] = {"Accuracy": [], "machine": [], "data": [], "Repetition": [], "Fold": []}
    for (learner, data), mean in means.items():
        columns["Accuracy"] += list(mean + noise * (1 if learner != "b" else -1))
        columns["machine"] += [learner] * FOLDS
        columns["data"] += [data] * FOLDS
        columns["Repetition"] += [1] * FOLDS
        columns["Fold"] += list(range(1, FOLDS + 1))
    comparison = Comparison(measure="Accuracy", best="highest", **options)
    found = compare(Series(columns, main="Accuracy"), comparison, CVDistributor(FOLDS))
    found.cells = dict.fromkeys(means, "finished")
    return found


def on(data: Sequence[str], **means: float) -> dict[tuple[str, str], float]:
    return {
        (learner, each): mean + number / 1000 for learner, mean in means.items() for number, each in enumerate(data)
    }


def test_a_clear_winner_is_named_with_its_distance_and_its_tests() -> None:
    said = findings(compared(on("pqrstuvw", a=0.9, b=0.8, c=0.7)))
    assert (
        said[0] == "a has the best average rank by Accuracy, 1.00 among 3 learners on 8 data sets; b follows with 2.00."
    )
    assert said[1] == (
        "It is ahead of b on 8 of 8 data sets, equal on 0 and behind on 0; the median of the differences is +0.100."
    )
    assert said[2] == "Average ranks differ (Friedman's test, p = 0.00034)."
    assert said[3] == "It differs significantly from c (Nemenyi's test at 0.05)."
    assert said[4] == (
        "On single data sets it is significantly better than other learners in 16 of 16 comparisons and worse in none "
        "(CorrectedTTest at 0.05, not corrected for 24 tests)."
    )


def test_differences_that_may_be_chance_are_called_so() -> None:
    of_p = {("a", "p"): 0.9, ("b", "p"): 0.899, ("c", "p"): 0.8}
    of_q = {("a", "q"): 0.8, ("b", "q"): 0.81, ("c", "q"): 0.82}
    of_r = {("a", "r"): 0.8, ("b", "r"): 0.7, ("c", "r"): 0.7}
    said = findings(compared({**of_p, **of_q, **of_r}))
    assert said[1] == "It is ahead of b by 0.001 on p and 0.100 on r and behind it by 0.010 on q."
    assert "do not differ significantly" in said[2]
    assert said[2].endswith("the order may be chance.")


def test_one_data_set_is_told_by_means() -> None:
    said = findings(compared(on("p", a=0.9, b=0.7)))
    assert said[0].startswith("On p, a has the highest mean Accuracy, 0.9")
    assert said[1] == "It is ahead of b by 0.200 on p."


def test_equal_ranks_are_shared() -> None:
    means = {("a", "p"): 0.9, ("a", "q"): 0.8, ("b", "p"): 0.8, ("b", "q"): 0.9}
    assert (
        findings(compared(means))[0]
        == "a and b share the best average rank by Accuracy, 1.50 among 2 learners on 2 data sets."
    )


def test_one_learner_is_the_only_one() -> None:
    said = findings(compared(on("pq", a=0.9)))
    assert said[0].startswith("Only a has results that compete: Accuracy is 0.9")


def test_what_failed_or_was_not_run_is_named() -> None:
    found = compared(on("pq", a=0.9, b=0.8))
    found.cells = {**found.cells, ("c", "p"): "failed", ("c", "q"): "not run"}
    said = findings(found)
    assert said[-2:] == ["c on p failed.", "c on q was not run."]


def test_data_sets_that_are_left_out_are_named() -> None:
    said = findings(compared({**on("pq", a=0.9, b=0.8), ("a", "r"): 0.9}))
    assert said[-1] == "Tests leave out r, where not all learners have all values."


def test_without_a_direction_no_learner_is_called_the_best() -> None:
    found = compared(on("pq", a=0.9, b=0.8))
    found.direction = None
    assert findings(found) == ["Learners are not ranked: nothing says which values of Accuracy are best."]
