"""Measures of how pure the branches are: information gain, gain ratio, Gini gain, sum of impurity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from intemi.machines.trees.quality.logarithms import x_log_x
from intemi.machines.trees.quality.quality import SplitQuality

if TYPE_CHECKING:
    from intemi.machines.trees.quality.quality import Address


class InformationGain(SplitQuality):
    """Entropy of the node less the mean entropy of its branches, in bits."""

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    nothing: ClassVar[float] = 1e-12

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        # H = log2 W - Σ f(W_c) / W with f(v) = v log2 v, so W·gain = f(W) - Σ f(W_c) - Σ_i (f(W_i) - Σ f(W_ic)).
        weight, inside, outside = 0.0, 0.0, 0.0
        for b in range(branches):
            part = 0.0
            for c in range(classes):
                value = table[b * classes + c]
                if value > 0.0:
                    part += value
                    inside += x_log_x(value)
            inside -= x_log_x(part)
            weight += part
        for c in range(classes):
            total = 0.0
            for b in range(branches):
                total += table[b * classes + c]
            if total > 0.0:
                outside += x_log_x(total)
        return (x_log_x(weight) - outside + inside) / weight


class GainRatio(SplitQuality):
    """Information gain divided by the entropy of the branches themselves (rows with a missing value are one more)."""

    nothing: ClassVar[float] = 1e-12

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        weight, inside, outside, parts = 0.0, 0.0, 0.0, 0.0
        for b in range(branches):
            part = 0.0
            for c in range(classes):
                value = table[b * classes + c]
                if value > 0.0:
                    part += value
                    inside += x_log_x(value)
            inside -= x_log_x(part)
            parts -= x_log_x(part)
            weight += part
        for c in range(classes):
            total = 0.0
            for b in range(branches):
                total += table[b * classes + c]
            if total > 0.0:
                outside += x_log_x(total)
        gain = (x_log_x(weight) - outside + inside) / weight
        everything = weight + context[0]
        if context[0] > 0.0:
            parts -= x_log_x(context[0])
        information = parts / everything + math.log2(everything)
        return gain / information if information > 1e-3 else -np.inf


class FilteredGainRatio(InformationGain):
    """C4.5's criterion: cuts by information gain, features by gain ratio among those of at least average gain.

    With `mdl` the gain of a numeric feature is reduced by what it costs to tell which of its cuts was taken, log2 of
    their number divided by the weight of the node. Cuts leave a tenth of the mean class size on each side, at most 25.

    The average is that of the numeric features that gain something and of all nominal features that can be split. Those
    with at least 0.3 symbols for each training case are left out of it, unless all features have so many; where only
    such features can be split the node is a leaf.
    """

    convex: ClassVar[bool] = False  # all cuts count, since they are counted
    ordered: ClassVar[bool] = False
    version = 3
    mdl: bool = True


class Gini(SplitQuality):
    """Gini impurity of the node less the mean of its branches."""

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    nothing: ClassVar[float] = 1e-12

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        if branches == 2:  # nearly always: one pass, and sums that do not wait for each other
            left, right, left_squares, right_squares, squares = 0.0, 0.0, 0.0, 0.0, 0.0
            for c in range(classes):
                one, other = table[c], table[classes + c]
                left += one
                right += other
                left_squares += one * one
                right_squares += other * other
                squares += (one + other) * (one + other)
            both = left + right
            return (left_squares / left + right_squares / right - squares / both) / both
        weight, inside, outside = 0.0, 0.0, 0.0
        for b in range(branches):
            part, squares = 0.0, 0.0
            for c in range(classes):
                value = table[b * classes + c]
                part += value
                squares += value * value
            inside += squares / part
            weight += part
        for c in range(classes):
            total = 0.0
            for b in range(branches):
                total += table[b * classes + c]
            outside += total * total
        return (inside - outside / weight) / weight


class SumOfImpurity(SplitQuality):
    """Half the Gini impurity of the branches times their weights, negative: for two classes, their variance."""

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True

    @staticmethod
    def measure(table: Address, branches: int, classes: int, context: Address) -> float:
        impurity = 0.0
        for b in range(branches):
            part, squares = 0.0, 0.0
            for c in range(classes):
                value = table[b * classes + c]
                part += value
                squares += value * value
            impurity += part - squares / part
        return -0.5 * impurity
