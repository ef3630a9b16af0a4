"""The results of the experiment with single trees: accuracies and leaves of every method, criterion and data set.

A *task* is a data set with a split criterion: methods compete with each other on the same trees, never across criteria.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from configs.single_trees import CRITERIA, FULL, ORACLE, Method, methods
from intemi import Capsule, Project
from intemi.analysis import AverageRanks, StandardizedDifference, Wins, WinsDrawsLosses
from intemi.series import Series

ALPHA = 0.01
METHODS = tuple(methods())
NESTED = ("CC", "Deg", "OPT")
"""The validators that most conclusions are about."""
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


def measured_in(project: Project, capsule: Capsule) -> Series:
    """What all methods reached in a run on one data set. It is one question, as each walks through all machines."""
    labels = ["Accuracy", "Leaves", "Training error", "Depth", "machine", "Repetition", "Fold"]
    return project.query(capsule, path="test/*", labels=labels)


class Results:
    """What an outcome of the experiment says, asked by the names of methods."""

    def __init__(
        self, data_sets: list[str], missing: list[str], accuracy: dict[str, Series], leaves: dict[str, Series]
    ) -> None:
        self.data_sets, self.missing = data_sets, missing
        self.accuracy, self.leaves = accuracy, leaves
        """By method, what was measured in all folds of all tasks; the oracle is among the methods."""
        self.distinct: dict[str, float] = {}
        """For each task, how many different trees the prunings with several passes (CC, Deg, OPT) are, in the mean."""

    @classmethod
    def made_of(cls, measured: Mapping[str, Series], missing: Sequence[str] = ()) -> Results:
        """Those of data sets, by what `measured_in` a run of each."""
        found: dict[str, dict[str, list[Series]]] = {label: {} for label in ("Accuracy", "Leaves")}
        results = cls(list(measured), list(missing), {}, {})
        for data, asked in measured.items():
            for (machine,), group in _groups(asked):
                criterion, _, name = machine.removesuffix(" tree").partition(" ")
                label = "Leaves" if machine.endswith(" tree") else "Accuracy"
                if criterion in CRITERIA and name in (*BY_KEY, ORACLE):
                    task = [f"{data}, {criterion}"] * len(group)
                    kept = {each: list(group[each]) for each in (label, "Repetition", "Fold")}
                    part = Series({**kept, "machine": [name] * len(group), "data": task}, main=label)
                    found[label].setdefault(name, []).append(part)
            results.distinct.update(_distinct(data, asked))
        for kept, of_label in ((results.accuracy, "Accuracy"), (results.leaves, "Leaves")):
            kept.update({name: Series.concat(*parts) for name, parts in found[of_label].items()})
        return results

    def only(self, criterion: str) -> Results:
        """The tasks of one criterion."""
        tasks = self.tasks(criterion)
        accuracy, leaves = (
            {name: each.where(data=tasks) for name, each in kept.items()} for kept in (self.accuracy, self.leaves)
        )
        results = Results(self.data_sets, self.missing, accuracy, leaves)
        results.distinct = {task: self.distinct[task] for task in tasks}
        return results

    @property
    def criteria(self) -> list[str]:
        """Those that were run."""
        return [name for name in CRITERIA if self.tasks(name)]

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

    def mean_leaves(self, name: str) -> Any:
        """The mean number of leaves in each task."""
        return self.folds(name, leaves=True).reshape(len(self.tasks()), -1).mean(axis=1)

    def mean_accuracy(self, name: str, task: str) -> float:
        """The mean accuracy in one task."""
        return self.of([name], [task]).mean()


def _distinct(data: str, asked: Series) -> dict[str, float]:
    """By task, how many different trees a training sample has; trees are the same if size, depth and errors are."""
    several = {f"{method.key} tree" for method in METHODS if method.group == "multi" and method.name in NESTED}
    trees: dict[str, dict[tuple[Any, ...], set[tuple[Any, ...]]]] = {}
    columns = (asked[label] for label in ("machine", "Repetition", "Fold", "Leaves", "Depth", "Training error"))
    for machine, repetition, fold, *tree in zip(*columns, strict=True):
        criterion, _, name = machine.partition(" ")
        if name in several:
            samples = trees.setdefault(f"{data}, {criterion}", {})
            samples.setdefault((repetition, fold), set()).add(tuple(tree))
    return {task: float(np.mean([len(each) for each in samples.values()])) for task, samples in trees.items()}


def _groups(series: Series) -> Any:
    groups = series.group_by("machine")
    return zip(groups.keys(), groups, strict=True)


def _by_machine(series: Series) -> dict[str, Any]:
    return dict(zip(series["machine"], np.asarray(series.values).tolist(), strict=True))
