"""The results of the experiment with single trees: accuracies and leaves of every method, criterion and data set.

A *task* is a data set with a split criterion: methods compete with each other on the same trees, never across criteria.
`Results` are the tasks of one criterion with one seed and one hold-out, `Together` those of several criteria.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from configs.single_trees import FULL, HELD_OUT, NAMES, ORACLE, Method, methods, named
from intemi import Capsule, Project
from intemi.analysis import AverageRanks, Friedman, StandardizedDifference, Wins, WinsDrawsLosses
from intemi.experiments import Outcome
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


class Setting(NamedTuple):
    """With which seed folds were drawn, and how much is held out in a single pass."""

    held_out: str
    seed: int

    def __str__(self) -> str:
        return f"{self.held_out}, seed {self.seed}"


def key(group: str, name: str, se: str = "", te: str = "") -> str:
    """The name of a method among the 145 of a competition."""
    return Method(group, name, se, te).key


def measured_in(project: Project, capsule: Capsule) -> Series:
    """What all methods reached in the cross-validation of one criterion on one data set: vectors, by fold."""
    labels = ["Accuracy", "Leaves", "Chosen", "Different trees", "Repetition", "Fold"]
    return project.query(capsule, path="test", labels=labels)


class Results:
    """The competition of 145 methods with trees by one criterion, asked by the keys of methods."""

    def __init__(self, criterion: str, setting: Setting, measured: Mapping[str, Series]) -> None:
        self.criterion, self.setting = criterion, setting
        self.data_sets = list(measured)
        self._measured = measured
        self.different = {data: float(np.mean(each["Different trees"])) for data, each in measured.items()}
        """By data set, how many different trees the prunings with several passes (CC, Deg, OPT) are, in the mean."""

    @property
    def tasks(self) -> list[str]:
        """Data sets with the criterion."""
        return [f"{data}, {self.criterion}" for data in self.data_sets]

    @property
    def results_of_a_task(self) -> int:
        """How many test results there are for each method and task."""
        return min(map(len, self._measured.values()))

    def numbers(self, name: str, label: str = "Accuracy") -> list[Any]:
        """What was measured of a method, a vector of all folds for each data set."""
        place = _place(name, self.setting.held_out)
        return [matrix[:, place] for matrix in self._matrices[label]]

    @cached_property
    def _matrices(self) -> dict[str, list[Any]]:
        labels = ("Accuracy", "Leaves", "Chosen")
        return {label: [np.stack(list(each[label])) for each in self._measured.values()] for label in labels}

    def of(self, names: Sequence[str], label: str = "Accuracy") -> Series:
        """The numbers of some methods in all folds, as a series."""
        columns: dict[str, list[Any]] = {each: [] for each in ("machine", "data", "Repetition", "Fold")}
        values = []
        for name in names:
            for data, numbers in zip(self.data_sets, self.numbers(name, label), strict=True):
                values.append(numbers)
                columns["machine"] += [name] * len(numbers)
                columns["data"] += [data] * len(numbers)
                for each in ("Repetition", "Fold"):
                    columns[each] += list(self._measured[data][each])
        return Series({label: np.concatenate(values), **columns}, main=label)

    def wins(self, names: Sequence[str]) -> dict[str, int]:
        """In how many tasks each method has the best mean, or does not differ from the one that has."""
        return _by_machine(Wins(alpha=ALPHA)(self.of(names)))

    @cached_property
    def all_wins(self) -> dict[str, int]:
        """The wins of all methods, among all of them."""
        return self.wins(list(BY_KEY))

    @cached_property
    def against_full(self) -> dict[str, Record]:
        """The record of all methods against the full tree of all training data."""
        found = WinsDrawsLosses(alpha=ALPHA, against=FULL.key)(self.of(list(BY_KEY)))
        return {item["machine"]: Record(item["wins"], item["draws"], item["losses"]) for item in found}

    def record(self, first: str, second: str) -> Record:
        """In how many tasks the first method is better than the second, not different, and worse."""
        found = WinsDrawsLosses(alpha=ALPHA, against=second)(self.of([first, second])).where(machine=first)
        return Record(*(int(found.row(0)[each]) for each in Record._fields))

    @cached_property
    def loss(self) -> dict[str, float]:
        """How far below the oracle a method is, in standard deviations of the oracle, averaged over tasks."""
        return _by_machine(self.differences("Accuracy"))

    @property
    def without_spread(self) -> list[str]:
        """The tasks that losses leave out: the oracle is equally accurate in all folds."""
        left_out = str(self.differences("Accuracy").row(0)["left out"])
        return [f"{data}, {self.criterion}" for data in left_out.split(", ") if data]

    @cached_property
    def excess(self) -> dict[str, float]:
        """By how much trees are larger than the oracle's, in standard deviations of its sizes."""
        return _by_machine(self.differences("Leaves"))

    def differences(self, label: str) -> Series:
        """What all methods differ by from the oracle, in its standard deviations, averaged over tasks with a spread."""
        return self._differences[label]

    @cached_property
    def _differences(self) -> dict[str, Series]:
        reference = StandardizedDifference(against=ORACLE)
        return {label: reference(self.of([*BY_KEY, ORACLE], label)) for label in ("Accuracy", "Leaves")}

    def folds(self, name: str, label: str = "Accuracy") -> Any:
        """The numbers of a method in all folds of all tasks, in the same order for all methods."""
        return np.concatenate(self.numbers(name, label))

    def means(self, name: str, label: str = "Accuracy") -> Any:
        """The mean of a method in each task."""
        return np.array([each.mean() for each in self.numbers(name, label)])


