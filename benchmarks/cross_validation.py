"""10 × 10-fold cross-validation of kNN and SVM after standardisation, beside scikit-learn on all cores.

Both get the same splits and deliver the accuracies of all folds; ours are kept on disk meanwhile, with five more
measures. Each is measured in processes of its own, in turn; imports and, for scikit-learn, the start of its workers are
not charged. Warm is the same experiment, asked for by another process: scikit-learn has to compute again. To have the
experiment is one request; to read the accuracies of all folds is a query on top of it.

The overhead of the engine is what one worker spends outside the leaves, where each of them takes two milliseconds.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from benchmarks.report import ROOT, Target, in_new_process, note_progress, print_table, print_targets
from intemi import Capsule, Input, Machine, Model, Output, Project
from intemi.data import Column, Data, Table
from intemi.machines import Repeater, Scheme
from intemi.machines.classifiers import KNN, SVM, ClassificationTest, GaussianKernel
from intemi.machines.distributors import CVDistributor
from intemi.machines.transformations.external import ExternalTransformation
from intemi.machines.transformations.standardization import Standardization
from intemi.series import Series

Measured = dict[str, Any]
"""Seconds until it is answered and until all accuracies are read, and the mean accuracy of each learner."""


@dataclass(frozen=True)
class Sizes:
    """How often cross-validation is repeated, and how often all of it is measured."""

    repetitions: int
    folds: int
    rounds: int


FULL = Sizes(repetitions=10, folds=10, rounds=5)
QUICK = Sizes(repetitions=2, folds=10, rounds=1)

COLD, WARM, THEIRS = "intemi, cold", "intemi, warm", "scikit-learn"
LEAF = 0.002
NEIGHBORS, PRICE, SIGMA = 5, 1.0, 0.1
FILE = ROOT.parent / "shared" / "data" / "breast-w.arff"


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    rounds = [_measure_round(sizes, number) for number in range(sizes.rounds)]
    rows: list[list[str | float | None]] = [
        [
            who,
            *(median(each[who][what] for each in rounds) * 1e3 for what in ("answered", "read")),
            *(share * 100 for share in rounds[0][who]["accuracy"].values()),
        ]
        for who in rounds[0]
    ]
    title = f"{sizes.repetitions} × {sizes.folds}-fold cross-validation of {data().table.name}"
    print_table(f"{title}, median of {sizes.rounds} rounds", ["", "ms", "accuracies read", "kNN %", "SVM %"], rows)
    overheads = [in_new_process(measure_overhead, repetitions=sizes.repetitions) for _ in range(sizes.rounds)]
    overhead = {what: median(each[what] for each in overheads) for what in overheads[0]}
    print_table(
        f"Leaves of {LEAF * 1e3:g} ms on one worker, with disk, median of {sizes.rounds} processes",
        ["", "leaves", "composites", "total ms", "in leaves ms", "outside %"],
        [["", *(overhead[what] for what in ("leaves", "composites", "total", "inside")), overhead["share"] * 100]],
    )
    targets = [
        Target("cold / scikit-learn", _ratio(rounds, COLD, "read"), 1.0),
        Target("warm / scikit-learn", _ratio(rounds, WARM, "answered"), 0.01),
        Target("warm, accuracies read / scikit-learn", _ratio(rounds, WARM, "read"), 0.01),
        Target("share of time outside leaves of 2 ms", overhead["share"], 0.1),
    ]
    print_targets(targets)
    return targets


def _ratio(rounds: list[dict[str, Measured]], ours: str, what: str) -> float:
    return median(each[ours][what] / each[THEIRS][what] for each in rounds)


def _measure_round(sizes: Sizes, number: int) -> dict[str, Measured]:
    note_progress(f"cross-validation: round {number + 1}")
    asked = {"repetitions": sizes.repetitions, "folds": sizes.folds}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "project"))
        found = {COLD: in_new_process(measure_ours, folder=path, **asked)}
        found[WARM] = in_new_process(measure_ours, folder=path, **asked)
    found[THEIRS] = in_new_process(measure_theirs, **asked)
    return found


def data() -> Data:
    """Breast cancer: the cases without missing values of breast-w or, without that file, scikit-learn's own."""
    if FILE.exists():
        from intemi.data.arff import read_arff

        complete = read_arff(FILE)
        complete = complete.select_rows(~np.isnan(complete.features).any(axis=0))
        table = Table(complete.columns, complete.features, complete.target, complete.classes, name="breast-w")
        return Data(table)
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    columns = [Column(str(name)) for name in bunch.feature_names]
    target = Column("class", tuple(map(str, bunch.target_names)))
    return Data(Table(columns, bunch.data.T, target, bunch.target, name="breast cancer"))


def experiment(repetitions: int, folds: int) -> Repeater:
    """What a user writes."""
    test = Scheme(training=Data, test=Data)
    standardized = test.add(Standardization(ddof=0), data=test.training)
    other = test.add(ExternalTransformation(), data=test.test, transformation=standardized.transformation)
    for name, learner in {"kNN": KNN(NEIGHBORS), "SVM": SVM(PRICE, GaussianKernel(SIGMA))}.items():
        trained = test.add(learner, name=f"{name} training", data=standardized.transformed)
        test.add(ClassificationTest(), name=name, data=other.transformed, classifier=trained.classifier)
    return Repeater(CVDistributor(folds), test, repetitions, seed=1)


