"""Two samples drawn by the weights of rows: a tree is grown on the first and pruned by the second.

It is not one of `distributors`, since these keep training and test rows apart: here a row may be in both samples.
"""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Model
from intemi.machines.roles import Distributor


class TwoSamples(Distributor):
    """Draw two samples in proportion to the weights of rows, with replacement: one for growth, one for validation.

    Each has as many rows as the data, and they all weigh 1. It is for the `passes` of a validator: arc-x4 prunes its
    trees by a second sample. A row may be in both samples, so a fair test on the second one is refused.

    >>> from intemi.machines.loading import SklearnDataset
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> heavy = iris.with_weights(np.repeat([1.0, 1.0, 98.0], 50))
    >>> drawn = TwoSamples().run(heavy, np.random.default_rng(1)).outputs
    >>> [np.bincount(sample.classes).tolist() for sample in (*drawn["training"], *drawn["test"])]
    [[2, 0, 148], [0, 3, 147]]
    """

    def run(self, data: Data, rng: np.random.Generator) -> Model:
        if not len(data):
            raise ConfigurationError(f"{self.kind}: at least one row is needed, got none")
        size, weights = len(data), data.weights
        growth, validation = rng.choice(size, (2, size), p=weights / weights.sum())
        alike = data.with_weights(np.ones(size)) if data.is_weighted else data
        return Model(training=[alike.select_rows(growth)], test=[alike.select_rows(validation)])
