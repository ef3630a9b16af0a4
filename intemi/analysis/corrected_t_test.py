"""The corrected resampled t-test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

from intemi.analysis.hypothesis_test import TESTS, hypothesis_test
from intemi.analysis.paired_t_test import PairedTTest
from intemi.analysis.pairing import Pairs
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine
from intemi.machines.distributors import (
    CVDistributor,
    GroupCVDistributor,
    HoldOutDistributor,
    TimeOrderedDistributor,
)
from intemi.series import Series


@hypothesis_test
@dataclass(frozen=True, repr=False, kw_only=True)
class CorrectedTTest(PairedTTest):
    """The paired t-test of Nadeau and Bengio (2003), for results on training samples that overlap.

    The variance of the mean difference is (1/n + r) s², where r is the number of test rows to that of training rows.
    Either this `test_to_training` is given, or the number of `folds` of the cross-validation, where r = 1/(folds − 1);
    all folds of all repetitions must be there then.

    >>> knn = Series({"Accuracy": [0.9, 0.8, 0.85], "Fold": [1, 2, 3]})
    >>> svm = Series({"Accuracy": [0.75, 0.7, 0.8], "Fold": [1, 2, 3]})
    >>> found = CorrectedTTest(folds=3)(knn, svm)
    >>> print(f"t = {found['t'][0]:.3f}, p = {found['p'][0]:.4f}")
    t = 2.191, p = 0.1598
    """

    folds: int | None = None
    test_to_training: float | None = None
    repetition: str = "Repetition"
    fold: str = "Fold"

    def __post_init__(self) -> None:
        if (self.folds is None) == (self.test_to_training is None):
            raise ConfigurationError("CorrectedTTest: either folds or test_to_training must be given, and not both")
        if self.folds is not None and self.folds < 2:
            raise ConfigurationError(f"CorrectedTTest: folds must be at least 2, got {self.folds!r}")
        if self.test_to_training is not None and not 0 < self.test_to_training < math.inf:
            raise ConfigurationError(
                f"CorrectedTTest: test_to_training must be positive and finite, got {self.test_to_training!r}"
            )

    @classmethod
    def for_protocol(cls, distributor: Machine) -> Self:
        """The test for results on what a distributor gives out."""
        if isinstance(distributor, CVDistributor | GroupCVDistributor):
            return cls(folds=distributor.folds)
        if isinstance(distributor, TimeOrderedDistributor):  # of equal blocks, 1 to 1, 1 to 2 and so on: the mean
            return cls(
                test_to_training=sum(1 / before for before in range(1, distributor.folds + 1)) / distributor.folds
            )
        if isinstance(distributor, HoldOutDistributor):
            return cls(test_to_training=(1 - distributor.share) / distributor.share)
        others = ", ".join(name for name in TESTS if name != cls.__name__)
        raise ConfigurationError(
            f"Comparison: test must be one of {others} where {distributor.kind} divides the rows; "
            f"{cls.__name__} is for cross-validation and hold-out samples"
        )

    def __call__(self, first: Series, second: Series) -> Series:
        pairs = self._pairs(first, second)
        overlap = self.test_to_training or 0.0
        if self.folds is not None:
            self._check_folds(pairs, self.folds)
            overlap = 1 / (self.folds - 1)
        return self._tested(
            pairs,
            overlap,
            f"corrected resampled t-test (Nadeau and Bengio), test/training = {overlap:.6g}, two-sided",
        )

    def _check_folds(self, pairs: Pairs, folds: int) -> None:
        seen: dict[object, set[object]] = {}
        of_one = [1] * len(pairs.first)
        labelled = self.repetition in pairs.first.labels
        repetitions = pairs.column(self.repetition, self._refuse) if labelled else of_one
        for repetition, fold in zip(repetitions, pairs.column(self.fold, self._refuse), strict=True):
            seen.setdefault(repetition, set()).add(fold)
        for repetition, found in seen.items():
            if len(found) != folds:
                where = f" of {self.repetition} {repetition}" if labelled else ""
                self._refuse(f"there must be {folds} folds, but {len(found)}{where} are in the series")
        if len(pairs.first) != folds * len(seen):
            self._refuse(f"{len(seen)} × {folds} folds make {folds * len(seen)} items, got {len(pairs.first)}")
