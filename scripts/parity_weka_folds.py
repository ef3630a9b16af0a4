"""The folds that WEKA draws with seed 1, outside and inside of a training sample, for trees pruned by inner folds.

The given folds are those of WEKA's cross-validation. It goes on with the same generator to shuffle each training
sample; SimpleCart and BFTree shuffle that again with a new generator of seed 1, leave out the last case, and stratify
the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from intemi.data import Data
from intemi.kernel import Input, Machine, Model, MultiOutput


class JavaRandom:
    """The generator of `java.util.Random`."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def below(self, bound: int) -> int:
        """A whole number from 0 to below the bound, as `nextInt` draws it."""
        while True:
            self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            bits = self.state >> 17
            if bound & -bound == bound:
                return (bound * bits) >> 31
            if bits - bits % bound + bound - 1 < 1 << 31:
                return bits % bound


def shuffled(rows: Sequence[int], random: JavaRandom) -> list[int]:
    """The rows as `Instances.randomize` orders them."""
    order = list(rows)
    for last in range(len(order) - 1, 0, -1):
        other = random.below(last + 1)
        order[other], order[last] = order[last], order[other]
    return order


def stratified(rows: Sequence[int], classes: Sequence[int], folds: int) -> list[list[int]]:
    """The folds of `Instances.stratify` and `testCV`: one class after the other, every so many rows together."""
    order, place = list(rows), 1
    while place < len(order):
        for other in range(place, len(order)):
            if classes[order[other]] == classes[order[place - 1]]:
                order[place], order[other] = order[other], order[place]
                place += 1
        place += 1
    order = [order[each] for start in range(folds) for each in range(start, len(order), folds)]
    ends = np.cumsum([len(order) // folds + (fold < len(order) % folds) for fold in range(folds)])
    return [order[end - size : end] for end, size in zip(ends, np.diff(ends, prepend=0), strict=True)]


def samples(classes: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """The training rows, in WEKA's order, and the test rows of each of ten folds."""
    random = JavaRandom(1)
    folds = stratified(shuffled(range(len(classes)), random), classes, 10)
    for test in folds:
        training = [row for fold in folds if fold is not test for row in fold]
        yield shuffled(training, random), test


class InnerFolds(Machine):
    """Cross-validation with given folds, by the positions of their rows; a row may be in none of them."""

    data = Input(Data)
    training = MultiOutput(Data)
    test = MultiOutput(Data)

    folds: tuple[tuple[int, ...], ...]

    def run(self, data: Data) -> Model:
        every = np.sort(np.concatenate(self.folds))
        return Model(
            training=[data.select_rows(np.setdiff1d(every, fold)) for fold in self.folds],
            test=[data.select_rows(np.sort(fold)) for fold in self.folds],
        )


def inner_folds(training: Sequence[int], classes: Sequence[int]) -> InnerFolds:
    """The five folds within a training sample, whose rows are handed out in the order of the file."""
    position = {row: place for place, row in enumerate(sorted(training))}
    folds = stratified(shuffled(training, JavaRandom(1))[:-1], classes, 5)
    return InnerFolds(tuple(tuple(position[row] for row in fold) for fold in folds))
