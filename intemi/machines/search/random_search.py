"""Random search: values drawn from distributions."""

from __future__ import annotations

import numpy as np

from intemi.kernel import parameter
from intemi.machines.search.candidate import Candidate
from intemi.machines.search.distributions import Distribution
from intemi.machines.search.scenario import Gathered, Proposals, Scenario


class RandomSearch(Gathered, Scenario):
    """Draw `count` times a value from each distribution. What is drawn again is not tried again.

    >>> from intemi.machines.search import Integers, LogUniform
    >>> scenario = RandomSearch(LogUniform("svm.C", 0.01, 100), Integers("pca.components", 2, 9), count=20)
    >>> len(scenario.begin(np.random.default_rng(1)).ask())
    20
    """

    random = True

    distributions: tuple[Distribution, ...]
    count: int = parameter(default=50, at_least=1)

    def __init__(self, *distributions: Distribution, count: int = 50) -> None:
        self._gather(distributions=distributions, count=count)

    def check(self) -> None:
        super().check()
        self.check_apart()

    def propose(self, rng: np.random.Generator) -> Proposals:
        yield [Candidate({each.path: each.draw(rng) for each in self.distributions}) for _ in range(self.count)]
