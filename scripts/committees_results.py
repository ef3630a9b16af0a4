"""The results of the experiment with committees: accuracies of everything on every split, by criterion and data set.

All of them are arrays that end in splits, the same splits for everything: so any two are compared by pairs. There are
too many configurations to make series of, so the tests of the specification (5.4 and 5.6) are done on whole arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from configs.committees import (
    BAGGING_AXES,
    BOOSTING_AXES,
    COMMITTEE_AXES,
    PARTS,
    STUDIED,
    TREE_AXES,
    Part,
)
from intemi import Capsule
from intemi.experiments import Outcome
from scripts.reproduction_results import ALPHA, Record

Floats = NDArray[np.float64]
LABELS = ("Validator", "Mode", "SE", "TE", "Decision")
COMMITTEES = [dict(zip(LABELS, each, strict=True)) for each in COMMITTEE_AXES[LABELS]]
"""What the first axis of committees stands for."""
TREES = list(product(*TREE_AXES.values()))


def differs(first: Floats, second: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The mean difference along the last axis, and whether the paired t-test says that there is one.

    >>> mean, differs_ = differs(np.array([[0.9, 0.8, 0.9, 0.8]]), np.array([[0.7, 0.6, 0.7, 0.6]]))
    >>> round(float(mean[0]), 2), bool(differs_[0])
    (0.2, True)
    """
    differences = first - second
    count = differences.shape[-1]
    mean = differences.mean(axis=-1)
    error = np.sqrt(differences.var(axis=-1, ddof=1) / count)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(count - 1, -np.abs(mean / error))
    p = np.where(error < 1e-12, np.where(np.abs(mean) < 1e-12, 1.0, 0.0), p)
    return mean, p < ALPHA


def record(first: Floats, second: Floats) -> Record:
    """On how many data sets (the first axis) the first is better, not different, and worse."""
    mean, is_real = differs(first, second)
    wins, losses = int((is_real & (mean > 0)).sum()), int((is_real & (mean < 0)).sum())
    return Record(wins, int(mean.size) - wins - losses, losses)


def winners(accuracies: Floats) -> NDArray[np.bool_]:
    """Of accuracies by data set, competitor and split: who has the best mean, or does not differ from who has it."""
    found = np.zeros(accuracies.shape[:2], dtype=bool)
    for place, each in enumerate(accuracies):
        best = each[each.mean(axis=-1).argmax()]
        _, is_real = differs(each, best[None])
        found[place] = ~is_real
    return found


@dataclass(frozen=True, eq=False)
class Results:
    """Everything with trees by one criterion, on the data sets on which all parts that are given have finished."""

    criterion: str
    data_sets: Sequence[str]
    accuracies: Mapping[Part, Floats]
    """Data sets × … × splits: the axes of the part's blocks between."""
    leaves: Mapping[Part, Floats]
    told: Mapping[tuple[Part, str], Floats]
    """Data sets × splits: the numbers that a part leaves beside its blocks."""

    @property
    def committees(self) -> Floats:
        """Data sets × what `COMMITTEES` lists × sizes × splits."""
        return self.accuracies["committees"]

    def chosen(self, **labels: Any) -> Floats:
        """Those with some labels; a size is the number of members."""
        size = labels.pop("Size", None)
        places = [
            place for place, each in enumerate(COMMITTEES) if all(each[name] == value for name, value in labels.items())
        ]
        found = self.committees[:, places]
        return found if size is None else found[:, :, size - 1]

    def one(self, size: int, **labels: str) -> Floats:
        """The only committee with some labels: data sets × splits."""
        found = self.chosen(**labels, Size=size)
        assert found.shape[1] == 1, labels
        return found[:, 0]

    def tree(self, validator: str, se: str = "0SE", te: str = "0TE") -> Floats:
        """A single tree: data sets × splits."""
        place = tuple(
            list(along).index(each) for along, each in zip(TREE_AXES.values(), (validator, se, te), strict=True)
        )
        return np.asarray(self.accuracies["trees"][(slice(None), *place)])

    @property
    def reference_trees(self) -> Floats:
        """The 25 single trees that compete, without training errors: data sets × trees × splits."""
        trees = self.accuracies["trees"][:, :, :, 0]
        return trees.reshape(len(trees), -1, trees.shape[-1])

    def bagged(self, pruning: str, size: int, rule: str) -> Floats:
        """One committee of bagging: data sets × splits."""
        places = _places(BAGGING_AXES, pruning, size, rule)
        return np.asarray(self.accuracies["bagging"][(slice(None), *places)])

    def boosted(self, variant: str, pruning: str, size: int) -> Floats:
        """One committee of boosting: data sets × splits."""
        places = _places(BOOSTING_AXES, variant, pruning, size)
        return np.asarray(self.accuracies["boosting"][(slice(None), *places)])

    def natural_tree(self, labels: Mapping[str, str]) -> Floats:
        """The single tree that a committee is compared with: of its validator and margin; of REP that of CC, 0SE."""
        if labels["Validator"] == "REP":
            return self.tree("CC")
        return self.tree(labels["Validator"], labels["SE"])


