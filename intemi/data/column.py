"""Columns: the names of a table's columns and, of the nominal ones, their categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from intemi.kernel import storable


@storable
@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column and, if it is nominal, its categories; the values of a nominal column are their indices.

    >>> Column("height").is_nominal, Column("colour", ("red", "blue")).is_nominal
    (False, True)
    """

    name: str
    categories: tuple[str, ...] | None = None

    caches_encoding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        # Of other kinds of text, such as numpy's, plain text is made: equal columns are to have equal encodings.
        if type(self.name) is not str:
            object.__setattr__(self, "name", str(self.name))
        if self.categories is not None and not all(type(each) is str for each in self.categories):
            object.__setattr__(self, "categories", tuple(map(str, self.categories)))

    @property
    def is_nominal(self) -> bool:
        """Whether its values are categories."""
        return self.categories is not None

    def __str__(self) -> str:
        return f"{self.name} ({'numeric' if self.categories is None else f'{len(self.categories)} categories'})"
