"""What the rules of fairness cost: 10 × 10-fold cross-validation with them and without them.

Before a test runs it looks at its lineage: which rows were learned from on the way to what it tests. Without the rules
it looks at nothing. Both are measured in one process, in turn, on one worker, by CPU time, so that they share whatever
else the computer does; a ratio is the median over pairs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from unittest.mock import patch

from benchmarks.cross_validation import data, experiment
from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from intemi import Project
from intemi.data import Data
from intemi.kernel.lineage import Lineage
from intemi.machines import ClassificationTest, CVDistributor, NaiveBayes, Repeater, Scheme


@dataclass(frozen=True)
class Sizes:
    """How often cross-validation is repeated, and how many pairs of it are measured."""

    repetitions: int
    pairs: int


FULL = Sizes(repetitions=10, pairs=15)
QUICK = Sizes(repetitions=2, pairs=3)
ALLOWED = 1.03


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    rows: list[list[str | float | None]] = []
    targets = []
    for name in ("kNN and SVM", "naive Bayes"):
        note_progress(f"fairness: {name}")
        measured = in_new_process(measure, name=name, repetitions=sizes.repetitions, pairs=sizes.pairs)
        rows.append([name, measured["with"] * 1e3, measured["without"] * 1e3, measured["ratio"]])
        if name == "kNN and SVM":
            targets.append(Target(f"with the rules / without, {name}", measured["ratio"], ALLOWED))
    title = f"{sizes.repetitions} × 10-fold cross-validation of {data().table.name}, median of {sizes.pairs} pairs"
    print_table(title, ["", "with the rules, CPU ms", "without, CPU ms", "ratio"], rows)
    print_targets(targets)
    return targets


def measure(name: str, repetitions: int, pairs: int) -> dict[str, float]:
    """In a process of its own: pairs with the rules and without, in turn."""
    asked = experiment(repetitions, 10) if name == "kNN and SVM" else brief(repetitions)
    _once(asked)
    found: list[tuple[float, float]] = []
    for number in range(pairs):
        if number % 2:
            ruled, free = _once(asked), _without_rules(asked)
        else:
            free, ruled = _without_rules(asked), _once(asked)
        found.append((ruled, free))
    return {
        "with": median(ruled for ruled, _ in found),
        "without": median(free for _, free in found),
        "ratio": median(ruled / free for ruled, free in found),
    }


def brief(repetitions: int) -> Repeater:
    """Tests of a learner that takes next to no time: the rules have nothing to hide behind."""
    test = Scheme(training=Data, test=Data)
    trained = test.add(NaiveBayes(), data=test.training)
    test.add(ClassificationTest(), data=test.test, classifier=trained.classifier)
    return Repeater(CVDistributor(10), test, repetitions, seed=1)


def _once(asked: Repeater) -> float:
    with Project(workers=1) as project:
        given = project.given(data())
        started = time.process_time()
        project.run(asked, data=given)
        return time.process_time() - started


def _without_rules(asked: Repeater) -> float:
    with patch.object(Lineage, "look_at", lambda lineage, context: None):
        return _once(asked)
