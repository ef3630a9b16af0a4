"""Queries as values: part of configurations that ask about what they have requested, such as a parameter search."""

from __future__ import annotations

from statistics import fmean
from typing import Literal

from intemi.kernel.component import Component
from intemi.kernel.parameters import parameter
from intemi.kernel.repository.qualifiers import Qualifier
from intemi.series import Series

Statistic = Literal["mean", "median", "minimum", "maximum", "sum", "mean minus deviation"]


class Query(Component):
    """A question: the label of all items at a path, such as the accuracies of all tests of a cross-validation.

    >>> Query("test/svm test", "Accuracy").mean().statistic
    'mean'
    """

    path: str
    """Below the root; `*` stands for one step, `**` for any number of them."""
    label: str
    where: Qualifier | None = parameter(default=None)
    labels: tuple[str, ...] = parameter(default=())
    """Further labels that the items get."""

    def mean(self) -> Objective:
        """Their mean."""
        return Objective(self)

    def median(self) -> Objective:
        """Their median."""
        return Objective(self, "median")

    def minimum(self) -> Objective:
        """The least of them."""
        return Objective(self, "minimum")

    def maximum(self) -> Objective:
        """The greatest of them."""
        return Objective(self, "maximum")

    def total(self) -> Objective:
        """Their sum."""
        return Objective(self, "sum")

    def mean_minus_deviation(self) -> Objective:
        """Their mean less their standard deviation: a cheap value to rank by, and no basis for claims."""
        return Objective(self, "mean minus deviation")


class Objective(Component):
    """One number of what a query finds.

    Which values are best is what the machines that are asked declare of the label (a measure of a test: the lowest of a
    loss); without a declaration, the highest. `best` says otherwise.
    """

    query: Query
    statistic: Statistic = parameter(default="mean")
    best: Literal["highest", "lowest"] | None = parameter(default=None)

    def of(self, series: Series) -> float:
        """The number."""
        if self.statistic == "mean minus deviation":
            return float(series.mean() - series.sd())
        return float(
            {
                "mean": lambda: fmean(series.values),  # exact, so that equal results in another order are a tie
                "median": series.median,
                "minimum": series.min,
                "maximum": series.max,
                "sum": series.sum,
            }[self.statistic]()
        )
