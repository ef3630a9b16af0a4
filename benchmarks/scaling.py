"""The cost per machine and the peak of memory with a thousand, ten thousand and a hundred thousand machines.

Every size is measured in processes of its own. All capsules are kept, as a program does that asks them for results.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.peers import Requests, intemi
from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets


@dataclass(frozen=True)
class Sizes:
    """Numbers of machines, smallest first, each with the number of rounds."""

    rounds: dict[int, int]


FULL = Sizes({1_000: 5, 10_000: 3, 100_000: 1})
QUICK = Sizes({100: 3, 1_000: 1, 5_000: 1})

COLD, AGAIN, PEAK, BEFORE = "cold", "requested again", "peak", "before"
MEMORY, DISK, NEW = "in memory", "with disk", "new process"
FLAT = 1.25
LIMIT = 500.0


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    measured = {machines: _measure_rounds(machines, rounds) for machines, rounds in sizes.rounds.items()}
    rows: list[list[str | float | None]] = []
    for place in (MEMORY, DISK, NEW):
        rows.append([{NEW: "with disk, requested again by a new process"}.get(place, place)])
        for machines, places in measured.items():
            costs = places[place]
            grown = costs[PEAK] - costs[BEFORE]
            rows.append(
                [
                    f"  {machines:,}",
                    costs.get(COLD),
                    costs[AGAIN],
                    costs[PEAK],
                    grown * 1e6 / machines,
                ]
            )
    header = ["machines", "cold µs", "again µs", "peak MB", "bytes per machine"]
    print_table("Scaling: cost per machine and peak memory of the process", header, rows)
    targets = _targets(measured)
    print_targets(targets)
    return targets


def _targets(measured: dict[int, dict[str, dict[str, float]]]) -> list[Target]:
    fewest, most = min(measured), max(measured)
    targets = []
    for place, cost in ((MEMORY, COLD), (MEMORY, AGAIN), (DISK, COLD), (DISK, AGAIN), (NEW, AGAIN)):
        flat = measured[most][place][cost] / measured[fewest][place][cost]
        targets.append(Target(f"{place}, {cost}: a machine among {most:,} / among {fewest:,}", flat, FLAT))
    for place in (MEMORY, DISK, NEW):
        peak = measured[most][place][PEAK]
        targets.append(Target(f"{place}: peak of memory with {most:,} machines", peak, LIMIT, " MB"))
    return targets


def _measure_rounds(machines: int, rounds: int) -> dict[str, dict[str, float]]:
    note_progress(f"scaling: {machines:,} machines")
    places: dict[str, list[dict[str, float]]] = {MEMORY: [], DISK: [], NEW: []}
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


def measure(machines: int, folder: str | None) -> dict[str, float]:
    """In a process of its own: request machines that have never run, and request them again."""
    before = peak_memory()
    with intemi(folder and Path(folder), None) as ask:
        ask(range(-10, 0))
        cold, capsules = _cost(ask, machines)
        peak = peak_memory()
        del capsules
        again, _ = _cost(ask, machines)
    return {COLD: cold, AGAIN: again, PEAK: peak, BEFORE: before}


def measure_again(machines: int, folder: str) -> dict[str, float]:
    """In another process: request machines that are on disk."""
    before = peak_memory()
    with intemi(Path(folder), None) as ask:
        ask(range(-10, 0))
        again, _ = _cost(ask, machines)
        peak = peak_memory()
    return {AGAIN: again, PEAK: peak, BEFORE: before}


def _cost(ask: Requests, machines: int) -> tuple[float, object]:
    start = time.perf_counter()
    capsules = ask.request(range(machines))
    return (time.perf_counter() - start) / machines * 1e6, capsules


def peak_memory() -> float:
    """The largest resident memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, getrusage also remembers the process that started this one
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
