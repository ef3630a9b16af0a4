"""Folds inside training data, as many as the classes allow."""

from __future__ import annotations

from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Job, Model, parameter
from intemi.machines.distributors import CVDistributor
from intemi.machines.roles import Distributor


class InnerFolds(Distributor):
    """Cross-validation inside training data: `folds` of them, but no more than the smallest class has rows, at least 2.

    Where a class has a single row, folds are not stratified. Folds are those of `CVDistributor`, so whatever is trained
    on them is shared with all that validate by it.

    >>> InnerFolds(folds=1)
    Traceback (most recent call last):
    ...
    intemi.kernel.errors.ConfigurationError: InnerFolds: folds must be at least 2, got 1
    """

    random = True

    folds: int = parameter(default=10, at_least=2)

    async def run(self, job: Job, data: Any) -> Model:
        parts = job.request(self.fitting(job.load(data)), data=data, name="folds")
        await parts
        return Model(training=parts.training, test=parts.test)

    def fitting(self, data: Data) -> CVDistributor:
        """The distributor for some data."""
        known = data.classes[data.classes >= 0]
        smallest = min(np.unique(known, return_counts=True)[1].tolist(), default=0)
        folds = max(2, min(self.folds, smallest, len(np.unique(data.origins))))
        return CVDistributor(folds=folds, stratified=smallest > 1)
