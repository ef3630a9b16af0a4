"""Active testing: test next what beat the best so far by most on data sets that agreed with the duels held here."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from intemi.kernel import parameter
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.orders import BestOnAverage, Order
from intemi.machines.meta_learning.scores import AccuracyScore
from intemi.machines.meta_learning.stop_rules import StopRule
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import Outcome, Task


class ActiveTesting(Strategy):
    """Hold one duel after another with the best candidate so far.

    The next candidate is the one whose advantage over the best, summed over data sets, is the largest. A data set
    counts as much as the share of duels that ended there as they did here.
    """

    start: Order = BestOnAverage(AccuracyScore())
    stop: tuple[StopRule, ...] = parameter(default=(), kw_only=True)

    def begin(self, setting: Setting) -> Course:
        return ActiveCourse(self, setting, setting.known_to(self))


class ActiveCourse(Course):
    """Hands out one candidate at a time."""

    def __init__(self, strategy: ActiveTesting, setting: Setting, knowledge: KnowledgeBase) -> None:
        super().__init__(strategy.stop)
        self._knowledge = knowledge
        self._waiting: dict[Hashable, None] = dict.fromkeys(strategy.start.ordered(setting))
        self._best: Task | None = None
        self._agreed = np.zeros(len(knowledge.data_sets))
        self._duels = 0
        self._is_running = False

    def tasks(self) -> list[Task]:
        if self._is_running or not self._waiting:
            return []
        candidate = next(iter(self._waiting)) if self._best is None else self._challenger(self._best.candidate)
        del self._waiting[candidate]
        self._is_running = True
        return [Task(candidate)]

    def _challenger(self, best: Hashable) -> Hashable:
        columns, accuracies = self._knowledge.columns, self._knowledge.accuracies
        known: list[Hashable] = [each for each in self._waiting if each in columns]
        if best not in columns or not known:
            return next(iter(self._waiting))
        gains = np.maximum(accuracies[:, self._knowledge.columns_of(known)] - accuracies[:, [columns[best]]], 0.0)
        similarity = self._agreed / self._duels if self._duels else np.ones(len(gains))
        return known[int(np.nansum(gains * similarity[:, None], axis=0).argmax())]

    def analyze(self, task: Task) -> None:
        super().analyze(task)
        self._is_running = False
        if task.outcome is not Outcome.FINISHED:
            return
        if self._best is None:
            self._best = task
            return
        has_won = task.quality > self._best.quality
        columns, accuracies = self._knowledge.columns, self._knowledge.accuracies
        if task.candidate in columns and self._best.candidate in columns:
            there = accuracies[:, columns[task.candidate]] > accuracies[:, columns[self._best.candidate]]
            self._agreed += there == has_won
            self._duels += 1
        if has_won:
            self._best = task
