"""What a machine learns from the data that it is given: a declaration that the rules of fairness go by."""

from __future__ import annotations

import enum


class Reads(enum.Enum):
    """What the outputs of a machine depend on, beside the row they belong to.

    A class says so by `reads = Reads.FEATURES`. A machine that says nothing is taken to learn from targets.

    >>> from intemi.machines import KNN, Standardization
    >>> Standardization().reads, KNN().reads
    (<Reads.FEATURES: 'features'>, <Reads.TARGETS: 'targets'>)
    """

    NOTHING = "nothing"
    """It divides rows, or changes each row by itself in a way that is given."""
    FEATURES = "features"
    """Features of other rows count, as for a mean; targets do not."""
    TARGETS = "targets"
    """Targets of rows count, as for every learner of classifiers."""
