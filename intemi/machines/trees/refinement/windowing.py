"""Windowing: learn from a part of the rows, and add some of those that were not understood, as ID3 did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Input, Job, Machine, Model, Output, parameter
from intemi.machines.interfaces import Classifier, Codes
from intemi.machines.roles import Learner
from intemi.machines.trees.decision_tree import DecisionTree

GROWTH = 0.5
"""At most so many rows are added, as a share of those that are there."""


class FirstWindow(Machine):
    """Draw a share of the rows of each class, at least one of each."""

    data = Input(Data)
    window = Output(Data)
    rows = Output(np.ndarray)

    share: float = parameter(default=0.2, above=0, at_most=1)

    def run(self, data: Data, rng: np.random.Generator) -> Model:
        of_classes = [np.flatnonzero(data.classes == c) for c in range(len(data.labels))]
        drawn = [rng.choice(each, int(np.ceil(self.share * len(each))), replace=False) for each in of_classes]
        rows = np.sort(np.concatenate(drawn)).astype(np.int32)
        return Model(window=data.select_rows(rows), rows=rows)


class LargerWindow(Machine):
    """Add rows outside a window that a classifier gets wrong, drawn at random: up to half as many as are there.

    Results: the rows that were "Wrong", and those that were "Added".
    """

    data = Input(Data)
    before = Input(np.ndarray)
    classifier = Input(Classifier)
    window = Output(Data)
    rows = Output(np.ndarray)

    def run(self, data: Data, before: Codes, classifier: Classifier, rng: np.random.Generator) -> Model:
        outside = np.setdiff1d(np.flatnonzero(data.classes >= 0), before)
        rest = data.select_rows(outside)
        wrong = outside[classifier.classify(rest) != rest.classes]
        most = max(1, int(GROWTH * len(before)))
        added = wrong if len(wrong) <= most else rng.choice(wrong, most, replace=False)
        rows = np.union1d(before, added).astype(np.int32)
        results = {"Wrong": len(wrong), "Added": len(added)}
        return Model(window=data.select_rows(rows), rows=rows, results=results)


class Windowing(Learner):
    """Learn from a window, a `share` of the rows, and go on with some of the others that were wrong, till none is.

    It ends after `most` rounds at the latest. Where a few rows tell what is to be learned, that is less work. Results:
    "Rounds", and the rows in the last "Window".

    >>> from intemi.data import Column, Table
    >>> from intemi.kernel import Project
    >>> x, y = range(100), [0] * 30 + [1] * 40 + [0] * 30
    >>> data = Data(Table([Column("x")], [x], Column("class", ("A", "B")), y))
    >>> with Project() as project:
    ...     done = project.run(Windowing(share=0.1, seed=1), data=project.given(data))
    ...     print(done.outputs["tree"], done.results)
    x <= 69
    |   x <= 29.5: A (3)
    |   x > 29.5: B (8)
    x > 69: A (6) {'Rounds': 3, 'Window': 17}
    """

    random = True
    learner: Machine = parameter(default=DecisionTree(), role=Learner)
    share: float = parameter(default=0.2, above=0, at_most=1, search=(0.1, 0.2, 0.5))
    most: int = parameter(default=20, at_least=1)

    @property
    def outputs(self) -> Mapping[str, Output]:
        return self.learner.outputs

    def check(self) -> None:
        Learner.demand(self.learner, f"{self.kind}: learner")

    @property
    def uses_weights(self) -> bool:
        """Whether its learner does."""
        return getattr(self.learner, "uses_weights", False)

    async def run(self, job: Job, data: Any) -> Model:
        window, rounds = job.request(FirstWindow(self.share), data=data, name="window"), 0
        await window
        while True:
            learned = job.request(self.learner, data=window.window, name="learner")
            rounds += 1
            if rounds == self.most:
                break
            sources = {"data": data, "before": window.rows, "classifier": learned.classifier}
            larger = job.request(LargerWindow(), **sources, name="window")
            await larger
            if not larger.results["Added"]:
                break
            window = larger
        results = {"Rounds": rounds, "Window": len(job.load(window.rows))}
        return Model(results=results, **{name: getattr(learned, name) for name in self.outputs})
