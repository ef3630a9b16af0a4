"""The results of the experiment with single trees: accuracies and leaves of every method, criterion and data set.

A *task* is a data set with a split criterion: methods compete with each other on the same trees, never across criteria.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from configs.single_trees import CRITERIA, FULL, ORACLE, Method, methods
from intemi.analysis import AverageRanks, StandardizedDifference, Wins, WinsDrawsLosses
from intemi.experiments import Outcome
from intemi.series import Series

ALPHA = 0.01
METHODS = tuple(methods())
BY_KEY = {method.key: method for method in METHODS}


class Record(NamedTuple):
    """Wins, draws and losses."""

    wins: int
    draws: int
    losses: int

    def __str__(self) -> str:
        return "-".join(map(str, self))


def key(group: str, name: str, se: str = "", te: str = "") -> str:
    """The name of a method among all of them."""
    return Method(group, name, se, te).key


class Results:
    """What an outcome of the experiment says, asked by the names of methods."""

    def __init__(self, outcome: Outcome) -> None:
        self.data_sets = [cell.data for cell in outcome.finished]
        self.missing = [cell.data for cell in outcome.cells if not cell.has_finished]
        self.accuracy = self._read(outcome, "Accuracy", lambda method: method)
        self.leaves = self._read(outcome, "Leaves", lambda method: f"{method} tree")

    def _read(self, outcome: Outcome, label: str, named: Callable[[str], str]) -> dict[str, Series]:
        """By method, what was measured in all folds of all tasks; the oracle is among the methods."""
        found: dict[str, list[Series]] = {name: [] for name in (*BY_KEY, ORACLE)}
        for cell in outcome.finished:
            for criterion in CRITERIA:
                path = f"test/{named(f'{criterion} *')}"
                series = outcome.project.query(cell.capsule, path=path, labels=[label, "machine", "Repetition", "Fold"])
                machines = {named(f"{criterion} {name}"): name for name in found}
                for (machine,), group in _groups(series):
                    if machine in machines:
                        name = machines[machine]
                        columns = {"machine": [name] * len(group), "data": [f"{cell.data}, {criterion}"] * len(group)}
                        kept = {each: list(group[each]) for each in (label, "Repetition", "Fold")}
                        found[name].append(Series({**kept, **columns}, main=label))
        return {name: Series.concat(*parts) for name, parts in found.items() if parts}

    def tasks(self, criterion: str | None = None) -> list[str]:
        """All data sets with all criteria, or with one of them."""
        every = list(dict.fromkeys(self.accuracy[ORACLE]["data"]))
        return [task for task in every if criterion is None or task.endswith(f", {criterion}")]

    def of(self, names: Sequence[str], tasks: Sequence[str] | None = None, leaves: bool = False) -> Series:
        """The folds of some methods, in some tasks."""
        kept = self.leaves if leaves else self.accuracy
        joined = Series.concat(*(kept[name] for name in names))
        return joined if tasks is None else joined.where(data=list(tasks))

    def wins(self, names: Sequence[str], tasks: Sequence[str] | None = None) -> dict[str, int]:
        """In how many tasks each method has the best mean, or does not differ from the one that has."""
        return _by_machine(Wins(alpha=ALPHA)(self.of(names, tasks)))

    @cached_property
    def all_wins(self) -> dict[str, int]:
        """The wins of all methods, among all of them."""
        return self.wins(list(BY_KEY))

    @cached_property
    def against_full(self) -> dict[str, Record]:
        """The record of all methods against the full tree of all training data."""
        found = WinsDrawsLosses(alpha=ALPHA, against=FULL.key)(self.of(list(BY_KEY)))
        return {item["machine"]: Record(item["wins"], item["draws"], item["losses"]) for item in found}

    def record(self, first: str, second: str, tasks: Sequence[str] | None = None) -> Record:
        """In how many tasks the first method is better than the second, not different, and worse."""
        found = WinsDrawsLosses(alpha=ALPHA, against=second)(self.of([first, second], tasks)).where(machine=first)
        return Record(*(int(found.row(0)[each]) for each in Record._fields))

    @cached_property
    def loss(self) -> dict[str, float]:
        """How far below the oracle a method is, in standard deviations of the oracle, averaged over tasks."""
        return _by_machine(self._losses)

    @cached_property
    def excess(self) -> dict[str, float]:
        """By how much trees are larger than the oracle's, in standard deviations of its sizes."""
        return _by_machine(StandardizedDifference(against=ORACLE)(self.of([*BY_KEY, ORACLE], leaves=True)))

    @cached_property
    def ranks(self) -> dict[str, float]:
        """The average rank of each method, the best first."""
        return _by_machine(AverageRanks()(self.of(list(BY_KEY))))

    @property
    def without_spread(self) -> str:
        """The tasks that losses leave out: the oracle is equally accurate in all folds."""
        return str(self._losses.row(0)["left out"])

    @cached_property
    def _losses(self) -> Series:
        return StandardizedDifference(against=ORACLE)(self.of([*BY_KEY, ORACLE]))

    def folds(self, name: str, leaves: bool = False) -> Any:
        """The numbers of a method in all folds of all tasks, in the same order for all methods."""
        kept = (self.leaves if leaves else self.accuracy)[name].sort_by("data", "Repetition", "Fold")
        return np.asarray(kept.values, dtype=float)

    def mean_leaves(self, name: str, criterion: str | None = None) -> Any:
        """The mean number of leaves in each task."""
        means = self.folds(name, leaves=True).reshape(len(self.tasks()), -1).mean(axis=1)
        wanted = self.tasks(criterion)
        return means[[task in wanted for task in sorted(self.tasks())]]


def _groups(series: Series) -> Any:
    groups = series.group_by("machine")
    return zip(groups.keys(), groups, strict=True)


def _by_machine(series: Series) -> dict[str, Any]:
    return dict(zip(series["machine"], np.asarray(series.values).tolist(), strict=True))