def _places(axes: Mapping[Any, Sequence[Any]], *labels: Any) -> tuple[int, ...]:
    return tuple(list(along).index(each) for along, each in zip(axes.values(), labels, strict=True))


def results_in(outcome: Outcome) -> dict[str, Results]:
    """What has finished, by criterion: on the data sets on which committees, trees and bagging have."""
    found: dict[tuple[str, Part], dict[str, Capsule]] = {}
    for cell in outcome.finished:
        part, _, criterion = cell.learner.partition(", ")
        assert cell.capsule is not None
        found.setdefault((criterion, part), {})[cell.data] = cell.capsule  # type: ignore[index]
    every = {}
    for criterion in STUDIED:
        parts = [part for part in PARTS if (criterion, part) in found]
        needed = [found[criterion, part] for part in parts if part != "boosting"]
        names = [data for data in outcome.experiment.data if needed and all(data in each for each in needed)]
        if names and {"committees", "trees"} <= set(parts):
            every[criterion] = _gathered(criterion, names, {part: found[criterion, part] for part in parts})
    return every


def _gathered(criterion: str, names: Sequence[str], parts: Mapping[Part, Mapping[str, Capsule]]) -> Results:
    accuracies: dict[Part, Floats] = {}
    leaves: dict[Part, Floats] = {}
    told: dict[tuple[Part, str], Floats] = {}
    for part, capsules in parts.items():
        splits = [_splits(capsules[name]) for name in names if name in capsules]
        accuracies[part] = np.array([_last_axis(each, "Accuracy") for each in splits])
        if "Leaves" in splits[0][0]:
            leaves[part] = np.array([_last_axis(each, "Leaves") for each in splits])
        for label, value in splits[0][0].items():
            if isinstance(value, int):
                told[part, label] = np.array([[split[label] for split in each] for each in splits], dtype=np.float64)
    return Results(criterion, list(names), accuracies, leaves, told)


def _splits(capsule: Capsule) -> list[dict[str, Any]]:
    """The results of all splits, in the order of repetitions and folds."""
    tests = [child for child in capsule.children if child.name == "test"]
    ordered = sorted(tests, key=lambda each: (each.comments["Repetition"], each.comments["Fold"]))
    return [each.results for each in ordered]


def _last_axis(splits: Sequence[Mapping[str, Any]], label: str) -> Floats:
    return np.stack([each[label].values for each in splits], axis=-1)


@dataclass(frozen=True, eq=False)
class Pooled:
    """The values of one parameter, each with the accuracies of all configurations that have it (spec 5.6).

    The tests are descriptive: configurations of one validator share trees, so pairs are not independent. A second
    version compares means over configurations, a pair for each split.
    """

    values: Sequence[Any]
    accuracies: Sequence[Floats]
    """For each value: data sets × configurations × splits, in the same order of configurations."""

    def wins(self, of_means: bool = False) -> list[int]:
        """On how many data sets each value is the best, or not different from it."""
        stacked = np.stack(self._samples(of_means), axis=1)
        return [int(each) for each in winners(stacked).sum(axis=0)]

    def record(self, first: Any, second: Any, of_means: bool = False) -> Record:
        """On how many data sets a value is better than another one, not different, and worse."""
        samples = self._samples(of_means)
        return record(samples[self.values.index(first)], samples[self.values.index(second)])

    def _samples(self, of_means: bool) -> list[Floats]:
        if of_means:
            return [each.mean(axis=1) for each in self.accuracies]
        return [each.reshape(len(each), -1) for each in self.accuracies]


def pooled(results: Results, label: str, values: Sequence[Any], **filters: str) -> Pooled:
    """All committees that pass a filter, by the values of one of their labels."""
    if label == "Size":
        found = results.chosen(**filters)
        return Pooled(values, [found[:, :, size - 1] for size in values])
    every = [results.chosen(**filters, **{label: value}) for value in values]
    return Pooled(values, [each.reshape(len(each), -1, each.shape[-1]) for each in every])
