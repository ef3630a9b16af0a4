"""The accuracies of the book's second experiment in blocks: what they take on disk, and one configuration's series.

13,660 configurations (4 split criteria × 3,390 committees and 25 trees) on 100 splits of 21 data sets are 28.7 million
accuracies. For each split and criterion, a machine leaves the block of the committees and another that of the trees.
The records are made here, with accuracies drawn at random on test samples of the sizes of the book's data sets;
writing, reading and asking is the engine's own.

One question asks for the accuracies of one configuration, on all splits of all data sets: the first question of a new
process, with everything from opening the folder on, and another one after it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.records import OnRecord, record_of, seconds_to_index, seconds_to_keep
from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from intemi import Block, Project
from intemi.kernel.record import Child
from intemi.kernel.store import Finished
from intemi.query import Parameter, Qualifier, Result
from intemi.series import Series

ROWS = (106, 690, 699, 194, 214, 303, 2310, 351, 150, 3196, 286, 20000, 768, 208, 307, 3190, 7200, 435, 871, 5000, 178)
"""Of the book's data sets; a tenth of them is tested at a time."""
CRITERIA = ("Gini", "IG", "QUEST", "SSV")
FOLDS = 10
ALLOWED_MEGABYTES = 300.0
ALLOWED_SECONDS = 0.1


@dataclass(frozen=True)
class Sizes:
    """How many data sets and repetitions of ten folds there are."""

    data: int
    repetitions: int

    @property
    def blocks(self) -> int:
        """Two for each split and criterion."""
        return 2 * self.data * self.repetitions * FOLDS * len(CRITERIA)

    @property
    def cells(self) -> int:
        """How many accuracies they hold."""
        return self.blocks // 2 * (len(COMMITTEES) * len(SIZES) + len(TREES))


FULL = Sizes(data=len(ROWS), repetitions=10)
QUICK = Sizes(data=3, repetitions=1)


class Experiment(OnRecord):
    """Repeated cross-validation on one data set."""

    data: int = 0


class Split(OnRecord):
    """One fold of it."""


class Committees(OnRecord):
    """All committees of trees by one criterion; leaves a block."""

    criterion: str = "IG"


class Trees(Committees):
    """The single trees beside them; leaves another block."""


LABELS = ("Validator", "Mode", "SE", "TE", "Decision")
MARGINS = {"separate": ("0", "½", "1"), "common": ("0", "½", "1", "½s", "1s")}
VALIDATORS = ("CC", "Deg", "OPT", "MEP2", "DI")
SIZES = range(1, 11)


def committees() -> Iterator[tuple[str, ...]]:
    """The committees of one criterion by their labels, but for their sizes."""
    for validator in ("REP", *VALIDATORS):
        for mode in ("separate",) if validator == "REP" else MARGINS:
            decisions = ("m",) if validator == "MEP2" else ("n", "L", "m")
            for se, te, decision in product(MARGINS[mode], ("0", "½", "1"), decisions):
                yield validator, mode, se, te, decision


COMMITTEES = list(committees())
TREES = list(product(VALIDATORS, MARGINS["common"]))


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    with tempfile.TemporaryDirectory() as folder:
        asked: dict[str, Any] = {"folder": folder, "sizes": asdict(sizes)}
        note_progress("blocks: writing")
        written = in_new_process(measure_writing, **asked)
        note_progress("blocks: asking")
        indexing = in_new_process(measure_indexing, **asked)
        found = in_new_process(measure_asking, **asked)
        megabytes = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / 1e6
    print_table(
        f"{sizes.cells / 1e6:.1f} million accuracies in {sizes.blocks:,} blocks",
        ["", ""],
        [
            ["folder, MB", megabytes],
            ["written, s", written],
            ["read into the index, once, s", indexing],
            ["rows in the series of a configuration", found["rows"]],
            ["the first question of a process, with opening the folder, s", found["first"]],
            ["another question, s", found["another"]],
        ],
    )
    targets = [
        Target("folder: MB", megabytes, ALLOWED_MEGABYTES, " MB"),
        *(
            Target(
                f"one configuration's series, {which} question: seconds",
                found[which],
                ALLOWED_SECONDS,
                " s",
                by_cpu=found[f"{which} by CPU time"],
            )
            for which in ("first", "another")
        ),
    ]
    print_targets(targets)
    return targets


def finished(sizes: Sizes) -> Iterator[list[Finished]]:
    """What machines leave when they finish, one split after another."""
    axes: dict[type[Committees], Any] = {
        Committees: {LABELS: COMMITTEES, "Size": SIZES},
        Trees: {("Validator", "SE"): TREES},
    }
    for data, rows in enumerate(ROWS[: sizes.data]):
        generator = np.random.default_rng(data)
        splits = []
        for split in range(sizes.repetitions * FOLDS):
            tested = []
            for criterion, kind in product(CRITERIA, axes):
                right = generator.binomial(rows // FOLDS, 0.8, [len(along) for along in axes[kind].values()])
                results = {"Accuracy": Block(right / (rows // FOLDS), axes[kind])}
                tested.append(Finished(record_of((data, split, criterion, kind.kind), kind(criterion), results)))
            whole = record_of((data, split), Split())
            comments = {"Repetition": split // FOLDS + 1, "Fold": split % FOLDS + 1}
            splits.append(Child(split, "test", whole.machine, comments))
            yield [*tested, Finished(whole, children=_children(tested))]
        yield [Finished(record_of((data,), Experiment(data)), children=splits)]


def _children(tested: Sequence[Finished]) -> list[Child]:
    names = [criterion for criterion in CRITERIA for _ in range(2)]
    return [Child(at, name, tested[at].record.machine, {}) for at, name in enumerate(names)]


def measure_writing(folder: str, sizes: dict[str, int]) -> float:
    """In a process of its own: seconds to keep all records."""
    return seconds_to_keep(folder, finished(Sizes(**sizes)))


def measure_indexing(folder: str, sizes: dict[str, int]) -> float:
    """In a process of its own: seconds until the first question is answered."""
    return seconds_to_index(folder, Experiment, sizes["data"])


def measure_asking(folder: str, sizes: dict[str, int]) -> dict[str, float]:
    """In a process of its own: seconds for the series of one configuration and of another one, and how many rows."""
    start = time.perf_counter(), time.process_time()
    with Project.open(Path(folder, "project"), workers=1) as project:
        series = _series_of(project, "IG", ("CC", "separate", "0", "½", "n"), 7)
        first = time.perf_counter(), time.process_time()
        _series_of(project, "SSV", ("DI", "common", "1s", "1", "L"), 10)
        another = time.perf_counter(), time.process_time()
    assert len(series) == Sizes(**sizes).blocks / 2 / len(CRITERIA)
    return {
        "rows": len(series),
        "first": first[0] - start[0],
        "another": another[0] - first[0],
        "first by CPU time": first[1] - start[1],
        "another by CPU time": another[1] - first[1],
    }


def _series_of(project: Project, criterion: str, configuration: Sequence[str], size: int) -> Series:
    where: Qualifier = (Parameter("criterion") == criterion) & (Result("Size") == size)
    for label, value in zip(LABELS, configuration, strict=True):
        where &= Result(label) == value
    return project.query(
        type=Committees, name=criterion, where=where, labels=["Accuracy", "Repetition", "Fold", "request"]
    )
