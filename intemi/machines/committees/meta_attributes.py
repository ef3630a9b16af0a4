"""Attributes of the meta level: what is told of the answers of several classifiers for a row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import Component
from intemi.machines.committees.predictions import Predictions
from intemi.machines.interfaces import Floats
from intemi.machines.transformations.changing import names_apart, with_columns

Attribute = tuple[Column, Floats]


@dataclass(frozen=True)
class Answered:
    """Answers of classifiers for the rows of data, as attributes are made of them."""

    data: Data
    names: tuple[str, ...]
    """What the classifiers are called."""
    labels: tuple[str, ...]
    """The names of the classes."""
    predictions: Sequence[Predictions | None]
    """Of each classifier; None of one that was not asked, whose attributes are missing."""
    weighed: tuple[bool, ...]
    """Which classifiers tell how much of their training data is behind an answer."""

    def each(self) -> Iterator[tuple[str, Predictions | None]]:
        """The name and the predictions of each classifier."""
        return zip(self.names, self.predictions, strict=True)

    @property
    def missing(self) -> Floats:
        """A column in which nothing is known."""
        return np.full(len(self.data), np.nan)


class MetaAttributes(Component):
    """A set of attributes. Subclasses write `made`."""

    @abstractmethod
    def made(self, answered: Answered) -> Iterator[Attribute]:
        """Columns and their values."""

    def table(self, answered: Answered) -> Data:
        """Data with these attributes, rows, classes and weights being those of the data that were answered for."""
        columns, values = [], []
        for column, value in self.made(answered):
            columns.append(column)
            values.append(value)
        names = names_apart(column.name for column in columns)
        named = [Column(name, column.categories) for name, column in zip(names, columns, strict=True)]
        return with_columns(answered.data, named, values)


class PredictedLabels(MetaAttributes):
    """The class that each classifier answers, a nominal attribute."""

    def made(self, answered: Answered) -> Iterator[Attribute]:
        for name, told in answered.each():
            values = answered.missing if told is None else np.where(told.answers < 0, np.nan, told.answers)
            yield Column(f"{name} class", answered.labels), values


class PredictedProbabilities(MetaAttributes):
    """The probabilities of all classes, by each classifier.

    With `without_first` that of the first class is left out: the others say everything, and of two classes one number
    of each classifier is left, as in scikit-learn.
    """

    without_first: bool = False

    def made(self, answered: Answered) -> Iterator[Attribute]:
        for name, told in answered.each():
            for index, label in enumerate(answered.labels):
                if index or not self.without_first:
                    values = answered.missing if told is None else told.probabilities[:, index]
                    yield Column(f"{name} {label}"), values


class DistributionProperties(MetaAttributes):
    """How sure each classifier is: its greatest probability, the entropy of its distribution in bits, and the share of
    its training data that is behind the answer, where it tells.

    They speak of no class and no feature, so what is learned of them can be used on other data (CDP).
    """

    def made(self, answered: Answered) -> Iterator[Attribute]:
        for (name, told), is_weighed in zip(answered.each(), answered.weighed, strict=True):
            shares = None if told is None else _distributions(told.probabilities)
            yield Column(f"{name} maxprob"), answered.missing if shares is None else shares.max(axis=1)
            yield Column(f"{name} entropy"), answered.missing if shares is None else entropies(shares)
            if is_weighed:
                weights = None if told is None else told.weights
                yield Column(f"{name} weight"), answered.missing if weights is None else weights


class OriginalFeatures(MetaAttributes):
    """The features of the data themselves (BLA)."""

    def made(self, answered: Answered) -> Iterator[Attribute]:
        for index, column in enumerate(answered.data.columns):
            yield column, answered.data.feature(index)


class AttributeUnion(MetaAttributes):
    """Several sets, one after the other.

    >>> AttributeUnion((DistributionProperties(), PredictedLabels()))
    AttributeUnion(sets=(DistributionProperties(), PredictedLabels()))
    """

    sets: tuple[MetaAttributes, ...]

    def made(self, answered: Answered) -> Iterator[Attribute]:
        return chain.from_iterable(each.made(answered) for each in self.sets)


def _distributions(probabilities: Floats) -> Floats:
    """Each row divided by its sum; a row without any is uniform."""
    total = probabilities.sum(axis=1, keepdims=True)
    uniform = 1.0 / probabilities.shape[1]
    return np.asarray(np.where(total > 0, probabilities / np.where(total > 0, total, 1.0), uniform))


def entropies(distributions: Floats) -> Floats:
    """The entropy of each row, in bits.

    >>> entropies(np.array([[0.5, 0.5], [1.0, 0.0], [0.875, 0.125]])).round(6).tolist()
    [1.0, 0.0, 0.543564]
    """
    logarithms = np.log2(np.where(distributions > 0, distributions, 1.0))
    return np.asarray(np.abs((distributions * logarithms).sum(axis=1)))
