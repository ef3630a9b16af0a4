"""How frequent classes are where a tree is to be used, if not as frequent as in the rows it learns from."""

from __future__ import annotations

import math

import numpy as np

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Floats

Priors = tuple[float, ...]


def check_priors(kind: str, priors: Priors) -> None:
    """Refuse what is not a number above 0 for each class."""
    if not priors or not all(math.isfinite(each) and each > 0 for each in priors):
        raise ConfigurationError(f"{kind}: priors must be finite numbers above 0, one for each class, got {priors!r}")


def priors_of(kind: str, priors: Priors, classes: int) -> Floats:
    """The priors as shares, if there are as many classes; they need not add up to 1.

    >>> priors_of("CART", (1.0, 3.0), 2).tolist()
    [0.25, 0.75]
    """
    if len(priors) != classes:
        raise ConfigurationError(f"{kind}: priors are for {len(priors)} classes, but the data have {classes}")
    return np.array(priors) / math.fsum(priors)


def factors(priors: Floats, class_weights: Floats) -> Floats:
    """What the weights of rows are to be multiplied by, so that classes have these shares of the weight of all rows.

    >>> factors(np.array([0.5, 0.5]), np.array([2.0, 6.0])).tolist()
    [2.0, 0.6666666666666666]
    """
    present = class_weights > 0
    return np.where(present, priors * class_weights.sum() / np.where(present, class_weights, 1.0), 0.0)
