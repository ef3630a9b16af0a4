"""Reading files: ARFF beside scipy and liac-arff, CSV beside pandas.

The files are written by ourselves, of four kinds of values, beside the largest of the shared collection where it is
there. All readers read a file in turn, several times; a ratio is the median of the ratios within rounds. What they give
differs: we give a table with categories as codes, scipy and liac-arff give records and lists, pandas gives columns in
which texts stay texts, so there is also pandas with the step from its frame to a table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.report import ROOT, Cost, Target, in_new_process, note_progress, print_table, print_targets
from intemi.data import Data
from intemi.data.arff import read_arff, write_arff
from intemi.data.csv import read_csv, write_csv
from intemi.data.exchange import from_numpy, from_pandas

COLLECTION = ROOT.parent / "shared" / "data"
LARGEST = ("letter", "optdigits", "pendigits", "waveform-5000", "spambase", "mushroom", "hypothyroid", "credit-g")
OURS, SCIPY, LIAC, PANDAS, PANDAS_TABLE = "intemi", "scipy", "liac-arff", "pandas", "pandas, to a table"


@dataclass(frozen=True)
class Sizes:
    """Rows of the files that are written, and how often everything is read."""

    rows: int
    rounds: int
    shared: tuple[str, ...] = LARGEST


FULL = Sizes(rows=20_000, rounds=5)
QUICK = Sizes(rows=2_000, rounds=2, shared=("letter", "mushroom"))

Costs = dict[str, dict[str, Cost]]
"""By file and reader."""


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    targets = []
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), sizes)
        for extension, readers in (("arff", ARFF), ("csv", CSV)):
            chosen = [str(file) for file in files if file.suffix == f".{extension}"]
            measured = in_new_process(measure, files=chosen, extension=extension, rounds=sizes.rounds)
            rounds = [_costs(each) for each in measured]
            _print(extension, readers, rounds)
            if extension == "arff":
                targets = [_target(rounds, peer) for peer in (SCIPY, LIAC)]
    print_targets(targets)
    return targets


def write_files(folder: Path, sizes: Sizes) -> list[Path]:
    """Files of all kinds in a folder, each in both formats."""
    tables = {kind: make(sizes.rows) for kind, make in KINDS.items()}
    for name in sizes.shared:
        if (COLLECTION / f"{name}.arff").exists():
            tables[name] = read_arff(COLLECTION / f"{name}.arff")
    files = []
    for name, data in tables.items():
        for extension, write in (("arff", write_arff), ("csv", write_csv)):
            files.append(folder / f"{name}.{extension}")
            write(data, files[-1])
    return files


def _numbers(rows: int, digits: int | None) -> Data:
    random = np.random.default_rng(0)
    values = random.normal(size=(rows, 16)) * 10
    return from_numpy(values if digits is None else values.round(digits), random.integers(0, 5, rows))


def _categories(rows: int) -> Data:
    random = np.random.default_rng(0)
    data = from_numpy(random.integers(0, 12, (rows, 16)), random.integers(0, 5, rows), nominal=range(16))
    columns = [type(each)(each.name, tuple(f"value {text}" for text in each.categories or ())) for each in data.columns]
    return data.with_features(columns, data.features)


KINDS: dict[str, Callable[[int], Data]] = {
    "whole numbers": lambda rows: _numbers(rows, 0),
    "three decimals": lambda rows: _numbers(rows, 3),
    "all digits": lambda rows: _numbers(rows, None),
    "categories": _categories,
}


def _scipy(file: str) -> int:
    from scipy.io.arff import loadarff

    return len(loadarff(file)[0])


def _liac(file: str) -> int:
    import arff

    with open(file) as opened:
        return len(arff.load(opened)["data"])


def _pandas(file: str) -> int:
    import pandas

    return len(pandas.read_csv(file))


def _pandas_table(file: str) -> int:
    import pandas

    return len(from_pandas(pandas.read_csv(file)))


Reader = Callable[[str], int]
ARFF: dict[str, Reader] = {OURS: lambda file: len(read_arff(file)), SCIPY: _scipy, LIAC: _liac}
CSV: dict[str, Reader] = {OURS: lambda file: len(read_csv(file)), PANDAS: _pandas, PANDAS_TABLE: _pandas_table}


def measure(files: list[str], extension: str, rounds: int) -> list[dict[str, dict[str, Any]]]:
    """In a process of its own: the cost of reading each file with each reader, in so many rounds."""
    readers = ARFF if extension == "arff" else CSV
    for read in readers.values():
        read(files[0])  # imports what it needs
    return [_round(files, readers, index) for index in range(rounds)]


def _round(files: list[str], readers: dict[str, Reader], index: int) -> dict[str, dict[str, Any]]:
    costs: dict[str, dict[str, Any]] = {}
    names = list(readers)
    for file in files:
        note_progress(f"reading: round {index + 1}, {Path(file).name}")
        rows: set[int] = set()
        for name in names[index % len(names) :] + names[: index % len(names)]:
            cost = Cost.of(partial(_read, readers[name], file, rows), 1)
            costs.setdefault(Path(file).stem, {})[name] = cost
        if len(rows) != 1:
            raise RuntimeError(f"{file}: readers found different numbers of rows, {sorted(rows)}")
    return costs


def _read(reader: Reader, file: str, rows: set[int]) -> None:
    rows.add(reader(file))


def _costs(measured: dict[str, dict[str, Any]]) -> Costs:
    return {file: {name: Cost(*cost) for name, cost in costs.items()} for file, costs in measured.items()}


def _print(extension: str, readers: dict[str, Reader], rounds: list[Costs]) -> None:
    peers = [name for name in readers if name != OURS]
    rows: list[list[str | float | None]] = []
    for file in rounds[0]:
        costs: list[str | float | None] = [median(each[file][name].wall for each in rounds) / 1e3 for name in readers]
        rows.append([file, *costs, *(_ratio(rounds, file, peer) for peer in peers)])
    header = ["", *(f"{name} ms" for name in readers), *(f"/ {peer}" for peer in peers)]
    print_table(f"Reading {extension.upper()}, median of {len(rounds)} rounds, and our ratio", header, rows)


def _ratio(rounds: list[Costs], file: str, peer: str, kind: str = "wall") -> float:
    return median(getattr(each[file][OURS], kind) / getattr(each[file][peer], kind) for each in rounds)


def _target(rounds: list[Costs], peer: str) -> Target:
    """Of all files, the one on which we do worst."""
    worst = max(rounds[0], key=lambda file: _ratio(rounds, file, peer))
    by_cpu = _ratio(rounds, worst, peer, "cpu")
    return Target(f"reading ARFF / {peer}, at worst ({worst})", _ratio(rounds, worst, peer), 1.0, by_cpu=by_cpu)
