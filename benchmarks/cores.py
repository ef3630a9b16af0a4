"""How much of two cores an experiment uses by default.

It is compared with one worker, with scikit-learn's `n_jobs`, and with the raw capacity of the computer.

Every kind of leaf is run by `Project(workers=1)`, by `Project(workers=N)` and, where scikit-learn has the same, by
`cross_validate` with one and with N jobs. The *capacity* is what N processes without any engine do in the time of one:
a loop in pure Python, started once and measured in the same turn. The times of a kind are taken in turns, so that a
computer that is busy for a moment is so for all of them.

Work is new in every run (another seed), machines and kernels were imported and compiled before the clock starts, and
processes are not: what they cost at the start is part of the measurement.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from intemi import Input, Machine, Model, Output, Project
from intemi.data import Data

WORKERS = 2
FRACTION = 0.85
"""Of the capacity that is to be used."""
BRIEF_FRACTION = 0.95
"""Of the throughput of one worker that brief leaves must not fall below."""


@dataclass(frozen=True)
class Sizes:
    """Seconds that the work of one kind takes with one worker, and how often each kind is measured."""

    seconds: float
    rounds: int


FULL = Sizes(6.0, rounds=3)
QUICK = Sizes(0.5, rounds=1)


def spin(steps: int, start: int = 0) -> int:
    """Arithmetic in pure Python, about 50 ns a step."""
    total = start
    for step in range(steps):
        total = (total * 31 + step) % 1_000_003
    return total


class Spin(Machine):
    """A leaf in pure Python, which holds the interpreter lock."""

    number: int
    steps: int
    result = Output(int)

    def run(self) -> Model:
        return Model(result=spin(self.steps, self.number))


class Given(Machine):
    """The data of the benchmark, made once per project."""

    rows: int
    features: int
    data = Output(Data)

    def run(self) -> Model:
        from sklearn.datasets import make_classification

        from intemi.data import from_numpy

        values, classes = make_classification(self.rows, self.features, n_informative=5, random_state=1)
        return Model(data=from_numpy(values, classes))


class Sized(Machine):
    """The number of rows of a table; it keeps a worker busy for a while."""

    data = Input(Data)
    rows = Output(int)
    number: int
    steps: int

    def run(self, data: Data) -> Model:
        spin(self.steps, self.number)
        return Model(rows=len(data))


ESTIMATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "logistic regression": ("sklearn.linear_model.LogisticRegression", {"max_iter": 2000, "C": 50.0}),
    "support vector machine": ("sklearn.svm.SVC", {}),
    "random forest": ("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 60, "random_state": 0}),
    "histogram boosting": ("sklearn.ensemble.HistGradientBoostingClassifier", {"max_iter": 40, "random_state": 0}),
}
"""Estimators of scikit-learn with the options that they are measured with."""
ROWS, FEATURES, FOLDS = 1_500, 20, 10


def steps_per_second() -> float:
    """How fast this computer does the arithmetic of a leaf in pure Python."""
    best = 0.0
    for _ in range(5):
        begun = time.perf_counter()
        spin(200_000)
        best = max(best, 200_000 / (time.perf_counter() - begun))
    return best


def run_spins(workers: int, milliseconds: float, seconds: float) -> float:
    """Leaves per second of leaves in pure Python."""
    steps = max(1, int(steps_per_second() * milliseconds / 1e3))
    number = max(4, int(seconds * 1e3 / milliseconds))
    with Project(workers=workers) as project:
        begun = time.perf_counter()
        project.wait(*[project.request(Spin(index, steps)) for index in range(number)])
        return number / (time.perf_counter() - begun)


def run_learner(workers: int, name: str, repetitions: int) -> float:
    """Folds per second of a repeated cross-validation of one learner, or of all."""
    learners = _learners()
    chosen = learners if name == "ten learners" else {name: learners[name]}
    with Project(workers=workers) as project:
        data = project.run(Given(ROWS, FEATURES)).data
        begun = time.perf_counter()
        project.wait(
            *[project.request(_cross_validation(learner, repetitions), data=data) for learner in chosen.values()]
        )
        return len(chosen) * FOLDS * repetitions / (time.perf_counter() - begun)


def _cross_validation(learner: Machine, repetitions: int) -> Machine:
    from intemi.machines import ClassificationTest, CVDistributor, Repeater, Scheme

    test = Scheme(training=Data, test=Data)
    learned = test.add(learner, name="learner", data=test.training)
    test.add(ClassificationTest(), name="test", data=test.test, classifier=learned.classifier)
    return Repeater(CVDistributor(FOLDS), test, repetitions=repetitions, seed=1)


def _learners() -> dict[str, Any]:
    from intemi.machines import KNN, NaiveBayes, SklearnClassifier
    from intemi.machines.trees import C45, CART, DecisionTree

    made: dict[str, Any] = {
        name: SklearnClassifier(
            options["estimator"], {key: value for key, value in options.items() if key != "estimator"}
        )
        for name, options in ESTIMATORS.items()
    }
    return {
        **made,
        "compiled trees": C45(),
        "CART": CART(),
        "tree": DecisionTree(),
        "bayes": NaiveBayes(),
        "5-NN": KNN(),
    }


def run_sklearn(jobs: int, name: str, repetitions: int) -> float:
    """Folds per second of scikit-learn's own cross-validation."""
    from importlib import import_module

    from sklearn.datasets import make_classification
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

    values, classes = make_classification(ROWS, FEATURES, n_informative=5, random_state=1)
    path, options = ESTIMATORS[name]
    module, _, estimator = path.rpartition(".")
    folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repetitions, random_state=1)
    begun = time.perf_counter()
    cross_validate(getattr(import_module(module), estimator)(**options), values, classes, cv=folds, n_jobs=jobs)
    return FOLDS * repetitions / (time.perf_counter() - begun)


