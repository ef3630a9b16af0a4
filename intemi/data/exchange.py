"""Data from and to the tables of other libraries: numpy, pandas, scikit-learn's bunches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from intemi.data.column import Column
from intemi.data.data import Data
from intemi.data.table import MISSING, Table
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
    try:
        array = np.array(features, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"from_numpy: features must be numbers, a row for each case: {error}") from None
    if array.ndim != 2:
        raise ConfigurationError(f"from_numpy: features must have two dimensions, got shape {array.shape}")
    texts = [f"x{index + 1}" for index in range(array.shape[1])] if names is None else [str(each) for each in names]
    if len(texts) != array.shape[1]:
        raise ConfigurationError(f"from_numpy: names must be {array.shape[1]}, one for each column, got {len(texts)}")
    values = np.ascontiguousarray(array.T)
    columns = [Column(text) for text in texts]
    for each in nominal:
        index = _index(each, texts)
        columns[index], values[index] = _nominal(texts[index], values[index])
    if classes is None:
        return Data(Table(columns, values, weights=weights, name=name))
    column, codes = _classes(target, np.asarray(classes), labels)
    if len(codes) != values.shape[1]:
        raise ConfigurationError(f"from_numpy: classes must be {values.shape[1]}, one for each row, got {len(codes)}")
    return Data(Table(columns, values, column, codes, weights, name))


def from_pandas(frame: Any, target: str | None = None, *, weights: str | None = None, name: str = "") -> Data:
    """Data of a pandas frame: numbers stay numbers; categories, texts and truth values become nominal.

    The target is the column of that name, or the last one if none is named; `""` for no target.
    """
    names = [str(each) for each in frame.columns]
    if len(set(names)) != len(names):
        twice = next(each for each in names if names.count(each) > 1)
        raise ConfigurationError(f"from_pandas: the names of columns must differ, got {twice!r} twice")
    for what, given in (("target", target), ("weights", weights)):
        if given and given not in names:
            raise ConfigurationError(f"from_pandas: {what} must be one of {', '.join(names)}, got {given!r}")
    rest = [each for each in names if each != weights]
    chosen = target if target is not None else rest[-1] if rest else ""
    read = {each: _from_series(each, frame.iloc[:, index]) for index, each in enumerate(names)}
    features = [each for each in rest if each != chosen]
    values = np.array([read[each][1] for each in features]).reshape(len(features), len(frame))
    given_weights = read[weights][1] if weights else None
    if not chosen:
        return Data(Table([read[each][0] for each in features], values, weights=given_weights, name=name))
    column, codes = read[chosen]
    if not column.is_nominal:
        if not np.array_equal(codes, np.floor(codes), equal_nan=True):
            raise ConfigurationError(
                f"from_pandas: the target {chosen!r} must have classes, got numbers with fractions "
                "(name another target, or target='' for none)"
            )
        column, codes = _nominal(chosen, codes)
    classes = np.where(np.isnan(codes), MISSING, codes)
    return Data(Table([read[each][0] for each in features], values, column, classes, given_weights, name))


def to_pandas(data: Data, *, weights: str = "weight") -> Any:
    """A pandas frame: nominal columns as categories, the target last; weights, if there are any, before it."""
    pandas = needed("pandas", "to_pandas")
    frame = {}
    for index, column in enumerate(data.columns):
        frame[column.name] = _to_series(pandas, column, data.feature(index))
    if data.is_weighted:
        frame[weights] = data.weights
    if data.target is not None:
        if data.target.name in frame:
            raise ConfigurationError(f"to_pandas: the names of columns must differ, got {data.target.name!r} twice")
        frame[data.target.name] = _to_series(pandas, data.target, data.classes)
    return pandas.DataFrame(frame, index=range(len(data)))


def from_bunch(bunch: Any, *, name: str = "") -> Data:
    """Data of a scikit-learn bunch, as its functions `load_…` and `fetch_…` give."""
    features, classes = bunch["data"], bunch["target"]
    labels = bunch.get("target_names")
    if hasattr(features, "iloc"):
        target = str(getattr(classes, "name", None) or "class")
        if labels is not None and np.asarray(classes).dtype.kind in "iu":
            pandas = needed("pandas", "from_bunch")
            named = pandas.Categorical.from_codes(np.asarray(classes), [str(label) for label in labels])
            classes = pandas.Series(named, index=features.index)
        return from_pandas(features.assign(**{target: classes}), target, name=name)
    classes = np.asarray(classes)
    if labels is None and classes.dtype.kind == "f":
        raise ConfigurationError(f"from_bunch: the target must have classes, got numbers such as {classes[0]:g}")
    return from_numpy(
        features,
        classes,
        names=bunch.get("feature_names"),
        labels=None if labels is None or classes.dtype.kind not in "iu" else [str(label) for label in labels],
        name=name,
    )


def needed(library: str, who: str) -> Any:
    """A library that is not among the requirements of this package."""
    from importlib import import_module

    try:
        return import_module(library)
    except ImportError:
        package = library.partition(".")[0]
        raise ConfigurationError(f"{who}: {package} is needed and not installed; pip install {package}") from None


def _index(each: int | str, names: Sequence[str]) -> int:
    if isinstance(each, str) and each in names:
        return names.index(each)
    if isinstance(each, int | np.integer) and 0 <= each < len(names):
        return int(each)
    raise ConfigurationError(f"from_numpy: nominal must be indices or names of columns, got {each!r}")


def _nominal(name: str, numbers: Any) -> tuple[Column, Any]:
    """Numbers as categories, whole ones without a fraction."""
    present = np.unique(numbers[~np.isnan(numbers)])
    texts = tuple(str(int(value)) if float(value).is_integer() else repr(float(value)) for value in present)
    codes = np.searchsorted(present, numbers).astype(np.float64)
    codes[np.isnan(numbers)] = np.nan
    return Column(name, texts), codes


def _classes(name: str, classes: Any, labels: Sequence[str] | None) -> tuple[Column, Any]:
    if classes.ndim != 1:
        raise ConfigurationError(f"from_numpy: classes must have one dimension, got shape {classes.shape}")
    if labels is not None:
        if classes.dtype.kind not in "iu":
            raise ConfigurationError(f"from_numpy: with labels, classes must be their indices, got {classes.dtype}")
        return Column(name, tuple(str(label) for label in labels)), classes
    if classes.dtype.kind == "f" and (fractions := classes[np.isfinite(classes) & (classes % 1 != 0)]).size:
        raise ConfigurationError(f"from_numpy: classes must be classes, got numbers such as {fractions[0]:g}")
    if classes.dtype.kind in "iufb":
        column, codes = _nominal(name, classes.astype(np.float64))
        return column, np.where(np.isnan(codes), MISSING, codes)
    column, codes = _coded(name, [None if _is_missing(each) else str(each) for each in classes.tolist()])
    return column, np.where(np.isnan(codes), MISSING, codes)


def _coded(name: str, texts: Sequence[str | None]) -> tuple[Column, Any]:
    """Texts as categories, None as missing."""
    categories = tuple(sorted({text for text in texts if text is not None}))
    known: dict[str | None, float] = {category: code for code, category in enumerate(categories)}
    return Column(name, categories), np.array([known.get(text, np.nan) for text in texts], dtype=np.float64)


def _is_missing(value: Any) -> bool:
    return value is None or bool(isinstance(value, float) and value != value)


def _from_series(name: str, series: Any) -> tuple[Column, Any]:
    pandas = needed("pandas", "from_pandas")
    if isinstance(series.dtype, pandas.CategoricalDtype):
        texts = [str(category) for category in series.cat.categories]
        if len(set(texts)) != len(texts):
            raise ConfigurationError(f"from_pandas: categories of {name!r} must differ as texts, got {texts}")
        codes = series.cat.codes.to_numpy().astype(np.float64)
        codes[codes < 0] = np.nan
        return Column(name, tuple(texts)), codes
    if pandas.api.types.is_bool_dtype(series.dtype):
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(name, ("False", "True")), numbers
    if pandas.api.types.is_numeric_dtype(series.dtype) and series.dtype.kind in "iuf":
        return Column(name), series.to_numpy(dtype=np.float64, na_value=np.nan)
    if not (pandas.api.types.is_object_dtype(series.dtype) or pandas.api.types.is_string_dtype(series.dtype)):
        raise ConfigurationError(f"from_pandas: {name!r} must hold numbers, texts or categories, got {series.dtype}")
    absent = series.isna().to_numpy(dtype=bool)
    found = [None if missing else str(value) for value, missing in zip(series.tolist(), absent, strict=True)]
    return _coded(name, found)


def _to_series(pandas: Any, column: Column, values: Any) -> Any:
    if column.categories is None:
        return np.array(values)
    codes = np.where(np.isnan(values) | (values < 0), MISSING, values).astype(int)
    return pandas.Categorical.from_codes(codes, categories=list(column.categories))
