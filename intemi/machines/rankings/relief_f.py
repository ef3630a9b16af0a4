"""Ranking by ReliefF."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intemi.data import Data
from intemi.kernel import ConfigurationError, Model, parameter
from intemi.machines import weighted
from intemi.machines.interfaces import Floats
from intemi.machines.rankings.scoring import ranked
from intemi.machines.roles import Ranker

Positions = NDArray[np.intp]


class ReliefFRanking(Ranker):
    """Rank features by ReliefF (Kononenko, 1994): do they differ between neighbours of other classes, rather than
    between neighbours of the same class?

    Of so many rows, drawn at random (of all, if there are no more), the nearest neighbours in each class are compared.
    Numeric values differ by their distance relative to the range of the feature, nominal ones by 0 or 1; if one of two
    values is missing, they differ as two known values of the feature do on the average.
    """

    neighbours: int = parameter(default=10, at_least=1, search=(1, 5, 10, 20))
    samples: int = parameter(default=250, at_least=1)

    def run(self, data: Data, rng: np.random.Generator) -> Model:
        if data.target is None:
            raise ConfigurationError(f"{self.kind}: data with a target are needed, got {data!r}")
        data = data.select_rows((data.classes >= 0) & (data.weights > 0))
        drawn = np.sort(rng.permutation(len(data))[: self.samples])
        return Model(ranking=ranked(data, _Relief(data, self.neighbours).evaluate(drawn)))


class _Relief:
    """Rows and the differences between them."""

    def __init__(self, data: Data, neighbours: int) -> None:
        self.neighbours = neighbours
        self.weights = data.weights
        self.classes = data.classes
        self.nominal = np.array([column.is_nominal for column in data.columns], dtype=bool)
        self.values = np.array([_unit(data, i) for i in range(len(self.nominal))])
        self.values = self.values.reshape(len(self.nominal), len(data))
        self.incomplete = np.flatnonzero(np.isnan(self.values).any(axis=1))
        self.expected = np.array([_expected(self.values[i], bool(self.nominal[i])) for i in self.incomplete])
        self.members: dict[int, Positions] = {int(c): np.flatnonzero(self.classes == c) for c in set(self.classes)}
        self.priors = {c: float(self.weights[rows].sum() / self.weights.sum()) for c, rows in self.members.items()}

    def evaluate(self, drawn: Positions) -> Floats:
        """The weight that ReliefF gives to each feature."""
        total = np.zeros(len(self.nominal))
        for row in drawn:
            total += self.weights[row] * self._contribution(int(row))
        return total / self.weights[drawn].sum() if len(drawn) else total

    def _contribution(self, row: int) -> Floats:
        differences = self._differences(row)
        distances = differences.sum(axis=0)
        own = int(self.classes[row])
        contribution = np.zeros(len(differences))
        for label, rows in self.members.items():
            others = rows[rows != row] if label == own else rows
            if len(others):
                nearest = others[np.argsort(distances[others], kind="stable")[: self.neighbours]]
                mean = np.average(differences[:, nearest], axis=1, weights=self.weights[nearest])
                contribution += -mean if label == own else mean * self.priors[label] / (1 - self.priors[own])
        return contribution

    def _differences(self, row: int) -> Floats:
        """How much each row differs from one, feature by feature."""
        differences: Floats = np.abs(self.values - self.values[:, row : row + 1])
        differences[self.nominal] = np.minimum(differences[self.nominal], 1.0)
        for index, expected in zip(self.incomplete, self.expected, strict=True):
            values = differences[index]
            values[np.isnan(values)] = expected
        return differences


def _unit(data: Data, index: int) -> Floats:
    """Numeric values from 0 to 1; categories as they are."""
    values, known = data.feature(index), weighted.known(data, index).values
    if data.columns[index].is_nominal or not len(known):
        return values
    low = known.min() / 2  # differences of halves are always finite
    width = known.max() / 2 - low
    unit: Floats = (values / 2 - low) / (width if width > 0 else 1.0)
    return unit


def _expected(values: Floats, nominal: bool) -> float:
    """The mean difference of two known values."""
    known = np.sort(values[~np.isnan(values)])
    size = len(known)
    if not size:
        return 0.0
    if nominal:
        _, counts = np.unique(known, return_counts=True)
        return float(1 - ((counts / size) ** 2).sum())
    return float(2 * ((2 * np.arange(size) - size + 1) * known).sum() / size**2)
