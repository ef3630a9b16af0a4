"""Where data sets lie, and what trusted programs gave on them: with the tests, or beside the repository.

Eighteen small data sets come with the tests, so that anybody can repeat what is compared on them. The 57 larger ones,
in a folder `shared` beside the repository, are the wide check.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from intemi.data import Data
from intemi.data.arff import read_arff

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class ReferenceData:
    """A collection of data sets with tables of what programs gave."""

    title: str
    data: Path
    tables: Path

    @property
    def is_there(self) -> bool:
        """Whether the collection can be used."""
        return self.table_path("full_trees.csv").exists() and any(self.data.glob("*.arff"))

    def names(self) -> tuple[str, ...]:
        """The data sets; none where the collection is not there."""
        return tuple(sorted(file.stem for file in self.data.glob("*.arff")))

    def load(self, name: str) -> Data:
        """A data set, its last column the target."""
        return _loaded(self.needed(self.data / f"{name}.arff"))

    def table_path(self, name: str) -> Path:
        """The file of a table."""
        return self.tables / name

    def rows(self, name: str) -> list[dict[str, str]]:
        """The rows of a table."""
        with self.needed(self.table_path(name)).open(newline="") as file:
            return list(csv.DictReader(file))

    def folds(self, name: str) -> tuple[int, ...]:
        """For each case of a data set the number of its test fold, 0 to 9."""
        if self.table_path("folds.csv").exists():
            [digits] = [row["folds"] for row in self.rows("folds.csv") if row["dataset"] == name]
            return tuple(map(int, digits))
        return tuple(map(int, self.needed(self.tables / "folds" / f"{name}.txt").read_text().split()))

    def needed(self, file: Path) -> Path:
        """A file that must be there; a command without it ends with a message."""
        if not file.exists():
            raise SystemExit(f"{self.title}: {file} is not there; this needs it, and runs nothing else instead")
        return file


HOME = ReferenceData("the data sets of the tests", ROOT / "tests/reference/data", ROOT / "tests/reference")
WIDE = ReferenceData("the wide check", ROOT.parent / "shared/data", ROOT.parent / "shared/reference")


@cache
def _loaded(file: Path) -> Data:
    return read_arff(file)
