"""What rankings by a score of each single feature share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError
from intemi.machines import weighted
from intemi.machines.interfaces import Codes, FeatureRanking, Floats


def ranked(data: Data, values: Iterable[float]) -> FeatureRanking:
    """The features by descending values, equal ones in the order of the columns."""
    values = tuple(float(value) for value in values)
    order = np.argsort(-np.array(values), kind="stable")
    return FeatureRanking(data.columns, tuple(map(int, order)), values)


def classified(who: str, data: Data, index: int) -> tuple[Floats, Floats, Codes]:
    """What is known of one feature: values, weights and classes of the rows where all are known."""
    if data.target is None:
        raise ConfigurationError(f"{who}: data with a target are needed, got {data!r}")
    known = weighted.known(data, index)
    assert known.classes is not None
    taken = known.classes >= 0
    return known.values[taken], known.weights[taken], known.classes[taken]


def indicators(codes: Floats | Codes) -> Floats:
    """A row for each code that occurs, 1 where it is and 0 where it is not."""
    rows: Floats = np.equal(np.unique(codes)[:, None], codes).astype(np.float64)
    return rows
