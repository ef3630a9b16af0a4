"""Scores: how good a configuration was on each data set of a knowledge base; higher is better."""

from __future__ import annotations

from abc import abstractmethod

from intemi.kernel import Component
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase


class Score(Component):
    """A number for each data set and each configuration of a knowledge base, NaN where it is not known."""

    @abstractmethod
    def of(self, knowledge: KnowledgeBase) -> Floats:
        """Data sets × configurations; higher is better."""


class AccuracyScore(Score):
    """The accuracy itself. Data sets that are easy for all count no less than others."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        return knowledge.accuracies


class DifferenceScore(Score):
    """The difference from the best accuracy on the data set, in standard deviations of the best."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        return knowledge.differences


class RankScore(Score):
    """The rank among all configurations, negative."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        return -knowledge.ranks


class PValueScore(Score):
    """The p-value of a paired t-test against the best: what is clearly worse counts as 0, however bad it is."""

    def of(self, knowledge: KnowledgeBase) -> Floats:
        return knowledge.p_values
