"""Profile search: test what worked on data sets on which the machines tested so far did as they do here."""

from __future__ import annotations

import heapq
from collections.abc import Hashable

from intemi.kernel import parameter
from intemi.machines.meta_learning.deadlock_guard import DeadlockGuard
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.orders import BestOnAverage, Order
from intemi.machines.meta_learning.profile import Eviction, KeepDiverse, Profile
from intemi.machines.meta_learning.scores import PValueScore, Score
from intemi.machines.meta_learning.similarities import Pearson, Similarity
from intemi.machines.meta_learning.stop_rules import StopRule
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import Outcome, Task


class ProfileSearch(Strategy):
    """Rank candidates anew after each package of tests, by data sets with similar results (the book's PBML).

    Results of tested machines on the present data are a profile. Data sets of the knowledge base whose results of the
    same machines are similar say which candidates are promising: those with the best weighted mean `score`. Before
    there is a profile, candidates are tested in the order `start`.
    """

    score: Score = PValueScore()
    similarity: Similarity = Pearson()
    start: Order = BestOnAverage()
    package: int = parameter(default=5, at_least=1)
    """How many candidates are tested before they are ranked anew."""
    max_profile: int | None = parameter(default=None, at_least=2)
    eviction: Eviction = KeepDiverse()
    ranking_size: int | None = parameter(default=None, at_least=1)
    """How many candidates of a ranking are queued; None for all. Those of earlier rankings follow them."""
    stale_limit: int = parameter(default=3, at_least=1, kw_only=True)
    """After how many packages without a change of a bounded profile the newest results have to enter it."""
    rollback_after: int = parameter(default=3, at_least=1, kw_only=True)
    """After how many weak packages in a row a bounded profile goes back to the one that was followed by the best."""
    stop: tuple[StopRule, ...] = parameter(default=(), kw_only=True)

    def begin(self, setting: Setting) -> Course:
        return ProfileCourse(self, setting, setting.known_to(self))


class ProfileCourse(Course):
    """Hands out packages from a queue, to which each new ranking is added before the older ones."""

    def __init__(self, strategy: ProfileSearch, setting: Setting, knowledge: KnowledgeBase) -> None:
        super().__init__(strategy.stop)
        self._strategy = strategy
        self._initial = strategy.start.ordered(setting)
        self._profile = Profile(knowledge, strategy.similarity, strategy.score, strategy.max_profile, strategy.eviction)
        self._guard = DeadlockGuard(self._profile, strategy.stale_limit, strategy.rollback_after)
        self._package: list[tuple[Hashable, float]] = []
        self._ranking = self._initial
        self._queue: list[tuple[float, Hashable]] = []
        self._handed_out: set[Hashable] = set()
        self._running = 0
        self._step = 0

    def tasks(self) -> list[Task]:
        if self._running:
            return []
        if self._strategy.max_profile is not None:
            self._guard.look_at(self._package)
        self._package = []
        if not self._step or self._profile.has_changed:
            self._ranking = self._profile.ranking(self._initial) or self._ranking
            self._enqueue(self._ranking[: self._strategy.ranking_size])
        package: list[Hashable] = []
        while self._queue and len(package) < self._strategy.package:
            candidate = heapq.heappop(self._queue)[1]
            if candidate not in self._handed_out:  # else it is left from an earlier ranking
                self._handed_out.add(candidate)
                package.append(candidate)
        self._running = len(package)
        self._step += 1
        return [Task(candidate, priority=-float(place)) for place, candidate in enumerate(package)]

    def _enqueue(self, ranking: list[Hashable]) -> None:
        """Queue a ranking: its last place comes before the first of any earlier ranking."""
        for place, candidate in enumerate(ranking):
            if candidate not in self._handed_out:
                key = self._step + (len(ranking) - place) / len(ranking)
                heapq.heappush(self._queue, (-key, candidate))

    def analyze(self, task: Task) -> None:
        super().analyze(task)
        self._running -= 1
        if task.outcome is Outcome.FINISHED:
            self._profile.register(task.candidate, task.quality)
            self._package.append((task.candidate, task.quality))
