"""A million machines in one project: what each of them costs in time, memory and on disk, questions, and upkeep.

A hundred machines are an experiment: 49 leaves that learn, 49 that test what was learned, one that tests committees of
100 sizes by ten rules and leaves a block of 1,000 accuracies, and the composite that requests them. So a million
machines leave half a million single accuracies and ten million in blocks. What leaves compute is next to nothing: what
is measured is the engine. Experiments are run one after another, and their capsules are not kept.

Every step is measured in a process of its own, one after the other on the same folder: running; the same requests
again; the first question, for which the index is made; questions of a later process; `intemi cache verify` and
`intemi cache prune --values`. One worker, and 500 MB for values that are kept in memory. Times are CPU times; that of
Python's garbage collector, which looks at all that a process holds, is told apart for the run.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from benchmarks.scaling import Collector, peak_memory
from intemi import Block, Input, Job, Machine, Model, Output, Project
from intemi.kernel import upkeep
from intemi.query import Result
from intemi.series import Series

LEARNERS = 49
IN_EXPERIMENT = 2 * LEARNERS + 2
CACHE = 500_000_000
"""Bytes of values that a run keeps in memory."""
SIZES, RULES = range(1, 101), tuple("abcdefghij")
FLAT, MEGABYTES, SECONDS = 1.3, 3000.0, 1.0
CPU, MEMORY, DISK = "CPU time", "peak of memory, MB", "disk, bytes for each machine"
COLLECTOR = "collector, during the run"
ASKED = "questions, s"
OPENING = "all experiments; the folder is opened for it"
CELLS, SINGLE, LATEST = "a cell of each block", "a test of each experiment", "a test of the latest experiment"


@dataclass(frozen=True)
class Sizes:
    """Numbers of machines, the smallest first."""

    machines: tuple[int, ...]

    @classmethod
    def up_to(cls, most: int) -> Sizes:
        """From ten thousand on, each ten times the one before."""
        listed = [10_000]
        while listed[-1] * 10 <= most:
            listed.append(listed[-1] * 10)
        return cls(tuple(listed))


FULL = Sizes.up_to(1_000_000)
QUICK = Sizes((1_000, 10_000))

Array = np.ndarray[Any, Any]
Measured = dict[str, float]


class Learn(Machine):
    """Leaves an array of 2,400 bytes as its model."""

    version = 1
    data = Input(np.ndarray)
    model = Output(np.ndarray)

    experiment: int
    number: int

    def run(self, data: Array) -> Model:
        return Model(model=data + (1 + IN_EXPERIMENT * self.experiment + self.number))


class Test(Machine):
    """Leaves a number as the accuracy of a model."""

    version = 1
    model = Input(np.ndarray)

    def run(self, model: Array) -> Model:
        return Model(results={"Accuracy": accuracy(float(model[0]))})


class TestAllSizes(Machine):
    """Leaves a block of accuracies."""

    version = 1
    model = Input(np.ndarray)

    def run(self, model: Array) -> Model:
        values = np.add.outer(np.arange(len(SIZES)), np.arange(len(RULES))) % 50 / 50
        return Model(results={"Accuracy of committee": Block(values, {"Size": SIZES, "Rule": RULES})})


class Experiment(Machine):
    """A hundred machines, itself included."""

    version = 1
    data = Input(np.ndarray)

    number: int

    async def run(self, job: Job, data: Any) -> Model:
        learned = [job.request(Learn(self.number, at), data=data, name=f"learn {at}") for at in range(LEARNERS)]
        tests = [
            job.request(Test(), model=each.model, name=f"test {at}", comments={"Fold": at})
            for at, each in enumerate(learned)
        ]
        await job.all(*tests, job.request(TestAllSizes(), model=learned[0].model, name="committees"))
        return Model()


def accuracy(number: float) -> float:
    """A number from 0 to 1 in place of an accuracy."""
    return round(number * 0.618 % 1, 3)


# What is measured, each in a process of its own


def measure_run(folder: str, machines: int) -> Measured:
    """Run all experiments."""
    started = time.process_time()
    with Project(folder, workers=1, memory=CACHE) as project, Collector() as collector:
        _run_all(project, machines)
        ran = project.counts().physical.total()
    assert ran == machines, f"{ran} machines ran"
    spent = _spent(started)
    return {**spent, CPU: spent[CPU] - collector.seconds, COLLECTOR: collector.seconds}


def measure_again(folder: str, machines: int) -> Measured:
    """Request all experiments again."""
    started = time.process_time()
    with Project.open(folder, workers=1) as project:
        _run_all(project, machines)
        assert not project.counts().physical.total()
    return _spent(started)


def _run_all(project: Project, machines: int) -> None:
    data = project.given(np.arange(300.0))
    for number in range(machines // IN_EXPERIMENT):
        project.run(Experiment(number), data=data)


def measure_index(folder: str, machines: int) -> Measured:
    """Ask the first question, for which the index is made."""
    started = time.process_time()
    with Project.open(folder, workers=1) as project:
        assert len(project.query(type=Experiment, labels="number")) == machines // IN_EXPERIMENT
    return _spent(started)


def measure_questions(folder: str, machines: int) -> Measured:
    """Ask a later process about one result of each experiment, a cell of its block or a test, and about the latest."""
    started = time.process_time()
    with Project.open(folder, workers=1) as project:
        where = (Result("Size") == 70) & (Result("Rule") == "c")
        cells = partial(project.query, type=TestAllSizes, where=where, labels=["Accuracy of committee", "number"])
        tests = partial(project.query, name="test 7", labels=["Accuracy", "number"])
        latest = partial(project.query, "Experiment/test 7", labels="Accuracy")
        experiments = machines // IN_EXPERIMENT
        asked = {
            OPENING: _seconds(partial(project.query, type=Experiment, labels="number"), experiments),
            CELLS: _seconds(cells, experiments),
            SINGLE: _seconds(tests, experiments),
            LATEST: _seconds(latest, 1),
        }
    return {**_spent(started), **asked}


def _seconds(ask: Callable[[], Series], rows: int) -> float:
    """What a question with so many rows for an answer takes."""
    started = time.process_time()
    answer = ask()
    spent = time.process_time() - started
    assert len(answer) == rows
    return spent


def measure_verify(folder: str, machines: int) -> Measured:
    """Read everything and compare checksums."""
    started = time.process_time()
    found = upkeep.verify(folder)
    assert not found.problems, found.problems
    assert found.machines >= machines
    return _spent(started)


def measure_prune(folder: str, machines: int) -> Measured:
    """Drop all values that can be made again."""
    started = time.process_time()
    assert upkeep.prune(folder, values=True).values >= machines // IN_EXPERIMENT * LEARNERS
    return _spent(started)


def _spent(started: float) -> Measured:
    return {CPU: time.process_time() - started, MEMORY: peak_memory()}


STEPS: dict[str, Callable[[str, int], Measured]] = {
    "run": measure_run,
    "requested again": measure_again,
    "index made": measure_index,
    "questions": measure_questions,
    "verified": measure_verify,
    "values pruned": measure_prune,
}


# How it is told


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    found = {machines: _measure(machines) for machines in sizes.machines}
    headings = dict.fromkeys(heading for each in found.values() for heading, _ in each)
    rows: list[list[str | float | None]] = []
    for heading in headings:
        rows.append([heading])
        names = dict.fromkeys(name for each in found.values() for at, name in each if at == heading)
        rows += [[f"  {name}", *(each[heading, name] for each in found.values())] for name in names]
    print_table("Projects of many machines", ["machines", *(f"{machines:,}" for machines in found)], rows)
    targets = _targets(found)
    print_targets(targets)
    return targets


def _measure(machines: int) -> dict[tuple[str, str], float]:
    """By heading and row, in the order of the table."""
    spent: dict[str, Measured] = {}
    taken: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        for name, step in STEPS.items():
            note_progress(f"million: {machines:,} machines, {name}")
            spent[name] = in_new_process(step, folder=str(project), machines=machines)
            taken[name] = sum(file.stat().st_size for file in project.rglob("*") if file.is_file()) / machines
    cost = f"{CPU}, µs for each machine"
    return {
        **{(cost, name): each[CPU] / machines * 1e6 for name, each in spent.items()},
        (cost, COLLECTOR): spent["run"][COLLECTOR] / machines * 1e6,
        **{(MEMORY, name): each[MEMORY] for name, each in spent.items()},
        (DISK, "after the run"): taken["run"],
        (DISK, "with the index"): taken["index made"],
        (DISK, "pruned"): taken["values pruned"],
        **{(ASKED, name): spent["questions"][name] for name in (OPENING, CELLS, SINGLE, LATEST)},
    }


def _targets(found: dict[int, dict[tuple[str, str], float]]) -> list[Target]:
    fewest, most = min(found), max(found)
    cost = f"{CPU}, µs for each machine"
    flat = [
        Target(f"{name}: {most:,} / {fewest:,}, CPU time of a machine", found[most][cost, name] / each, FLAT)
        for (heading, name), each in found[fewest].items()
        if heading == cost and name != COLLECTOR
    ]
    memory = max(each for (heading, _), each in found[most].items() if heading == MEMORY)
    asked = [
        Target(f"{name}, of {most:,} machines", found[most][ASKED, name], SECONDS, " s")
        for name in (CELLS, SINGLE, LATEST)
    ]
    return [*flat, Target(f"peak of memory with {most:,}", memory, MEGABYTES, " MB"), *asked]
