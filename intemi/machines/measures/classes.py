"""Measures that each class has a value of: one class against the rest, averaged over classes, or of one class alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import repeat
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import ConfigurationError, parameter
from intemi.kernel.machine import Best
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.measures.measure import Measure
from intemi.machines.measures.shares import share


class MeasureOfClasses(Measure):
    """What each class has a value of: averaged over classes, of the class called `label` alone, or a vector.

    "macro" is the mean over classes, "weighted" the mean weighted by how much there is of each class, "each" a vector
    with a value for each class.
    """

    average: Literal["macro", "weighted", "each"] = "macro"
    label: str | None = parameter(default=None)

    title: ClassVar[str]

    def check(self) -> None:
        if self.label is not None and self.average != "macro":
            raise ConfigurationError(
                f"{self.kind}: average must be left out where label names a class, got {self.average!r}"
            )

    @property
    def name(self) -> str:
        """The label of the result."""
        if self.label is not None:
            return f"{self.title} of {self.label}"
        return self.title + {"macro": "", "weighted": " (weighted)", "each": " of each class"}[self.average]

    @property
    def best(self) -> Best:
        """Which values are best; of vectors, none."""
        return None if self.average == "each" else "highest"

    def _averaged(self, values: Sequence[float], sizes: Sequence[float], labels: tuple[str, ...]) -> object:
        """One number of the values of all classes, or a vector of them; what is not defined (NaN) does not count."""
        if self.average == "each":
            return np.array(values)
        if self.label is None:
            weights = sizes if self.average == "weighted" else repeat(1.0)
            pairs = [(value, weight) for value, weight in zip(values, weights, strict=False) if value == value]
            return share(sum(value * weight for value, weight in pairs), sum(weight for _, weight in pairs))
        if self.label not in labels:
            raise ConfigurationError(
                f"{self.kind}: label must be a class of the data, {', '.join(labels)}, got {self.label!r}"
            )
        return values[labels.index(self.label)]


class _OfConfusion(MeasureOfClasses):
    """A ratio of hits to hits and errors; 0 where both are 0, not defined if a class neither occurs nor is answered."""

    def of(self, confusion: Floats, labels: tuple[str, ...]) -> object:
        hits, true, answered = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
        parts, wholes = self._ratios(hits, answered - hits, true - hits)
        unknown = np.where((true > 0) | (answered > 0), 0.0, np.nan)
        ratios = np.divide(parts, wholes, out=unknown, where=wholes > 0)
        return self._averaged(ratios.tolist(), true.tolist(), labels)

    @abstractmethod
    def _ratios(self, hits: Floats, wrong: Floats, missed: Floats) -> tuple[Floats, Floats]: ...


class Precision(_OfConfusion):
    """How many of the cases that are answered with a class are of it.

    >>> Precision().name, Precision(average="weighted").name, Precision(label="sick").name
    ('Precision', 'Precision (weighted)', 'Precision of sick')
    """

    title = "Precision"

    def _ratios(self, hits: Floats, wrong: Floats, missed: Floats) -> tuple[Floats, Floats]:
        return hits, hits + wrong


class Recall(_OfConfusion):
    """How many of the cases of a class are answered with it."""

    title = "Recall"

    def _ratios(self, hits: Floats, wrong: Floats, missed: Floats) -> tuple[Floats, Floats]:
        return hits, hits + missed


class F1(_OfConfusion):
    """The harmonic mean of precision and recall."""

    title = "F1"

    def _ratios(self, hits: Floats, wrong: Floats, missed: Floats) -> tuple[Floats, Floats]:
        return 2 * hits, 2 * hits + wrong + missed


class _OfScores(MeasureOfClasses):
    """An area under a curve, of each class against the rest."""

    def of(self, true: Codes, probabilities: Floats, weights: Floats, labels: tuple[str, ...]) -> object:
        columns = probabilities.T
        areas = [self._area(true == index, scores, weights) for index, scores in enumerate(columns)]
        sizes = np.bincount(true, weights, minlength=len(labels)).tolist() if self.average == "weighted" else ()
        return self._averaged(areas, sizes, labels)

    @abstractmethod
    def _area(self, positive: NDArray[np.bool_], scores: Floats, weights: Floats) -> float: ...


class ROCAUC(_OfScores):
    """The area under the ROC curve: how often a case of a class has a higher probability of it than another case.

    Equal probabilities count as a half. Averages are over the classes that occur beside others.
    """

    title = "AUC"

    def _area(self, positive: NDArray[np.bool_], scores: Floats, weights: Floats) -> float:
        negative = ~positive
        others, theirs, ours = scores[negative], weights[negative], weights[positive]
        order = others.argsort()
        others = others[order]
        up_to = np.zeros(len(others) + 1)
        theirs[order].cumsum(out=up_to[1:])
        below, reached = (up_to[others.searchsorted(scores[positive], side)] for side in ("left", "right"))
        return share(float(ours @ (below + reached)) / 2, ours.sum() * up_to[-1])


class PRAUC(_OfScores):
    """The area under the curve of precision and recall, as average precision: Σ (Rₙ − Rₙ₋₁) Pₙ over thresholds.

    Averages are over the classes that occur.
    """

    title = "PR-AUC"

    def _area(self, positive: NDArray[np.bool_], scores: Floats, weights: Floats) -> float:
        order = (-scores).argsort(kind="stable")
        scores, hits, found = scores[order], np.where(positive, weights, 0.0)[order].cumsum(), weights[order].cumsum()
        ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))  # of cases that no threshold parts
        hits, found = hits[ends], found[ends]
        precision = np.divide(hits, found, out=np.zeros(len(ends)), where=found > 0)
        return share(float(np.diff(hits, prepend=0.0) @ precision), hits[-1])
