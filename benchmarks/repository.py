"""A million results: put on record, read into the repository's index, and ten thousand of them asked for.

Beside it, the same with sqlite3 and one table made by hand for just these questions: a row for each result, with the
experiment, the repetition, the fold and the name in it, written in transactions of the same size. That table holds the
results and nothing else. Ours come from records that also say what each machine is, where it belongs and what its
inputs were, each with a checksum; they are kept by the store, and read from there into the index when somebody asks for
the first time.

Each is measured in processes of its own. An answer of ours is a series, that of sqlite3 a list of rows.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.records import OnRecord, record_of, seconds_to_index, seconds_to_keep
from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from intemi import Project
from intemi.kernel.record import Child, Record
from intemi.kernel.store import Finished
from intemi.query import Result


@dataclass(frozen=True)
class Sizes:
    """How many experiments, tests in each of them and judges in each of these, and how often each question is asked."""

    experiments: int
    tests: int
    judges: int
    rounds: int

    @property
    def results(self) -> int:
        """One for each judge."""
        return self.experiments * self.tests * self.judges


FULL = Sizes(experiments=100, tests=100, judges=100, rounds=5)
QUICK = Sizes(experiments=10, tests=20, judges=10, rounds=2)

QUESTIONS = ("one experiment", "one judge everywhere", "the best")
FOLDS = 10
ALLOWED = 0.5
"""Seconds for an answer: well under one."""


class Experiment(OnRecord):
    """A cross-validation."""

    number: int = 0


class Test(OnRecord):
    """One fold of it."""


class Judge(OnRecord):
    """Leaves an accuracy."""

    number: int = 0


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    with tempfile.TemporaryDirectory() as folder:
        asked: dict[str, Any] = {"folder": folder, "sizes": asdict(sizes)}
        note_progress("repository: writing")
        written = in_new_process(measure_writing, **asked)
        by_hand = in_new_process(measure_writing_by_hand, **asked)
        note_progress("repository: asking")
        first = in_new_process(measure_catching_up, **asked)
        ours, theirs = (in_new_process(each, **asked) for each in (measure_asking, measure_asking_by_hand))
    total = written + first
    each = 1e6 / sizes.results
    print_table(
        f"{sizes.results:,} results written, µs for each",
        ["", "µs", "/ sqlite3"],
        [
            ["sqlite3, one table", by_hand * each, 1.0],
            ["intemi: records kept by the store", written * each, written / by_hand],
            ["intemi: read into the index", first * each, first / by_hand],
            ["intemi, together", total * each, total / by_hand],
        ],
    )
    rows: list[list[str | float | None]] = []
    for question in QUESTIONS:
        seconds, count = ours[question]
        plain, same = theirs[question]
        assert count == same, f"{question}: {count} rows of ours, {same} of theirs"
        rows.append([question, count, seconds * 1e3, plain * 1e3, seconds / plain, seconds / max(count, 1) * 1e6])
    print_table(
        f"Questions about them, median of {sizes.rounds}",
        ["", "rows", "intemi ms", "sqlite3 ms", "ratio", "µs a row"],
        rows,
    )
    targets = [Target(f"{question}: seconds", ours[question][0], ALLOWED, " s") for question in QUESTIONS]
    print_targets(targets)
    return targets


# Ours


def finished(sizes: Sizes) -> Iterator[list[Finished]]:
    """What machines leave when they finish, one test after another."""
    configs = {number: Judge(number) for number in range(sizes.judges)}
    for number in range(sizes.experiments):
        accuracies = accuracies_of(number, sizes)
        experiment = Experiment(number)
        tests = []
        for test in range(sizes.tests):
            judges = [
                Finished(record_of((number, test, judge), config, {"Accuracy": accuracies[test][judge]}))
                for judge, config in configs.items()
            ]
            children = [Child(at, f"judge {at}", each.record.machine, {}) for at, each in enumerate(judges)]
            whole = record_of((number, test), Test())
            comments = {"Repetition": test // FOLDS + 1, "Fold": test % FOLDS + 1}
            tests.append(Child(test, "test", whole.machine, comments))
            yield [*judges, Finished(whole, children=children)]
        done = Record(experiment.digest, experiment.kind, experiment.encoding, None, {}, started=1.0)
        yield [Finished(done, children=tests)]


def accuracies_of(experiment: int, sizes: Sizes) -> list[list[float]]:
    """Numbers in place of the accuracies of an experiment."""
    drawn: list[list[float]] = np.random.default_rng(experiment).random((sizes.tests, sizes.judges)).tolist()
    return drawn


def measure_writing(folder: str, sizes: dict[str, int]) -> float:
    """In a process of its own: seconds to keep all records."""
    return seconds_to_keep(folder, finished(Sizes(**sizes)))


def measure_catching_up(folder: str, sizes: dict[str, int]) -> float:
    """In a process of its own: seconds until the first question is answered."""
    return seconds_to_index(folder, Experiment, sizes["experiments"])


def measure_asking(folder: str, sizes: dict[str, int]) -> dict[str, tuple[float, int]]:
    """In a process of its own: seconds for each question, and how many rows there are."""
    labels = ["Accuracy", "Repetition", "Fold"]
    with Project.open(Path(folder, "project"), workers=1) as project:
        capsule = project.run(Experiment(sizes["experiments"] // 2))
        best = 1 - 1 / sizes["experiments"]
        asked: dict[str, Callable[[], Any]] = {
            "one experiment": lambda: project.query(capsule, type=Judge, labels=labels),
            "one judge everywhere": lambda: project.query(name=f"judge {sizes['judges'] // 2}", labels=labels),
            "the best": lambda: project.query(where=Result("Accuracy") > best, labels=labels),
        }
        return {question: _timed(ask, sizes["rounds"]) for question, ask in asked.items()}


def _timed(ask: Callable[[], Any], rounds: int) -> tuple[float, int]:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        answer = ask()
        seconds.append(time.perf_counter() - start)
    return median(seconds), len(answer)


# By hand


def measure_writing_by_hand(folder: str, sizes: dict[str, int]) -> float:
    """In a process of its own: seconds to write the same results into one table."""
    spent = 0.0
    asked = Sizes(**sizes)
    with closing(sqlite3.connect(Path(folder, "by hand.sqlite"), isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(
            "CREATE TABLE results (experiment INTEGER, repetition INTEGER, fold INTEGER, judge TEXT, accuracy REAL)"
        )
        connection.execute("CREATE INDEX by_experiment ON results (experiment)")
        connection.execute("CREATE INDEX by_judge ON results (judge)")
        for experiment in range(asked.experiments):
            for test, accuracies in enumerate(accuracies_of(experiment, asked)):
                rows = [
                    (experiment, test // FOLDS + 1, test % FOLDS + 1, f"judge {judge}", accuracy)
                    for judge, accuracy in enumerate(accuracies)
                ]
                start = time.perf_counter()
                connection.execute("BEGIN")
                connection.executemany("INSERT INTO results VALUES (?, ?, ?, ?, ?)", rows)
                connection.execute("COMMIT")
                spent += time.perf_counter() - start
    return spent


def measure_asking_by_hand(folder: str, sizes: dict[str, int]) -> dict[str, tuple[float, int]]:
    """In a process of its own: the same questions."""
    select = "SELECT accuracy, repetition, fold FROM results WHERE "
    asked: dict[str, tuple[str, Any]] = {
        "one experiment": ("experiment = ?", sizes["experiments"] // 2),
        "one judge everywhere": ("judge = ?", f"judge {sizes['judges'] // 2}"),
        "the best": ("accuracy > ?", 1 - 1 / sizes["experiments"]),
    }
    with closing(sqlite3.connect(Path(folder, "by hand.sqlite"))) as connection:
        return {
            question: _timed(
                lambda where=where, value=value: connection.execute(select + where, (value,)).fetchall(),
                sizes["rounds"],
            )
            for question, (where, value) in asked.items()
        }
