"""Attractiveness by profiles: complexity decides between magnitudes, similar data sets decide within one."""

from __future__ import annotations

import math
from collections.abc import Hashable

from intemi.kernel import parameter
from intemi.machines.meta_learning.attractiveness import BETA, Attractiveness, Candidate, Judgement
from intemi.machines.meta_learning.profile import Profile
from intemi.machines.meta_learning.scores import PValueScore, Score
from intemi.machines.meta_learning.similarities import Pearson, Similarity
from intemi.machines.meta_learning.strategy import Setting
from intemi.machines.meta_learning.task import Task


class ProfileAttractiveness(Attractiveness):
    """What was good on data sets with similar results is promising.

    Candidates are ranked as `ProfileSearch` does it. With u from 1, the best, to 0, the worst, a factor is exp(beta (2
    u - 1)). It is 1 before there is a profile, and for candidates that the knowledge base does not know.
    """

    score: Score = PValueScore()
    similarity: Similarity = Pearson()
    beta: float = parameter(default=BETA, at_least=0)

    def begin(self, setting: Setting) -> Judgement:
        knowledge = setting.known_to(self)
        return _Ranked(self, Profile(knowledge, self.similarity, self.score), list(knowledge.configurations))


class _Ranked(Judgement):
    def __init__(self, module: ProfileAttractiveness, profile: Profile, known: list[Hashable]) -> None:
        self._module, self._profile, self._known = module, profile, known
        self._factors: dict[Hashable, float] = {}

    def score(self, candidate: Candidate) -> float:
        return self._factors.get(candidate.configuration, 1.0)

    def analyze(self, candidate: Candidate, task: Task) -> bool:
        self._profile.register(candidate.configuration, task.quality)
        if not self._profile.has_changed:
            return False
        ranking = self._profile.ranking(self._known)
        if ranking is None:
            return False
        last = max(len(ranking) - 1, 1)
        self._factors = {
            each: math.exp(self._module.beta * (1 - 2 * place / last)) for place, each in enumerate(ranking)
        }
        return True
