"""Weights: a distribution over the rows of data, as a value that machines pass on, and data that have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, MultiInput, Output, storable
from intemi.machines.committees.decision_rules import EQUAL
from intemi.machines.decoded import expect, expect_floats
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Floats


@storable
@dataclass(frozen=True, eq=False)
class Weights:
    """How much each row of some data counts, as shares that add up to 1, and what the maker has to remember."""

    shares: Floats
    step: int = 1
    """Which step of boosting they are for, counted from the last time they were all equal."""
    memory: Floats | None = None
    """What an update rule remembers beside the shares: a row for each row of the data."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        expect_floats(self.shares, None)
        expect(type(self.step) is int and self.step >= 1, "steps are counted from 1")
        if self.memory is not None:
            expect(self.memory.ndim in (1, 2) and len(self.memory) == len(self.shares), "memory is of rows")


def shares_of(data: Data, weights: Sequence[Weights]) -> Floats:
    """The distribution over rows: the given one or, if there is none, that of the data's own weights."""
    if not weights:
        own = data.weights
        return np.asarray(own / own.sum())
    if len(weights[0].shares) != len(data):
        raise ConfigurationError(f"weights must be one for each of {len(data)} rows, got {len(weights[0].shares)}")
    return weights[0].shares


class Reweighted(Machine):
    """Data with other weights, which add up to what those of the data did, so that least sizes keep their meaning.

    Rows that weigh nothing are left out. Without `weights`, and with equal ones, data stay as they are.

    >>> from intemi.machines.loading import SklearnDataset
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> last = Weights(np.repeat([0.0, 0.0, 0.02], 50))
    >>> heavy = Reweighted().run(iris, [last]).outputs["weighted"]
    >>> len(heavy), heavy.weights.sum().round(6)
    (50, np.float64(150.0))
    """

    reads = Reads.NOTHING
    keeps_rows = True

    data = Input(Data)
    weights = MultiInput(Weights)
    weighted = Output(Data)

    def run(self, data: Data, weights: Sequence[Weights]) -> Model:
        return Model(weighted=reweighted(data, weights))


def reweighted(data: Data, weights: Sequence[Weights]) -> Data:
    """Data with the weights of a distribution over their rows."""
    if not weights:
        return data
    shares, own = shares_of(data, weights), data.weights
    scaled = shares * (own.sum() / shares.sum())
    return data if (np.abs(scaled - own) <= EQUAL * own).all() else data.with_weights(scaled)
