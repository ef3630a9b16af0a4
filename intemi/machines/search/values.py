"""Given values of one parameter, and none of any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from intemi.kernel import ConfigurationError
from intemi.machines.search.candidate import Candidate
from intemi.machines.search.scenario import AtPath, Proposals, Scenario


class Values(AtPath, Scenario):
    """Each of some values, in the order given: what the book calls a set. They may be components.

    >>> from intemi.machines.classifiers import GaussianKernel, LinearKernel
    >>> Values("svm.kernel", [LinearKernel(), GaussianKernel()]).begin().ask()
    [Candidate({'svm.kernel': LinearKernel()}), Candidate({'svm.kernel': GaussianKernel(sigma=None)})]
    """

    path: str
    values: Sequence[Any]

    @property
    def alternatives(self) -> Sequence[Any]:
        return self.values

    def check(self) -> None:
        super().check()
        if not self.values:
            raise ConfigurationError("Values: values must be at least one, got none")

    def propose(self, rng: np.random.Generator) -> Proposals:
        yield [Candidate({self.path: value}) for value in self.values]


class Unchanged(Scenario):
    """Nothing to try: the configuration as it is, alone. A search that has to choose nothing runs no test for it.

    >>> Unchanged().begin().ask()
    [Candidate({})]
    """

    @property
    def paths(self) -> tuple[str, ...]:
        return ()

    def at(self, place: str) -> Self:
        return self

    def propose(self, rng: np.random.Generator) -> Proposals:
        yield [Candidate()]
