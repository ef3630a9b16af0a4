"""Parts of a knowledge base of learning curves (LCDB): what is compared on it, and what belongs together.

The file has arrays: `dataset`, `family` (data sets of one number come from one source), `learner`, `config_learner`,
`config_size`, `accuracy` and `traintime` (data sets × configurations × splits), the same of the largest training sets
(`accuracy_full`, `traintime_full`: data sets × learners × splits), flags `dense_dataset` and `dense_config` of a part
without gaps, and `about_…`, meta-features of data sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning import KnowledgeBase, check_knowledge

Arrays = Mapping[str, Any]
LARGE = 256
"""Training sets of at least so many rows are large here."""
COUNTS = ("n_instances", "n_features", "n_classes", "n_numeric", "n_symbolic", "n_missing_values", "n_columns")
"""Meta-features of the file; their logarithms are used."""


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the file without gaps."""

    name: str
    base: KnowledgeBase
    relatives: Mapping[str, tuple[str, ...]]
    """For each data set the others of its family."""
    tests: int
    """How many tests are looked at."""


def parts_of(path: str | Path) -> list[Part]:
    """All sizes of training sets; the large ones; and for each data set the largest that it has."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file}
    rows, columns = arrays["dense_dataset"], arrays["dense_config"]
    names = np.array(
        [
            f"{arrays['learner'][learner]} on {size}"
            for learner, size in zip(arrays["config_learner"], arrays["config_size"], strict=True)
        ]
    )
    is_large = columns & (arrays["config_size"] >= LARGE)
    learners = np.unique(arrays["config_learner"][columns])
    is_full = ~np.isnan(arrays["accuracy_full"][:, learners]).any(axis=(1, 2))
    results, seconds = arrays["accuracy"], arrays["traintime"]
    full, full_seconds = arrays["accuracy_full"], arrays["traintime_full"]
    return [
        _part("all sizes", arrays, rows, names[columns], results[:, columns], seconds[:, columns], 50),
        _part(f"sizes from {LARGE}", arrays, rows, names[is_large], results[:, is_large], seconds[:, is_large], 20),
        _part(
            "largest sizes",
            arrays,
            is_full,
            arrays["learner"][learners],
            full[:, learners],
            full_seconds[:, learners],
            10,
        ),
    ]


def _part(name: str, arrays: Arrays, rows: Any, configurations: Any, results: Any, seconds: Any, tests: int) -> Part:
    data_sets = tuple(map(str, arrays["dataset"][rows]))
    base = KnowledgeBase(
        data_sets,
        tuple(map(str, configurations)),
        results[rows].astype(np.float64),
        seconds[rows].astype(np.float64).mean(axis=2),
        _descriptions(arrays, arrays["dataset"][rows]),
        COUNTS,
    )
    constant = check_knowledge(base).constant
    base = base.without(*constant)
    families = dict(zip(map(str, arrays["dataset"]), arrays["family"], strict=True))
    relatives = {
        one: tuple(other for other in base.data_sets if other != one and families[other] == families[one])
        for one in base.data_sets
    }
    return Part(name, base, relatives, tests)


def _descriptions(arrays: Arrays, data_sets: Any) -> Floats:
    places = {int(number): place for place, number in enumerate(arrays["about_dataset"])}
    chosen = [places[int(number)] for number in data_sets]
    return np.column_stack([np.log10(1 + arrays[f"about_{name}"][chosen].astype(np.float64)) for name in COUNTS])
