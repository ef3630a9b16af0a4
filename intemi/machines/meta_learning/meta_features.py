"""Meta-features: numbers that describe a data table, in groups, as in StatLog and METAL.

Entropies are in bits. Numeric features are cut into ten bins of equal frequency for measures of information. Cells that
are missing are left out. What is not defined for a table is NaN. Weights of rows are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model
from intemi.machines.interfaces import Floats

BINS = 10
OUTLIER_DEVIATIONS = 3.0
MAD_TO_DEVIATION = 1.4826
"""The standard deviation of normal data is so many times the median absolute deviation."""
RIDGE = 1e-6
MAX_NUMERIC = 500
"""Covariances of more numeric features are not computed: it would take longer than learning."""

Described = dict[str, float]


def meta_features(data: Data, groups: Sequence[str] | None = None) -> Described:
    """The meta-features of a table, of all groups unless some are named.

    >>> from intemi.machines import SklearnDataset
    >>> iris = SklearnDataset("iris").run().outputs["data"]
    >>> described = meta_features(iris, ["simple", "information"])
    >>> described["classes"], round(described["class entropy"], 3), round(described["equivalent features"], 2)
    (3.0, 1.585, 1.66)
    """
    chosen = [GROUPS[name] for name in (GROUPS if groups is None else groups)]
    return {name: float(value) for group in chosen for name, value in group(data).items()}


class MetaFeatures(Machine):
    """The meta-features of data, each a result under its name.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import SklearnDataset
    >>> with Project() as project:
    ...     found = project.run(MetaFeatures(), data=project.request(SklearnDataset("iris")).data)
    >>> round(found.results["first canonical correlation"], 4), round(found.results["SD ratio"], 4)
    (0.9848, 1.2709)
    """

    data = Input(Data)

    groups: tuple[str, ...] = ("simple", "statistical", "homogeneity", "discriminant", "information")

    def check(self) -> None:
        for name in self.groups:
            if name not in GROUPS:
                raise ConfigurationError(f"{self.kind}: groups must be some of {', '.join(GROUPS)}, got {name!r}")

    def run(self, data: Data) -> Model:
        return Model(results={**meta_features(data, self.groups)})


def simple(data: Data) -> Described:
    """Sizes and shares."""
    rows, features, counts = len(data), len(data.columns), class_counts(data)
    symbols = [len(column.categories) for column in data.columns if column.categories is not None]
    present = counts[counts > 0]
    return {
        "log rows": _ratio(np.log10(rows) if rows else np.nan),
        "log features": _ratio(np.log10(features) if features else np.nan),
        "classes": len(present),
        "features per row": _ratio(features, rows),
        "share of symbolic features": _ratio(len(symbols), features),
        "symbols per symbolic feature": float(np.mean(symbols)) if symbols else np.nan,
        "share of missing cells": float(np.isnan(data.features).mean()) if data.features.size else np.nan,
        "share of largest class": _ratio(present.max(initial=0), present.sum()),
        "imbalance": _ratio(present.max(initial=0), present.min(initial=rows)),
    }


def statistical(data: Data) -> Described:
    """Shapes of numeric features within classes, and outliers."""
    skewness, kurtosis, correlations = [], [], []
    for values in _numeric_by_class(data):
        for column in values:
            known = column[~np.isnan(column)]
            deviations = known - known.mean() if len(known) else known
            variance = float(np.mean(deviations**2)) if len(known) else 0.0
            if variance > 0:
                skewness.append(abs(float(np.mean(deviations**3))) / variance**1.5)
                kurtosis.append(float(np.mean(deviations**4)) / variance**2)
        correlations += _absolute_correlations(values)
    return {
        "mean absolute skewness": _mean(skewness),
        "mean kurtosis": _mean(kurtosis),
        "mean absolute correlation": _mean(correlations),
        "share of outliers": _share_of_outliers(_numeric(data)),
    }


def homogeneity(data: Data) -> Described:
    """How much the covariances of classes differ: 1 if they are equal (the SD ratio of StatLog, by Box's M)."""
    parts = _complete_by_class(data, least=2)
    if len(parts) < 2 or not 1 <= len(parts[0]) <= MAX_NUMERIC:
        return {"SD ratio": np.nan}
    p, q = len(parts[0]), len(parts)
    degrees = np.array([values.shape[1] - 1 for values in parts])
    covariances = [np.atleast_2d(np.cov(values)) for values in parts]
    pooled = sum(d * c for d, c in zip(degrees, covariances, strict=True)) / degrees.sum()
    log_pooled = _log_determinant(np.asarray(pooled))
    differences = np.array([log_pooled - _log_determinant(each) for each in covariances])
    correction = (2 * p * p + 3 * p - 1) / (6 * (p + 1) * (q - 1)) * ((1 / degrees).sum() - 1 / degrees.sum())
    box = (1 - correction) * (degrees * differences).sum()
    return {"SD ratio": float(np.exp(box / (p * degrees.sum())))}


def discriminant(data: Data) -> Described:
    """How well linear functions of numeric features tell classes apart: the first canonical correlation."""
    parts = _complete_by_class(data, least=1)
    undefined = {"first canonical correlation": np.nan, "first share of variation": np.nan}
    if len(parts) < 2 or not 1 <= len(parts[0]) <= MAX_NUMERIC:
        return undefined
    mean = np.concatenate(parts, axis=1).mean(axis=1)
    centred = [values - values.mean(axis=1, keepdims=True) for values in parts]
    within = _regularised(sum(values @ values.T for values in centred))
    shifts = np.array([np.sqrt(values.shape[1]) * (values.mean(axis=1) - mean) for values in parts])
    if np.trace(within) <= 0:
        return undefined
    # The eigenvalues of W⁻¹B other than 0 are those of a small matrix: classes × classes.
    eigenvalues = np.maximum(np.linalg.eigvalsh(shifts @ np.linalg.solve(within, shifts.T)), 0.0)
    if eigenvalues.sum() <= 0:
        return undefined
    first = float(eigenvalues.max())
    return {
        "first canonical correlation": float(np.sqrt(first / (1 + first))),
        "first share of variation": float(first / eigenvalues.sum()),
    }


def information(data: Data) -> Described:
    """What features tell about the class, and how much there is in them beside that."""
    classes, known = data.classes, data.classes >= 0
    of_classes = entropy(class_counts(data))
    entropies, shared = [], []
    for values, column in zip(data.features, data.columns, strict=True):
        usable = known & ~np.isnan(values)
        if not usable.any():
            continue
        symbols = values[usable].astype(np.intp) if column.is_nominal else binned(values[usable])
        entropies.append(entropy(np.bincount(symbols)))
        shared.append(mutual_information(symbols, classes[usable]))
    mean_entropy, mean_shared = _mean(entropies), _mean(shared)
    return {
        "class entropy": of_classes,
        "mean feature entropy": mean_entropy,
        "mean mutual information": mean_shared,
        "equivalent features": _ratio(of_classes, mean_shared),
        "noise ratio": _ratio(mean_entropy - mean_shared, mean_shared),
    }


GROUPS: Mapping[str, Callable[[Data], Described]] = {
    "simple": simple,
    "statistical": statistical,
    "homogeneity": homogeneity,
    "discriminant": discriminant,
    "information": information,
}
"""The groups by their names."""


def entropy(counts: NDArray[np.integer]) -> float:
    """In bits.

    >>> entropy(np.array([2, 2])), entropy(np.array([4, 0]))
    (1.0, 0.0)
    """
    shares = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def mutual_information(left: NDArray[np.integer], right: NDArray[np.integer]) -> float:
    """Of two codes of the same rows, in bits."""
    both = left.astype(np.int64) * (int(right.max(initial=0)) + 1) + right
    joint = entropy(np.unique(both, return_counts=True)[1])
    return max(0.0, entropy(np.bincount(left)) + entropy(np.bincount(right)) - joint)


def binned(values: Floats, bins: int = BINS) -> NDArray[np.intp]:
    """The bins of values, about equally many in each; equal values are in one bin.

    >>> binned(np.array([5.0, 1.0, 2.0, 1.0]), bins=2).tolist()
    [1, 0, 1, 0]
    """
    edges = np.unique(np.quantile(values, np.arange(1, bins) / bins))
    return np.searchsorted(edges, values, side="left")


def class_counts(data: Data) -> NDArray[np.intp]:
    """How many rows each class has."""
    return np.bincount(data.classes[data.classes >= 0], minlength=len(data.labels))


def _numeric(data: Data) -> Floats:
    """Numeric features × rows."""
    return data.features[[not column.is_nominal for column in data.columns]]


def _numeric_by_class(data: Data) -> Iterator[Floats]:
    values, classes = _numeric(data), data.classes
    for number in range(len(data.labels)):
        if (rows := classes == number).any():
            yield values[:, rows]


def _complete_by_class(data: Data, least: int) -> list[Floats]:
    """The numeric features of rows without missing ones, for each class that has at least so many of them."""
    complete = [values[:, ~np.isnan(values).any(axis=0)] for values in _numeric_by_class(data)]
    return [values for values in complete if values.shape[1] >= least]


def _absolute_correlations(values: Floats) -> list[float]:
    """Between all pairs of features that vary, over rows without missing values."""
    rows = values[:, ~np.isnan(values).any(axis=0)]
    varying = rows[rows.std(axis=1) > 0] if rows.shape[1] > 1 else rows[:0]
    if not 2 <= len(varying) <= MAX_NUMERIC:
        return []
    correlations: Floats = np.atleast_2d(np.corrcoef(varying))
    return list(map(float, np.abs(correlations[np.triu_indices(len(varying), 1)])))


def _share_of_outliers(values: Floats) -> float:
    """Of cells far from the median of their feature; features whose middle half is constant are left out."""
    outside = cells = 0
    for column in values:
        known = column[~np.isnan(column)]
        distances = np.abs(known - np.median(known)) if len(known) else known
        deviation = MAD_TO_DEVIATION * float(np.median(distances)) if len(known) else 0.0
        if deviation > 0:
            outside += int((distances > OUTLIER_DEVIATIONS * deviation).sum())
            cells += len(known)
    return _ratio(outside, cells)


def _regularised(matrix: Floats) -> Floats:
    return np.asarray(matrix + RIDGE * np.trace(matrix) / len(matrix) * np.eye(len(matrix)))


def _log_determinant(covariance: Floats) -> float:
    return float(np.linalg.slogdet(_regularised(covariance))[1])


def _ratio(value: float, by: float = 1.0) -> float:
    return float(value / by) if np.isfinite(value) and np.isfinite(by) and by != 0 else float("nan")


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
