"""A knowledge base: paired results of configurations on data sets, and what follows from them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intemi.kernel import ConfigurationError
from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats
from intemi.series import Series

if TYPE_CHECKING:
    from intemi.machines.meta_learning.scores import Score

DERIVED = ("accuracies", "best", "best_accuracies", "best_deviations", "differences", "ranks", "p_values")
"""What is computed from the results of each data set by itself: the data sets are the first axis of all of them."""


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """Results of configurations on data sets: data sets × configurations × splits, NaN where nothing is known.

    All configurations of a data set were tested on the same splits, so their results are compared in pairs.

    >>> base = KnowledgeBase(("iris",), ("knn", "tree"), [[[0.9, 1.0, 0.95], [0.8, 0.9, 0.85]]])
    >>> base.accuracies.round(2).tolist(), base.best.tolist(), base.ranks.tolist()
    ([[0.95, 0.85]], [0], [[1.0, 2.0]])
    >>> base.differences.round(2).tolist()
    [[0.0, -2.0]]
    """

    data_sets: tuple[str, ...]
    configurations: tuple[Hashable, ...]
    results: NDArray[np.floating[Any]]
    seconds: Floats | None = None
    """How long a test takes: data sets × configurations, NaN where it is not known."""
    descriptions: Floats | None = None
    """Meta-features of the data sets: data sets × meta-features, NaN where they are not known."""
    described_by: tuple[str, ...] = ()
    """The names of the meta-features."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", np.asarray(self.results))
        expected = (len(self.data_sets), len(self.configurations))
        if self.results.ndim != 3 or self.results.shape[:2] != expected:
            raise ConfigurationError(
                f"KnowledgeBase: results must be {expected[0]} data sets × {expected[1]} configurations × splits, "
                f"got an array of {self.results.shape}"
            )
        if self.seconds is not None and np.shape(self.seconds) != expected:
            raise ConfigurationError(
                f"KnowledgeBase: seconds must be {expected[0]} data sets × {expected[1]} configurations, "
                f"got an array of {np.shape(self.seconds)}"
            )
        described = (len(self.data_sets), len(self.described_by))
        if self.descriptions is not None and np.shape(self.descriptions) != described:
            raise ConfigurationError(
                f"KnowledgeBase: descriptions must be {described[0]} data sets × {described[1]} meta-features, "
                f"got an array of {np.shape(self.descriptions)}"
            )

    def __repr__(self) -> str:
        sets, configurations, splits = self.results.shape
        return f"KnowledgeBase({sets} data sets × {configurations} configurations × {splits} splits)"

    @cached_property
    def columns(self) -> dict[Hashable, int]:
        """The place of each configuration."""
        return {configuration: place for place, configuration in enumerate(self.configurations)}

    @cached_property
    def accuracies(self) -> Floats:
        """Means over the splits."""
        known = ~np.isnan(self.results)
        counts = known.sum(axis=2)
        sums = np.where(known, self.results, 0.0).sum(axis=2, dtype=np.float64)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    @cached_property
    def best(self) -> NDArray[np.intp]:
        """For each data set the place of the best configuration, of equal ones the first."""
        if (empty := np.isnan(self.accuracies).all(axis=1)).any():
            name = self.data_sets[int(empty.argmax())]
            raise ConfigurationError(f"KnowledgeBase: nothing is known of the data set {name!r}")
        return np.asarray(np.nanargmax(self.accuracies, axis=1))

    @cached_property
    def best_accuracies(self) -> Floats:
        """For each data set the accuracy of its best configuration."""
        return self.accuracies[np.arange(len(self.data_sets)), self.best]

    @cached_property
    def best_deviations(self) -> Floats:
        """For each data set the standard deviation, over the splits, of its best configuration."""
        best = self.results[np.arange(len(self.data_sets)), self.best].astype(np.float64)
        return np.asarray(np.nanstd(best, axis=1, ddof=1))

    @cached_property
    def differences(self) -> Floats:
        """How far an accuracy is below the best one of the data set, in standard deviations of that one: at most 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((self.accuracies - self.best_accuracies[:, None]) / self.best_deviations[:, None])

    @cached_property
    def ranks(self) -> Floats:
        """1 is the best; equal ones share the mean of their ranks."""
        return np.asarray(library("scipy.stats").rankdata(-self.accuracies, axis=1, nan_policy="omit"))

    @cached_property
    def p_values(self) -> Floats:
        """Of a paired, two-sided t-test against the best configuration of the data set; 1 for that one."""
        best = self.results[np.arange(len(self.data_sets)), self.best].astype(np.float64)
        found = paired_p_values(self.results - best[:, None, :])
        found[np.arange(len(self.data_sets)), self.best] = 1.0
        return np.where(np.isnan(self.accuracies), np.nan, found)

    def select(self, data_sets: ArrayLike) -> KnowledgeBase:
        """What is known of some data sets: indices, or a flag for each."""
        rows = np.asarray(data_sets)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        seconds = None if self.seconds is None else self.seconds[rows]
        descriptions = None if self.descriptions is None else self.descriptions[rows]
        names = tuple(self.data_sets[row] for row in rows)
        chosen = KnowledgeBase(names, self.configurations, self.results[rows], seconds, descriptions, self.described_by)
        for name in DERIVED:
            if name in self.__dict__:
                chosen.__dict__[name] = self.__dict__[name][rows]
        chosen._scores.update({score: values[rows] for score, values in self._scores.items()})
        return chosen

    def scored(self, score: Score) -> Floats:
        """Data sets × configurations by a score; it is computed once, from each data set by itself."""
        if score not in self._scores:
            self._scores[score] = score.of(self)
        return self._scores[score]

    @cached_property
    def _scores(self) -> dict[Score, Floats]:
        return {}

    def without(self, *data_sets: str) -> KnowledgeBase:
        """Everything but what is known of these data sets.

        >>> base = KnowledgeBase(("iris", "wine"), ("knn",), [[[0.9, 1.0]], [[0.8, 0.9]]])
        >>> base.without("iris").data_sets
        ('wine',)
        """
        for name in data_sets:
            if name not in self.data_sets:
                raise ConfigurationError(f"KnowledgeBase: there is no data set {name!r}")
        return self.select(np.array([name not in data_sets for name in self.data_sets], dtype=bool))

    def description_of(self, data_set: str) -> dict[str, float] | None:
        """The meta-features of a data set; None if nothing is described."""
        if self.descriptions is None:
            return None
        row = self.descriptions[self.data_sets.index(data_set)]
        return dict(zip(self.described_by, map(float, row), strict=True))

    def as_series(self) -> Series:
        """All accuracies that are known, with the labels machine and data: what statistical tests take.

        >>> from intemi.analysis import Friedman
        >>> base = KnowledgeBase(("d1", "d2"), ("a", "b", "c"), [[[0.9], [0.8], [0.7]], [[0.8], [0.7], [0.6]]])
        >>> float(Friedman()(base.as_series())["chi2"][0])
        4.0
        """
        rows, columns = np.nonzero(~np.isnan(self.accuracies))
        return Series(
            {
                "Accuracy": self.accuracies[rows, columns],
                "machine": [str(self.configurations[column]) for column in columns],
                "data": [self.data_sets[row] for row in rows],
            }
        )

    def columns_of(self, configurations: Sequence[Hashable]) -> NDArray[np.intp]:
        """The places of configurations; all of them must be known."""
        return np.array([self.columns[each] for each in configurations], dtype=np.intp)


def paired_p_values(differences: ArrayLike) -> Floats:
    """The two-sided p of a t-test of paired differences, along the last axis; NaN are no pairs.

    Where all differences are 0 it is 1, where they are equal otherwise it is 0.

    >>> paired_p_values([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [2.0, 2.0, 2.0]]).round(4).tolist()
    [0.0742, 1.0, 0.0]
    """
    stdtr = library("scipy.special").stdtr
    pairs = np.asarray(differences, dtype=np.float64)
    known = ~np.isnan(pairs)
    n = np.maximum(known.sum(axis=-1), 1)
    values = np.where(known, pairs, 0.0)
    mean = values.sum(axis=-1) / n
    deviations = np.where(known, pairs - mean[..., None], 0.0)
    variance = (deviations**2).sum(axis=-1) / np.maximum(n - 1, 1)
    constant = variance <= (1e-12 * np.maximum(np.abs(mean), 1e-12)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(mean) / np.sqrt(variance / n)
    p: Any = np.where(constant, np.where(mean == 0, 1.0, 0.0), 2 * stdtr(n - 1, -np.where(constant, 0.0, t)))
    return np.asarray(np.where(n < 2, 1.0, p))
