"""Naive Bayes: features are independent of each other within a class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Input, Machine, Model, Output, parameter, storable
from intemi.machines.classifiers.training import rows_to_learn_from, weight_of_classes
from intemi.machines.interfaces import Classifier, Codes, Floats


@storable
@dataclass(frozen=True, eq=False)
class BayesClassifier(Classifier):
    """Logarithms of the shares of the classes, and for each feature what is known of its values in each class."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    log_priors: Floats
    features: tuple[Floats, ...]
    """Of a numeric feature mean and variance, of a nominal one the logarithms of the shares: a row for each class."""

    def _probabilities(self, data: Data) -> Floats:
        joint = np.tile(self.log_priors, (len(data), 1))
        for index, (column, known) in enumerate(zip(self.columns, self.features, strict=True)):
            values = data.feature(index)
            told = ~np.isnan(values)
            if column.is_nominal:
                joint[told] += known.T[values[told].astype(np.intp)]
            elif known.size:
                joint[told] += _log_density(values[told, None], known[:, 0], known[:, 1])
        with np.errstate(under="ignore"):
            shares = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _log_density(values: Floats, mean: Floats, variance: Floats) -> Floats:
    density: Floats = -0.5 * (np.log(2 * np.pi * variance) + (values - mean) ** 2 / variance)
    return density


class NaiveBayes(Machine):
    """Multiply the share of a class with the probabilities of a row's values in it.

    Numeric values are normally distributed within a class; to each variance `smoothing` times the largest variance of a
    feature is added. To the count of each category in a class `alpha` is added (Laplace). Missing values are ignored.
    A class that no value of a feature is known of is taken to have the values of all rows.

    >>> from intemi.data import Table
    >>> from intemi.kernel import Project
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     bayes = project.run(NaiveBayes(), data=project.given(data))
    ...     bayes.outputs["classifier"].probabilities(data).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """

    data = Input(Data)
    classifier = Output(Classifier)

    alpha: float = parameter(default=1.0, above=0)
    smoothing: float = parameter(default=1e-9, above=0)

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        floor = self._floor(data)
        features = tuple(
            self._counted(data, index, len(column.categories))
            if column.categories is not None
            else _measured(data, index, floor)
            for index, column in enumerate(data.columns)
        )
        weights = weight_of_classes(data)
        with np.errstate(divide="ignore"):
            log_priors = np.log(weights / weights.sum())
        return Model(classifier=BayesClassifier(data.columns, data.labels, log_priors, features))

    def _floor(self, data: Data) -> float:
        """What is added to every variance."""
        numeric = [index for index, column in enumerate(data.columns) if not column.is_nominal]
        told = [_told(data, index) for index in numeric]
        variances = [_moments(values, weights)[1] for values, _, weights in told]
        largest = max((each for each in variances if not np.isnan(each)), default=0.0)
        return self.smoothing * (largest or 1.0)

    def _counted(self, data: Data, index: int, categories: int) -> Floats:
        values, classes, weights = _told(data, index)
        counts = np.full((len(data.labels), categories), self.alpha)
        np.add.at(counts, (classes, values.astype(np.intp)), weights)
        return np.asarray(np.log(counts) - np.log(counts.sum(axis=1, keepdims=True)))


def _measured(data: Data, index: int, floor: float) -> Floats:
    """Mean and variance of a feature in each class; nothing at all if no value is known."""
    values, classes, weights = _told(data, index)
    if not len(values):
        return np.empty((0, 2))
    moments = np.tile(_moments(values, weights), (len(data.labels), 1))
    for label in np.unique(classes):
        moments[label] = _moments(values[classes == label], weights[classes == label])
    moments[:, 1] += floor
    return moments


def _moments(values: Floats, weights: Floats) -> tuple[float, float]:
    if not len(values):
        return np.nan, np.nan
    mean = np.average(values, weights=weights)
    return float(mean), float(np.average((values - mean) ** 2, weights=weights))


def _told(data: Data, index: int) -> tuple[Floats, Codes, Floats]:
    """The values of a feature that are not missing, with their classes and weights."""
    values = data.feature(index)
    told = ~np.isnan(values)
    return values[told], data.classes[told], data.weights[told]
