"""Many workers that only sleep: how busy home keeps 8, 64 and 512 of them, and where home becomes the limit.

What is real: the project, its folder and its records; the cross-validation of the pruning experiment, whose splits are
made by leaves on workers; `DaskWorkers`, dask's client and scheduler; a `distributed.Worker` with a TCP connection for
each worker, and our code in it that takes batches, contents and machines, and gives back encoded models. What is
simulated: a leaf that learns and tests trees is one that takes the same data, sleeps for a time that such a leaf was
recorded to take, and gives back as many numbers. Workers live in two processes of this computer, without child
processes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import NamedTuple

import numpy as np
import psutil

from benchmarks.local_cluster import Clock, cluster
from benchmarks.report import Target, note_progress, print_table
from configs.single_trees import NAMES
from intemi import Input, Machine, Model, Project
from intemi.dask import DaskWorkers
from intemi.data import Data
from intemi.machines import CVDistributor, Repeater, SklearnDataset

PROCESSES = 2
"""In which the workers live."""
FOLDS = 10
FASTEST = 700
"""Leaves a second that home is not expected to exceed: so many are asked for at most."""


HEADER = (
    "",
    "leaves/s",
    "workers busy %",
    "home: % of a core",
    "all: % of a core",
    "home: ms a leaf",
    "scheduler: ms a leaf",
    "a core of home feeds",
)


@dataclass(frozen=True)
class Sizes:
    """How much is simulated."""

    workers: tuple[int, ...]
    seconds: tuple[float, ...]
    """Of a leaf, beside the recorded times."""
    duration: float
    """Seconds that a run is to take about."""


FULL = Sizes(workers=(8, 64, 512), seconds=(0.005, 0.02, 0.1), duration=4)
QUICK = Sizes(workers=(8,), seconds=(0.02,), duration=0.2)


class Sleep(Machine):
    """Stands for `AllMethods`: takes the same data, sleeps for one of some times, and gives as many numbers."""

    version = 1
    training = Input(Data)
    test = Input(Data)

    seconds: tuple[float, ...]

    def run(self, training: Data, test: Data, rng: np.random.Generator) -> Model:
        seconds = float(rng.choice(self.seconds))
        time.sleep(seconds)
        return Model(results={"Seconds": seconds, **{name: rng.random(len(NAMES)) for name in ("a", "b", "c")}})


class Ran(NamedTuple):
    """One run with sleeping workers."""

    leaves: int
    slept: float
    """Seconds, of all leaves together."""
    wall: float
    home: float
    """CPU seconds of home."""
    scheduler: float
    """CPU seconds of the scheduler."""
    workers: float
    """CPU seconds of the processes of workers."""

    def row(self, workers: int) -> list[float]:
        """For the table: a core of home can feed workers that sleep as long as it needs for all of them."""
        per_leaf = [1000 * seconds / self.leaves for seconds in (self.home, self.scheduler)]
        shares = [self.slept / workers, self.home, self.home + self.scheduler + self.workers]
        return [
            self.leaves / self.wall,
            *(100 * seconds / self.wall for seconds in shares),
            *per_leaf,
            self.slept / self.home,
        ]


def measure(sizes: Sizes, recorded: Sequence[float]) -> list[Target]:
    """Run all sizes, print, and compare; `recorded` are the seconds that leaves took."""
    mixes = {f"{1000 * seconds:g} ms": (seconds,) for seconds in sizes.seconds}
    mixes[f"recorded, {1000 * mean(recorded):.0f} ms"] = tuple(recorded)
    found: list[tuple[int, str, Ran]] = []
    for workers in sizes.workers:
        note_progress(f"cluster: {workers} sleeping workers join")
        program = ("benchmarks.sleeping_workers", str(workers // PROCESSES))
        with cluster([program] * PROCESSES, workers) as (address, processes):
            for name, seconds in mixes.items():
                note_progress(f"cluster: {workers} workers that sleep, {name}")
                found.append((workers, name, simulate(address, processes, workers, seconds, sizes.duration)))
    rows = [[f"{workers} workers, {name}", *ran.row(workers)] for workers, name, ran in found]
    print_table("Workers that only sleep, and CPU time", HEADER, rows)
    largest = max(sizes.workers)
    dearest = max(ran.home / ran.leaves for workers, _, ran in found if workers == largest)
    return [Target(f"{largest} workers: CPU s of home for 500 leaves", 500 * dearest, 1.0, "s")]


def simulate(
    address: str, processes: Sequence[psutil.Process], workers: int, seconds: tuple[float, ...], duration: float
) -> Ran:
    """Cross-validate a machine that sleeps, often enough to take a while."""
    count = max(2 * workers, int(duration * min(workers / mean(seconds), FASTEST)))
    with tempfile.TemporaryDirectory() as folder, Project(folder, workers=DaskWorkers(address)) as project:
        data = project.request(SklearnDataset("breast_cancer")).data
        project.run(Repeater(CVDistributor(FOLDS), Sleep(seconds), seed=2), data=data)  # times and modules are known
        clock, of_scheduler = Clock(processes), Clock(processes[:1])
        done = project.run(Repeater(CVDistributor(FOLDS), Sleep(seconds), -(-count // FOLDS), seed=1), data=data)
        wall, home, there = clock.read()
        *_, scheduler = of_scheduler.read()
        slept = list(project.query(done, type=Sleep, labels=["Seconds"])["Seconds"])
    return Ran(len(slept), float(sum(slept)), wall, home, scheduler, there - scheduler)
