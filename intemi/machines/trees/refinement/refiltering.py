"""Iterative refiltering: learn again without the rows that were misclassified, as robust C4.5 does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Input, Job, Machine, Model, Output, parameter
from intemi.machines.interfaces import Classifier
from intemi.machines.roles import Learner
from intemi.machines.trees.decision_tree import DecisionTree


class RightRows(Machine):
    """Leave out the rows that a classifier gets wrong. Results: "Removed" rows, "Left" rows and their "Classes"."""

    data = Input(Data)
    classifier = Input(Classifier)
    right = Output(Data)

    def run(self, data: Data, classifier: Classifier) -> Model:
        wrong = (classifier.classify(data) != data.classes) & (data.classes >= 0)
        right = data if not wrong.any() else data.select_rows(~wrong)
        known = right.classes[right.classes >= 0]
        results = {"Removed": int(wrong.sum()), "Left": len(right), "Classes": len(np.unique(known))}
        return Model(right=right, results=results)


class Refiltering(Learner):
    """Learn, leave out the rows that were learned wrong, and learn again, until all that are left are right.

    The learner has to generalise, by pruning or by stopping early: one that learns all rows by heart leaves none out.
    It also ends before fewer than `least` rows would be left (twice the number of classes, unless it is told), or rows
    of one class only. Results: "Rounds", and "Removed" rows.

    >>> from intemi.data import Column, Table
    >>> from intemi.kernel import Project
    >>> from intemi.machines.trees import MaxDepth
    >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 0, 0, 1, 1, 0, 1]
    >>> data = Data(Table([Column("x")], [x], Column("class", ("A", "B")), y))
    >>> with Project() as project:
    ...     done = project.run(Refiltering(DecisionTree(stop=MaxDepth(depth=2))), data=project.given(data))
    ...     print(done.outputs["tree"], done.results)
    x <= 4.5: A (3)
    x > 4.5: B (3) {'Rounds': 2, 'Removed': 2}
    """

    learner: Machine = parameter(default=DecisionTree(), role=Learner)
    most: int = parameter(default=50, at_least=1, search=(2, 5, 50))
    least: int | None = parameter(default=None, at_least=1)

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
        rounds, removed = 0, 0
        while True:
            learned = job.request(self.learner, data=data, name="learner")
            rounds += 1
            if rounds == self.most:
                break
            filtered = job.request(RightRows(), data=data, classifier=learned.classifier, name="rows")
            await filtered
            found = filtered.results
            least = self.least or 2 * len(job.load(learned.classifier).labels)
            if not found["Removed"] or found["Left"] < least or found["Classes"] < 2:
                break
            removed, data = removed + found["Removed"], filtered.right
        results = {"Rounds": rounds, "Removed": removed}
        return Model(results=results, **{name: getattr(learned, name) for name in self.outputs})