def capacity(seconds: float) -> float:
    """How many times the work of one process N processes do that have nothing in common."""
    steps = int(steps_per_second() * seconds)

    def timed(processes: int) -> float:
        made = [multiprocessing.Process(target=spin, args=(steps,)) for _ in range(processes)]
        begun = time.perf_counter()
        for process in made:
            process.start()
        for process in made:
            process.join()
        return processes / (time.perf_counter() - begun)

    return timed(WORKERS) / timed(1)


def memory_of_table(megabytes: int) -> dict[str, float]:
    """Megabytes of a table that all processes hold together, while two workers compute with it."""
    import psutil

    rows = megabytes * 1_000_000 // 8 // 100
    steps = int(steps_per_second() * 0.05)
    with Project(workers=WORKERS) as project:
        small = project.run(Given(100, 10))
        project.wait(*[project.request(Sized(number, steps), data=small.data) for number in range(100)])
        me = psutil.Process()

        def held() -> float:
            return sum(each.memory_full_info().pss for each in (me, *me.children(recursive=True))) / 1e6

        before = held()
        table = project.run(Given(rows, 100))
        project.wait(*[project.request(Sized(number, steps), data=table.data) for number in range(40)])
        after = held()
        processes = len(me.children(recursive=True))
    return {"megabytes": rows * 100 * 8 / 1e6, "held": after - before, "processes": processes}


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    if (os.cpu_count() or 1) < WORKERS:
        print(f"cores: needs {WORKERS} cores, this computer has one")
        return []
    kinds: dict[str, tuple[Callable[[int], float], Callable[[int], float] | None]] = {}
    for milliseconds in (0.3, 5.0, 50.0, 500.0):
        kinds[f"pure Python, {milliseconds:g} ms"] = (
            lambda workers, leaf=milliseconds: in_new_process(
                run_spins, workers=workers, milliseconds=leaf, seconds=sizes.seconds
            ),
            None,
        )
    repetitions = max(1, round(sizes.seconds / 2))
    for name in (*ESTIMATORS, "compiled trees", "ten learners"):
        number = repetitions * (20 if name == "compiled trees" else 1)
        kinds[name] = (
            lambda workers, learner=name, times=number: in_new_process(
                run_learner, workers=workers, name=learner, repetitions=times
            ),
            (
                lambda jobs, learner=name, times=number: in_new_process(
                    run_sklearn, jobs=jobs, name=learner, repetitions=times
                )
            )
            if name in ESTIMATORS
            else None,
        )
    rows: list[list[str | float | None]] = []
    targets: list[Target] = []
    for name, (ours, theirs) in kinds.items():
        ratios, peers, capacities, rates = [], [], [], []
        for number in range(sizes.rounds):
            note_progress(f"cores: {name}, round {number + 1}")
            one, many = ours(1), ours(WORKERS)
            ratios.append(many / one)
            rates.append(many)
            capacities.append(in_new_process(capacity, seconds=min(2.0, sizes.seconds / 3)))
            if theirs is not None:
                peers.append(theirs(WORKERS) / theirs(1))
        ratio, whole = median(ratios), median(capacities)
        rows.append([name, median(rates), ratio, median(peers) if peers else None, whole, ratio / whole])
        if name == "pure Python, 0.3 ms":
            targets.append(Target(f"{name}: one worker / {WORKERS} workers", 1 / ratio, 1 / BRIEF_FRACTION))
        else:
            targets.append(Target(f"{name}: capacity / what is used of it", whole / ratio, 1 / FRACTION))
    header = ["", f"leaves or folds a second, {WORKERS} workers", "times one worker", "n_jobs", "capacity", "fraction"]
    print_table(f"Throughput of {WORKERS} workers", header, rows)
    table = in_new_process(memory_of_table, megabytes=500 if sizes is FULL else 50)
    print_table(
        "A table that all workers use",
        ["MB of the table", "MB held by all processes", "processes"],
        [[table["megabytes"], table["held"], table["processes"]]],
    )
    targets.append(Target("memory of all processes / size of the table", table["held"] / table["megabytes"], 1.3))
    print_targets(targets)
    return targets
