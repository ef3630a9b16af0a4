"""How nominal features are split: a branch for each symbol, or two sets of symbols, and which sets are tried."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

from intemi.kernel import Component, ConfigurationError, parameter
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.quality import SplitQuality


class NominalSplits(Component):
    """A way to split nominal features."""

    is_compiled: ClassVar[bool] = True
    """Whether the settings tell the kernels everything; else `sets` is asked."""

    @abstractmethod
    def settings(self, quality: SplitQuality) -> dict[str, float]:
        """What the kernels are told, by the names of their settings."""

    def sets(self, table: Floats, unknown: float, least: float) -> Codes | None:
        """The branch of each symbol, -1 of those that have none; None if there is no split.

        The rows of the table are the class weights of the symbols, `unknown` is the weight of the rows whose value is
        missing, and `least` what the splitter asks branches to weigh.
        """
        raise ConfigurationError(f"{self.kind}: it is not compiled, so it must have a method sets")


class BranchForEach(NominalSplits):
    """One branch for each symbol: of those that occur in the node, or with `empty` of all.

    Every branch must have the least weight that the splitter asks for, or with `heavy="two"` at least two of them.
    """

    empty: bool = False
    heavy: Literal["all", "two"] = "all"

    def settings(self, quality: SplitQuality) -> dict[str, float]:
        return {
            "MULTIWAY": 1.0,
            "EVERY_SYMBOL": float(self.empty),
            "TWO_HEAVY": float(self.heavy == "two" or self.empty),
        }


class TwoSets(NominalSplits):
    """Two sets of symbols.

    Where two classes occur, and the measure allows it, the best sets are found in the order of the symbols by the share
    of a class. Otherwise all sets of up to `enumerated` symbols are tried; of more symbols only those that an order
    suggests: correspondence analysis ("coordinate"), or the principal component of the class profiles ("profile").
    """

    enumerated: int = parameter(default=10, at_least=2, at_most=24)
    order: Literal["coordinate", "profile"] = "coordinate"

    def settings(self, quality: SplitQuality) -> dict[str, float]:
        return {
            "ORDER_OF_TWO": float(quality.ordered),
            "ORDER_OF_MANY": 2.0 if self.order == "coordinate" else 3.0,
            "ENUMERATED": float(self.enumerated),
            "WANTED": -1.0,
        }


class SmallSets(NominalSplits):
    """A set of few symbols and the others: the size up to which sets are tried makes their number close to `count`.

    None: as many as a numeric feature of the node has cuts on average, or as the node weighs if there is none.
    """

    version = 2

    count: int | None = parameter(default=None, at_least=1)

    def settings(self, quality: SplitQuality) -> dict[str, float]:
        return {"ENUMERATED": float("inf"), "WANTED": float(self.count or 0)}
