"""Growing by published tree algorithms with their defaults, beside scikit-learn's DecisionTreeClassifier.

Trees are not pruned on either side: `CART` and `C45` have `refinement=None`.

Every data set beside the repository, with missing values and without; where there are none, those that scikit-learn
carries, and the same with a twentieth of the values removed. Scikit-learn gets the codes of symbols as numbers and NaN
for missing values. Ours get a table that was not used before, so that sorting it is paid for, as scikit-learn pays.
Times are CPU times, the least of a few.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import numpy as np

from benchmarks.report import Target, note_progress, print_table
from benchmarks.tables import BUILT_IN, SHARED, built_in, fresh
from intemi.data import Data, Table
from intemi.machines.trees import (
    C45,
    CART,
    CRUISE1D,
    FACT,
    ID3,
    QUEST,
    AUCTree,
    BestFirstTree,
    Cal5,
    CTree,
    SSVTree,
)

MISSING_SHARE = 0.05
MEASURED_SECONDS, MOST_FITS = 0.05, 20
SLOWEST = 5.0
"""No algorithm is to take more than so many times as long as scikit-learn on any data set."""


@dataclass(frozen=True)
class Published:
    """An algorithm, and how many times as long as scikit-learn it may take, on average."""

    learner: Any
    allowed: float


ALGORITHMS = {
    "CART": Published(CART(refinement=None), 1 / 3),
    "C4.5": Published(C45(refinement=None), 1 / 3),
    "SSV": Published(SSVTree(), 1 / 3),
    "AUC": Published(AUCTree(), 1 / 3),
    "best-first": Published(BestFirstTree(), 1 / 3),
    "ID3": Published(ID3(), 1.0),
    "CTree": Published(CTree(), 1.0),
    "FACT": Published(FACT(), 1.0),
    "QUEST": Published(QUEST(), 2.0),
    "CRUISE 1D": Published(CRUISE1D(), 2.0),
    "Cal5": Published(Cal5(), 2.0),
}


def measure_published(most_data_sets: int) -> list[Target]:
    """Print a table of all algorithms, and say what was promised of them."""
    data_sets = _data_sets(most_data_sets)
    their_times = [_their_seconds(data) for data in data_sets]
    rows: list[list[str | float | None]] = []
    targets = []
    for name, published in ALGORITHMS.items():
        note_progress(f"trees: {name} on {len(data_sets)} data sets")
        shares = [_our_seconds(published.learner, d) / theirs for d, theirs in zip(data_sets, their_times, strict=True)]
        row: list[str | float | None] = [name]
        for kind, is_missing in ("complete", False), ("with missing values", True):
            found = {d.table.name: s for d, s in zip(data_sets, shares, strict=True) if _is_missing(d) == is_missing}
            if found:
                mean, worst = geometric_mean(found.values()), max(found, key=found.__getitem__)
                row += [1 / mean, 1 / found[worst], worst]
                targets.append(Target(f"{name} / scikit-learn, {kind}", mean, published.allowed))
        rows.append(row)
        targets.append(Target(f"{name} / scikit-learn, the slowest", max(shares), SLOWEST))
    header = ["times as fast as scikit-learn", "complete", "worst", "", "missing", "worst", ""]
    print_table("Published algorithms with their defaults", header, rows)
    return targets


def _data_sets(most: int) -> list[Data]:
    """Half of them with missing values, if there are as many."""
    from intemi.data.arff import read_arff

    found = [read_arff(file) for file in sorted(SHARED.glob("*.arff"))]
    if not found:
        found = [data for name in BUILT_IN for data in (built_in(name), _with_gaps(built_in(name)))]
    incomplete = [data for data in found if _is_missing(data)]
    complete = [data for data in found if not _is_missing(data)]
    return complete[: max(most // 2, most - len(incomplete))] + incomplete[: most // 2]


def _is_missing(data: Data) -> bool:
    return bool(np.isnan(data.features).any())


def _with_gaps(data: Data) -> Data:
    """The same with values removed."""
    table, features = data.table, data.table.features.copy()
    features[np.random.default_rng(0).random(features.shape) < MISSING_SHARE] = np.nan
    return Data(Table(table.columns, features, table.target, table.classes, name=f"{table.name}, with gaps"))


def _our_seconds(learner: Any, data: Data) -> float:
    learner.run(fresh(data))  # loads what is loaded when it is needed
    return _least_seconds(learner.run, lambda: fresh(data))


def _their_seconds(data: Data) -> float:
    from sklearn.tree import DecisionTreeClassifier

    given = np.ascontiguousarray(data.features.T), data.classes
    return _least_seconds(lambda pair: DecisionTreeClassifier(random_state=0).fit(*pair), lambda: given)


def _least_seconds(action: Callable[[Any], object], make: Callable[[], Any]) -> float:
    """The least CPU time of an action on what is made for it, which is not charged."""
    times: list[float] = []
    while len(times) < 2 or (sum(times) < MEASURED_SECONDS and len(times) < MOST_FITS):
        made = make()
        started = time.process_time()
        action(made)
        times.append(time.process_time() - started)
    return min(times)