class Together:
    """Several criteria with one seed and one hold-out: their tasks are counted, and averaged, together."""

    def __init__(self, parts: Iterable[Results]) -> None:
        self.parts = list(parts)

    @property
    def criteria(self) -> list[str]:
        return [each.criterion for each in self.parts]

    @property
    def tasks(self) -> list[str]:
        return [task for each in self.parts for task in each.tasks]

    @property
    def without_spread(self) -> list[str]:
        return [task for each in self.parts for task in each.without_spread]

    @cached_property
    def all_wins(self) -> dict[str, int]:
        """Each criterion is a competition by itself."""
        return {name: sum(each.all_wins[name] for each in self.parts) for name in BY_KEY}

    @cached_property
    def against_full(self) -> dict[str, Record]:
        records = {name: [each.against_full[name] for each in self.parts] for name in BY_KEY if name != FULL.key}
        return {name: Record(*map(sum, zip(*every, strict=True))) for name, every in records.items()}

    @cached_property
    def loss(self) -> dict[str, float]:
        return self._averaged("Accuracy")

    @cached_property
    def excess(self) -> dict[str, float]:
        return self._averaged("Leaves")

    def _averaged(self, label: str) -> dict[str, float]:
        series = [each.differences(label) for each in self.parts]
        weights = [each.row(0)["data sets"] for each in series]
        values = [_by_machine(each) for each in series]
        return {name: float(np.average([each[name] for each in values], weights=weights)) for name in BY_KEY}

    @cached_property
    def ranks(self) -> dict[str, float]:
        """The average rank of each method over all tasks, the best first."""
        return _by_machine(AverageRanks()(self._means))

    @property
    def friedman(self) -> float:
        """The p of Friedman's test of these ranks."""
        return float(Friedman()(self._means).row(0)["p"])

    @cached_property
    def _means(self) -> Series:
        rows = [
            (mean, name, task)
            for part in self.parts
            for name in BY_KEY
            for task, mean in zip(part.tasks, part.means(name), strict=True)
        ]
        accuracy, machine, data = zip(*rows, strict=True)
        return Series({"Accuracy": list(accuracy), "machine": list(machine), "data": list(data)})


class Everything:
    """All that has finished, by criterion and setting."""

    def __init__(
        self,
        measured: Mapping[tuple[str, int], Mapping[str, Series]],
        missing: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.measured = {of: measured[of] for of in sorted(measured, key=lambda of: (_order(of[0]), of[1]))}
        self.missing = missing or {}
        """By criterion and seed, the data sets on which the experiment has not finished."""
        self._made: dict[tuple[str, Setting], Results] = {}

    @classmethod
    def in_outcome(cls, outcome: Outcome) -> Everything:
        """What a run of the experiment has left."""
        measured: dict[tuple[str, int], dict[str, Series]] = {}
        for cell in outcome.finished:
            assert cell.capsule is not None
            criterion, _, seed = cell.learner.partition(", seed ")
            of_criterion = measured.setdefault((criterion, int(seed)), {})
            of_criterion[cell.data] = measured_in(outcome.project, cell.capsule)
        missing: dict[str, list[str]] = {}
        for cell in outcome.cells:
            if not cell.has_finished:
                missing.setdefault(cell.learner, []).append(cell.data)
        return cls(measured, missing)

    @property
    def criteria(self) -> list[str]:
        """Those of which something has finished, the calibrated ones first."""
        return list(dict.fromkeys(criterion for criterion, _ in self.measured))

    @property
    def settings(self) -> list[Setting]:
        """All hold-outs with all seeds."""
        seeds = sorted({seed for _, seed in self.measured})
        return [Setting(share, seed) for share in HELD_OUT for seed in seeds]

    def of(self, criterion: str, setting: Setting) -> Results | None:
        """The results of one criterion, if there are any."""
        measured = self.measured.get((criterion, setting.seed))
        if measured is None:
            return None
        if (criterion, setting) not in self._made:
            self._made[criterion, setting] = Results(criterion, setting, measured)
        return self._made[criterion, setting]

    def together(self, setting: Setting) -> Together:
        """All criteria with one seed and one hold-out."""
        return Together(each for criterion in self.criteria if (each := self.of(criterion, setting)) is not None)


def _order(criterion: str) -> int:
    return ("IG", "Gini", "SSV", "Acc", "QUEST").index(criterion)


def _place(name: str, held_out: str) -> int:
    return NAMES.index(named(name, held_out))


def _by_machine(series: Series) -> dict[str, Any]:
    return dict(zip(series["machine"], np.asarray(series.values).tolist(), strict=True))
