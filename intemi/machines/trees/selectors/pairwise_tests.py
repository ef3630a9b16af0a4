"""CRUISE's 2D selector: tests of single features and of pairs, so that features that only matter together are found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.components import FeatureSelector, RankedFeature
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.selectors.ranking import best_first
from intemi.machines.trees.selectors.tables import deviates, deviates_of_tables, intervals_of, symbols_of

_CELLS = 2_000_000
"""How large an array of pair tables may become."""


class PairwiseTests(FeatureSelector):
    """Rank first the feature of the most significant table by class: of quarters of a numeric feature, symbols of a
    nominal one, or combinations of two features, numeric ones cut at their medians.

    Of a pair of one kind, the member that is more significant by itself is taken, of a mixed pair the nominal one. So
    that neither kind is favoured, numeric deviates are multiplied by a factor, for which numeric features would win as
    often as their share if classes were drawn at random (`bootstrap` times). With `bootstrap_scope="root"` that is done
    once for a tree, in its root, unless nodes have other features than the root. Of more than `max_pairs` pairs that
    many are drawn and tested. The other features follow by their own significance.

    >>> from intemi.data import Column, Data, Table
    >>> x1, x2, y = [1, 1, 2, 2] * 4, [1, 2, 1, 2] * 4, [0, 1, 1, 0] * 4
    >>> table = Table([Column("x1"), Column("x2")], [x1, x2], Column("class", ("A", "B")), y)
    >>> [best] = PairwiseTests().rank(NodeData.of(Data(table)))
    >>> best.feature, round(best.score, 6)
    (0, 3.062364)
    """

    random = True
    version = 3

    bootstrap: int = parameter(default=50, at_least=0)
    bootstrap_scope: Literal["root", "node"] = "root"
    max_pairs: int | None = parameter(default=None, at_least=1)

    def rank(self, data: NodeData) -> list[RankedFeature]:
        numeric, nominal, *_ = data.varying
        if not numeric and not nominal:
            return []
        pairs = self._pairs([*numeric, *nominal], data.rng())
        found = _test(data, numeric, nominal, pairs, _targets(data))
        factor = 1.0  # of one kind of features only
        if numeric and nominal and self.bootstrap:
            in_root = self.bootstrap_scope == "root" and data.root.columns == data.columns
            factor = data.once(self, self._factor) if in_root else self._factor(data)
        winner, score = found.winner(factor)
        if winner is None:
            return []
        singles = best_first([*numeric, *nominal], np.concatenate([found.numeric[:, 0], found.nominal[:, 0]]))
        others = [each for each in singles if each.feature != winner and each.score > -np.inf]
        return [RankedFeature(winner, score), *others]

    def _pairs(self, features: list[int], rng: np.random.Generator) -> list[tuple[int, int]] | None:
        """The pairs to test, drawn from all pairs of these features; None: all of them."""
        total = math.comb(len(features), 2)
        if self.max_pairs is None or total <= self.max_pairs:
            return None
        pairs = []
        for place in rng.choice(total, self.max_pairs, replace=False, shuffle=False).tolist():
            later = (math.isqrt(8 * place + 1) + 1) // 2  # pairs are numbered by the later one, then by the other
            pairs.append((place - math.comb(later, 2), later))
        return [(features[one], features[other]) for one, other in sorted(pairs)]

    def _factor(self, data: NodeData) -> float:
        """The factor for numeric deviates; 1 if there is but one kind of features."""
        numeric, nominal, *_ = data.varying
        if not numeric or not nominal:
            return 1.0
        rng = data.rng()
        pairs = self._pairs([*numeric, *nominal], rng)
        found = _test(data, numeric, nominal, pairs, _drawn_targets(data, self.bootstrap, rng))
        of_numeric = np.maximum(found.numeric.max(axis=0), found.numeric_pairs.best)
        of_nominal = np.maximum.reduce([found.nominal.max(axis=0), found.nominal_pairs.best, found.mixed_pairs.best])
        positive = of_numeric > 0
        ratios = np.where(of_numeric >= of_nominal, 1.0, np.inf)
        np.divide(of_nominal, of_numeric, out=ratios, where=positive)
        share = len(numeric) / (len(numeric) + len(nominal))
        return max(1.0, float(np.quantile(np.clip(ratios, -1e9, 1e9), share)))


@dataclass(frozen=True)
class _Pairs:
    """The best deviate of pairs of one kind for each time that classes were given, and the pair of the first time."""

    best: Floats
    pair: tuple[int, int] | None


@dataclass(frozen=True)
class _Found:
    features: tuple[list[int], list[int]]
    numeric: Floats
    nominal: Floats
    numeric_pairs: _Pairs
    nominal_pairs: _Pairs
    mixed_pairs: _Pairs

    def winner(self, factor: float) -> tuple[int | None, float]:
        """The feature of the largest deviate, of equal ones the first in this order."""
        numeric, nominal = self.features
        alone = dict(zip([*numeric, *nominal], [*self.numeric[:, 0], *self.nominal[:, 0]], strict=True))

        def best(features: list[int]) -> int | None:
            return max(features, key=lambda each: (round(alone[each], 9), -each)) if features else None

        def member(pairs: _Pairs) -> int | None:
            return best(list(pairs.pair)) if pairs.pair else None

        candidates = [
            (_scaled(factor, self.numeric[:, 0].max(initial=-np.inf)), best(numeric)),
            (float(self.nominal[:, 0].max(initial=-np.inf)), best(nominal)),
            (_scaled(factor, self.numeric_pairs.best[0]), member(self.numeric_pairs)),
            (float(self.nominal_pairs.best[0]), member(self.nominal_pairs)),
            (float(self.mixed_pairs.best[0]), self.mixed_pairs.pair[1] if self.mixed_pairs.pair else None),
        ]
        score, feature = max(candidates, key=lambda each: each[0])
        return (feature, score) if score > -np.inf else (None, score)


def _scaled(factor: float, deviate: float) -> float:
    return factor * float(deviate)


def _targets(data: NodeData) -> Floats:
    """The weight of each row in each class that is present: (rows, 1, classes)."""
    present = np.flatnonzero(data.class_weights > 0)
    return np.asarray((data.classes[:, None, None] == present) * data.weights[:, None, None])


def _drawn_targets(data: NodeData, times: int, rng: np.random.Generator) -> Floats:
    """The same with classes drawn by their shares: (rows, times, classes). A row draws one for each time that its
    weight says it is there, and one for the part that is left."""
    shares = data.class_weights[data.class_weights > 0] / data.weight
    whole = np.floor(data.weights).astype(np.int64)
    drawn = rng.multinomial(whole[:, None], shares, size=(len(data), times)).astype(np.float64)
    part = data.weights - whole
    if part.any():
        drawn += part[:, None, None] * rng.multinomial(1, shares, size=(len(data), times))
    return drawn


def _test(
    data: NodeData, numeric: list[int], nominal: list[int], pairs: list[tuple[int, int]] | None, targets: Floats
) -> _Found:
    quarters = [intervals_of(data, each, 4) for each in numeric]
    halves = {each: intervals_of(data, each, 2) for each in numeric}
    symbols = {each: symbols_of(data, each) for each in nominal}
    times = targets.shape[1]
    parts = halves | symbols
    if pairs is None:
        of_numeric = _numeric_pairs(numeric, halves, targets)
        of_nominal, of_both = list(combinations(nominal, 2)), list(product(numeric, nominal))
    else:
        of_numeric = _pairs([pair for pair in pairs if pair[1] in halves], parts, targets)
        of_nominal = [pair for pair in pairs if pair[0] in symbols]
        of_both = [pair for pair in pairs if pair[0] in halves and pair[1] in symbols]
    return _Found(
        (numeric, nominal),
        np.array([deviates(each, targets) for each in quarters]).reshape(len(numeric), times),
        np.array([deviates(each, targets) for each in symbols.values()]).reshape(len(nominal), times),
        of_numeric,
        _pairs(of_nominal, parts, targets),
        _pairs(of_both, parts, targets),
    )


def _pairs(pairs: list[tuple[int, int]], parts: dict[int, Codes], targets: Floats) -> _Pairs:
    best, chosen = np.full(targets.shape[1], -np.inf), None
    for one, other in pairs:
        width = int(parts[other].max(initial=0)) + 1
        both = (parts[one] >= 0) & (parts[other] >= 0)
        found = deviates(np.where(both, parts[one] * width + parts[other], -1), targets)
        if found[0] > best[0] + 1e-9:
            chosen = (one, other)
        best = np.maximum(best, found)
    return _Pairs(best, chosen)


def _numeric_pairs(numeric: list[int], halves: dict[int, Codes], targets: Floats) -> _Pairs:
    """All pairs of halves at once: with indicators H of halves, Hᵀ diag(weights in a class) H holds every table."""
    _, times, classes = targets.shape
    count = len(numeric)
    best, chosen = np.full(times, -np.inf), None
    if count < 2:
        return _Pairs(best, chosen)
    indicators = np.stack([halves[each] == half for each in numeric for half in (0, 1)], axis=1).astype(np.float64)
    block = max(1, _CELLS // (4 * count * classes))
    for time, start in product(range(times), range(0, count - 1, block)):
        upper = indicators[:, 2 * start : 2 * (start + block)]
        size = upper.shape[1] // 2
        tables = np.stack(
            [(upper * targets[:, time, each, None]).T @ indicators for each in range(classes)], axis=-1
        ).reshape(size, 2, count, 2, classes)
        found = deviates_of_tables(np.moveaxis(tables, 2, 1).reshape(size, count, 4, classes))
        found[np.arange(count) <= np.arange(start, start + size)[:, None]] = -np.inf
        top = float(found.max())
        if time == 0 and top > best[0] + 1e-9:
            one, other = np.argwhere(found >= top - 1e-9)[0]
            chosen = (numeric[start + int(one)], numeric[int(other)])
        best[time] = max(best[time], top)
    return _Pairs(best, chosen)
