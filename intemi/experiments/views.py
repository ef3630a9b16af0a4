"""Three views of learners over data sets, always together: each alone misleads.

Wins favour learners whose results vary much, since a large variance prevents significance. Differences in standard
deviations say how much is lost, and not how surely. Wins, draws and losses depend on the baseline.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from intemi.analysis import InvalidComparison, StandardizedDifference, Wins, WinsDrawsLosses
from intemi.series import Series


@dataclass(frozen=True)
class Views:
    """Wins, differences in standard deviations, wins-draws-losses: a row for each learner that competes."""

    table: Series
    """With the labels machine, wins, data sets, difference, sd (over data sets), W-D-L; what is not known is None."""
    baseline: str
    """The learner that wins, draws and losses are counted against."""
    reference: str
    """What differences are taken from, in its standard deviations: "the best", or the baseline."""
    variants: dict[str, str] = field(default_factory=dict)
    """By which tests wins, and wins, draws and losses, are counted: how many tests, and at which levels."""
    left_out: str = ""
    """Data sets on which the reference has no variance, so that there is no unit."""
    counts: Series | None = None
    """All wins, draws and losses that were counted."""
    notes: tuple[str, ...] = ()

    @property
    def footnotes(self) -> list[str]:
        """How the numbers came about."""
        found = [f"{what}: {variant}" for what, variant in self.variants.items()]
        if self.left_out:
            of = f"the results of {self.reference}"
            found.append(f"left out of differences, where {of} have no variance: {self.left_out}")
        return [*found, *self.notes]

    def to_plain(self) -> dict[str, Any]:
        """It as plain data."""
        from intemi.experiments.compared import plain_row

        return {
            "table": [plain_row(row) for row in self.table],
            "baseline": self.baseline,
            "reference": self.reference,
            "variants": self.variants,
            "left out": self.left_out,
        }


def three_views(
    series: Series, competitors: list[str], baseline: str, is_control: bool, counted: WinsDrawsLosses
) -> Views:
    """The views of items of the competitors, and of the baseline even if it does not compete.

    Differences are taken from the best learner on each data set or, if it is a control, from the baseline.
    """
    best = counted.best
    fair = series.where(machine=competitors)
    notes: list[str] = []
    variants: dict[str, str] = {}
    wins = _found(Wins(test=counted.test, alpha=counted.alpha, correction=counted.correction, best=best), fair, notes)
    reference = StandardizedDifference(best=best, against=baseline if is_control else None)
    differences = _found(reference, series if is_control else fair, notes)
    against = _found(counted, series, notes)
    columns: dict[str, list[Any]] = {"machine": competitors}
    for source, labels in ((wins, ("wins", "data sets")), (differences, ("difference", "sd"))):
        rows = {} if source is None else {row["machine"]: row for row in source}
        columns |= {label: [rows.get(each, {}).get(label) for each in competitors] for label in labels}
    scores = {} if against is None else {row["machine"]: row for row in against if row["against"] == baseline}
    columns["W-D-L"] = [scores.get(each, {}).get("W-D-L") for each in competitors]
    for what, source in (("wins", wins), ("W-D-L", against)):
        if source is not None:
            variants[what] = str(source["variant"][0])
    return Views(
        Series(columns, main="machine"),
        baseline,
        baseline if is_control else "the best",
        variants,
        "" if differences is None else str(differences["left out"][0]),
        against,
        tuple(dict.fromkeys(notes)),
    )


def _found(transformation: Any, series: Series, notes: list[str]) -> Series | None:
    try:
        found: Series = transformation(series)
    except InvalidComparison as error:
        notes.append(str(error))
        return None
    return found
