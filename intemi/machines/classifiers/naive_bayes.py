"""Naive Bayes: features are independent of each other within a class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError, Model, parameter, storable
from intemi.machines.classifiers.training import rows_to_learn_from, weight_of_classes
from intemi.machines.decoded import expect, expect_floats
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner


@storable
@dataclass(frozen=True, eq=False)
class BayesClassifier(Classifier):
    """Logarithms of the shares of the classes, and for each feature what is known of its values in each class."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    log_priors: Floats
    features: tuple[Floats, ...]
    """Of a numeric feature mean and variance, of a nominal one the logarithms of the shares: a row for each class."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        count = len(self.labels)
        expect_floats(self.log_priors, count)
        expect(type(self.features) is tuple and len(self.features) == len(self.columns), "each column has its values")
        for column, known in zip(self.columns, self.features, strict=True):
            if column.categories is not None or known.size:
                expect_floats(known, count, 2 if column.categories is None else len(column.categories))

    def _probabilities(self, data: Data) -> Floats:
        joint = np.tile(self.log_priors, (len(data), 1))
        with np.errstate(over="ignore"):
            for index, (column, known) in enumerate(zip(self.columns, self.features, strict=True)):
                values = data.feature(index)
                told = ~np.isnan(values)
                if column.is_nominal:
                    joint[told] += known.T[values[told].astype(np.intp)]
                elif known.size:
                    joint[told] += _log_density(values[told, None], known[:, 0], known[:, 1])
        greatest = joint.max(axis=1, keepdims=True)
        if not np.isfinite(greatest).all():
            far = np.isneginf(greatest[:, 0])
            joint[far] = self._log_shares_far_away(data.select_rows(far))
            greatest[far] = 0.0
        with np.errstate(under="ignore"):
            shares = np.exp(joint - greatest)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _log_shares_far_away(self, data: Data) -> Floats:
        """For rows whose densities are 0 in all classes: only the nearest classes are left.

        They are found by the logarithms of the squared distances, which are within bounds where these are not.
        """
        distances = np.full((len(data), len(self.labels)), -np.inf)
        for index, (column, known) in enumerate(zip(self.columns, self.features, strict=True)):
            if not column.is_nominal and known.size:
                values = data.feature(index)[:, None]
                if np.isinf(values).any():
                    raise ConfigurationError(f"NaiveBayes: the column {column.name!r} has infinite values")
                with np.errstate(divide="ignore"):
                    squares = 2 * np.log(np.abs(values / 2 - known[:, 0] / 2)) - np.log(known[:, 1] / 4)
                distances = np.logaddexp(distances, np.where(np.isnan(values), -np.inf, squares))
        distances[:, np.isneginf(self.log_priors)] = np.inf
        nearest = distances == distances.min(axis=1, keepdims=True)
        return np.where(nearest, self.log_priors, -np.inf)


def _log_density(values: Floats, mean: Floats, variance: Floats) -> Floats:
    density: Floats = -0.5 * (np.log(2 * np.pi * variance) + (values - mean) ** 2 / variance)
    return density


class NaiveBayes(Learner):
    """Multiply the share of a class with the probabilities of a row's values in it.

    Numeric values are normally distributed within a class. No deviation is below `floor` times the mean gap between
    neighbouring values of the feature, as in WEKA, so that columns that hardly vary within a class do not decide
    alone; to each variance `smoothing` times the largest variance of a feature is added. To the count of each
    category in a class `alpha` is added (Laplace). Missing values are ignored. A class that no value of a feature
    is known of is taken to have the values of all rows.

    >>> from intemi.data import Table
    >>> from intemi.kernel import Project
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     bayes = project.run(NaiveBayes(), data=project.given(data))
    ...     bayes.outputs["classifier"].probabilities(data).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """

    version = 2
    uses_weights = True

    alpha: float = parameter(default=1.0, above=0, search=(0.01, 0.1, 1.0, 10.0))
    smoothing: float = parameter(default=1e-9, above=0, search=(1e-9, 1e-6, 1e-3))
    floor: float = parameter(default=1 / 6, at_least=0)

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        classes, weights = data.classes, data.weights
        features, largest = [], 0.0
        for index, column in enumerate(data.columns):
            told = _told(data.feature(index), classes, weights)
            if column.categories is not None:
                features.append(self._counted(*told, len(data.labels), len(column.categories)))
            elif not len(told[0]):
                features.append(np.empty((0, 2)))
            else:
                variance, moments = self._measured(*told, len(data.labels), column.name)
                largest = max(largest, variance)
                features.append(moments)
        for column, moments in zip(data.columns, features, strict=True):
            if not column.is_nominal:
                moments[:, 1] += self.smoothing * (largest or 1.0)
        shares = weight_of_classes(data)
        with np.errstate(divide="ignore"):
            log_priors = np.log(shares / shares.sum())
        return Model(classifier=BayesClassifier(data.columns, data.labels, log_priors, tuple(features)))

    def _counted(self, values: Floats, classes: Codes, weights: Floats, labels: int, categories: int) -> Floats:
        """The logarithms of the shares of the categories in each class."""
        counts = np.full((labels, categories), self.alpha)
        np.add.at(counts, (classes, values.astype(np.intp)), weights)
        return np.asarray(np.log(counts) - np.log(counts.sum(axis=1, keepdims=True)))

    def _measured(
        self, values: Floats, classes: Codes, weights: Floats, labels: int, name: str
    ) -> tuple[float, Floats]:
        """The variance of all values, and mean and variance in each class."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean, variance = _moments(values, weights)
        if not np.isfinite(variance):
            what = (
                "infinite values" if np.isinf(values).any() else "values whose squares are infinite; scale them first"
            )
            raise ConfigurationError(f"{self.kind}: the column {name!r} has {what}")
        moments = np.tile((mean, variance), (labels, 1))
        for label in range(labels):
            inside = classes == label
            if inside.any():
                moments[label] = _moments(values[inside], weights[inside])
        moments[:, 1] = np.maximum(moments[:, 1], (self.floor * _mean_gap(values)) ** 2)
        return variance, moments


def _moments(values: Floats, weights: Floats) -> tuple[float, float]:
    total = weights.sum()
    mean = (values * weights).sum() / total
    return float(mean), float(((values - mean) ** 2 * weights).sum() / total)


def _mean_gap(values: Floats) -> float:
    """How far neighbouring values are apart, on average; 0 if all are the same.

    >>> _mean_gap(np.array([0.0, 3.0, 3.0, 12.0]))
    6.0
    """
    different = np.unique(values)
    return float(different[-1] - different[0]) / max(len(different) - 1, 1)


def _told(values: Floats, classes: Codes, weights: Floats) -> tuple[Floats, Codes, Floats]:
    """The values of a feature that are not missing, with their classes and weights."""
    missing = np.isnan(values)
    if not missing.any():
        return values, classes, weights
    told = ~missing
    return values[told], classes[told], weights[told]
