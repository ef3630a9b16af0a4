"""The classifier that unordered rules are: all rules that fire decide together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import storable
from intemi.machines.classifiers.rule_conditions import ABOVE, AT_MOST, EQUAL, RuleCondition, Truth
from intemi.machines.decoded import expect, expect_floats
from intemi.machines.interfaces import Classifier, Floats

Conditions = tuple[RuleCondition, ...]


@storable
@dataclass(frozen=True, eq=False)
class RuleSet(Classifier):
    """Rules, each with the training rows that it covers."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    rules: tuple[Conditions, ...]
    covered: np.ndarray
    """Rules × training rows, in bits."""
    row_classes: np.ndarray
    """The class of each training row, and its weight."""
    row_weights: Floats

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        rows = len(self.row_weights)
        expect_floats(self.row_weights, None)
        expect(self.row_classes.dtype == np.int32 and self.row_classes.shape == (rows,), "training rows have classes")
        expect(0 <= self.row_classes.min(initial=0) <= self.row_classes.max(initial=0) < len(self.labels), "classes")
        expect(self.covered.dtype == np.uint8, "rules cover rows, in bits")
        expect(self.covered.shape == (len(self.rules), (rows + 7) // 8), "each rule covers some of the training rows")
        for rule in self.rules:
            expect(all(type(each) is RuleCondition for each in rule), "rules have conditions")
            expect(all(0 <= each.feature < len(self.columns) for each in rule), "conditions are of columns")
            expect(all(each.sign in (EQUAL, AT_MOST, ABOVE) for each in rule), "conditions compare")

    def __str__(self) -> str:
        return "\n".join(map(self._text, range(len(self.rules))))

    def _text(self, rule: int) -> str:
        weights = self._class_weights(self._coverage[rule])
        asked = " and ".join(each.text(self.columns) for each in self.rules[rule])
        return f"if {asked} then {self.labels[int(weights.argmax())]} ({', '.join(f'{w:g}' for w in weights)})"

    @property
    def _coverage(self) -> Truth:
        return np.unpackbits(self.covered, axis=1, count=len(self.row_weights)).astype(bool)

    def _class_weights(self, rows: Truth) -> Floats:
        return np.asarray(np.bincount(self.row_classes[rows], self.row_weights[rows], len(self.labels)), np.float64)

    def fired(self, data: Data) -> Truth:
        """Which rules fire, rows × rules."""
        fires = np.ones((len(self.rules), len(data)), dtype=bool)
        for rule, conditions in zip(fires, self.rules, strict=True):
            for each in conditions:
                rule &= each.holds(data.feature(each.feature))
        return np.ascontiguousarray(fires.T)

    def _probabilities(self, data: Data) -> Floats:
        """The sum of what the rules that fire cover; where none does, the classes of all training rows."""
        of_rules = np.array([self._class_weights(rows) for rows in self._coverage]).reshape(-1, len(self.labels))
        weights = self.fired(data) @ of_rules
        weights[weights.sum(axis=1) <= 0] = self._class_weights(np.ones(len(self.row_weights), dtype=bool))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _supports(self, data: Data) -> Floats:
        """The training rows that the rules that fire cover, each counted once; all rows where none does."""
        coverage = self._coverage
        patterns, place = np.unique(self.fired(data), axis=0, return_inverse=True)
        found = np.empty((len(patterns), len(self.labels)))
        for number, pattern in enumerate(patterns):
            rows = coverage[pattern].any(axis=0)
            found[number] = self._class_weights(rows if rows.any() else ~rows)
        return np.asarray(found[place.reshape(-1)])
