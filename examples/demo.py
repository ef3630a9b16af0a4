"""The demonstration: 10 x 10-fold cross-validation of two learners, asked for three times and computed once.

Everything a user would write is here: five small machines, how they connect, and what is asked for.
"""

from __future__ import annotations

import tempfile
import time
from typing import Any

import numpy as np

from intemi import Capsule, Input, Machine, Model, MultiOutput, Output, Project, parameter
from intemi.machines import Repeater, Scheme

Array = np.ndarray[Any, Any]


class Blobs(Machine):
    """Two clouds of points in the plane; the last column is the class."""

    data = Output(np.ndarray)
    size: int = parameter(default=600, at_least=2)

    def run(self, rng: np.random.Generator) -> Model:
        classes = rng.integers(0, 2, self.size)
        points = rng.normal(size=(self.size, 2)) + 1.2 * classes[:, None]
        return Model(data=np.column_stack([points, classes]))


class Folds(Machine):
    """Split the rows at random into so many parts, each a test set once."""

    data = Input(np.ndarray)
    training = MultiOutput(np.ndarray)
    test = MultiOutput(np.ndarray)
    folds: int = parameter(default=10, at_least=2)

    def run(self, data: Array, rng: np.random.Generator) -> Model:
        fold = rng.permutation(len(data)) % self.folds
        return Model(
            training=[data[fold != index] for index in range(self.folds)],
            test=[data[fold == index] for index in range(self.folds)],
        )


class NearestMeans(Machine):
    """Each class is its mean."""

    data = Input(np.ndarray)
    prototypes = Output(np.ndarray)

    def run(self, data: Array) -> Model:
        return Model(prototypes=np.array([data[data[:, -1] == label].mean(axis=0) for label in (0, 1)]))


class NearestNeighbors(Machine):
    """Each class is its rows; `k` of them are asked."""

    data = Input(np.ndarray)
    prototypes = Output(np.ndarray)

    def run(self, data: Array) -> Model:
        return Model(prototypes=data)


class Accuracy(Machine):
    """The share of rows whose class is that of most of their k nearest prototypes."""

    data = Input(np.ndarray)
    prototypes = Input(np.ndarray)
    k: int = parameter(default=1, at_least=1)

    def run(self, data: Array, prototypes: Array) -> Model:
        distances = ((data[:, None, :-1] - prototypes[None, :, :-1]) ** 2).sum(axis=2)
        nearest = np.argsort(distances, axis=1, kind="stable")[:, : self.k]
        answer = prototypes[nearest, -1].mean(axis=1) > 0.5
        return Model(results={"Accuracy": float((answer == data[:, -1]).mean())})


def experiment(*neighbors: int, repetitions: int = 10) -> Repeater:
    """Cross-validate nearest means and nearest neighbours, for several numbers of neighbours."""
    split = Scheme(data=np.ndarray)
    folds = split.add(Folds(), data=split.data)
    split.expose(training=folds.training, test=folds.test)

    test = Scheme(training=np.ndarray, test=np.ndarray)
    means = test.add(NearestMeans(), data=test.training)
    knn = test.add(NearestNeighbors(), data=test.training)
    test.add(Accuracy(), data=test.test, prototypes=means.prototypes, name="means")
    for k in neighbors:
        test.add(Accuracy(k=k), data=test.test, prototypes=knn.prototypes, name=f"{k} neighbours")
    return Repeater(distributor=split, test=test, repetitions=repetitions, seed=1)


def table(capsule: Capsule) -> str:
    """Mean and deviation of the accuracy of each test over all folds."""
    accuracies: dict[str, list[float]] = {}
    for test in capsule.children:
        for machine in test.children:
            if test.name == "test" and "Accuracy" in machine.results:
                accuracies.setdefault(machine.name, []).append(machine.results["Accuracy"])
    lines = [f"  {name:14} {np.mean(each):.4f} ± {np.std(each):.4f}" for name, each in accuracies.items()]
    return "\n".join(lines)


def ask(folder: str, title: str, config: Repeater) -> None:
    """Ask for an experiment in a project of its own, as another program would, and say what it cost."""
    started = time.perf_counter()
    with Project(folder) as project:
        data = project.request(Blobs())
        answer = project.run(config, data=data.data)
        seconds = time.perf_counter() - started
        counts = project.counts()
        print(f"{title}: {seconds:.2f} s, {counts.logical.total():,} machines, {counts.physical.total():,} of them run")
        print(table(answer))


def main() -> None:
    """Ask three times."""
    with tempfile.TemporaryDirectory() as folder:
        ask(folder, "10 x 10-fold cross-validation", experiment(1, 5))
        ask(folder, "The same, asked again by another program", experiment(1, 5))
        ask(folder, "With one more learner", experiment(1, 5, 15))


if __name__ == "__main__":
    main()
