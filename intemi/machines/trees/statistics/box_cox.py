"""The Box–Cox transformation: powers that make a feature more alike to normal within classes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels


@dataclass(frozen=True, slots=True)
class BoxCox:
    """((x + shift)^power − 1) / power, the logarithm if the power is 0.

    >>> import numpy as np
    >>> BoxCox(power=0.0, shift=0.0).inverse(BoxCox(power=0.0, shift=0.0)(np.array([1.0, 4.0])))
    array([1., 4.])
    """

    power: float
    shift: float

    def __call__(self, values: Floats) -> Floats:
        """The transformed values."""
        return kernels.box_cox.transformed(values, self.power, self.shift)

    def inverse(self, transformed: Floats) -> Floats:
        """The values that were transformed; NaN for what no value is transformed to."""
        return kernels.box_cox.inverse(transformed, self.power, self.shift)


def fit_box_cox(values: Floats, classes: Codes, weights: Floats, always_shift: bool = False) -> BoxCox | None:
    """The power in [−3, 3] with the least squares within classes.

    None for a constant or an extreme feature, or one that is constant in each class.

    Values that are not all positive are shifted first (others too, with `always_shift`), so that the distance of the
    two least becomes the least. None is missing.

    >>> import numpy as np
    >>> classes = np.repeat([0, 1], 3).astype(np.int32)
    >>> abs(fit_box_cox(np.array([1.0, 2, 4, 8, 16, 32]), classes, np.ones(6)).power) < 1e-4
    True
    """
    power, shift = kernels.box_cox.fitted(values, classes, weights, always_shift)
    return None if math.isnan(power) else BoxCox(power, shift)


def squares_within(logarithms: Floats, power: float, classes: Codes, weights: Floats) -> float:
    """Squares within classes after the transformation, on the scale of the values: what the power minimizes.

    >>> import numpy as np
    >>> classes = np.repeat([0, 1], 3).astype(np.int32)
    >>> round(squares_within(np.log([1.0, 2, 4, 8, 16, 32]), -0.5, classes, np.ones(6)), 6)
    3.213203
    """
    distinct, which = kernels.box_cox.distinct_of(logarithms)
    return kernels.box_cox.squares_within(
        kernels.box_cox.centered(distinct, which, weights), which, power, classes, weights
    )
