"""What a comparison of learners found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from intemi.experiments.views import Views
from intemi.kernel.machine import Best
from intemi.markup import for_notebook
from intemi.series import Series
from intemi.series.display import counted

if TYPE_CHECKING:
    from intemi.analysis import EffectSize


@dataclass(repr=False)
class Compared:
    """What a comparison found. What could not be said is None, and `notes` tell why. `str()` tells all of it."""

    measure: str
    direction: Best
    """Which values are best; None if that is not known, so that no learner can be called better."""
    control: str | None
    series: Series
    """The values of the measure, with the labels machine, data, Repetition and Fold, and stamps if there are any."""
    means: Series
    """Mean, deviation and number of values for each learner on each data set."""
    not_competing: Mapping[str, str] = field(default_factory=dict)
    """Learners that were not fair, each with its stamp: they are shown, and neither win nor are the best."""
    views: Views | None = None
    """Wins, differences in standard deviations, and wins-draws-losses against a baseline, side by side."""
    ranks: Series | None = None
    friedman: Series | None = None
    critical_difference: Series | None = None
    pairs: Series | None = None
    """Which learners differ in their average ranks: all pairs (Nemenyi), or with the control (Holm)."""
    wins: Series | None = None
    """Wins, draws and losses of each learner against each other one, or the control, by the test on each data set."""
    wins_variant: str = ""
    complete: tuple[str, ...] = ()
    """The data sets on which all learners have all values: others would be compared unfairly."""
    cells: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Every cell of the plan, by learner and data set: "finished", "failed", "not run" or "not known"."""
    plan: str = ""
    """The digest of the plan."""
    changes: Sequence[str] = ()
    """What was changed in the plan since the first run."""
    also: list[Compared] = field(default_factory=list)
    """The means of the other measures of the experiment; they are not tested."""
    notes: list[str] = field(default_factory=list)

    @property
    def tested(self) -> Series:
        """The items that the tests stand on: of learners that compete, on data sets on which all have all values."""
        from intemi.analysis import competing

        return competing(self.series).where(data=list(self.complete))

    @property
    def learners(self) -> list[str]:
        """The names of the learners that have values."""
        return list(dict.fromkeys(self.means["machine"]))

    @property
    def competitors(self) -> list[str]:
        """The names of the learners that can win."""
        return [learner for learner in self.learners if learner not in self.not_competing]

    @property
    def data(self) -> list[str]:
        """The names of the data sets with values."""
        return list(dict.fromkeys(self.means["data"]))

    @property
    def planned_learners(self) -> list[str]:
        """The names of all learners of the plan, whether they have values or not."""
        return list(dict.fromkeys([*(learner for learner, _ in self.cells), *self.learners]))

    @property
    def planned_data(self) -> list[str]:
        """The names of all data sets of the plan."""
        return list(dict.fromkeys([*(data for _, data in self.cells), *self.data]))

    def cell(self, learner: str, data: str) -> dict[str, Any] | None:
        """Mean, deviation and number of one learner on one data set."""
        return self._cells.get((learner, data))

    def is_best(self, learner: str, data: str) -> bool:
        """Whether no learner that competes has a better mean on a data set; several may be equally good."""
        found = self.cell(learner, data)
        if found is None or self.direction is None or learner in self.not_competing:
            return False
        return math.isclose(found["mean"], self._best[data], rel_tol=1e-12)

    @property
    def usual_count(self) -> int:
        """The number of values that most cells have."""
        counts = [int(each) for each in self.means["n"]]
        return max(counts, key=counts.count)

    def shown(self, learner: str, data: str, digits: int = 3) -> str:
        """A cell as it is shown: mean ± deviation, its stamp, its number of values if it is unusual, or its state."""
        found = self.cell(learner, data)
        if found is None:
            state = self.cells.get((learner, data), "")
            return "–" if state in ("", "finished") else state
        spread = f" ± {found['sd']:.{digits}f}" if found["n"] > 1 else ""
        count = f" (n = {found['n']})" if found["n"] != self.usual_count or found["n"] == 1 else ""
        stamp = f" ({self.not_competing[learner]})" if learner in self.not_competing else ""
        return f"{found['mean']:.{digits}f}{spread}{count}{stamp}"

    @property
    def findings(self) -> str:
        """What was found in a few sentences: who is best, by how much, what is significant, what is missing."""
        from intemi.experiments.findings import findings

        return " ".join(findings(self))

    @property
    def leader(self) -> str | None:
        """The learner with the best average rank, or on a single data set the best mean; None if they have no order."""
        if self.direction is None or not self.complete:
            return None
        if self.ranks is not None:
            return str(self.ranks["machine"][0])
        best = max if self.direction == "highest" else min
        return best(self.competitors, key=lambda learner: self._cells[learner, self.complete[0]]["mean"])

    def effects(self, size: EffectSize | None = None) -> Series | None:
        """Effect sizes of learners against the control or, if there is none, the best learner; by default A₁₂.

        None if there is nothing to compare.
        """
        from intemi.analysis import EffectSizes
        from intemi.analysis.effect_sizes import A12

        against = self.control if self.control in self.competitors else self.leader
        if against is None or len(self.competitors) < 2:
            return None
        return EffectSizes(against=against, size=size or A12, best=self.direction or "highest")(self.tested)

    @property
    def footnotes(self) -> list[str]:
        """What must be read with the table: who does not compete, the plan, and what was changed in it."""
        found = []
        if self.not_competing:
            named = ", ".join(f"{learner} ({stamp})" for learner, stamp in self.not_competing.items())
            found.append(f"not competing: {named}")
        if self.plan:
            states = list(self.cells.values())
            counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
            found.append(f"plan {self.plan}: {len(states)} cells, {counts}")
        return [*found, *self.changes]

    @cached_property
    def _cells(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {(str(row["machine"]), str(row["data"])): row for row in self.means}

    @cached_property
    def _best(self) -> dict[str, float]:
        best, competitors = max if self.direction == "highest" else min, set(self.competitors)
        means = [(data, row["mean"]) for (learner, data), row in self._cells.items() if learner in competitors]
        return {data: best(mean for on, mean in means if on == data) for data in {on for on, _ in means}}

    def to_plain(self) -> dict[str, Any]:
        """All of it as plain data, ready for JSON."""
        parts = ("means", "ranks", "friedman", "critical_difference", "pairs", "wins")
        tables = {name: None if (each := getattr(self, name)) is None else [*map(plain_row, each)] for name in parts}
        return {
            "measure": self.measure,
            "best": self.direction,
            "findings": self.findings,
            "plan": self.plan,
            "changes": list(self.changes),
            "cells": [{"machine": m, "data": d, "state": state} for (m, d), state in self.cells.items()],
            "not competing": dict(self.not_competing),
            **tables,
            "effects": None if (effects := self.effects()) is None else [*map(plain_row, effects)],
            "views": None if self.views is None else self.views.to_plain(),
            "also measured": [
                {"measure": each.measure, "best": each.direction, "means": [*map(plain_row, each.means)]}
                for each in self.also
            ],
            "notes": self.notes,
        }

    def __repr__(self) -> str:
        learners, data = counted(len(self.learners), "learner"), counted(len(self.data), "data set")
        return f"<Compared {self.measure!r}: {learners} on {data}>"

    def __str__(self) -> str:
        from intemi.experiments.tables import text_of

        return text_of(self)

    def _repr_html_(self) -> str:
        from intemi.experiments.comparison_html import comparison_html

        return for_notebook(comparison_html(self))


def plain_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a series with plain numbers."""
    return {name: value.item() if hasattr(value, "item") else value for name, value in row.items()}
