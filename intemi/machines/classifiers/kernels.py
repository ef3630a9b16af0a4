"""Kernels: products of rows of numbers in a space of features that is never computed."""

from __future__ import annotations

import numpy as np

from intemi.kernel import Component, parameter
from intemi.machines.interfaces import Floats
from intemi.machines.search.steps import Steps


class Kernel(Component):
    """A product of rows of numbers."""

    def between(self, rows: Floats, others: Floats) -> Floats:
        """The product of each row with each of the others."""
        raise NotImplementedError(f"{self.kind}: write its method between")

    def table(self, rows: Floats) -> Floats:
        """The product of each row with each."""
        return self.between(rows, rows)


class LinearKernel(Kernel):
    """⟨x, y⟩.

    >>> LinearKernel().between(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[11.0]]
    """

    def between(self, rows: Floats, others: Floats) -> Floats:
        return np.asarray(rows @ others.T)


class PolynomialKernel(Kernel):
    """(scale ⟨x, y⟩ + offset)^degree."""

    degree: int = parameter(default=3, at_least=1)
    scale: float = parameter(default=1.0, above=0)
    offset: float = parameter(default=1.0, at_least=0)

    def between(self, rows: Floats, others: Floats) -> Floats:
        return np.asarray((self.scale * (rows @ others.T) + self.offset) ** self.degree)


class GaussianKernel(Kernel):
    """exp(−σ ‖x − y‖²): the larger σ, the smaller the surroundings of a row that it has a say in.

    That is how Table 4.5 of the book uses it; scikit-learn and LIBSVM call the factor γ.
    """

    sigma: float = parameter(default=0.1, above=0)

    def default_scenario(self) -> Steps:
        """From nearly linear to nearly nothing but the row itself, for standardized data."""
        return Steps("sigma", base=2.0, start=-10, step=2, count=8)

    def between(self, rows: Floats, others: Floats) -> Floats:
        from scipy.spatial.distance import cdist

        return self._of_squares(cdist(rows, others, "sqeuclidean"))

    def table(self, rows: Floats) -> Floats:
        # −σ‖x − y‖² = ⟨2σx, y⟩ − σ‖x‖² − σ‖y‖² is one product of matrices, with the squares as two more columns. In few
        # steps, since between steps a thread may have to wait for others; around the mean there is little to cancel.
        centered = rows - rows.mean(axis=0)
        squares = -self.sigma * np.einsum("ij,ij->i", centered, centered)[:, None]
        ones = np.ones((len(rows), 1))
        table = np.hstack([2 * self.sigma * centered, squares, ones]) @ np.hstack([centered, ones, squares]).T
        np.minimum(table, 0, out=table)
        np.exp(table, out=table)
        np.fill_diagonal(table, 1.0)
        return np.asarray(table)

    def _of_squares(self, distances: Floats) -> Floats:
        distances *= -self.sigma
        return np.exp(distances, out=distances)
