"""What every scenario is, and two ways of holding paths that scenarios share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from intemi.kernel import Component, ConfigurationError
from intemi.machines.search.candidate import Candidate, check_paths
from intemi.machines.search.errors import ScenarioError
from intemi.machines.search.session import Search

if TYPE_CHECKING:
    _Base = Component
else:
    _Base = object

Proposals = Generator[Sequence[Candidate], Sequence[float], Any]
"""Yields batches of candidates, and gets the objectives of each batch in its order; a failed one's is -inf."""


class Scenario(Component):
    """Which values of which parameters to try. Subclasses write `propose`, `paths` and `at`; those that draw say
    `random = True`.

    Objectives are better the larger they are; of equal ones the candidate that was asked first is the best.

    >>> class Halving(AtPath, Scenario):
    ...     path: str
    ...     start: float
    ...     def propose(self, rng):
    ...         value, best, objective = self.start, float("-inf"), float("-inf")
    ...         while objective >= best:
    ...             best = objective
    ...             [objective] = yield [Candidate({self.path: value})]
    ...             value /= 2
    >>> search = Halving("C", 8.0).begin()
    >>> while batch := search.ask():
    ...     for candidate in batch:
    ...         search.tell(candidate, -abs(candidate["C"] - 2))
    >>> search.best
    Candidate({'C': 2.0})
    >>> len(search.told)
    4
    """

    @abstractmethod
    def propose(self, rng: np.random.Generator) -> Proposals:
        """Yield batches of candidates that do not depend on further feedback; each `yield` answers with objectives.

        A candidate may be proposed again: it is not asked for again, and has the objective that it had.
        """

    @property
    @abstractmethod
    def paths(self) -> tuple[str, ...]:
        """The paths of everything that it changes."""

    @abstractmethod
    def at(self, place: str) -> Self:
        """The same scenario for a part at that place: it goes before every path."""

    def begin(self, rng: np.random.Generator | None = None) -> Search:
        """A new search. Only a scenario that draws needs a generator."""
        if rng is None:
            if self.is_random:
                raise ScenarioError(f"{self.kind}: it draws, so begin needs a numpy Generator, got None")
            rng = np.random.default_rng(0)
        return Search(self.propose(rng))


class AtPath(_Base):
    """A part of what is about one parameter, which it calls `path`."""

    path: str

    @property
    def paths(self) -> tuple[str, ...]:
        """The path, alone."""
        return (self.path,)

    @property
    def alternatives(self) -> Sequence[Any]:
        """All values that it may put there, if they are known beforehand."""
        return ()

    def at(self, place: str) -> Self:
        """The same for a part at that place."""
        return self.with_part("path", f"{place}.{self.path}")

    def check(self) -> None:
        check_paths(self.kind, self.paths)


class Gathered(_Base):
    """A part of what is made of others, given one after another: its first parameter is the tuple of them."""

    def _gather(self, **parameters: Any) -> None:
        self.__dict__.update(parameters)
        self.__post_init__()

    @property
    def gathered(self) -> tuple[Any, ...]:
        """What it is made of."""
        parts: tuple[Any, ...] = self.part(self.parameter_names()[0])
        return parts

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all of them, each once."""
        return tuple(dict.fromkeys(path for part in self.gathered for path in part.paths))

    def at(self, place: str) -> Self:
        """The same for a part at that place."""
        return self.with_part(self.parameter_names()[0], tuple(part.at(place) for part in self.gathered))

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        cls.check_names(parameters)
        options = dict(parameters)
        return cls(*options.pop(cls.parameter_names()[0], ()), **options)

    def check(self) -> None:
        if not self.gathered:
            raise ConfigurationError(f"{self.kind}: {self.parameter_names()[0]} must be at least one, got none")

    def check_apart(self) -> None:
        """Refuse parts that are about the same parameter."""
        check_paths(self.kind, [path for part in self.gathered for path in part.paths])

    def __repr__(self) -> str:
        options = [f"{name}={self.part(name)!r}" for name in self.parameter_names()[1:]]
        return f"{self.kind}({', '.join([*map(repr, self.gathered), *options])})"
