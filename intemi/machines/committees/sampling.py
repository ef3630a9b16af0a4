"""Bootstrap samples: rows drawn by chance, with replacement, and the rows that were never drawn (out-of-bag)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, MultiInput, Output, parameter
from intemi.machines.committees.weights import Weights, shares_of
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Floats

Generator = np.random.Generator


class BootstrapSampler(Machine):
    """Draw a share of the rows, by default as many as there are, with replacement.

    With `weights` rows are drawn in proportion to them (roulette wheel); the sample then has no weights. Without, all
    rows are equally likely, and keep their weights. `left` are the rows that were never drawn; there may be none.

    >>> from intemi.machines.loading import SklearnDataset
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> drawn = BootstrapSampler().run(iris, (), np.random.default_rng(1)).outputs
    >>> len(drawn["sample"]), len(drawn["left"]), drawn["sample"].shares_rows(drawn["left"])
    (150, 56, False)
    """

    version = 2
    reads = Reads.NOTHING

    data = Input(Data)
    weights = MultiInput(Weights)
    sample = Output(Data)
    left = Output(Data)

    share: float = parameter(default=1.0, above=0, at_most=1, search=(0.25, 0.5, 0.75, 1.0))
    replace_rows: bool = True

    def run(self, data: Data, weights: Sequence[Weights], rng: Generator) -> Model:
        if not len(data):
            raise ConfigurationError(f"{self.kind}: at least one row is needed, got none")
        shares = shares_of(data, weights) if weights else np.full(len(data), 1 / len(data))
        count = max(1, round(self.share * len(data)))
        if self.replace_rows:
            drawn = roulette(shares, rng.random(count)) if weights else rng.integers(len(data), size=count)
        else:
            count = min(count, int(np.count_nonzero(shares)))
            drawn = rng.choice(len(data), count, replace=False, p=shares / shares.sum())
        sample = data.select_rows(drawn)
        if weights and data.is_weighted:
            sample = sample.with_weights(np.ones(len(sample)))
        return Model(sample=sample, left=data.select_rows(np.bincount(drawn, minlength=len(data)) == 0))


def roulette(shares: Floats, spins: Floats) -> NDArray[np.intp]:
    """The rows that spins of a wheel choose, on which each row has a slot as wide as its share; spins are 0 to 1.

    >>> roulette(np.array([0.5, 0.25, 0.25]), np.array([0.5, 0.51, 1.0])).tolist()
    [0, 1, 2]
    """
    edges = shares.cumsum()
    last = int(np.flatnonzero(shares)[-1])  # beyond the last edge, which rounding may leave a little below 1
    return np.asarray(np.minimum(np.searchsorted(edges, spins * edges[-1], side="left"), last))
