"""Passive search: test candidates in an order that is settled beforehand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from intemi.kernel import parameter
from intemi.machines.meta_learning.orders import BestOnAverage, Order
from intemi.machines.meta_learning.stop_rules import StopRule
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import Task


class PassiveSearch(Strategy):
    """Test all candidates in an order that results do not change; what is found is a validated ranking.

    With `RandomOrder()` it is random search.
    """

    order: Order = BestOnAverage()
    stop: tuple[StopRule, ...] = parameter(default=(), kw_only=True)

    def begin(self, setting: Setting) -> Course:
        return PassiveCourse(self.order.ordered(setting), self.stop)


class PassiveCourse(Course):
    """Hands out all candidates at once; their priorities say which is first."""

    def __init__(self, order: Sequence[Hashable], stop: Sequence[StopRule] = ()) -> None:
        super().__init__(stop)
        self._waiting = list(order)

    def tasks(self) -> list[Task]:
        fresh = [Task(candidate, priority=-float(place)) for place, candidate in enumerate(self._waiting)]
        self._waiting = []
        return fresh
