"""Cal5's intervals: as many rows as it takes to be sure of a class, or to be sure that there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intemi.kernel import parameter
from intemi.machines.interfaces import Floats
from intemi.machines.trees import kernels
from intemi.machines.trees.components import RankedFeature, WholeFeatureSplitter
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.quality import SplitQuality
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit

if TYPE_CHECKING:
    from intemi.machines.trees.kernels.compiling import Bytes


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
        rows = (data.classes, data.weights, data.class_count, self.threshold, self.alpha)
        values, others = data.feature(ranked.feature), {"quality": ranked.score}
        symbols = data.columns[ranked.feature].categories
        if symbols is None:
            cuts, closed = kernels.confident.confident_intervals(values, *rows)
            return ThresholdSplit.of(data, ranked.feature, cuts, closed=_flags(closed), **others)
        branches, closed = kernels.confident.confident_sets(values, len(symbols), *rows)
        return SymbolSplit.of(data, ranked.feature, branches, closed=_flags(closed), **others)

    def settings(self) -> dict[str, float]:
        return {"CUTTER": kernels.splitting.INTERVALS, "THRESHOLD": self.threshold, "ALPHA": self.alpha}

    def qualities(self, data: NodeData, quality: SplitQuality) -> Floats:
        return kernels.confident.qualities(
            quality.address,
            quality.context(),
            data.features,
            data.symbols,
            data.classes,
            data.weights,
            data.class_count,
            self.threshold,
            self.alpha,
        )


def _flags(closed: Bytes) -> tuple[bool, ...]:
    return tuple(map(bool, closed.tolist()))
