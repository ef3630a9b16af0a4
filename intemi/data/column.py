"""Columns: the names of a table's columns and, of the nominal ones, their categories."""

from __future__ import annotations

from dataclasses import dataclass

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

    @property
    def is_nominal(self) -> bool:
        """Whether its values are categories."""
        return self.categories is not None

    def __str__(self) -> str:
        return f"{self.name} ({'numeric' if self.categories is None else f'{len(self.categories)} categories'})"
