"""Landmark search: test a few candidates, then all others in the order that is best on data sets with like results."""

from __future__ import annotations

from collections.abc import Hashable

from intemi.kernel import parameter
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.orders import Order, RandomOrder
from intemi.machines.meta_learning.profile import MIN_PROFILE, Profile
from intemi.machines.meta_learning.scores import PValueScore, Score
from intemi.machines.meta_learning.similarities import Nearest, Similarity
from intemi.machines.meta_learning.stop_rules import StopRule
from intemi.machines.meta_learning.strategy import Course, Setting, Strategy
from intemi.machines.meta_learning.task import Outcome, Task


class LandmarkSearch(Strategy):
    """Rank candidates once, by the data sets on which some landmarks did as they do here (the book's passive 5NN).

    The landmarks are the first candidates of the order `start`. They are tests like others. What is found later does
    not change the ranking; `ProfileSearch` ranks anew after each package.

    >>> from intemi.machines.meta_learning import AccuracyScore, GivenOrder, KnowledgeBase, replay
    >>> results = [[[0.9], [0.8], [0.7], [0.9]], [[0.9], [0.7], [0.6], [0.8]], [[0.6], [0.7], [0.9], [0.5]]]
    >>> base = KnowledgeBase(("a", "b", "c"), ("w", "x", "y", "z"), results)
    >>> search = LandmarkSearch(AccuracyScore(), Nearest(count=1), GivenOrder(), landmarks=2)
    >>> course, _ = replay(search, base, "a")
    >>> [task.candidate for task in course.finished]
    ['w', 'x', 'z', 'y']
    """

    score: Score = PValueScore()
    similarity: Similarity = Nearest()
    start: Order = RandomOrder()
    landmarks: int = parameter(default=5, at_least=MIN_PROFILE)
    stop: tuple[StopRule, ...] = parameter(default=(), kw_only=True)

    def begin(self, setting: Setting) -> Course:
        return LandmarkCourse(self, setting, setting.known_to(self))


class LandmarkCourse(Course):
    """Hands out the landmarks, and all others when these have ended."""

    def __init__(self, strategy: LandmarkSearch, setting: Setting, knowledge: KnowledgeBase) -> None:
        super().__init__(strategy.stop)
        order = strategy.start.ordered(setting)
        self._landmarks, self._others = order[: strategy.landmarks], order[strategy.landmarks :]
        self._profile = Profile(knowledge, strategy.similarity, strategy.score)
        self._running = 0

    def tasks(self) -> list[Task]:
        if self._running:
            return []
        if self._landmarks:
            handed_out, self._landmarks = self._landmarks, []
        else:
            handed_out, self._others = self._profile.ranking(self._others) or self._others, []
        self._running = len(handed_out)
        return _in_order(handed_out)

    def analyze(self, task: Task) -> None:
        super().analyze(task)
        self._running -= 1
        if task.outcome is Outcome.FINISHED:
            self._profile.register(task.candidate, task.quality)


def _in_order(candidates: list[Hashable]) -> list[Task]:
    return [Task(candidate, priority=-float(place)) for place, candidate in enumerate(candidates)]
