"""A cluster: what a leaf costs on two dask workers of this computer, beside plain dask and joblib; the pruning
experiment on one and two of them; and a simulation of many.

Leaves of the first part sleep, so all CPU time is overhead: that of home, the scheduler, the workers and their children
together. The others are in `cluster_pruning` and `cluster_simulation`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

import psutil

from benchmarks import cluster_pruning, cluster_simulation
from benchmarks.local_cluster import DASK_WORKER, cluster, cpu_of
from benchmarks.report import Target, note_progress, print_table, print_targets
from intemi import Machine, Model, Output, Project
from intemi.dask import DaskWorkers

BRIEF = 0.002
"""Seconds of the leaves for which there is a target."""
OURS, DASK, JOBLIB = "intemi", "client.submit and gather", "joblib, dask backend"


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    leaves: dict[float, int]
    """Seconds of a leaf, and how many are run."""
    rounds: int
    pruning: cluster_pruning.Sizes
    simulation: cluster_simulation.Sizes


FULL = Sizes({0.0: 1000, BRIEF: 1000, 0.02: 300}, 3, cluster_pruning.FULL, cluster_simulation.FULL)
QUICK = Sizes({0.0: 50, BRIEF: 50}, 1, cluster_pruning.QUICK, cluster_simulation.QUICK)


class Rest(Machine):
    """A number, after a while."""

    result = Output(int)
    seconds: float
    number: int

    def run(self) -> Model:
        return Model(result=rest(self.seconds, self.number))


def rest(seconds: float, number: int) -> int:
    """The same for others."""
    time.sleep(seconds)
    return number


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and compare with the targets."""
    targets = _overhead(sizes)
    of_pruning, recorded = cluster_pruning.measure(sizes.pruning)
    targets += [*of_pruning, *cluster_simulation.measure(sizes.simulation, recorded)]
    print_targets(targets)
    return targets


PARTS = ("home", "scheduler", "workers", "their children")


class Cost(NamedTuple):
    """Milliseconds beyond the leaf, for each leaf."""

    cpu: dict[str, float]
    """By `PARTS`."""
    wall: float
    """By the clock, with two workers."""


def _overhead(sizes: Sizes) -> list[Target]:
    found: dict[tuple[str, float], list[Cost]] = {}
    with cluster([DASK_WORKER] * 2, workers=2) as (address, processes):
        runners = _runners(address)
        try:
            for _, action in runners:
                action(0.0, range(-20, 0))  # imports, child processes
            for turn in range(sizes.rounds):
                for seconds, count in sizes.leaves.items():
                    for name, action in runners[turn % 3 :] + runners[: turn % 3]:
                        note_progress(f"cluster: round {turn + 1} of {sizes.rounds}, {name}, {1000 * seconds:g} ms")
                        cost = _cost(action, seconds, range(turn * 10**6, turn * 10**6 + count), processes)
                        found.setdefault((name, seconds), []).append(cost)
        finally:
            for closing in runners[0][1].closing:  # type: ignore[attr-defined]
                closing()
    return _report(sizes, [name for name, _ in runners], found)


def _report(sizes: Sizes, names: Sequence[str], found: dict[tuple[str, float], list[Cost]]) -> list[Target]:
    cpu = {key: median(sum(cost.cpu.values()) for cost in costs) for key, costs in found.items()}
    wall = {key: median(cost.wall for cost in costs) for key, costs in found.items()}
    rows = [
        (f"{1000 * seconds:g} ms, {what}", *(f"{measured[name, seconds]:.2f}" for name in names))
        for seconds in sizes.leaves
        for what, measured in (("CPU", cpu), ("wall", wall))
    ]
    print_table("Two workers: ms per leaf beyond the leaf, CPU of all processes and wall time", ["", *names], rows)
    parts = [
        (name, *(f"{median(cost.cpu[part] for cost in found[name, BRIEF]):.2f}" for part in PARTS)) for name in names
    ]
    print_table(f"The CPU time of leaves of {1000 * BRIEF:g} ms, by process", ["", *PARTS], parts)
    return [
        Target(f"leaves of {1000 * BRIEF:g} ms: CPU beyond the leaf", cpu[OURS, BRIEF], 0.3, "ms"),
        Target("leaves of 0 ms: CPU / client.submit and gather", cpu[OURS, 0.0] / cpu[DASK, 0.0], 1.0),
    ]


def _cost(action: Callable[..., Any], seconds: float, numbers: range, processes: Sequence[psutil.Process]) -> Cost:
    before, wall = _spent(processes), time.perf_counter()
    answered = action(seconds, numbers)
    wall, after = time.perf_counter() - wall, _spent(processes)
    assert answered == list(numbers)
    cpu = {part: 1000 * (after[part] - before[part]) / len(numbers) for part in PARTS}
    return Cost(cpu, 1000 * (2 * wall / len(numbers) - seconds))


def _spent(processes: Sequence[psutil.Process]) -> dict[str, float]:
    """CPU seconds by `PARTS`."""
    scheduler, *workers = processes
    own = sum(times.user + times.system for times in (worker.cpu_times() for worker in workers))
    children = [child for worker in workers for child in worker.children()]
    return dict(zip(PARTS, (time.process_time(), cpu_of([scheduler]), own, cpu_of(children)), strict=True))


def _runners(address: str) -> list[tuple[str, Any]]:
    import joblib
    from distributed import Client

    client = Client(address)
    project = Project(workers=DaskWorkers(address))

    def ours(seconds: float, numbers: range) -> list[int]:
        asked = [project.request(Rest(seconds, number)) for number in numbers]
        project.wait(*asked)
        return [each.outputs["result"] for each in asked]

    def by_dask(seconds: float, numbers: range) -> list[int]:
        futures = [client.submit(rest, seconds, number, pure=False) for number in numbers]
        return list(client.gather(futures))

    def by_joblib(seconds: float, numbers: range) -> list[int]:
        with joblib.parallel_config(backend="dask"):
            return list(joblib.Parallel()(joblib.delayed(rest)(seconds, number) for number in numbers))

    ours.closing = [project.close, client.close]  # type: ignore[attr-defined]
    return [(OURS, ours), (DASK, by_dask), (JOBLIB, by_joblib)]
