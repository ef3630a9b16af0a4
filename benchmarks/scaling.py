"""The cost per machine and the peak of memory with a thousand, ten thousand and a hundred thousand machines.

Every size is measured in processes of its own. All capsules are kept, as a program does that asks them for results.
Times are CPU times: a small size is over before another program can get in its way. Python's garbage collector is
measured apart: it never looks at a thousand objects a second time, and again and again at a hundred thousand that a
program keeps, whoever made them. Machines that are requested again cost so little that what it drives out of the
processor's cache counts as well: what they cost without it is measured with the collector off.

Two processes also differ by how much Python holds in memory, and by what else the computer does meanwhile. So whether a
machine costs the same in a full project as in an empty one is judged where nothing else differs: in one process, a
thousand machines in the one and a thousand in the other, in turn.
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
from intemi import Capsule


@dataclass(frozen=True)
class Sizes:
    """Numbers of machines, smallest first, with how often each is measured in a round, and the number of rounds."""

    times: dict[int, int]
    rounds: int


FULL = Sizes({1_000: 5, 10_000: 2, 100_000: 1}, rounds=3)
QUICK = Sizes({100: 3, 1_000: 1, 5_000: 1}, rounds=1)

MEMORY, DISK, NEW = "in memory", "with disk", "with disk, new process"
COLD, AGAIN = "cold", "requested again"
FLAT = 1.25
LIMIT = 500.0
NEXT, TURNS = 1_000, 15
"""Machines that are requested in the full project and in an empty one, and how often."""

Measured = dict[str, float]
"""Wall and CPU time per machine, cold and requested again (µs), peak of memory and what it was before (MB)."""


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    measured = _measure(sizes)
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
    for place in (MEMORY, DISK):
        ratio = measured[most][place]["full / empty"]
        targets.append(Target(f"{place}, {COLD}: CPU time after {most:,} / in an empty project", ratio, FLAT))
    for place in (MEMORY, DISK, NEW):
        flat = measured[most][place][f"{AGAIN} cpu"] / measured[fewest][place][f"{AGAIN} cpu"]
        targets.append(Target(f"{place}, {AGAIN}: CPU time among {most:,} / among {fewest:,}", flat, FLAT))
    for place in (MEMORY, DISK, NEW):
        targets.append(Target(f"{place}: peak of memory with {most:,}", measured[most][place]["peak"], LIMIT, " MB"))
    return targets


def _measure(sizes: Sizes) -> dict[int, dict[str, Measured]]:
    """Medians. The sizes take turns: a computer that is busy for a minute is so for all of them."""
    found: dict[int, dict[str, list[Measured]]] = {size: {MEMORY: [], DISK: [], NEW: []} for size in sizes.times}
    for number in range(sizes.rounds):
        note_progress(f"scaling: round {number + 1}")
        for machines, times in sizes.times.items():
            for _ in range(times):
                turns = TURNS if machines == max(sizes.times) else 0
                for place, measured in _measure_once(machines, turns).items():
                    found[machines][place].append(measured)
    return {
        machines: {
            place: {what: median(each[what] for each in measured) for what in measured[0]}
            for place, measured in places.items()
        }
        for machines, places in found.items()
    }


def _measure_once(machines: int, turns: int) -> dict[str, Measured]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "project"))
        return {
            MEMORY: in_new_process(measure, machines=machines, folder=None, turns=turns),
            DISK: in_new_process(measure, machines=machines, folder=path, turns=turns),
            NEW: {
                **in_new_process(measure_again, machines=machines, folder=path, collects=True),
                **_cpu_of(in_new_process(measure_again, machines=machines, folder=path, collects=False)),
            },
        }


def measure(machines: int, folder: str | None, turns: int) -> Measured:
    """In a process of its own: request machines that have never run, and request them again; then compare."""
    before = peak_memory()
    with intemi(None if folder is None else Path(folder), None) as ask:
        ask(WARM_UP)
        cold, kept = _cost(ask, range(machines), COLD)
        peak = peak_memory()
        again, _ = _cost(ask, range(machines), AGAIN)
        without, _ = _cost(ask, range(machines), AGAIN, collects=False)
        measured = {**cold, **again, **_cpu_of(without), "before": before, "peak": peak}
        if turns:
            measured["full / empty"] = median(
                _full_to_empty(ask, machines + turn * NEXT, folder is not None) for turn in range(turns)
            )
        del kept
        return measured


def _full_to_empty(full: Requests, first: int, is_on_disk: bool) -> float:
    """What a thousand machines cost in a project that holds many, as a multiple of what they cost in an empty one."""
    numbers = range(first, first + NEXT)
    there, _ = _cost(full, numbers, COLD)
    with tempfile.TemporaryDirectory() as folder, intemi(Path(folder) if is_on_disk else None, None) as empty:
        empty(WARM_UP)
        here, _ = _cost(empty, numbers, COLD)
    return there[f"{COLD} cpu"] / here[f"{COLD} cpu"]


def measure_again(machines: int, folder: str, collects: bool) -> Measured:
    """In another process: request machines that are on disk."""
    before = peak_memory()
    with intemi(Path(folder), None) as ask:
        ask(WARM_UP)
        again, _ = _cost(ask, range(machines), AGAIN, collects)
        return {**again, "before": before, "peak": peak_memory()}


def _cpu_of(again: Measured) -> Measured:
    return {f"{AGAIN} cpu": again[f"{AGAIN} cpu"]}


def _cost(ask: Requests, numbers: range, what: str, collects: bool = True) -> tuple[Measured, list[Capsule]]:
    """What requests cost, and their capsules."""
    capsules: list[Capsule] = []
    if not collects:
        gc.disable()
    with Collector() as collector:
        cost = Cost.of(lambda: capsules.extend(ask.request(numbers)), len(numbers))
    gc.enable()
    collected = collector.seconds / len(numbers) * 1e6
    return {
        f"{what} wall": cost.wall,
        f"{what} cpu": cost.cpu - collected,
        f"{what} collector": collected,
    }, capsules


class Collector:
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
