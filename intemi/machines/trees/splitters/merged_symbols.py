"""Sets of symbols that grow together: of a branch for each symbol, pairs are merged while the gain ratio improves."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.quality import SplitQuality
from intemi.machines.trees.splitters.nominal import NominalSplits
from intemi.machines.trees.splitters.scores import LEAST_INFORMATION, SLACK, xlogx


class MergedSymbols(NominalSplits):
    """Sets of symbols: at first each has a branch of its own, then the two are merged that make the best gain ratio.

    That goes on while the ratio improves, or fewer than two branches have the least weight that the splitter asks for;
    two branches are left at least. With `empty` the symbols that do not occur in the node get one more, an empty one.

    >>> MergedSymbols().sets(np.array([[4.0, 0.0], [0.0, 3.0], [2.0, 0.0], [0.0, 0.0]]), unknown=0.0, least=2.0)
    array([ 0,  1,  0, -1], dtype=int32)
    """

    is_compiled: ClassVar[bool] = False

    empty: bool = False

    def settings(self, quality: SplitQuality) -> dict[str, float]:
        return {"MULTIWAY": 1.0, "TWO_HEAVY": 1.0}

    def sets(self, table: Floats, unknown: float, least: float) -> Codes | None:
        weights = table.sum(axis=1)
        present = np.flatnonzero(weights > 0)
        merged = _merged(table[present], unknown, least)
        together = np.bincount(merged, weights[present])
        if (together >= least - SLACK).sum() < 2:
            return None
        branches = np.full(len(table), len(together) if self.empty else -1, dtype=np.int32)
        branches[present] = merged
        return branches


def _merged(table: Floats, unknown: float, least: float) -> Codes:
    """The branch of each symbol; the class weights of all are the rows of a table."""
    table, branches = table.copy(), np.arange(len(table), dtype=np.int32)
    totals, of_pairs = table.sum(axis=0), _purity(table[:, None] + table)
    while len(table) > 2:
        weights, purity = table.sum(axis=1), _purity(table)
        is_heavy = weights >= least - SLACK
        one, other = _pairs(weights, is_heavy, least)
        ratios = _ratios(
            totals,
            unknown,
            purity.sum() - purity[one] - purity[other] + of_pairs[one, other],
            xlogx(weights).sum() - xlogx(weights[one]) - xlogx(weights[other]) + xlogx(weights[one] + weights[other]),
        )
        best, now = ratios.max(initial=-np.inf), _ratios(totals, unknown, purity.sum(), xlogx(weights).sum())
        if is_heavy.sum() >= 2 and best <= now + 1e-12:
            break
        place = int(np.argmax(ratios >= best - 1e-12))
        kept, gone = int(one[place]), int(other[place])
        branches[branches == gone] = kept
        branches[branches > gone] -= 1
        table[kept] += table[gone]
        table = np.delete(table, gone, axis=0)
        of_pairs = np.delete(np.delete(of_pairs, gone, axis=0), gone, axis=1)
        of_pairs[kept] = of_pairs[:, kept] = _purity(table[kept] + table)
    return branches


def _pairs(weights: Floats, is_heavy: NDArray[np.bool_], least: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs that may be merged: two heavy branches must be left; while they are not there the heaviest stays."""
    one, other = np.triu_indices(len(weights), 1)
    if is_heavy.sum() < 2:
        heaviest = weights.argmax()
        allowed = (one != heaviest) & (other != heaviest)
    else:
        are_heavy = is_heavy[one].astype(int) + is_heavy[other]
        allowed = is_heavy.sum() - are_heavy + (weights[one] + weights[other] >= least - SLACK) >= 2
    return one[allowed], other[allowed]


def _ratios(totals: Floats, unknown: float, purity: Any, sizes: Any) -> Floats:
    """The gain ratios of divisions, by the sums of what `_purity` says of their parts, and of the sizes v·log2 v."""
    known = totals.sum()
    weight = known + unknown
    gain = (xlogx(known) - xlogx(totals).sum() + purity) / known
    information = np.maximum((xlogx(weight) - xlogx(unknown) - sizes) / weight, 0.0)
    return np.asarray(np.where(information > LEAST_INFORMATION, gain / np.maximum(information, LEAST_INFORMATION), 0.0))


def _purity(tables: Floats) -> Floats:
    """What parts add to the gain times the weight, by their class weights: minus weight times entropy."""
    return np.asarray(xlogx(tables).sum(axis=-1) - xlogx(tables.sum(axis=-1)))
