"""Measures of how many rows are of the majority of their branch: accuracy, sum and maximum of minorities."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from intemi.machines.trees.quality.quality import SplitQuality

if TYPE_CHECKING:
    from intemi.machines.trees.quality.quality import Address


class Accuracy(SplitQuality):
    """The share of rows that are of the majority of their branch."""

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        weight, right = 0.0, 0.0
        for b in range(branches):
            most = 0.0
            for c in range(classes):
                value = table[b * classes + c]
                weight += value
                most = max(most, value)
            right += most
        return right / weight


class SumMinority(SplitQuality):
    """The weight of the rows that are not of the majority of their branch, negative."""

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        minority = 0.0
        for b in range(branches):
            most = 0.0
            for c in range(classes):
                value = table[b * classes + c]
                minority += value
                most = max(most, value)
            minority -= most
        return -minority


class MaxMinority(SplitQuality):
    """The largest weight of a branch that is not of its majority, negative."""

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        largest = 0.0
        for b in range(branches):
            part, most = 0.0, 0.0
            for c in range(classes):
                value = table[b * classes + c]
                part += value
                most = max(most, value)
            largest = max(largest, part - most)
        return -largest
