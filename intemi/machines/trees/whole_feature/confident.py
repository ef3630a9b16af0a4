"""Cal5's intervals: as many rows as it takes to be sure of a class, or to be sure that there is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import RankedFeature, WholeFeatureSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit

_ROUNDING = 1e-12


def confidence_bounds(counts: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Bounds of the probabilities of classes (last axis), from their counts in an interval, after Chebyshev.

    >>> lower, upper = confidence_bounds(np.array([8.0, 2.0]), 0.3)
    >>> lower.round(6), upper.round(6)
    (array([0.5114, 0.0614]), array([0.9386, 0.4886]))
    """
    total = counts.sum(axis=-1, keepdims=True)
    root = np.sqrt(4 * alpha * counts * (1 - counts / np.maximum(total, np.finfo(float).tiny)) + 1)
    centre, scale = 2 * alpha * counts + 1, 2 * alpha * total + 2
    return (centre - root) / scale, (centre + root) / scale


class ConfidentIntervals(WholeFeatureSplitter):
    """Extend an interval value by value until a class has, or no class can have, a probability of `threshold` (Cal5).

    In the first case it becomes a leaf, in the second its rows are split further. Neighbours are merged that are leaves
    of one class, or are dominated by the same classes. Of a nominal feature each symbol is judged by itself, and
    neighbours are so in the order of the share of the majority. The smaller `alpha`, the more rows it takes.

    >>> from intemi.data import Column, Data, Table
    >>> x, y = list(range(20)), [0] * 8 + [1, 0, 1, 0] + [1] * 8
    >>> node = NodeData.of(Data(Table([Column("x")], [x], Column("class", ("A", "B")), y)))
    >>> split = ConfidentIntervals().split(node, RankedFeature(0, 0.0))
    >>> split.cuts.tolist(), split.closed
    ([7.5, 11.5], (True, False, True))
    """

    threshold: float = parameter(default=0.8, above=0.5, below=1, search=(0.6, 0.7, 0.8, 0.9))
    alpha: float = parameter(default=0.5, above=0, search=(0.1, 0.25, 0.5))

    def split(self, data: NodeData, ranked: RankedFeature) -> Split | None:
        return (self._sets if data.columns[ranked.feature].is_nominal else self._intervals)(data, ranked)

    def _intervals(self, data: NodeData, ranked: RankedFeature) -> Split | None:
        order = data.order(ranked.feature)
        values = data.feature(ranked.feature)[order]
        known = int(np.count_nonzero(~np.isnan(values)))
        if not known:
            return None
        values, order = values[:known], order[:known]
        ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))  # of runs of equal values
        counts = np.zeros((known, data.class_count))
        counts[np.arange(known), data.classes[order]] = data.weights[order]
        merged = self._merged(self._scanned(np.cumsum(counts, axis=0)[ends]))
        borders = ends[[interval.end - 1 for interval in merged[:-1]]]
        below, above = values[borders], values[borders + 1]
        with np.errstate(over="ignore"):
            cuts = below + (above - below) / 2
        cuts = np.where(cuts >= above, below, cuts)
        closed = tuple(interval.closed for interval in merged)
        return ThresholdSplit.of(data, ranked.feature, cuts, quality=ranked.score, closed=closed)

    def _sets(self, data: NodeData, ranked: RankedFeature) -> Split | None:
        table = data.table(ranked.feature)
        present = np.flatnonzero(table.sum(axis=1) > 0)
        shares = table[present, int(np.argmax(data.class_weights))] / table[present].sum(axis=1)
        ordered = present[np.argsort(shares, kind="stable")]
        found = [self._judged(table[symbol], place) for place, symbol in enumerate(ordered)]
        merged = self._merged(found)
        branches = np.full(len(table), -1, dtype=np.int32)
        start = 0
        for branch, interval in enumerate(merged):
            branches[ordered[start : interval.end]] = branch
            start = interval.end
        closed = tuple(interval.closed for interval in merged)
        return SymbolSplit.of(data, ranked.feature, branches, quality=ranked.score, closed=closed)

    def _judged(self, counts: Floats, place: int) -> _Interval:
        _, upper = confidence_bounds(counts, self.alpha)
        return _Interval(place + 1, counts, closed=not bool((upper < self.threshold - _ROUNDING).all()))

    def _scanned(self, reached: Floats) -> list[_Interval]:
        """Intervals from left to right; `reached` are the class weights up to the end of each run of equal values."""
        found: list[_Interval] = []
        start, before = 0, np.zeros(reached.shape[1])
        while start < len(reached):
            # Runs are looked at in growing portions: most intervals are short.
            size, decided, at = 16, False, start
            while not decided and at < len(reached):
                counts = reached[at : at + size] - before
                lower, upper = confidence_bounds(counts, self.alpha)
                sure = np.asarray((lower >= self.threshold - _ROUNDING).any(axis=1))
                mixed = np.asarray((upper < self.threshold - _ROUNDING).all(axis=1))
                hits = np.flatnonzero(sure | mixed)
                decided = len(hits) > 0
                last = at + (int(hits[0]) if decided else len(counts) - 1)
                closed = bool(sure[last - at]) or not decided  # what is left over at the end is a leaf
                at, size = at + size, 2 * size
            found.append(_Interval(last + 1, reached[last] - before, closed))
            start, before = last + 1, reached[last]
        return found

    def _merged(self, intervals: list[_Interval]) -> list[_Interval]:
        """Neighbours that say the same become one, until none do."""
        while True:
            merged: list[_Interval] = []
            for interval in intervals:
                if merged and self._alike(merged[-1], interval):
                    last = merged.pop()
                    interval = _Interval(interval.end, last.counts + interval.counts, interval.closed)
                merged.append(interval)
            if len(merged) == len(intervals):
                return merged
            intervals = merged

    def _alike(self, one: _Interval, other: _Interval) -> bool:
        if one.closed != other.closed:
            return False
        if one.closed:
            return int(np.argmax(one.counts)) == int(np.argmax(other.counts))
        return self._dominant(one.counts) == self._dominant(other.counts)

    def _dominant(self, counts: Floats) -> set[int]:
        """Classes that may well have more than their part."""
        _, upper = confidence_bounds(counts, self.alpha)
        present = counts > 0
        return set(np.flatnonzero(present & (upper >= 1 / present.sum() - _ROUNDING)).tolist())


@dataclass(frozen=True)
class _Interval:
    end: int
    """The first run of equal values after it."""
    counts: Floats
    closed: bool
    """Whether it is a leaf."""
