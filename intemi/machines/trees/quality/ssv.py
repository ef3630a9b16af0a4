"""Separability of split values: pairs of rows of different classes that a split separates, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from intemi.kernel import parameter
from intemi.machines.trees.quality.quality import SplitQuality

if TYPE_CHECKING:
    from intemi.machines.trees.quality.quality import Address


class SSV(SplitQuality):
    """Twice the separated pairs of different classes, less the weight of each class that leaves its largest branch.

    Of equal splits the more accurate one is better with `tie="accuracy"`.
    """

    convex: ClassVar[bool] = True
    tie: Literal["first", "accuracy"] = "first"

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        # Σ_{i<j} (W_i W_j - Σ_c W_ic W_jc), both sums by (total² - Σ squares) / 2.
        weight, squares, same, lost, right = 0.0, 0.0, 0.0, 0.0, 0.0
        for b in range(branches):
            part, most = 0.0, 0.0
            for c in range(classes):
                value = table[b * classes + c]
                part += value
                most = max(most, value)
            weight += part
            squares += part * part
            right += most
        for c in range(classes):
            total, of_class, largest = 0.0, 0.0, 0.0
            for b in range(branches):
                value = table[b * classes + c]
                total += value
                of_class += value * value
                largest = max(largest, value)
            same += (total * total - of_class) / 2
            lost += total - largest
        if context[2] > 0.0:
            context[1] = right
        return 2 * ((weight * weight - squares) / 2 - same) - lost

    def constants(self) -> tuple[float, ...]:
        return (float(self.tie == "accuracy"),)


class SSVLexicographic(SplitQuality):
    """Separated pairs of different classes; of equal splits the one that separates fewer pairs of the same class."""

    convex: ClassVar[bool] = True

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        weight, squares, same = 0.0, 0.0, 0.0
        for b in range(branches):
            part = 0.0
            for c in range(classes):
                part += table[b * classes + c]
            weight += part
            squares += part * part
        for c in range(classes):
            total, of_class = 0.0, 0.0
            for b in range(branches):
                value = table[b * classes + c]
                total += value
                of_class += value * value
            same += (total * total - of_class) / 2
        context[1] = -same
        return (weight * weight - squares) / 2 - same


class SSVAlpha(SplitQuality):
    """Separated pairs of different classes, in which rows outside the majority of their branch count `alpha`."""

    alpha: float = parameter(default=0.5, at_least=0, at_most=1, search=(0.0, 0.25, 0.5, 0.75, 1.0))

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        alpha = context[2]
        weight, squares, pairs = 0.0, 0.0, 0.0
        for b in range(branches):
            majority = 0
            for c in range(classes):
                if table[b * classes + c] > table[b * classes + majority]:
                    majority = c
            part = 0.0
            for c in range(classes):
                part += table[b * classes + c] * (1.0 if c == majority else alpha)
            for d in range(b):
                other = 0
                for c in range(classes):
                    if table[d * classes + c] > table[d * classes + other]:
                        other = c
                for c in range(classes):
                    here = table[b * classes + c] * (1.0 if c == majority else alpha)
                    pairs += here * table[d * classes + c] * (1.0 if c == other else alpha)
            weight += part
            squares += part * part
        return (weight * weight - squares) / 2 - pairs

    def constants(self) -> tuple[float, ...]:
        return (self.alpha,)
