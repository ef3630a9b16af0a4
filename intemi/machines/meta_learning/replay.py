"""Replay: a search on results that are on record, at no cost. Strategies cannot tell the difference."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence

import numpy as np

from intemi.machines.meta_learning.complexity import Complexity
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.loop import Reason, search
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import Outcome, Task


class ReplayRunner:
    """Answers tests with what is known of one data set. Its clock advances by what a test took, or by 1 for each.

    A candidate without a result on record has failed. One that took longer than its limit has timed out.
    """

    def __init__(self, knowledge: KnowledgeBase, data_set: str) -> None:
        self._columns = knowledge.columns
        row = knowledge.data_sets.index(data_set)
        self._results = knowledge.results[row]
        self._seconds = np.ones(len(knowledge.configurations)) if knowledge.seconds is None else knowledge.seconds[row]
        self._ended = 0
        self.now = 0.0

    def start(self, tasks: Sequence[Task]) -> None:
        """Nothing runs before it is waited for."""
        for task in tasks:
            task.outcome = Outcome.WAITING

    async def wait(self, tasks: Collection[Task], deadline: float | None) -> Task | None:
        """The task of the highest priority, of equal ones the first; None if it would end after the deadline."""
        task = max(tasks, key=lambda task: task.priority)
        column = self._columns.get(task.candidate)
        results = None if column is None else self._results[column]
        is_known = results is not None and not np.isnan(results).all()
        cost = float(self._seconds[column]) if is_known and column is not None else 0.0
        is_late = task.limit is not None and cost > task.limit
        spent = task.limit if is_late and task.limit is not None else cost
        if deadline is not None and self.now + spent > deadline:
            self.now = deadline
            return None
        self.now += spent
        self._ended += 1
        task.seconds += spent
        task.finished = self._ended
        task.outcome = Outcome.FAILED if not is_known else Outcome.TIMED_OUT if is_late else Outcome.FINISHED
        if task.outcome is Outcome.FINISHED and results is not None:
            task.results = results[~np.isnan(results)].astype(np.float64)
        return task

    def stop(self, tasks: Collection[Task]) -> None:
        """Nothing is running."""


def replay(
    strategy: Strategy,
    knowledge: KnowledgeBase,
    data_set: str,
    *,
    unknown: Sequence[str] = (),
    candidates: Sequence[Hashable] | None = None,
    seed: int = 0,
    deadline: float | None = None,
    expected: Callable[[Hashable], Complexity] | None = None,
) -> tuple[Course, Reason]:
    """Search for the best candidate on one data set of a knowledge base, knowing only the other ones.

    `unknown`: data sets that are to be left out as well, such as other versions of the same data. Candidates are all
    configurations unless they are given. `expected` is what a test is expected to take.

    >>> from intemi.machines.meta_learning import PassiveSearch
    >>> base = KnowledgeBase(("iris", "wine"), ("knn", "tree"), [[[0.9, 1.0], [0.8, 0.9]], [[0.7, 0.8], [0.9, 0.9]]])
    >>> course, reason = replay(PassiveSearch(), base, "iris")
    >>> [task.candidate for task in course.finished], course.ranking[0].candidate, reason.value
    (['tree', 'knn'], 'knn', 'nothing is left to test')
    """
    known, description = knowledge.without(data_set, *unknown), knowledge.description_of(data_set)
    describe = None if description is None else lambda: description
    rng = np.random.default_rng(seed)
    setting = Setting(candidates or knowledge.configurations, known, rng, expected, describe=describe)
    course = strategy.begin(setting)
    return course, _run_through(search(course, ReplayRunner(knowledge, data_set), deadline))


def _run_through(coroutine: object) -> Reason:
    """The answer of a coroutine that never has to wait."""
    try:
        coroutine.send(None)  # type: ignore[attr-defined]
    except StopIteration as answer:
        reason: Reason = answer.value
        return reason
    raise AssertionError("a replay never waits")
