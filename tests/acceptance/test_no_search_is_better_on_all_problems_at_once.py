"""No free lunch: over all functions of three points with two values, all searches that visit no point twice find the
same values equally often, after one, two and three tests.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np

from intemi.machines.meta_learning import Course, KnowledgeBase, Setting, Strategy, Task, replay

POINTS = (0, 1, 2)
FUNCTIONS = list(product((0.0, 1.0), repeat=len(POINTS)))
BASE = KnowledgeBase(tuple(map(str, FUNCTIONS)), POINTS, np.array(FUNCTIONS)[:, :, None])


class Deterministic(Strategy):
    """Begins with a point; its value says which of the other two comes next."""

    first: int
    after_low: bool
    after_high: bool
    """Whether the point with the higher number is the next."""

    def begin(self, setting: Setting) -> Course:
        return _Course(self)


class _Course(Course):
    def __init__(self, strategy: Deterministic) -> None:
        super().__init__()
        self._strategy = strategy

    def tasks(self) -> list[Task]:
        left = [point for point in POINTS if point not in [task.candidate for task in self.finished]]
        if len(left) == 3:
            return [Task(self._strategy.first)]
        if len(left) == 2:
            is_high = self.finished[0].quality == 1.0
            takes_last = self._strategy.after_high if is_high else self._strategy.after_low
            return [Task(left[takes_last])]
        return [Task(point) for point in left]


def test_all_searches_find_the_same_values_equally_often() -> None:
    searches = [Deterministic(*choice) for choice in product(POINTS, (False, True), (False, True))]
    assert len(searches) == 12
    for tests in (1, 2, 3):
        histograms = []
        for strategy in searches:
            courses = [replay(strategy, BASE, name)[0] for name in BASE.data_sets]
            histograms.append(Counter(tuple(task.quality for task in course.finished[:tests]) for course in courses))
        assert all(histogram == histograms[0] for histogram in histograms)
        assert histograms[0].total() == len(FUNCTIONS)
