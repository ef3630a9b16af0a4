"""What all transformations have in common: they are values, they show their options, and their results are series."""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

from intemi.analysis.errors import InvalidComparison
from intemi.kernel.errors import ConfigurationError
from intemi.series import Series


class Transformation:
    """The base of the frozen dataclasses of this package; each of them is called on one or more series."""

    def __repr__(self) -> str:
        """The options that are not the default ones: the way the transformation would be written.

        >>> from intemi.analysis import Friedman
        >>> Friedman(ties="ignored")
        Friedman(ties='ignored')
        """
        declared: tuple[Any, ...] = dataclasses.fields(self) if dataclasses.is_dataclass(self) else ()
        options = ((each.name, getattr(self, each.name), each.default) for each in declared)
        shown = (f"{name}={value!r}" for name, value, default in options if value != default)
        return f"{type(self).__name__}({', '.join(shown)})"

    def _refuse(self, why: str) -> NoReturn:
        raise InvalidComparison(f"{type(self).__name__}: {why}")

    def _check_measures(self, first: Series, second: Series) -> None:
        if first.main != second.main:
            self._refuse(f"the main labels must be the same, got {first.main!r} and {second.main!r}")

    def _check_choice(self, option: str, *allowed: object) -> None:
        given = getattr(self, option)
        if given not in allowed:
            choice = ", ".join(map(repr, allowed))
            raise ConfigurationError(f"{type(self).__name__}: {option} must be one of {choice}, got {given!r}")

    def _check_alpha(self, alpha: float) -> None:
        if not 0 < alpha < 1:
            raise ConfigurationError(f"{type(self).__name__}: alpha must be between 0 and 1, got {alpha!r}")


def one_row(main: str, values: dict[str, Any]) -> Series:
    """What a test found, as a series of one item."""
    return Series({label: [value] for label, value in values.items()}, main=main)
