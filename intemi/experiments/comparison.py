"""How learners are compared: by which measure, with which tests, at which level. And what came out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from intemi.analysis import (
    AverageRanks,
    CriticalDifference,
    Friedman,
    Holm,
    InvalidComparison,
    Nemenyi,
    WinsDrawsLosses,
)
from intemi.analysis.hypothesis_test import TESTS, suitable_test
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Best, Machine
from intemi.series import Series


class UnknownTest(str):
    """The name of a test in a saved plan that is not registered here: shown as written, and refused when computed."""


@dataclass(frozen=True)
class Comparison:
    """By which measure learners are compared, and how; without a measure, by the first of the experiment.

    On each data set two learners are compared by `test`, at the level `alpha` shared among all comparisons as
    `correction` says. Over all data sets, average ranks are compared: all pairs, or all with a `control`.

    >>> Comparison(measure="Log loss", control="bayes").alpha
    0.05
    """

    measure: str | None = None
    best: Literal["highest", "lowest"] | None = None
    """Which values are best; without it, those that the measure, or the machine that leaves the result, declares."""
    test: str = "CorrectedTTest"
    """The name of a registered test of two series; `hypothesis_test` of `intemi.analysis` registers one of your own."""
    alpha: float = 0.05
    correction: Literal["none", "bonferroni", "sidak"] = "none"
    control: str | None = None
    vary: str | tuple[str, ...] = ()
    """The paths of the only parts in which learners may differ, such as "refinement"; without any, all."""

    def __post_init__(self) -> None:
        paths = (self.vary,) if isinstance(self.vary, str) else self.vary
        if not isinstance(paths, list | tuple) or not all(isinstance(path, str) and path for path in paths):
            raise ConfigurationError(f"Comparison: vary must be the path of a part, or several, got {self.vary!r}")
        object.__setattr__(self, "vary", tuple(paths))
        choices: dict[str, tuple[Any, ...]] = {
            "best": (None, "highest", "lowest"),
            "test": (*TESTS, self.test) if isinstance(self.test, UnknownTest) else tuple(TESTS),
            "correction": ("none", "bonferroni", "sidak"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                listed = ", ".join(str(each) for each in allowed if each is not None)
                raise ConfigurationError(f"Comparison: {name} must be one of {listed}, got {getattr(self, name)!r}")
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, int | float) or not 0 < self.alpha < 1:
            raise ConfigurationError(f"Comparison: alpha must be above 0 and below 1, got {self.alpha!r}")
        for name in ("measure", "control"):
            if not isinstance(getattr(self, name), str | None):
                raise ConfigurationError(f"Comparison: {name} must be a name, got {getattr(self, name)!r}")

    def test_for(self, distributor: Machine) -> Any:
        """The test of two learners on one data set, corrected for how the protocol divides the rows."""
        if isinstance(self.test, UnknownTest):
            raise ConfigurationError(
                f"learners are not compared on each data set: the test {self.test} is not known here; "
                "--import FILE, with the Python file or module that defines it, lets it be computed"
            )
        return suitable_test(self.test, distributor)

    def to_plain(self) -> dict[str, Any]:
        """It as plain data; `Comparison.from_plain` makes the same one of them."""
        return {**asdict(self), "test": str(self.test), "vary": list(self.vary)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Comparison:
        """The comparison that plain data of a folder describe; a test that is not registered stays as written."""
        test = plain.get("test")
        known = not isinstance(test, str) or test in TESTS
        return cls(**plain) if known else cls(**{**plain, "test": UnknownTest(test)})


@dataclass
class Compared:
    """What a comparison found. What could not be said is None, and `notes` tell why."""

    measure: str
    direction: Best
    """Which values are best; None if that is not known, so that no learner can be called better."""
    control: str | None
    series: Series
    """The values of the measure, with the labels machine, data, Repetition and Fold."""
    means: Series
    """Mean, deviation and number of values for each learner on each data set."""
    ranks: Series | None = None
    friedman: Series | None = None
    critical_difference: Series | None = None
    pairs: Series | None = None
    """Which learners differ in their average ranks: all pairs (Nemenyi), or with the control (Holm)."""
    wins: Series | None = None
    """Wins, draws and losses of each learner against each other one, by the test on each data set."""
    wins_variant: str = ""
    complete: tuple[str, ...] = ()
    """The data sets on which all learners have all values: others would be compared unfairly."""
    notes: list[str] = field(default_factory=list)

    @property
    def tested(self) -> Series:
        """The items of the data sets on which all learners have all values: what the tests stand on."""
        return self.series.where(data=list(self.complete))

    @property
    def learners(self) -> list[str]:
        """The names of the learners that were compared."""
        return list(dict.fromkeys(self.means["machine"]))

    @property
    def data(self) -> list[str]:
        """The names of the data sets."""
        return list(dict.fromkeys(self.means["data"]))

    def cell(self, learner: str, data: str) -> dict[str, Any] | None:
        """Mean, deviation and number of one learner on one data set."""
        return self._cells.get((learner, data))

    def is_best(self, learner: str, data: str) -> bool:
        """Whether no learner has a better mean on a data set; several may be equally good."""
        found = self.cell(learner, data)
        if found is None or self.direction is None:
            return False
        return math.isclose(found["mean"], self._best[data], rel_tol=1e-12)

    @cached_property
    def _cells(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {(str(row["machine"]), str(row["data"])): row for row in self.means}

    @cached_property
    def _best(self) -> dict[str, float]:
        best = max if self.direction == "highest" else min
        return {data: best(row["mean"] for (_, on), row in self._cells.items() if on == data) for data in self.data}

    def to_plain(self) -> dict[str, Any]:
        """All of it as plain data, ready for JSON."""
        parts = ("means", "ranks", "friedman", "critical_difference", "pairs", "wins")
        tables = {name: None if (each := getattr(self, name)) is None else [*map(_plain, each)] for name in parts}
        return {"measure": self.measure, "best": self.direction, **tables, "notes": self.notes}


def compare(series: Series, comparison: Comparison, distributor: Machine) -> Compared:
    """Compare the learners of a series whose main label is the measure."""
    usable = series.where(lambda row: row[series.main] is not None and row[series.main] == row[series.main])
    if not len(usable):
        raise InvalidComparison(f"there are no values of {series.main!r} to compare")
    compared = Compared(series.main, comparison.best, comparison.control, usable, _means(usable))
    if len(usable) < len(series):
        compared.notes.append(f"{len(series) - len(usable)} values of {series.main} are missing or not defined")
    if len(compared.learners) < 2:
        compared.notes.append("there is one learner, so there is nothing to compare it with")
        return compared
    if comparison.best is None:
        compared.notes.append(
            f"learners are not compared by {series.main}: nothing says which of its values are best; "
            "`best` of the comparison can, or `reports` of the machine that leaves it"
        )
        return compared
    compared.complete = _complete(compared)
    whole = compared.tested if compared.complete else None
    best = comparison.best
    steps: list[tuple[str, Callable[[Series], Series]]] = [
        ("ranks", AverageRanks(best=best)),
        ("friedman", Friedman(best=best)),
        ("critical_difference", CriticalDifference(best=best, alpha=comparison.alpha)),
        (
            "pairs",
            Nemenyi(best=best, alpha=comparison.alpha)
            if comparison.control is None
            else Holm(best=best, alpha=comparison.alpha, control=comparison.control),
        ),
    ]
    if len(compared.complete) < 2:
        compared.notes.append("average ranks are compared over two complete data sets or more")
    elif whole is not None:
        for name, transformation in steps:
            try:
                setattr(compared, name, transformation(whole))
            except InvalidComparison as error:
                compared.notes.append(str(error))
    if whole is not None:
        _count_wins(compared, whole, comparison, distributor)
    return compared


def _count_wins(compared: Compared, series: Series, comparison: Comparison, distributor: Machine) -> None:
    try:
        wins = WinsDrawsLosses(
            test=comparison.test_for(distributor),
            alpha=comparison.alpha,
            correction=comparison.correction,
            best=comparison.best or "highest",
        )
        compared.wins_variant = str(wins(series)["variant"][0])
        compared.wins = wins.matrix(series)
    except (InvalidComparison, ConfigurationError) as error:
        compared.notes.append(str(error))


def _means(series: Series) -> Series:
    from intemi.analysis import BasicStatistics

    return series.group_by("data", "machine").map(BasicStatistics()).ungroup()


def _complete(compared: Compared) -> tuple[str, ...]:
    counts = {(row["machine"], row["data"]): row["n"] for row in compared.means}
    full = []
    for data in compared.data:
        found = {counts.get((learner, data), 0) for learner in compared.learners}
        if len(found) == 1 and 0 not in found:
            full.append(data)
        else:
            compared.notes.append(f"{data} is left out of the tests: not all learners have all values there")
    return tuple(full)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value.item() if hasattr(value, "item") else value for name, value in row.items()}
