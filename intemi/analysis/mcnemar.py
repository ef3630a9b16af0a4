"""McNemar's test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from intemi.analysis.distributions import two_sided_binomial, upper_chi_squared
from intemi.analysis.pairing import PairedComparison, Pairs
from intemi.analysis.samples import column, refuse_several_data_sets
from intemi.analysis.transformation import one_row
from intemi.kernel.errors import ConfigurationError
from intemi.series import Series

Flags = NDArray[np.bool_]


@dataclass(frozen=True, repr=False, kw_only=True)
class McNemar(PairedComparison):
    """Do two classifiers err equally often on the same objects?

    An item is the correctness of one answer (0 or 1, false or true), or a vector of them, one for each object of a test
    sample: samples of the same labels are paired, and pooled. Every object must be answered once, so that repetitions
    of a cross-validation are refused.

    With n10 objects that only the first has right and n01 that only the second has right, χ² = (|n10 − n01| − c)² /
    (n10 + n01), where the `continuity` correction c is 0, 0.5 or 1; or p is that of the "exact" binomial distribution,
    which suits n10 + n01 ≤ 25 better.

    >>> knn = Series({"Correct": [np.array([1, 1, 1, 0]), np.array([1, 1, 1])], "Fold": [1, 2]})
    >>> svm = Series({"Correct": [np.array([0, 1, 0, 1]), np.array([0, 0, 1])], "Fold": [1, 2]})
    >>> found = McNemar()(knn, svm).row(0)
    >>> found["n10"], found["n01"], found["chi2"]
    (4, 1, 1.8)
    """

    distribution: Literal["chi-squared", "exact"] = "chi-squared"
    continuity: float = 0
    repetition: str = "Repetition"

    def __post_init__(self) -> None:
        self._check_choice("distribution", "chi-squared", "exact")
        self._check_choice("continuity", 0, 0.5, 1)
        if self.distribution == "exact" and self.continuity:
            raise ConfigurationError("McNemar: the exact distribution needs no continuity correction")

    def __call__(self, first: Series, second: Series) -> Series:
        pairs = self._pairs(first, second)
        refuse_several_data_sets(self._refuse, self.over, pairs.first, pairs.second)
        self._refuse_repetitions(pairs.first)
        a, b = self._answers(pairs)
        n10, n01 = int(np.sum(a & ~b)), int(np.sum(~a & b))
        chi2, p = self._tested(n10, n01)
        return one_row(
            "p",
            {
                "chi2": chi2,
                "df": 1,
                "p": p,
                "n11": int(np.sum(a & b)),
                "n10": n10,
                "n01": n01,
                "n00": int(np.sum(~a & ~b)),
                "n": len(a),
                "paired by": pairs.told_by,
                "variant": self._variant(),
            },
        )

    def _tested(self, n10: int, n01: int) -> tuple[float, float]:
        different = n10 + n01
        chi2 = max(abs(n10 - n01) - self.continuity, 0) ** 2 / different if different else 0.0
        if self.distribution == "chi-squared":
            return chi2, upper_chi_squared(chi2, 1)
        return chi2, two_sided_binomial(n10, different)

    def _variant(self) -> str:
        if self.distribution == "exact":
            return "McNemar's test, exact binomial, two-sided"
        correction = f"continuity correction {self.continuity:g}" if self.continuity else "no continuity correction"
        return f"McNemar's test, χ², {correction}"

    def _refuse_repetitions(self, series: Series) -> None:
        if self.repetition in series.labels and (count := len(set(column(series, self.repetition)))) > 1:
            self._refuse(
                f"the items are of {count} repetitions, so that the same objects would count {count} times; "
                f"take one, as with where({self.repetition}=1)"
            )

    def _answers(self, pairs: Pairs) -> tuple[Flags, Flags]:
        first, second = ([np.atleast_1d(x) for x in column(s, s.main)] for s in (pairs.first, pairs.second))
        for position, (a, b) in enumerate(zip(first, second, strict=True)):
            if a.shape != b.shape or a.ndim != 1:
                where = ", ".join(f"{label} {pairs.first[label][position]}" for label in pairs.by)
                self._refuse(
                    f"{where or f'pair {position}'} must be vectors of one length, got {a.shape} and {b.shape}"
                )
        return self._flags(first), self._flags(second)

    def _flags(self, answers: list[NDArray[Any]]) -> Flags:
        joined = np.concatenate(answers)
        if joined.dtype.kind not in "bif" or not np.all((joined == 0) | (joined == 1)):
            odd = joined.tolist() if joined.dtype.kind not in "bif" else joined[(joined != 0) & (joined != 1)].tolist()
            self._refuse(f"correctness must be 0 or 1, got {odd[0]!r}")
        return joined.astype(np.bool_)
