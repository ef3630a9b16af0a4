"""What learners ask of the data they learn from: rows whose class is known and counts, and values they can use."""

from __future__ import annotations

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Codes, Floats


def rows_to_learn_from(who: str, data: Data) -> Data:
    """The rows whose class is known and whose weight is not 0; an error if there are none."""
    if data.target is None:
        raise ConfigurationError(f"{who}: the data have no target, got {data!r}")
    if data.table.all_rows_count and len(data) > 0:
        return data
    useful = data.classes >= 0
    if data.is_weighted:
        useful &= data.weights > 0
    if not useful.any():
        raise ConfigurationError(f"{who}: there is no row whose class is known and whose weight is above 0")
    return data if useful.all() else data.select_rows(useful)


def weights_to_learn_from(data: Data) -> Floats:
    """How much each row counts; 0 where its class is not known."""
    return data.weights if data.target is None else np.where(data.classes >= 0, data.weights, 0.0)


def numbers_only(who: str, data: Data) -> Floats:
    """The values, a row for each case; an error that says what to do if some are nominal or missing."""
    for column in data.columns:
        if column.is_nominal:
            raise ConfigurationError(
                f"{who}: numeric columns without missing values are needed, got {column}; "
                "NominalToIndicators turns categories into numbers"
            )
    values = data.features
    finite = np.isfinite(values)
    if not finite.all():
        index = int(finite.all(axis=1).argmin())
        found = "missing; Imputation fills them in" if np.isnan(values[index]).any() else "infinite"
        raise ConfigurationError(
            f"{who}: numeric columns without missing values are needed, "
            f"but some of {data.columns[index].name!r} are {found}"
        )
    return np.ascontiguousarray(values.T)


def weight_of_classes(data: Data) -> Floats:
    """The sum of the weights of the rows of each class."""
    return np.asarray(np.bincount(data.classes, data.weights, minlength=len(data.labels)), dtype=np.float64)


def one_hot(classes: Codes, count: int) -> Floats:
    """Probabilities that leave no doubt."""
    answer = np.zeros((len(classes), count))
    answer[np.arange(len(classes)), classes] = 1.0
    return answer
