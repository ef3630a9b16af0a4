"""Strategies: what to test next, in the light of what was found. Searching is the business of `loop.search`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from intemi.kernel import Component, ConfigurationError
from intemi.machines.meta_learning.complexity import Complexity
from intemi.machines.meta_learning.flow import FlowRun
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.stop_rules import StopRule
from intemi.machines.meta_learning.task import Outcome, Task


@dataclass(frozen=True)
class Setting:
    """What a search begins with: the candidates, what is known of other data, and where random choices come from."""

    candidates: Sequence[Hashable] = ()
    knowledge: KnowledgeBase | None = None
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    expected: Callable[[Hashable], Complexity] | None = None
    """What the test of a candidate is expected to take."""
    flow: FlowRun | None = None
    """Where more candidates come from."""
    describe: Callable[[], Mapping[str, float]] | None = None
    """Gives the meta-features of the present data."""
    workers: int = 1
    """How many leaves can run at once."""

    def known_to(self, part: Component) -> KnowledgeBase:
        """The knowledge base; an error, for a part that needs one, if there is none."""
        if self.knowledge is None:
            raise ConfigurationError(f"{part.kind}: it needs a knowledge base, got none")
        return self.knowledge

    def every_candidate(self) -> list[Hashable]:
        """All candidates, for strategies that put them into an order beforehand."""
        more = [] if self.flow is None else self.flow.poll()
        return [*self.candidates, *(item.configuration for item in more)]


class Strategy(Component):
    """How to search. It is a configuration; `begin` gives a course, which has the state of one search."""

    @abstractmethod
    def begin(self, setting: Setting) -> Course:
        """The beginning of a search."""


class Course(ABC):
    """One search on its way: it hands out tasks, and learns what became of them."""

    def __init__(self, stop: Sequence[StopRule] = ()) -> None:
        self.finished: list[Task] = []
        """Every task that has ended, in the order in which they did; one that timed out may be there again."""
        self._stop = stop

    @abstractmethod
    def tasks(self) -> list[Task]:
        """Tasks to begin now. None is an answer, too, while others are running; if none is, the search is over."""

    def analyze(self, task: Task) -> None:
        """Take notice of a task that has ended. Subclasses that learn from it extend this."""
        self.finished.append(task)

    @property
    def should_stop(self) -> bool:
        """Whether it has found enough."""
        return any(rule.is_met(self.finished) for rule in self._stop)

    @property
    def ranking(self) -> list[Task]:
        """The tasks that finished, the best first, and the first of equal ones.

        What they took, or were expected to take, is not looked at: it depends on the computer.
        """
        done = [task for task in dict.fromkeys(self.finished) if task.outcome is Outcome.FINISHED]
        return sorted(done, key=lambda task: (-task.quality, task.number))
