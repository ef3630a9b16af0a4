"""What the benchmarks share: functions that run in a process of their own, medians, tables, and targets."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]

_PROGRAM = """
import importlib, json, sys
module, function, arguments = json.loads(sys.argv[1])
print(json.dumps(getattr(importlib.import_module(module), function)(**arguments)))
"""


def in_new_process(function: Callable[..., Any], **arguments: Any) -> Any:
    """What a function answers in a fresh interpreter; arguments and answer are plain data."""
    call = json.dumps([function.__module__, function.__name__, arguments])
    command = [sys.executable, "-c", _PROGRAM, call]
    finished = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(finished.stdout.splitlines()[-1])


class Cost(NamedTuple):
    """Microseconds: by the clock on the wall, and of CPU time on all threads, which other programs disturb less."""

    wall: float
    cpu: float

    @classmethod
    def of(cls, action: Callable[[], object], count: int) -> Cost:
        """What one of many things costs that an action does; giving back what it answers is not charged."""
        wall, cpu = time.perf_counter(), time.process_time()
        _answer = action()
        return cls((time.perf_counter() - wall) / count * 1e6, (time.process_time() - cpu) / count * 1e6)


@dataclass(frozen=True)
class Target:
    """What was promised of a measured number, which must not be larger."""

    what: str
    measured: float
    allowed: float
    unit: str = ""
    by_cpu: float | None = None
    """The same by CPU time: it decides nothing, but tells a slow program from a busy computer."""

    @property
    def held(self) -> bool:
        """Whether this run kept the promise."""
        return self.measured <= self.allowed

    def row(self) -> list[str]:
        """For a table of targets."""
        measured, allowed = (f"{number:.3g}{self.unit}" for number in (self.measured, self.allowed))
        by_cpu = "" if self.by_cpu is None else f"{self.by_cpu:.3g}"
        return [self.what, measured, f"≤ {allowed}", "held" if self.held else "MISSED", by_cpu]


def print_targets(targets: Sequence[Target]) -> None:
    """Print what was promised and whether this run kept it."""
    print_table(
        "Targets, in this run", ["", "measured", "target", "", "by CPU time"], [target.row() for target in targets]
    )


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str | float | None]]) -> None:
    """Print a table of texts and numbers; the first column is flush left, None is a dash, a lone text a heading."""
    cells = [[_shown(cell) for cell in row] for row in (header, *rows)]
    full = [row for row in cells if len(row) > 1]
    widths = [max(len(row[column]) for row in full) for column in range(len(header))]
    widths[0] = max(widths[0], *(len(row[0]) for row in cells))
    print(f"\n{title}\n")
    for index, (first, *others) in enumerate(cells):
        aligned = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=False)]
        print("  ".join([first.ljust(widths[0]), *aligned]).rstrip())
        if index == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))


def _shown(cell: str | float | None) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if cell >= 100 else f"{cell:.1f}" if cell >= 10 else f"{cell:.2f}"


def note_progress(text: str) -> None:
    """Tell somebody who watches; the tables on stdout stay clean."""
    print(text, file=sys.stderr, flush=True)


def surroundings() -> str:
    """Where the numbers come from: they only compare within one run."""
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("intemi", "numpy", "joblib", "diskcache", "dask", "attrs")
    )
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"Python {platform.python_version()}, {os.cpu_count()} cores{load}; {packages}"
