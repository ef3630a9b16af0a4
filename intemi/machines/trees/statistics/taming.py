"""Values whose squares would overflow or vanish, brought to where they do not; no test depends on the unit."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees import kernels


def tamed(features: Floats) -> tuple[Floats, Codes]:
    """Features (a row each) divided by powers of two where they are extreme, and the exponents: 0 for most.

    >>> values, exponents = tamed(np.array([[1.0, -3.0], [2.0**900, 0.0]]))
    >>> values.tolist(), exponents.tolist()
    ([[1.0, -3.0], [0.5, 0.0]], [0, 901])
    """
    any_is_extreme, exponents = kernels.moments.exponents(features)
    return np.ldexp(features, -exponents[:, None]) if any_is_extreme else features, exponents