def accuracies(project: Project, capsule: Capsule) -> dict[str, list[float]]:
    """The accuracies of each learner in all folds."""
    found = project.query(capsule, type=ClassificationTest, labels=["Accuracy", "machine", "Repetition", "Fold"])
    return {str(name): list(group.values) for (name,), group in zip(*_groups(found), strict=True)}


def _groups(series: Series) -> tuple[Iterable[Any], Iterable[Series]]:
    groups = series.group_by("machine")
    return groups.keys(), groups


def measure_ours(repetitions: int, folds: int, folder: str) -> Measured:
    """In a process of its own: from the question to the accuracies of all folds."""
    table = data()
    with tempfile.TemporaryDirectory() as other, Project(other) as project:  # loads what is loaded when it is needed
        few = project.given(table.select_rows(np.arange(0, len(table), 4)))
        accuracies(project, project.run(experiment(1, 2), data=few))
    start = time.perf_counter()
    with Project(folder) as project:
        done = project.run(experiment(repetitions, folds), data=project.given(table))
        answered = time.perf_counter() - start
        found = accuracies(project, done)
        read = time.perf_counter() - start
    return {"answered": answered, "read": read, "accuracy": {name: mean(each) for name, each in found.items()}}


def measure_theirs(repetitions: int, folds: int) -> Measured:
    """In a process of its own: the same with scikit-learn on all cores."""
    from sklearn.model_selection import cross_validate
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    table = data()
    X, y = np.ascontiguousarray(table.features.T), table.classes
    learners = {
        "kNN": make_pipeline(StandardScaler(), KNeighborsClassifier(NEIGHBORS)),
        "SVM": make_pipeline(StandardScaler(), SVC(C=PRICE, gamma=SIGMA)),
    }
    divided = list(splits(table, repetitions, folds))
    for learner in learners.values():
        cross_validate(learner, X, y, cv=divided[:4], n_jobs=-1)
    start = time.perf_counter()
    found = {
        name: cross_validate(learner, X, y, cv=divided, n_jobs=-1)["test_score"] for name, learner in learners.items()
    }
    seconds = time.perf_counter() - start
    accuracy = {name: float(each.mean()) for name, each in found.items()}
    return {"answered": seconds, "read": seconds, "accuracy": accuracy}


def splits(table: Data, repetitions: int, folds: int) -> Iterable[tuple[Any, Any]]:
    """The rows of training and test that our distributor gives out."""
    empty = Scheme(training=Data, test=Data)
    empty.add(Rows(), training=empty.training, test=empty.test)
    with Project() as project:
        done = project.run(Repeater(CVDistributor(folds), empty, repetitions, seed=1), data=project.given(table))
        for child in done.children:
            if child.name == "distributor":
                yield from (
                    (training.rows, test.rows)
                    for training, test in zip(child.outputs["training"], child.outputs["test"], strict=True)
                )


class Rows(Machine):
    """Nothing is done with the data."""

    version = 1
    training = Input(Data)
    test = Input(Data)

    def run(self, training: Data, test: Data) -> Model:
        return Model(results={"Rows": len(training) + len(test)})


# The overhead

_inside: list[float] = []
"""Seconds that each leaf has spent."""


class Timed(CVDistributor):
    """A leaf, too."""

    version = 1

    def run(self, data: Data, rng: np.random.Generator) -> Model:
        start = time.perf_counter()
        model = super().run(data, rng)
        _inside.append(time.perf_counter() - start)
        return model


class Busy(Machine):
    """Two milliseconds of work."""

    version = 1
    data = Input(Data)
    result = Output(int)
    number: int = 0

    def run(self, data: Data) -> Model:
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < LEAF:
            pass
        _inside.append(spent)
        return Model(result=self.number, results={"Number": self.number})


def measure_overhead(repetitions: int) -> dict[str, float]:
    """In a process of its own: six leaves in each fold, as many as in the experiment above."""
    table = data()
    test = Scheme(training=Data, test=Data)
    for number in range(6):
        test.add(Busy(number), data=test.training, name=f"leaf {number}")
    busy = Repeater(Timed(10), test, repetitions, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        with Project(str(Path(folder, "first")), workers=1) as project:
            project.run(busy.replace("repetitions", 1), data=project.given(table))
        _inside.clear()
        start = time.perf_counter()
        with Project(str(Path(folder, "second")), workers=1) as project:
            project.run(busy, data=project.given(table))
            total = time.perf_counter() - start
            ran = project.counts().physical
            composites = ran["test scheme"] + ran["distributor scheme"] + ran["Repeater"]
    inside = sum(_inside)
    return {
        "leaves": len(_inside),
        "composites": composites,
        "total": total * 1e3,
        "inside": inside * 1e3,
        "share": (total - inside) / total,
    }
