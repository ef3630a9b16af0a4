"""Bootstrap samples: rows drawn by chance, with replacement, and the rows that were never drawn (out-of-bag)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, MultiInput, MultiOutput, Output, parameter
from intemi.kernel.seeds import Seed
from intemi.machines.committees.weights import Weights, shares_of
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Floats

Generator = np.random.Generator
SAMPLES_AT_ONCE = 10
"""How many samples a machine draws: to draw one takes less time than to schedule a machine."""


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
        count = max(1, round(self.share * len(data)))
        if self.replace_rows and not weights:
            sample, left = drawn_with_replacement(data, count, rng)
            return Model(sample=sample, left=left)
        shares = shares_of(data, weights) if weights else np.full(len(data), 1 / len(data))
        if self.replace_rows:
            drawn = roulette(shares, rng.random(count))
        else:
            count = min(count, int(np.count_nonzero(shares)))
            drawn = rng.choice(len(data), count, replace=False, p=shares / shares.sum())
        sample, left = sample_and_left(data, drawn)
        if weights and data.is_weighted:
            sample = sample.with_weights(np.ones(len(sample)))
        return Model(sample=sample, left=left)


class BootstrapSamples(Machine):
    """Draw ten samples at once, those of members `first`, `first` + 1 and so on of a committee.

    Each is the one that `BootstrapSampler` draws on the branch of its member. So a sample depends on the number of the
    member, and neither on the size of the committee nor on what else is drawn at once.

    >>> from intemi.machines.loading import SklearnDataset
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> drawn = BootstrapSamples().run(iris, np.random.default_rng(1)).outputs
    >>> [len(left) for left in drawn["left"]][:3]
    [52, 54, 54]
    """

    reads = Reads.NOTHING

    data = Input(Data)
    samples = MultiOutput(Data)
    left = MultiOutput(Data)

    share: float = parameter(default=1.0, above=0, at_most=1, search=(0.25, 0.5, 0.75, 1.0))
    first: int = parameter(default=0, at_least=0)

    def generator(self, seed: Seed) -> Generator:
        """That of `BootstrapSampler`, so that the samples are the same."""
        return seed.generator(BootstrapSampler.registered_name)

    def run(self, data: Data, rng: Generator) -> Model:
        if not len(data):
            raise ConfigurationError(f"{self.kind}: at least one row is needed, got none")
        count = max(1, round(self.share * len(data)))
        members = range(self.first, self.first + SAMPLES_AT_ONCE)
        drawn = [drawn_with_replacement(data, count, on_branch(rng, member)) for member in members]
        samples, left = zip(*drawn, strict=True)
        return Model(samples=samples, left=left)


def on_branch(rng: Generator, number: int) -> Generator:
    """The generator of a branch of the seed that a fresh generator was made of."""
    seed = rng.bit_generator.seed_seq
    assert isinstance(seed, np.random.SeedSequence)
    return Generator(np.random.PCG64(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number))))


def drawn_with_replacement(data: Data, count: int, rng: Generator) -> tuple[Data, Data]:
    """A sample in which all rows are equally likely, and the rows that it lacks."""
    return sample_and_left(data, rng.integers(len(data), size=count))


def sample_and_left(data: Data, drawn: NDArray[np.intp]) -> tuple[Data, Data]:
    """The rows that were drawn, and those that never were."""
    return data.select_rows(drawn), data.select_rows(np.bincount(drawn, minlength=len(data)) == 0)


def roulette(shares: Floats, spins: Floats) -> NDArray[np.intp]:
    """The rows that spins of a wheel choose, on which each row has a slot as wide as its share; spins are 0 to 1.

    >>> roulette(np.array([0.5, 0.25, 0.25]), np.array([0.5, 0.51, 1.0])).tolist()
    [0, 1, 2]
    """
    edges = shares.cumsum()
    last = int(np.flatnonzero(shares)[-1])  # beyond the last edge, which rounding may leave a little below 1
    return np.asarray(np.minimum(np.searchsorted(edges, spins * edges[-1], side="left"), last))
