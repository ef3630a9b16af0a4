"""Attractiveness by what candidates consist of: parts that did well, and what resembles what did badly."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from functools import lru_cache

import numpy as np

from intemi.kernel import Component, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.attractiveness import (
    BETA,
    Attractiveness,
    Candidate,
    Judgement,
    Neutral,
    bounded,
)
from intemi.machines.meta_learning.strategy import Setting
from intemi.machines.meta_learning.task import Task
from intemi.machines.search.defaults import parts_of

GROWTH = 1.1
"""By how many times more tests must have finished before scores are computed anew."""

Features = frozenset[Hashable]


@lru_cache(maxsize=2**14)
def features_of(configuration: Hashable) -> Features:
    """What a configuration consists of: kinds of parts and their parameters, numbers by their powers of two.

    >>> from intemi.machines import KNN
    >>> sorted(map(str, features_of(KNN(k=5)) - features_of(KNN(k=50))))
    ["('KNN', 'k', '2 ** 2')"]
    """
    return frozenset(_features(configuration))


def _features(configuration: Hashable) -> Iterator[Hashable]:
    if not isinstance(configuration, Component):
        yield configuration
        return
    for _, part in parts_of(configuration):
        yield part.kind
        for name, value in part.parameters().items():
            if isinstance(value, bool | str | int | float) or value is None:
                yield part.kind, name, _bin(value)


def _bin(value: bool | str | float | None) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not value or not math.isfinite(value):  # type: ignore[arg-type]
        return repr(value)
    return f"{'-' if value < 0 else ''}2 ** {math.floor(math.log2(abs(value)))}"  # type: ignore[operator, arg-type]


class ComponentCredit(Attractiveness):
    """Parts of candidates that were better than others are trusted more, wherever they are.

    Quality, in standard units, is predicted by ridge regression on what candidates consist of; a factor is exp(beta
    prediction).
    """

    beta: float = parameter(default=BETA, at_least=0)
    ridge: float = parameter(default=1.0, above=0)

    def begin(self, setting: Setting) -> Judgement:
        return _Regression(self)


class _Regression(Judgement):
    def __init__(self, module: ComponentCredit) -> None:
        self._module = module
        self._features: list[Features] = []
        self._qualities: list[float] = []
        self._weights: dict[Hashable, float] = {}
        self._next = 4.0

    def score(self, candidate: Candidate) -> float:
        if not self._weights:
            return 1.0
        predicted = sum(self._weights.get(each, 0.0) for each in features_of(candidate.configuration))
        return bounded(math.exp(self._module.beta * predicted))

    def analyze(self, candidate: Candidate, task: Task) -> bool:
        self._features.append(features_of(candidate.configuration))
        self._qualities.append(task.quality)
        if len(self._qualities) < self._next:
            return False
        self._next = GROWTH * len(self._qualities)
        self._weights = _ridge(self._features, np.array(self._qualities), self._module.ridge)
        return True


def _ridge(features: list[Features], qualities: Floats, ridge: float) -> dict[Hashable, float]:
    """The weight of each feature for quality in standard units."""
    names = list(dict.fromkeys(name for each in features for name in sorted(each, key=repr)))
    table = np.array([[name in each for name in names] for each in features], dtype=float)
    table -= table.mean(axis=0)
    target = (qualities - qualities.mean()) / (qualities.std() + 1e-6)
    kernel = table @ table.T + ridge * np.eye(len(table))  # as many equations as tests: there are more features
    weights = table.T @ np.linalg.solve(kernel, target)
    return dict(zip(names, weights.tolist(), strict=True))


class DiversityGuard(Attractiveness):
    """What resembles a candidate that did badly is less promising, whatever another module says of it.

    The factor of that module is multiplied by 1 - gamma J, where J is the largest Jaccard similarity to what a tested
    candidate below the median consists of.
    """

    module: Attractiveness = Neutral()
    gamma: float = parameter(default=0.5, at_least=0, below=1)

    def begin(self, setting: Setting) -> Judgement:
        return _Diversity(self, self.module.begin(setting))


class _Diversity(Judgement):
    def __init__(self, module: DiversityGuard, inner: Judgement) -> None:
        self._module, self._inner = module, inner
        self._tested: list[tuple[float, Features]] = []
        self._weak: list[Features] = []
        self._next = 2.0

    def score(self, candidate: Candidate) -> float:
        own = features_of(candidate.configuration)
        likeness = max((len(own & each) / len(own | each) for each in self._weak), default=0.0)
        return self._inner.score(candidate) * (1 - self._module.gamma * likeness)

    def analyze(self, candidate: Candidate, task: Task) -> bool:
        has_changed = self._inner.analyze(candidate, task)
        self._tested.append((task.quality, features_of(candidate.configuration)))
        if len(self._tested) < self._next:
            return has_changed
        self._next = GROWTH * len(self._tested)
        median = float(np.median([quality for quality, _ in self._tested]))
        self._weak = list(dict.fromkeys(features for quality, features in self._tested if quality < median))
        return True
