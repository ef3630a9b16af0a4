"""CN2: rules found by a beam search among conjunctions of conditions, for one class after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from intemi.data import Data
from intemi.kernel import Model, parameter
from intemi.machines.classifiers.rule_conditions import RuleCondition, Truth, conditions_on
from intemi.machines.classifiers.rule_set import Conditions, RuleSet
from intemi.machines.classifiers.training import rows_to_learn_from, weight_of_classes
from intemi.machines.interfaces import Floats
from intemi.machines.roles import Learner


class CN2(Learner):
    """Learn unordered rules for each class, the best one by Laplace accuracy at a time (Clark and Boswell, 1991).

    A rule is searched for from the general to the special, with the best `beam` conjunctions kept at each length. The
    rows of its class that it covers are left out before the next is looked for, until no rule is better than answering
    the class everywhere. Rules that fire together add up the rows that they cover. Numeric features offer up to `cuts`
    thresholds; a missing value fulfils no condition.

    >>> from intemi.data import Column, Table
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> print(CN2().run(data).outputs["classifier"])
    if x <= 5 then low (2, 0)
    if x > 5 then high (0, 2)
    """

    beam: int = parameter(default=5, at_least=1, search=(1, 5, 10))
    cuts: int = parameter(default=32, at_least=1, search=(8, 32, 128))

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        conditions = conditions_on(data, self.cuts)
        holds = np.array([each.holds(data.feature(each.feature)) for each in conditions], dtype=bool)
        search = _Search(holds.reshape(len(conditions), len(data)), data.weights, len(data.labels), self.beam)
        found: list[tuple[Conditions, Truth]] = []
        for label in np.flatnonzero(weight_of_classes(data)).tolist():
            for conjunction in _rules_of(search, data.classes == label):
                found.append((_ordered(conditions, conjunction.conditions), conjunction.rows))
        covered = np.array([rows for _, rows in found], dtype=bool).reshape(len(found), len(data))
        rules = tuple(rule for rule, _ in found)
        classifier = RuleSet(
            data.columns, data.labels, rules, np.packbits(covered, axis=1), data.classes.copy(), data.weights.copy()
        )
        return Model(classifier=classifier, results={"Rules": len(rules)})


class Conjunction(NamedTuple):
    """Conditions that hold together, by their numbers, and the rows that fulfil all of them."""

    conditions: tuple[int, ...]
    rows: Truth


def _ordered(conditions: list[RuleCondition], numbers: tuple[int, ...]) -> Conditions:
    return tuple(conditions[number] for number in sorted(numbers))


def _rules_of(search: _Search, is_class: Truth) -> Iterator[Conjunction]:
    """Rules of one class: rows of it that are covered are left out, all others stay."""
    left = np.ones(len(is_class), dtype=bool)
    while (left & is_class).any():
        best = search.best(left, is_class)
        if best is None:
            return
        yield best
        left &= ~(best.rows & is_class)


@dataclass(frozen=True)
class _Search:
    """The beam search, on the rows that fulfil each condition."""

    holds: Truth
    """Conditions × rows."""
    weights: Floats
    classes: int
    beam: int

    def best(self, left: Truth, is_class: Truth) -> Conjunction | None:
        """The conjunction of the greatest Laplace accuracy on the rows that are left; None if none is above that of all
        rows."""
        counted = np.stack([self.weights * (left & is_class), self.weights * left], axis=1)
        everything = Conjunction((), np.ones(len(left), dtype=bool))
        highest = float(self._accuracy(counted.sum(axis=0)))
        best, beam = None, [everything]
        while beam:
            scores, limits = self._scores(beam, counted)
            top = int(scores.argmax())
            if scores[top] > highest + 1e-12:
                best, highest = self._longer(beam, top), float(scores[top])
            # A longer rule can at best keep the rows of its class and lose all others.
            scores[limits <= highest + 1e-12] = -np.inf
            beam = self._kept(beam, scores)
        return best

    def _accuracy(self, counts: Floats) -> Floats:
        return np.asarray((counts[..., 0] + 1) / (counts[..., 1] + self.classes))

    def _scores(self, beam: list[Conjunction], counted: Floats) -> tuple[Floats, Floats]:
        """The accuracy of each conjunction with each further condition, and what longer ones can reach at most."""
        tables = []
        for each in beam:
            rows = np.flatnonzero(each.rows & (counted[:, 1] > 0))
            table = self.holds[:, rows].astype(np.float64) @ counted[rows]
            unchanged = table[:, 1] >= counted[rows, 1].sum() - 1e-9
            table[unchanged] = 0.0
            tables.append(table)
        counts = np.concatenate(tables) if len(self.holds) else np.zeros((1, 2))
        scores = np.where(counts[:, 0] > 0, self._accuracy(counts), -np.inf)
        limits = (counts[:, 0] + 1) / (counts[:, 0] + self.classes)
        return scores, np.where(counts[:, 0] > 0, limits, -np.inf)

    def _longer(self, beam: list[Conjunction], place: int) -> Conjunction:
        parent, condition = divmod(place, len(self.holds))
        before = beam[parent]
        return Conjunction((*before.conditions, condition), before.rows & self.holds[condition])

    def _kept(self, beam: list[Conjunction], scores: Floats) -> list[Conjunction]:
        """The best ones that cover different rows; of equal ones those that were found first."""
        kept: dict[bytes, Conjunction] = {}
        for place in np.argsort(-scores, kind="stable").tolist():
            if len(kept) == self.beam or scores[place] == -np.inf:
                break
            longer = self._longer(beam, place)
            kept.setdefault(np.packbits(longer.rows).tobytes(), longer)
        return list(kept.values())
