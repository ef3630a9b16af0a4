"""The book's pruning experiment on one data set, on one and on two dask workers of this computer.

A leaf is `AllMethods` of `configs/single_trees.py`: all refinements of trees of one fold. Threads at home run the same
beside it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import psutil

from benchmarks.local_cluster import DASK_WORKER, Clock, cluster
from benchmarks.report import Target, note_progress, print_table
from configs.single_trees import AllMethods, single_trees
from intemi import Project, Threads
from intemi.dask import DaskWorkers
from intemi.kernel.workers.base import TaskManager
from intemi.machines import Repeater, SklearnDataset

ONE, TWO = "1 dask worker", "2 dask workers"
DATA = "breast_cancer"


@dataclass(frozen=True)
class Sizes:
    """How large the experiment is, and how often it runs."""

    folds: int
    inner_folds: int
    repetitions: int
    rounds: int

    def experiment(self) -> Repeater:
        """What is run on the data set."""
        return single_trees("IG", self.folds, self.inner_folds, self.repetitions)


FULL = Sizes(folds=10, inner_folds=10, repetitions=3, rounds=3)
QUICK = Sizes(folds=2, inner_folds=2, repetitions=1, rounds=1)


class Ran(NamedTuple):
    """One run of the experiment."""

    wall: float
    cpu: float
    leaves: list[float]
    """Seconds that each leaf took."""
    results: list[Any]

    def share_busy(self, workers: int) -> float:
        """For which part of the time workers had a leaf. A busy computer makes leaves slower, and this not smaller."""
        return sum(self.leaves) / workers / self.wall


WAYS = (("1 thread at home", 1), ("2 threads at home", 2), (ONE, 1), (TWO, 2))
"""Where leaves run, and how many at a time."""


def measure(sizes: Sizes) -> tuple[list[Target], list[float]]:
    """Run the experiment in all ways, print, and compare; the targets, and the seconds that each leaf took."""
    rounds: list[dict[str, Ran]] = []
    with ExitStack() as stack:
        managers: dict[str, Callable[[], TaskManager]] = {}
        processes: dict[str, Sequence[psutil.Process]] = {}
        for name, workers in WAYS:
            managers[name], processes[name] = partial(Threads, workers), ()
            if name in (ONE, TWO):
                address, processes[name] = stack.enter_context(cluster([DASK_WORKER] * workers, workers))
                managers[name] = partial(DaskWorkers, address)
            note_progress(f"cluster: the pruning experiment, {name}, modules and kernels")
            run_once(QUICK.experiment(), managers[name](), processes[name])
        for turn in range(sizes.rounds):
            found = {}
            for name, _ in WAYS[turn % 4 :] + WAYS[: turn % 4]:
                note_progress(f"cluster: the pruning experiment, round {turn + 1} of {sizes.rounds}, {name}")
                found[name] = run_once(sizes.experiment(), managers[name](), processes[name])
            rounds.append(found)
    return _report(sizes, rounds), rounds[0][ONE].leaves


def run_once(experiment: Repeater, manager: TaskManager, processes: Sequence[psutil.Process]) -> Ran:
    """Run an experiment in a new folder."""
    with tempfile.TemporaryDirectory() as folder, Project(folder, workers=manager) as project:
        clock = Clock(processes)
        done = project.run(experiment, data=project.request(SklearnDataset(DATA)).data)
        wall, home, there = clock.read()
        asked = ["wall", "Accuracy", "Leaves", "Chosen"]
        found = project.query(done, type=AllMethods, labels=asked)
        times, *results = (list(found[label]) for label in asked)
        return Ran(wall, home + there, list(map(float, times)), results)


def _report(sizes: Sizes, rounds: Sequence[dict[str, Ran]]) -> list[Target]:
    first, _ = WAYS[0]
    for found in rounds:
        for name, ran in found.items():
            expected = rounds[0][first].results
            np.testing.assert_array_equal(ran.results, expected, f"{name}: not the results of {first}")
    rows: list[list[str | float | None]] = []
    for name, workers in WAYS:
        all_runs = [found[name] for found in rounds]
        rows.append(
            [
                name,
                median(ran.wall for ran in all_runs),
                median(ran.cpu for ran in all_runs),
                1000 * median(median(ran.leaves) for ran in all_runs),
                100 * median(ran.share_busy(workers) for ran in all_runs),
                median(found[first].wall / found[name].wall for found in rounds),
            ]
        )
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    leaves = sizes.folds * sizes.repetitions
    title = (
        f"The pruning experiment on {DATA}: {leaves} leaves, median of {sizes.rounds} rounds{load}; results are equal"
    )
    print_table(title, ["", "wall s", "CPU s", "leaf ms", "workers busy %", "times as fast as 1 thread"], rows)
    return [_target(rounds)]


def _target(rounds: Sequence[dict[str, Ran]]) -> Target:
    pairs = [(found[ONE], found[TWO]) for found in rounds]
    measured = median(two.wall / one.wall for one, two in pairs)
    by_cpu = median(two.cpu / two.share_busy(2) / 2 / (one.cpu / one.share_busy(1)) for one, two in pairs)
    return Target("pruning experiment: 2 dask workers / 1", measured, 1 / 1.7, by_cpu=by_cpu)
