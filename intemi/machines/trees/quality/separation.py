"""Measures of how differently the classes are distributed over the branches: twoing, permutation statistics, AUC."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from intemi.machines.trees.quality.quality import SplitQuality

if TYPE_CHECKING:
    from intemi.machines.trees.quality.quality import Address


class Twoing(SplitQuality):
    """Gini gain, halved, of the best division of the classes into two groups. For splits into two branches."""

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    nothing: ClassVar[float] = 1e-12

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        if branches != 2:
            return -np.inf
        left, right, difference = 0.0, 0.0, 0.0
        for c in range(classes):
            left += table[c]
            right += table[classes + c]
        for c in range(classes):
            difference += abs(table[c] / left - table[classes + c] / right)
        weight = left + right
        return left * right / (weight * weight) / 4 * difference * difference


class PermutationStatistic(SplitQuality):
    """The statistic of the test that branches and classes are independent: quadratic, or its largest part."""

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    nothing: ClassVar[float] = 1e-12
    form: Literal["quadratic", "maximum"] = "quadratic"

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        weight = 0.0
        for i in range(branches * classes):
            weight += table[i]
        largest, total = 0.0, 0.0
        for b in range(branches):
            part = 0.0
            for c in range(classes):
                part += table[b * classes + c]
            for c in range(classes):
                of_class = 0.0
                for i in range(branches):
                    of_class += table[i * classes + c]
                if of_class <= 0.0 or of_class >= weight:
                    continue
                expected = part * of_class / weight
                deviation = table[b * classes + c] - expected
                total += deviation * deviation / expected
                if not context[2] > 0.0:
                    continue
                share = of_class / weight
                variance = share * (1 - share) * part * (weight - part) / (weight - 1)
                if variance > 0.0:
                    largest = max(largest, abs(deviation) / math.sqrt(variance))
        return largest if context[2] > 0.0 else (weight - 1) / weight * total

    def constants(self) -> tuple[float, ...]:
        return (float(self.form == "maximum"),)


class AUC(SplitQuality):
    """The area under the ROC curve of the branches, used as a ranking; of several classes over their pairs.

    The mean over pairs is weighted by the weights of both classes. Pairs of which a class does not occur do not count.
    """

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    nothing: ClassVar[float] = 0.5 + 1e-12
    pairs: Literal["mean", "maximum"] = "mean"

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        total, weights, largest = 0.0, 0.0, 0.0
        for a in range(classes):
            for d in range(a):
                positive, negative, twice = 0.0, 0.0, 0.0
                for i in range(branches):
                    positive += table[i * classes + a]
                    negative += table[i * classes + d]
                if positive <= 0.0 or negative <= 0.0:
                    continue
                # Each pair of branches counts for the order that ranks more pairs of rows rightly.
                if branches == 2:  # the same as below without loops
                    p, n, q, m = table[a], table[d], table[classes + a], table[classes + d]
                    twice = p * n + q * m + 2 * max(q * n, m * p)
                for i in range(branches if branches > 2 else 0):
                    p, n = table[i * classes + a], table[i * classes + d]
                    twice += p * n
                    for j in range(i):
                        twice += 2 * max(p * table[j * classes + d], n * table[j * classes + a])
                area = twice / 2 / (positive * negative)
                total += area * (positive + negative)
                weights += positive + negative
                largest = max(largest, area)
        if weights <= 0.0:
            return -np.inf
        return largest if context[2] > 0.0 else total / weights

    def constants(self) -> tuple[float, ...]:
        return (float(self.pairs == "maximum"),)
