"""How learners are compared: by which measure, with which tests, at which level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from intemi.analysis import (
    AverageRanks,
    BasicStatistics,
    CriticalDifference,
    Friedman,
    Holm,
    InvalidComparison,
    Nemenyi,
    WinsDrawsLosses,
    stamps_of,
)
from intemi.analysis.hypothesis_test import TESTS, suitable_test
from intemi.analysis.stamps import without_stamps
from intemi.experiments.compared import Compared
from intemi.experiments.views import three_views
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine
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


def means_of(series: Series, comparison: Comparison) -> Compared:
    """The means of a series whose main label is the measure; nothing is tested."""
    usable = series.where(lambda row: row[series.main] is not None and row[series.main] == row[series.main])
    if not len(usable):
        raise InvalidComparison(f"there are no values of {series.main!r} to compare")
    compared = Compared(series.main, comparison.best, comparison.control, usable, _means(usable), stamps_of(usable))
    if len(usable) < len(series):
        compared.notes.append(f"{len(series) - len(usable)} values of {series.main} are missing or not defined")
    return compared


def compare(series: Series, comparison: Comparison, distributor: Machine) -> Compared:
    """Compare the learners of a series whose main label is the measure; those with a stamp do not compete."""
    compared = means_of(series, comparison)
    if len(compared.competitors) < 2:
        one = "one learner" if compared.competitors else "no learner"
        compared.notes.append(f"there is {one} that competes, so there is nothing to compare")
        return compared
    if comparison.best is None:
        compared.notes.append(
            f"learners are not compared by {series.main}: nothing says which of its values are best; "
            "`best` of the comparison can, or `reports` of the machine that leaves it"
        )
        return compared
    compared.complete = _complete(compared)
    if len(compared.complete) < 2:
        compared.notes.append("average ranks are compared over two complete data sets or more")
    else:
        _compare_ranks(compared, comparison)
    if compared.complete:
        _count_wins(compared, comparison, distributor)
    return compared


def _compare_ranks(compared: Compared, comparison: Comparison) -> None:
    best: Any = comparison.best
    competes = comparison.control in compared.competitors
    steps: list[tuple[str, Callable[[Series], Series]]] = [
        ("ranks", AverageRanks(best=best)),
        ("friedman", Friedman(best=best)),
        ("critical_difference", CriticalDifference(best=best, alpha=comparison.alpha)),
        (
            "pairs",
            Holm(best=best, alpha=comparison.alpha, control=comparison.control)
            if competes
            else Nemenyi(best=best, alpha=comparison.alpha),
        ),
    ]
    for name, transformation in steps:
        try:
            setattr(compared, name, transformation(compared.tested))
        except InvalidComparison as error:
            compared.notes.append(str(error))


def _count_wins(compared: Compared, comparison: Comparison, distributor: Machine) -> None:
    """Compare on each data set: all pairs, or all with the control, which need not compete itself."""
    control = comparison.control if comparison.control in compared.learners else None
    baseline = control or compared.competitors[0]
    items = without_stamps(compared.series).where(
        data=list(compared.complete), machine=[*compared.competitors, baseline]
    )
    try:
        counted = WinsDrawsLosses(
            test=comparison.test_for(distributor),
            alpha=comparison.alpha,
            correction=comparison.correction,
            best=comparison.best or "highest",
            against=control,
        )
        compared.views = three_views(items, compared.competitors, baseline, control is not None, counted)
        if compared.views.counts is not None:
            compared.wins = counted.arranged(compared.views.counts)
            compared.wins_variant = compared.views.variants["W-D-L"]
    except (InvalidComparison, ConfigurationError) as error:
        compared.notes.append(str(error))


def _means(series: Series) -> Series:
    return without_stamps(series).group_by("data", "machine").map(BasicStatistics()).ungroup()


def _complete(compared: Compared) -> tuple[str, ...]:
    counts = {(row["machine"], row["data"]): row["n"] for row in compared.means}
    needed = [*compared.competitors, *({compared.control} & set(compared.not_competing))]
    full = []
    for data in compared.data:
        found = {counts.get((learner, data), 0) for learner in needed}
        if len(found) == 1 and 0 not in found:
            full.append(data)
        else:
            compared.notes.append(f"{data} is left out of the tests: not all learners have all values there")
    return tuple(full)
