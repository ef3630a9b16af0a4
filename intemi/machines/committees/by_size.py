"""Measures of committees of all sizes, in one pass over the answers of the members."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intemi.kernel import ConfigurationError
from intemi.machines.committees.answers import Answers
from intemi.machines.committees.decision_rules import DecisionRule
from intemi.machines.committees.tie_rules import TieRule, decisions
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.measures.measure import Evidence, Measure, in_words


def measured_by_size(
    measures: Sequence[Measure],
    rule: DecisionRule,
    tie: TieRule,
    answers: Answers,
    true: Codes,
    weights: Floats,
    labels: tuple[str, ...],
) -> Floats:
    """Measures × sizes: what the first member is worth, the first two together, and so on."""
    found = []
    for decided, shares in decisions(rule, tie, answers):
        evidence = Evidence(true, decided, shares, weights, labels)
        found.append([_number(each, evidence) for each in measures])
    return np.array(found, dtype=np.float64).T


def _number(measure: Measure, evidence: Evidence) -> float:
    value = measure.measured(evidence)
    if isinstance(value, np.ndarray):
        raise ConfigurationError(f"{measure.kind}: committees of all sizes are measured by numbers, got an array")
    return float(value)


def called(rule: DecisionRule) -> str:
    """What a rule is called in results.

    >>> from intemi.machines.committees.decision_rules import MaximumRule, WeightedVote
    >>> called(WeightedVote()), called(WeightedVote(inner="split")), called(MaximumRule())
    ('weighted vote', 'weighted vote (inner=split)', 'maximum')
    """
    usual = type(rule).__dataclass_fields__
    told = [f"{name}={value}" for name, value in rule.parameters().items() if value != usual[name].default]
    name = in_words(rule.kind.removesuffix("Rule"))
    return (name[0].lower() + name[1:]) + (f" ({', '.join(told)})" if told else "")
