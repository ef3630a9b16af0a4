"""The parameter search of the book's Tables 4.5 and 4.6, beside scikit-learn and a loop that shares everything by hand.

An SVM with 8 widths of a Gaussian kernel and 7 prices after standardisation, 5 × 2-fold cross-validation of breast
cancer, everybody on the same splits. Each is measured in a process of its own, in turn; imports are not charged. The
loop is what somebody would write who knows just what can be shared: it standardises once for each split, computes the
kernels once for each split and width, and keeps nothing.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.cross_validation import data, splits
from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from intemi import Project
from intemi.data import Data
from intemi.machines import (
    SVM,
    ClassificationTest,
    CVDistributor,
    ExternalTransformation,
    GaussianKernel,
    Grid,
    ParameterSearch,
    Repeater,
    Scheme,
    Standardization,
    Steps,
)
from intemi.query import Query

COLD, WARM, LOOP = "intemi, cold", "intemi, warm", "a loop that shares by hand"
PEERS = {
    "GridSearchCV": {"n_jobs": 1, "keeps": False},
    "GridSearchCV, n_jobs=2": {"n_jobs": 2, "keeps": False},
    "GridSearchCV, memory=": {"n_jobs": 1, "keeps": True},
    "GridSearchCV, n_jobs=2, memory=": {"n_jobs": 2, "keeps": True},
}


@dataclass(frozen=True)
class Sizes:
    """How many values of each parameter, how often cross-validation is repeated, and how often all is measured."""

    sigmas: int
    prices: int
    repetitions: int
    rounds: int


FULL = Sizes(sigmas=8, prices=7, repetitions=5, rounds=3)
QUICK = Sizes(sigmas=3, prices=2, repetitions=2, rounds=1)


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    rounds = [_measure_round(sizes, number) for number in range(sizes.rounds)]
    rows: list[list[str | float | None]] = [
        [
            who,
            median(each[who]["wall"] for each in rounds),
            median(each[who]["cpu"] for each in rounds) if rounds[0][who]["cpu"] else None,
            rounds[0][who]["best"] * 100,
        ]
        for who in rounds[0]
    ]
    title = f"Search among {sizes.sigmas * sizes.prices} candidates, {sizes.repetitions} × 2-fold cross-validation"
    print_table(f"{title}, median of {sizes.rounds} rounds", ["", "s", "CPU s", "best accuracy %"], rows)
    best_peer = median(min(each[peer]["wall"] for peer in PEERS) / each[COLD]["wall"] for each in rounds)
    warm = median(min(each[peer]["wall"] for peer in PEERS) / each[WARM]["wall"] for each in rounds)
    by_hand = median(each[COLD]["cpu"] / each[LOOP]["cpu"] for each in rounds)
    print(f"\nAgainst the best of scikit-learn: {best_peer:.2f} times faster cold, {warm:.0f} times warm.")
    targets = [
        Target("cold / the best of scikit-learn", 1 / best_peer, 1 / 1.4),
        Target("cold / the loop by hand, CPU time", by_hand, 1.2),
        Target("warm / the best of scikit-learn", 1 / warm, 0.01),
    ]
    print_targets(targets)
    return targets


def _measure_round(sizes: Sizes, number: int) -> dict[str, dict[str, float]]:
    asked = {"sigmas": sizes.sigmas, "prices": sizes.prices, "repetitions": sizes.repetitions}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "project"))
        note_progress(f"parameter search: round {number + 1}, intemi")
        found[COLD] = in_new_process(measure_ours, folder=path, **asked)
        found[WARM] = in_new_process(measure_ours, folder=path, **asked)
    note_progress(f"parameter search: round {number + 1}, by hand")
    found[LOOP] = in_new_process(measure_loop, **asked)
    for peer, options in PEERS.items():
        note_progress(f"parameter search: round {number + 1}, {peer}")
        found[peer] = in_new_process(measure_theirs, **asked, **options)
    return found


def values(sigmas: int, prices: int) -> tuple[list[float], list[float]]:
    """The widths and prices that are tried."""
    return [2.0 ** (-10 + 2 * step) for step in range(sigmas)], [2.0 ** (-1 + 2 * step) for step in range(prices)]


def search(sigmas: int, prices: int, repetitions: int) -> ParameterSearch:
    """What a user writes."""
    test = Scheme(training=Data, test=Data)
    standardized = test.add(Standardization(ddof=0), data=test.training)
    svm = test.add(SVM(kernel=GaussianKernel()), data=standardized.transformed, name="svm")
    other = test.add(ExternalTransformation(), data=test.test, transformation=standardized.transformation)
    test.add(ClassificationTest(), data=other.transformed, classifier=svm.classifier, name="svm test")
    return ParameterSearch(
        test=Repeater(CVDistributor(folds=2), test, repetitions, seed=1),
        scenario=Grid(
            Steps("test/svm.kernel.sigma", base=2.0, start=-12, step=2, count=sigmas),
            Steps("test/svm.C", base=2.0, start=-1, step=2, count=prices),
        ),
        objective=Query("test/svm test", "Accuracy").mean(),
    )


def _timed(action: Callable[[], float]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    best = action()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "best": best}


def measure_ours(sigmas: int, prices: int, repetitions: int, folder: str) -> dict[str, float]:
    """In a process of its own: the search through the engine, with the disk."""
    table = data()
    with tempfile.TemporaryDirectory() as other, Project(other) as project:  # loads what is loaded when it is needed
        project.run(search(1, 1, 1), data=project.given(table.select_rows(np.arange(0, len(table), 4))))

    def action() -> float:
        with Project(folder) as project:
            done = project.run(search(sigmas, prices, repetitions), data=project.given(table))
            return float(done.results["Objective"])

    return _timed(action)


def measure_loop(sigmas: int, prices: int, repetitions: int) -> dict[str, float]:
    """In a process of its own: everything shared by hand."""
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from threadpoolctl import threadpool_limits

    table = data()
    X, y = np.ascontiguousarray(table.features.T), table.classes
    divided = list(splits(table, repetitions, 2))
    SVC(kernel="precomputed").fit(np.eye(4), [0, 0, 1, 1])
    kernel = GaussianKernel()

    def action() -> float:
        accuracies: dict[tuple[float, float], list[float]] = {}
        for training, test in divided:
            scaler = StandardScaler().fit(X[training])
            known, others = scaler.transform(X[training]), scaler.transform(X[test])
            for sigma in values(sigmas, prices)[0]:
                width = kernel.replace("sigma", sigma)
                within, across = width.table(known), width.between(others, known)
                for price in values(sigmas, prices)[1]:
                    svc = SVC(C=price, kernel="precomputed").fit(within, y[training])
                    accuracies.setdefault((sigma, price), []).append(svc.score(across, y[test]))
        return float(max(np.mean(each) for each in accuracies.values()))

    with threadpool_limits(1):  # on more threads it takes twice the CPU time, and no less of the other
        return _timed(action)


def measure_theirs(sigmas: int, prices: int, repetitions: int, n_jobs: int, keeps: bool) -> dict[str, float]:
    """In a process of its own: GridSearchCV over a pipeline."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    table = data()
    X, y = np.ascontiguousarray(table.features.T), table.classes
    widths, costs = values(sigmas, prices)

    with tempfile.TemporaryDirectory() as folder:
        pipeline = Pipeline([("scale", StandardScaler()), ("svm", SVC())], memory=folder if keeps else None)
        fitted = partial(GridSearchCV, pipeline, n_jobs=n_jobs, refit=False)
        divided: Iterable[Any] = list(splits(table, repetitions, 2))
        fitted({"svm__gamma": [0.1, 1.0], "svm__C": [1.0]}, cv=2).fit(X[::4], y[::4])  # starts the workers

        def action() -> float:
            found = fitted({"svm__gamma": widths, "svm__C": costs}, cv=divided).fit(X, y)
            return float(found.best_score_)

        measured = _timed(action)
    return {**measured, "cpu": measured["cpu"] if n_jobs == 1 else 0.0}
