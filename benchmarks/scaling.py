"""The cost per machine and the peak of memory with a thousand, ten thousand and a hundred thousand machines.

Every size is measured in processes of its own. All capsules are kept, as a program does that asks them for results.
Whether the cost is flat is judged by CPU time: a small size is over before another program can get in its way. Python's
garbage collector is measured apart: it never looks at a thousand objects a second time, and again and again at a
hundred thousand that a program keeps, whoever made them.
"""

from __future__ import annotations

import gc
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Self

from benchmarks.peers import WARM_UP, Requests, intemi
from benchmarks.report import Cost, Target, in_new_process, note_progress, print_table, print_targets


@dataclass(frozen=True)
class Sizes:
    """Numbers of machines, smallest first, each with the number of rounds."""

    rounds: dict[int, int]


FULL = Sizes({1_000: 5, 10_000: 3, 100_000: 1})
QUICK = Sizes({100: 3, 1_000: 1, 5_000: 1})

MEMORY, DISK, NEW = "in memory", "with disk", "with disk, new process"
COLD, AGAIN = "cold", "requested again"
FLAT = 1.25
LIMIT = 500.0

Measured = dict[str, float]
"""Wall and CPU time per machine, cold and requested again (µs), peak of memory and what it was before (MB)."""


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    measured = {machines: _measure_rounds(machines, rounds) for machines, rounds in sizes.rounds.items()}
    columns = {
        "cold µs": f"{COLD} wall",
        "cold CPU µs": f"{COLD} cpu",
        " · collector": f"{COLD} collector",
        "again µs": f"{AGAIN} wall",
        "again CPU µs": f"{AGAIN} cpu",
        "· collector": f"{AGAIN} collector",
        "peak MB": "peak",
    }
    rows: list[list[str | float | None]] = []
    for place in (MEMORY, DISK, NEW):
        rows.append([place])
        for machines, places in measured.items():
            found = places[place]
            grown = (found["peak"] - found["before"]) * 1e6 / machines
            rows.append([f"  {machines:,}", *(found.get(what) for what in columns.values()), grown])
    header = ["machines", *columns, "bytes per machine"]
    print_table("Scaling: cost per machine and peak memory of the process", header, rows)
    targets = _targets(measured)
    print_targets(targets)
    return targets


def _targets(measured: dict[int, dict[str, Measured]]) -> list[Target]:
    fewest, most = min(measured), max(measured)
    targets = []
    for place, cost in ((MEMORY, COLD), (MEMORY, AGAIN), (DISK, COLD), (DISK, AGAIN), (NEW, AGAIN)):
        flat = measured[most][place][f"{cost} cpu"] / measured[fewest][place][f"{cost} cpu"]
        targets.append(Target(f"{place}, {cost}: CPU time among {most:,} / among {fewest:,}", flat, FLAT))
    for place in (MEMORY, DISK, NEW):
        targets.append(Target(f"{place}: peak of memory with {most:,}", measured[most][place]["peak"], LIMIT, " MB"))
    return targets


def _measure_rounds(machines: int, rounds: int) -> dict[str, Measured]:
    note_progress(f"scaling: {machines:,} machines")
    places: dict[str, list[Measured]] = {MEMORY: [], DISK: [], NEW: []}
    for _ in range(rounds):
        places[MEMORY].append(in_new_process(measure, machines=machines, folder=None))
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "project"))
            places[DISK].append(in_new_process(measure, machines=machines, folder=path))
            places[NEW].append(in_new_process(measure_again, machines=machines, folder=path))
    return {
        place: {what: median(each[what] for each in measured) for what in measured[0]}
        for place, measured in places.items()
    }


def measure(machines: int, folder: str | None) -> Measured:
    """In a process of its own: request machines that have never run, and request them again."""
    before = peak_memory()
    with intemi(folder and Path(folder), None) as ask:
        ask(WARM_UP)
        measured = _cost(ask, machines, COLD)
        peak = peak_memory()
        return {**measured, **_cost(ask, machines, AGAIN), "before": before, "peak": peak}


def measure_again(machines: int, folder: str) -> Measured:
    """In another process: request machines that are on disk."""
    before = peak_memory()
    with intemi(Path(folder), None) as ask:
        ask(WARM_UP)
        return {**_cost(ask, machines, AGAIN), "before": before, "peak": peak_memory()}


def _cost(ask: Requests, machines: int, what: str) -> Measured:
    with _Collector() as collector:
        cost = Cost.of(lambda: ask.request(range(machines)), machines)
    collected = collector.seconds / machines * 1e6
    return {f"{what} wall": cost.wall, f"{what} cpu": cost.cpu - collected, f"{what} collector": collected}


class _Collector:
    """How long Python collects garbage."""

    def __enter__(self) -> Self:
        self.seconds = 0.0
        gc.callbacks.append(self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        gc.callbacks.remove(self._note)

    def _note(self, phase: str, _: dict[str, int]) -> None:
        now = time.thread_time()
        if phase == "start":
            self._started = now
        else:
            self.seconds += now - self._started


def peak_memory() -> float:
    """The largest resident memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, getrusage also remembers the process that started this one
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)
