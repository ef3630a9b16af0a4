"""Values whose squares would overflow or vanish, brought to where they do not; no test depends on the unit."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats


def tamed(features: Floats) -> tuple[Floats, Codes]:
    """Features (a row each) divided by powers of two where they are extreme, and the exponents: 0 for most.

    >>> values, exponents = tamed(np.array([[1.0, -3.0], [2.0**900, 0.0]]))
    >>> values.tolist(), exponents.tolist()
    ([[1.0, -3.0], [0.5, 0.0]], [0, 901])
    """
    greatest = np.fmax.reduce(np.abs(features), axis=1, initial=0.0)
    extreme = (greatest > 1e40) | ((greatest < 1e-40) & (greatest > 0))
    exponents = np.where(extreme, np.frexp(greatest)[1], 0).astype(np.int32)
    if not extreme.any():
        return features, exponents
    return np.asarray(np.ldexp(features, -exponents[:, None])), exponents
