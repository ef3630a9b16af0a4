"""Noise: weights drawn by chance, for wagging."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from intemi.data import Data
from intemi.kernel import Component, Input, Machine, Model, Output, parameter
from intemi.machines.committees.weights import Weights
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Floats

Generator = np.random.Generator


class Noise(Component):
    """A distribution of what is added to the weights of rows."""

    @abstractmethod
    def drawn(self, count: int, rng: Generator) -> Floats:
        """So many numbers."""


class GaussianNoise(Noise):
    """Normal noise of mean 0 and a standard deviation; the larger it is, the fewer rows are left.

    >>> GaussianNoise(sd=1).drawn(2, np.random.default_rng(0)).round(3).tolist()
    [0.126, -0.132]
    """

    sd: float = parameter(default=2.0, at_least=0, search=(0.5, 1.0, 2.0, 4.0))

    def drawn(self, count: int, rng: Generator) -> Floats:
        return rng.normal(0.0, self.sd, count)


class NoiseWeights(Machine):
    """Weights of 1 with noise; what falls below 0 is 0, and if all does, the noise is drawn again.

    >>> from intemi.machines.loading import SklearnDataset
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> weights = NoiseWeights().run(iris, np.random.default_rng(0)).outputs["weights"]
    >>> (weights.shares == 0).mean().round(2)
    np.float64(0.31)
    """

    reads = Reads.NOTHING

    data = Input(Data)
    weights = Output(Weights)

    noise: Noise = GaussianNoise()

    def run(self, data: Data, rng: Generator) -> Model:
        own = data.weights
        while True:
            drawn = own * np.maximum(0.0, 1.0 + self.noise.drawn(len(data), rng))
            if drawn.any():
                return Model(weights=Weights(drawn / drawn.sum()))
