"""Data of the arrays and frames that estimators of scikit-learn get, always with the columns that were in `fit`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.data import Column, Data, Table, from_pandas
from intemi.kernel import ConfigurationError, IntemiError


class EstimatorError(IntemiError, ValueError):
    """An estimator cannot be used with what it was given; the message says what is allowed."""


def has_categories(X: Any) -> bool:
    """Whether a table is a pandas frame with columns that are no numbers."""
    return hasattr(X, "iloc") and hasattr(X, "dtypes") and any(each.kind not in "iuf" for each in X.dtypes)


def read_array(X: Any, names: Sequence[str]) -> tuple[tuple[Column, ...], Any]:
    """The columns and features of an array of numbers."""
    return tuple(Column(name) for name in names), np.ascontiguousarray(X.T)


def read_frame(X: Any, columns: tuple[Column, ...] | None) -> tuple[tuple[Column, ...], Any]:
    """The columns and features of a frame; categories get the codes that they had in `fit`."""
    try:
        data = from_pandas(X, target="")
    except ConfigurationError as error:
        raise EstimatorError(f"IntemiClassifier: X cannot be used: {str(error).partition(': ')[2]}") from None
    features = np.array(data.features)
    if np.isinf(features).any():
        raise EstimatorError("IntemiClassifier: X must be finite or missing, got infinity")
    if columns is None:
        return data.columns, features
    for index, (known, given) in enumerate(zip(columns, data.columns, strict=True)):
        if np.isnan(features[index]).all():
            continue  # of a column in which nothing is known, nobody can tell what it would hold
        if known.categories is not None and given.categories is not None:
            features[index] = _recoded(known.name, known.categories, given.categories, features[index])
        elif known.is_nominal != given.is_nominal:
            kinds = ("numbers", "categories")
            raise EstimatorError(
                f"IntemiClassifier: column {known.name!r} had {kinds[known.is_nominal]} in fit, "
                f"got {kinds[given.is_nominal]}"
            )
    return columns, features


def _recoded(name: str, known: tuple[str, ...], given: tuple[str, ...], codes: Any) -> Any:
    used = {given[int(code)] for code in np.unique(codes[~np.isnan(codes)])}
    if unknown := sorted(used - set(known)):
        raise EstimatorError(
            f"IntemiClassifier: column {name!r} has the category {unknown[0]!r}, which was not there in fit; "
            f"there were {', '.join(known[:10])}{' …' if len(known) > 10 else ''}. "
            "A column of pandas' type category knows all of its categories in every part of the data"
        )
    places = {category: float(place) for place, category in enumerate(known)}
    table = np.array([*(places.get(category, np.nan) for category in given), np.nan])
    return table[np.where(np.isnan(codes), len(given), codes).astype(int)]


def training_data(columns: tuple[Column, ...], features: Any, labels: Any, codes: Any, weights: Any) -> Data:
    """Data with classes, and weights if there are any; rows of weight 0 are not there.

    Weights are counts, as of rows that were there several times. Those that are less than that on the average, such as
    shares that sum up to 1, are scaled to be 1 on the average: nodes of trees have a least weight.
    """
    if weights is not None:
        if (weights < 0).any():
            raise EstimatorError(f"IntemiClassifier: sample_weight must be at least 0, got {weights.min():g}")
        kept = weights > 0
        if not kept.any():
            raise EstimatorError("IntemiClassifier: sample_weight must not be zero for all rows")
        features, codes, weights = features[:, kept], codes[kept], weights[kept]
        if weights.mean() < 1:
            weights = weights / weights.mean()
        if (weights == 1).all():
            weights = None  # so that it is the same machine
    target = Column("class", tuple(map(str, labels)))
    return Data(Table(columns, features, target, codes, weights))
