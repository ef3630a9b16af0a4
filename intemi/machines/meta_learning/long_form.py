"""The long form of a knowledge base: one run for each data set, configuration and split, as files of others have it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from intemi.data.errors import DataError, shown
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase


class Run(NamedTuple):
    """The result of one configuration on one split of a data set."""

    data_set: str
    configuration: Hashable
    split: str
    """A number from 1 on, or any other name."""
    value: float
    seconds: float = float("nan")


def runs_of_base(base: KnowledgeBase) -> Iterator[Run]:
    """All results that are known. The seconds of a test are divided evenly among its splits."""
    for row, data_set in enumerate(base.data_sets):
        for column, configuration in enumerate(base.configurations):
            known = np.flatnonzero(~np.isnan(base.results[row, column]))
            seconds = float("nan") if base.seconds is None else float(base.seconds[row, column]) / max(len(known), 1)
            for split in known:
                value = float(base.results[row, column, split])
                yield Run(data_set, configuration, str(split + 1), value, seconds)


def base_of_runs(file: str, runs: Iterable[Run]) -> KnowledgeBase:
    """The knowledge base of runs that a file lists; the seconds of splits are added up."""
    listed = list(runs)
    data_sets = list(dict.fromkeys(run.data_set for run in listed))
    configurations = list(dict.fromkeys(run.configuration for run in listed))
    places = _places_of_splits(listed)
    rows = {name: row for row, name in enumerate(data_sets)}
    columns = {each: column for column, each in enumerate(configurations)}
    results = np.full((len(rows), len(columns), max(places.values(), default=0) + 1), np.nan)
    seconds = np.full(results.shape, np.nan)
    seen: set[tuple[int, int, int]] = set()
    for run in listed:
        place = rows[run.data_set], columns[run.configuration], places[run.data_set, run.split]
        if place in seen:
            what = f"{run.configuration} on split {run.split} of {run.data_set}"
            raise DataError(file, None, f"two results of {shown(what, 120)}", "one")
        seen.add(place)
        results[place], seconds[place] = run.value, run.seconds
    known = ~np.isnan(seconds)
    total = np.where(known.any(axis=2), np.where(known, seconds, 0.0).sum(axis=2), np.nan)
    return KnowledgeBase(tuple(data_sets), tuple(configurations), results, total if known.any() else None)


def _places_of_splits(runs: Iterable[Run]) -> dict[tuple[str, str], int]:
    """The place of each split of a data set: its number, or the order in which names are first met."""
    names: dict[str, dict[str, None]] = {}
    for run in runs:
        names.setdefault(run.data_set, {})[run.split] = None
    places = {}
    for data_set, splits in names.items():
        are_numbers = all(split.isdecimal() and 1 <= int(split) <= MAX_SPLITS for split in splits)
        for place, split in enumerate(splits):
            places[data_set, split] = int(split) - 1 if are_numbers else place
    return places


MAX_SPLITS = 10_000
"""Larger numbers of splits are names: seeds, for example."""
