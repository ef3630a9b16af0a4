"""Columns: the names of a table's columns and, of the nominal ones, their categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from intemi.kernel import ConfigurationError, storable


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
    is_immutable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        # Of other kinds of text, such as numpy's, plain text is made: equal columns are to have equal encodings.
        if type(self.name) is not str:
            object.__setattr__(self, "name", str(self.name))
        if self.categories is None:
            return
        if isinstance(self.categories, str):
            raise ConfigurationError(
                f"Column: categories of {self.name!r} must be several texts, got the text {self.categories!r}"
            )
        if type(self.categories) is not tuple or not all(type(each) is str for each in self.categories):
            object.__setattr__(self, "categories", tuple(map(str, self.categories)))
        if (twice := repeated(self.categories)) is not None:
            raise ConfigurationError(f"Column: categories of {self.name!r} must differ, got {twice!r} twice")

    @property
    def is_nominal(self) -> bool:
        """Whether its values are categories."""
        return self.categories is not None

    def __str__(self) -> str:
        return f"{self.name} ({'numeric' if self.categories is None else f'{len(self.categories)} categories'})"


def repeated(names: Sequence[str]) -> str | None:
    """The first name that is there twice, if there is one."""
    if len(set(names)) == len(names):
        return None
    return next(name for name, count in Counter(names).items() if count > 1)
