"""Data from and to the tables of other libraries: numpy, pandas, scikit-learn's bunches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.data.choosing import MAX_NAMES, check_choice, kept_columns
from intemi.data.column import Column, repeated
from intemi.data.data import Data
from intemi.data.errors import listed
from intemi.data.libraries import needed
from intemi.data.numbering import numbered
from intemi.data.series import as_classes, classes_from_series, from_series, whole
from intemi.data.table import MISSING, Table, as_floats
from intemi.kernel import ConfigurationError


def from_numpy(
    features: Any,
    classes: Any = None,
    *,
    names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    nominal: Sequence[int | str] = (),
    weights: Any = None,
    target: str = "class",
    name: str = "",
) -> Data:
    """Data of an array with a row for each case, and perhaps the classes of the cases.

    Classes may be of any kind that can be sorted; with `labels`, they are indices of these. The values of columns that
    are `nominal`, by index or name, become categories.

    >>> from_numpy([[1.0, 2.0], [3.0, 4.0]], ["yes", "no"])
    Data(2 rows, 2 numeric and 0 nominal columns, class of 2: no 1, yes 1)
    """
    array = as_floats("from_numpy", "features", features)
    if array.ndim != 2:
        raise ConfigurationError(f"from_numpy: features must have two dimensions, got shape {array.shape}")
    texts = [f"x{index + 1}" for index in range(array.shape[1])] if names is None else [str(each) for each in names]
    if len(texts) != array.shape[1]:
        raise ConfigurationError(f"from_numpy: names must be {array.shape[1]}, one for each column, got {len(texts)}")
    values = np.array(array.T, order="C")
    columns = [Column(text) for text in texts]
    exact = np.asarray(features)
    for each in nominal:
        index = _index(each, texts)
        numbers = exact[:, index] if exact.dtype.kind in "iu" else array[:, index]
        columns[index], values[index] = numbered(texts[index], numbers, np.isnan(array[:, index]))
    values.flags.writeable = False  # so the table need not copy them
    if classes is None:
        return Data(Table(columns, values, weights=weights, name=name))
    column, codes = _classes(target, classes, labels)
    if len(codes) != values.shape[1]:
        raise ConfigurationError(f"from_numpy: classes must be {values.shape[1]}, one for each row, got {len(codes)}")
    return Data(Table(columns, values, column, codes, weights, name))


def from_pandas(
    frame: Any,
    target: str | None = None,
    *,
    weights: str | None = None,
    name: str = "",
    drop: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Data:
    """Data of a pandas frame: numbers stay numbers; categories, texts and truth values become nominal.

    The target is the column of that name, or the last one if none is named; `""` for no target. Whole numbers in it
    are classes, fractions are not. `drop` names columns to leave out, of any type; `columns` those to take, beside the
    target and the weights that are named.
    """
    if not (hasattr(frame, "iloc") and hasattr(frame, "columns")):
        raise ConfigurationError(f"from_pandas: a pandas frame is needed, got {type(frame).__name__}")
    names = [str(each) for each in frame.columns]
    if (twice := repeated(names)) is not None:
        raise ConfigurationError(f"from_pandas: the names of columns must differ, got {twice!r} twice")
    check_choice("from_pandas", drop, columns)
    for what, given in (("target", [target]), ("weights", [weights]), ("drop", drop), ("columns", columns or ())):
        for each in given:
            if each and each not in names:
                raise ConfigurationError(f"from_pandas: {what} must be one of {listed(names, MAX_NAMES)}, got {each!r}")
    if weights and weights == target:
        raise ConfigurationError(f"from_pandas: target and weights must be two columns, got {target!r} for both")
    kept = kept_columns("from_pandas", names, drop, columns, target, weights)
    frame, names = frame.iloc[:, kept], [names[index] for index in kept]
    rest = [each for each in names if each != weights]
    chosen = target if target is not None else rest[-1] if rest else ""
    read = {
        each: from_series(each, frame.iloc[:, index]) for index, each in enumerate(names) if each != (chosen or None)
    }
    features = [each for each in rest if each != chosen]
    found = [read[each][0] for each in features]
    values = np.array([read[each][1] for each in features]).reshape(len(features), len(frame))
    values.flags.writeable = False  # so the table need not copy them
    given_weights = _weights(*read[weights]) if weights else None
    if not chosen:
        return Data(Table(found, values, weights=given_weights, name=name))
    column, codes = classes_from_series(chosen, frame.iloc[:, names.index(chosen)])
    if target is None and not column.categories and len(frame):
        raise ConfigurationError(
            f"from_pandas: the last column, {chosen!r}, must have classes, got none "
            "(name another target, or target='' for none)"
        )
    classes = np.where(np.isnan(codes), MISSING, codes)
    return Data(Table(found, values, column, classes, given_weights, name))


def _weights(column: Column, values: Any) -> Any:
    if column.is_nominal:
        raise ConfigurationError(f"from_pandas: weights must be a column of numbers, got {column}")
    return values


def to_pandas(data: Data, *, weights: str = "weight") -> Any:
    """A pandas frame: nominal columns as categories, the target last; weights, if there are any, before it."""
    pandas = needed("pandas", "to_pandas")
    frame = _features(pandas, data)
    if data.is_weighted:
        if weights in frame or (data.target is not None and weights == data.target.name):
            raise ConfigurationError(f"to_pandas: weights must be the name of no other column, got {weights!r}")
        frame[weights] = data.weights
    if data.target is not None:
        frame[data.target.name] = _to_series(pandas, data.target, data.classes)
    return pandas.DataFrame(frame, index=range(len(data)))


def features_to_pandas(data: Data) -> Any:
    """A pandas frame of the features alone: numbers, and nominal columns as categories."""
    pandas = needed("pandas", "features_to_pandas")
    return pandas.DataFrame(_features(pandas, data), index=range(len(data)))


def _features(pandas: Any, data: Data) -> dict[str, Any]:
    return {column.name: _to_series(pandas, column, data.feature(index)) for index, column in enumerate(data.columns)}


def from_bunch(bunch: Any, *, name: str = "") -> Data:
    """Data of a scikit-learn bunch, as its functions `load_…` and `fetch_…` give."""
    for part in ("data", "target"):
        if part not in bunch:
            raise ConfigurationError(f"from_bunch: data and target are needed, got {listed(map(str, bunch))}")
    features, classes = bunch["data"], bunch["target"]
    labels = bunch.get("target_names")
    found = np.asarray(classes)
    if found.ndim != 1:
        raise ConfigurationError(f"from_bunch: the target must be one column, got shape {found.shape}")
    if found.dtype.kind == "f":
        raise ConfigurationError(
            f"from_bunch: the target must have classes, got numbers such as {found[0]:g} "
            "(targets are nominal; from_numpy takes whole numbers for classes)"
        )
    indices = labels is not None and found.dtype.kind in "iu"
    if hasattr(features, "iloc"):
        target = str(getattr(classes, "name", None) or "class")
        if target in map(str, features.columns):
            raise ConfigurationError(f"from_bunch: the target must have another name than a feature, got {target!r}")
        if indices:
            pandas = needed("pandas", "from_bunch")
            named = pandas.Categorical.from_codes(found, [str(label) for label in labels])
            classes = pandas.Series(named, index=features.index)
        return from_pandas(features.assign(**{target: classes}), target, name=name)
    return from_numpy(
        features,
        classes,
        names=bunch.get("feature_names"),
        labels=[str(label) for label in labels] if indices else None,
        name=name,
    )


def _index(each: int | str, names: Sequence[str]) -> int:
    if isinstance(each, str) and each in names:
        return names.index(each)
    if isinstance(each, int | np.integer) and 0 <= each < len(names):
        return int(each)
    raise ConfigurationError(f"from_numpy: nominal must be indices or names of columns, got {each!r}")


def _classes(name: str, classes: Any, labels: Sequence[str] | None) -> tuple[Column, Any]:
    array = np.asanyarray(classes)
    if array.ndim != 1:
        raise ConfigurationError(f"from_numpy: classes must have one dimension, got shape {array.shape}")
    absent = np.ma.getmaskarray(array)
    array = np.ma.getdata(array)
    if labels is not None:
        if array.dtype.kind not in "iu":
            raise ConfigurationError(f"from_numpy: with labels, classes must be their indices, got {array.dtype}")
        return Column(name, tuple(str(label) for label in labels)), np.where(absent, np.int64(MISSING), array)
    if array.dtype.kind in "OUS":
        values = array.tolist()
        absent = absent | np.array([_is_missing(each) for each in values], dtype=bool)
        column, codes = as_classes("from_numpy", name, values, absent)
    elif array.dtype.kind in "biuf":
        column, codes = whole("from_numpy", name, array, absent | (array != array))
    else:
        raise ConfigurationError(f"from_numpy: classes must be numbers or texts, got {array.dtype}")
    return column, np.where(np.isnan(codes), MISSING, codes)


def _is_missing(value: Any) -> bool:
    return value is None or bool(isinstance(value, float) and value != value)


def _to_series(pandas: Any, column: Column, values: Any) -> Any:
    if column.categories is None:
        return np.array(values)
    codes = np.where(np.isnan(values) | (values < 0), MISSING, values).astype(int)
    return pandas.Categorical.from_codes(codes, categories=list(column.categories))
