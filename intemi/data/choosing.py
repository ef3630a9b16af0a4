"""Which columns of a file or frame are read: all of them, all but some, or some, by name. The same for all readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intemi.data.errors import DataError, listed, shown
from intemi.kernel import ConfigurationError

MAX_NAMES = 50
"""Names of columns that an error lists."""


def check_choice(who: str, drop: Any, columns: Any) -> None:
    """Refuse a choice that makes no sense, before there is a file."""
    for what, names in (("drop", drop), ("columns", () if columns is None else columns)):
        if (
            isinstance(names, str)
            or not isinstance(names, Sequence)
            or not all(isinstance(each, str) for each in names)
        ):
            raise ConfigurationError(f"{who}: {what} must be a list of names of columns, got {names!r}")
    if drop and columns is not None:
        raise ConfigurationError(f"{who}: either drop or columns can be given, got both")


def kept_columns(
    file: str,
    names: Sequence[str],
    drop: Sequence[str],
    columns: Sequence[str] | None,
    target: str | None,
    weights: str | None = None,
) -> list[int]:
    """The positions of the columns that are read, in their order; a named target and weights always are.

    >>> kept_columns("people.csv", ["id", "height", "sex"], drop=["id"], columns=None, target=None)
    [1, 2]
    >>> kept_columns("people.csv", ["id", "height", "sex"], drop=(), columns=["height"], target="sex")
    [1, 2]
    """
    roles = {"target": target, "weights": weights}
    for what, chosen in (("drop", drop), ("columns", columns or ())):
        for name in chosen:
            if name not in names:
                expected = f"some of {listed(names, MAX_NAMES)}"
                raise DataError(file, None, f"no column called {shown(name)} ({what})", expected)
    for role, each in roles.items():
        if each and each in drop:
            raise DataError(file, None, f"the {role} {each!r} among the columns to drop", "another column there")
    wanted = set(names) - set(drop) if columns is None else {*columns, *filter(None, roles.values())}
    return [index for index, name in enumerate(names) if name in wanted]
