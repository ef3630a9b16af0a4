"""Kernels: products of rows of numbers in a space of features that is never computed."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from intemi.kernel import Component, ConfigurationError, parameter
from intemi.kernel.libraries import library
from intemi.machines.interfaces import Floats
from intemi.machines.search.steps import Steps

LEAST_EXPONENT = -700.0
"""Stands for all below it; its exponential is 1e-304. Where numbers become too small to be normal ones, and zero in the
end, a processor takes ten to a hundred times as long."""
LEAST_SIGMA = float(np.finfo(float).tiny)
"""Below it, and above its inverse, numbers are no normal ones."""
FARTHEST_EXPONENT = -1e6
"""Up to here, from the mean, exponents may be sums of parts that cancel: what rounding leaves of them is below 1e-8."""


class Kernel(Component):
    """A product of rows of numbers."""

    @abstractmethod
    def between(self, rows: Floats, others: Floats) -> Floats:
        """The product of each row with each of the others."""

    def fitted(self, rows: Floats, weights: Floats) -> Kernel:
        """The kernel with what it takes from the data that it is used on; most take nothing."""
        return self

    def table(self, rows: Floats, memory: Floats | None = None) -> Floats:
        """The product of each row with each, in memory that may be written to; infinite ones are refused."""
        with np.errstate(over="ignore", invalid="ignore"):
            table = self.between(rows, rows)
            self.refuse_infinite(table.sum())  # one number tells of all
        return table

    def refuse_infinite(self, products: float) -> None:
        """An error if a product, or a sum of products, is infinite or no number at all."""
        if not np.isfinite(products):
            raise ConfigurationError(f"{self.kind}: the products of some rows are infinite; scale the data first")


class LinearKernel(Kernel):
    """⟨x, y⟩.

    >>> LinearKernel().between(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[11.0]]
    """

    def between(self, rows: Floats, others: Floats) -> Floats:
        return np.asarray(rows @ others.T)


class PolynomialKernel(Kernel):
    """(scale ⟨x, y⟩ + offset)^degree."""

    degree: int = parameter(default=3, at_least=1, search=(2, 3, 4))
    scale: float = parameter(default=1.0, above=0)
    offset: float = parameter(default=1.0, at_least=0, search=(0.0, 1.0))

    def between(self, rows: Floats, others: Floats) -> Floats:
        return np.asarray((self.scale * (rows @ others.T) + self.offset) ** self.degree)


class GaussianKernel(Kernel):
    """exp(−σ ‖x − y‖²): the larger σ, the smaller the surroundings of a row that it has a say in.

    That is how Table 4.5 of the book uses it; scikit-learn and LIBSVM call the factor γ. Without a `sigma` it is one by
    the number of columns and by the variance of all training values, scikit-learn's `gamma="scale"`.

    >>> GaussianKernel().fitted(np.array([[0.0, 2.0], [4.0, 6.0]]), np.ones(2)).sigma
    0.1
    """

    sigma: float | None = parameter(default=None, above=0)

    def default_scenario(self) -> Steps:
        """From nearly linear to nearly nothing but the row itself, for standardized data."""
        return Steps("sigma", base=2.0, start=-10, step=2, count=8)

    def fitted(self, rows: Floats, weights: Floats) -> Kernel:
        if self.sigma is not None:
            return self
        width, total = rows.shape[1], float(weights.sum())
        if not width or not total:
            return GaussianKernel(sigma=1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float((weights @ rows).sum()) / (total * width)
            variance = float((weights @ (rows - mean) ** 2).sum()) / (total * width)
        self.refuse_infinite(variance)
        return GaussianKernel(
            sigma=max(1.0 / (width * variance), LEAST_SIGMA) if width * variance > LEAST_SIGMA else 1.0
        )

    @property
    def factor(self) -> float:
        """Its σ; an error if it is not known yet."""
        if self.sigma is None:
            raise ConfigurationError("GaussianKernel: sigma must be a number here, got None; fitted(rows) gives one")
        return self.sigma

    def between(self, rows: Floats, others: Floats) -> Floats:
        cdist = library("scipy.spatial.distance").cdist

        exponents: Floats = cdist(rows, others, "sqeuclidean")
        exponents *= -self.factor
        np.maximum(exponents, LEAST_EXPONENT, out=exponents)
        return np.exp(exponents, out=exponents)

    def table(self, rows: Floats, memory: Floats | None = None) -> Floats:
        # −σ‖x − y‖² = ⟨2σx, y⟩ − σ‖x‖² − σ‖y‖² is one product of matrices, with the squares as two more columns. In few
        # steps, since between steps a thread may have to wait for others; around the mean there is little to cancel.
        size, width = rows.shape
        left, right = np.ones((size, width + 2)), np.ones((size, width + 2))
        with np.errstate(over="ignore", invalid="ignore"):
            centered = np.subtract(rows, rows.mean(axis=0), out=right[:, :width])
            squares = np.einsum("ij,ij->i", centered, centered)
            squares *= -self.factor
        least = squares.min(initial=0.0)
        if not least >= FARTHEST_EXPONENT:  # nor if it is no number
            return self.between(rows, rows)
        left[:, width] = right[:, width + 1] = squares
        np.multiply(centered, 2 * self.factor, out=left[:, :width])
        table = np.asarray(np.matmul(left, right.T, out=memory))
        if 4 * least < LEAST_EXPONENT:  # else none of them reaches it, and rounding is below 1e-12
            np.clip(table, LEAST_EXPONENT, 0.0, out=table)
        np.exp(table, out=table)
        np.fill_diagonal(table, 1.0)
        return table
