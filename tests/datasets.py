"""The data sets beside the repository, for tests that need real data; without them such tests are skipped."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from intemi.data import Data
from intemi.data.arff import read_arff

SHARED = Path(__file__).parents[2] / "shared"


def available() -> tuple[str, ...]:
    """The names of all data sets; none where the folder is not there."""
    return tuple(sorted(file.stem for file in (SHARED / "data").glob("*.arff")))


def index() -> dict[str, dict[str, str]]:
    """What the index of the folder says of each data set, by the heads of its columns."""
    lines = _found(SHARED / "data" / "INDEX.md").read_text().splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def path(name: str) -> Path:
    """The file of a data set."""
    return _found(SHARED / "data" / f"{name}.arff")


@cache
def load(name: str) -> Data:
    """A data set, its last column the target."""
    return read_arff(path(name))


def folds(name: str) -> tuple[int, ...]:
    """For each case of a data set the number of its fold, 0 to 9."""
    return tuple(map(int, _found(SHARED / "reference" / "folds" / f"{name}.txt").read_text().split()))


def _found(file: Path) -> Path:
    if not file.exists():
        pytest.skip(f"{file.name} is not there")
    return file
