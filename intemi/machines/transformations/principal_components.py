"""Principal components: the directions in which numeric columns vary most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError, Model, parameter, storable
from intemi.machines import weighted
from intemi.machines.decoded import expect_floats
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Floats, Transformation
from intemi.machines.roles import Transformer
from intemi.machines.transformations.changing import names_apart, numeric, refuse_unknown, with_columns


@storable
@dataclass(frozen=True, eq=False)
class Projection(Transformation):
    """Numeric columns become their coordinates along directions; nominal ones follow as they are."""

    columns: tuple[Column, ...]
    center: Floats
    """Of the numeric columns only."""
    directions: Floats
    """A row of numeric columns for each direction."""

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        count = len(numeric(self.columns))
        expect_floats(self.center, count)
        expect_floats(self.directions, None, count)

    def _transform(self, data: Data) -> Data:
        inside = numeric(self.columns)
        if not inside:
            return data
        refuse_unknown("PrincipalComponents", data, inside)
        nominal = [index for index, column in enumerate(self.columns) if column.is_nominal]
        kept = [self.columns[index] for index in nominal]
        names = (f"component {index + 1}" for index in range(len(self.directions)))
        new = [Column(name) for name in names_apart(names, taken=(column.name for column in kept))]
        values = self.directions @ _differences(data, inside, self.center)
        return with_columns(data, [*new, *kept], [*values, *(data.feature(index) for index in nominal)])


class PrincipalComponents(Transformer):
    """Turn numeric columns into uncorrelated ones, ordered by their variance, and keep the first of them.

    Kept are as few as explain more than the given share of the variance (all, if it is 1), and at most `count`. The
    greatest coefficient of each direction is positive. Nominal columns follow as they are.
    """

    version = 2
    reads = Reads.FEATURES
    former_ports = (("projected", "transformed"),)

    count: int | None = parameter(default=None, at_least=1)
    variance: float = parameter(default=1.0, above=0, at_most=1, search=(0.5, 0.8, 0.9, 0.95, 1.0))

    def run(self, data: Data) -> Model:
        inside = numeric(data.columns)
        if not inside:
            unchanged = Projection(data.columns, np.empty(0), np.empty((0, 0)))
            return Model(transformed=data, transformation=unchanged)
        if not data.weights.any():
            raise ConfigurationError(f"{self.kind}: rows with a weight above 0 are needed, got none")
        refuse_unknown(self.kind, data, inside)
        center = np.array([weighted.mean(data.feature(index), data.weights) for index in inside])
        centered = _differences(data, inside, center)
        centered *= np.sqrt(data.weights)
        variances, directions = _decomposed(centered)
        kept = self._count_kept(variances)
        projection = Projection(data.columns, center, directions[:kept])
        total = float(variances.sum())
        return Model(
            transformed=projection.transform(data),
            transformation=projection,
            results={
                "Components": kept,
                "Explained variance": float(variances[:kept].sum()) / total if total > 0 else 1.0,
            },
        )

    def _count_kept(self, variances: Floats) -> int:
        kept = len(variances)
        if self.variance < 1 and variances.sum() > 0:
            reached = np.cumsum(variances) / variances.sum()
            kept = min(kept, int(np.searchsorted(reached, self.variance, side="right")) + 1)
        return kept if self.count is None else min(kept, self.count)


def _differences(data: Data, indices: Sequence[int], center: Floats) -> Floats:
    """The values of some columns less their centers; an error if one exceeds the greatest number."""
    values = np.empty((len(indices), len(data)))
    for row, index, middle in zip(values, indices, center, strict=True):
        with np.errstate(over="ignore"):
            np.subtract(data.feature(index), middle, out=row)
        if not np.isfinite(row).all():
            name = data.columns[index].name
            raise ConfigurationError(f"PrincipalComponents: the values of the column {name!r} are too far apart")
    return values


def _decomposed(centered: Floats) -> tuple[Floats, Floats]:
    """Relative variances and directions, each with a positive greatest coefficient."""
    _, lengths, directions = np.linalg.svd(centered.T, full_matrices=False)
    greatest = np.abs(directions).argmax(axis=1)
    signs = np.where(directions[np.arange(len(directions)), greatest] < 0, -1.0, 1.0)
    return weighted.within_one(lengths) ** 2, directions * signs[:, None]
