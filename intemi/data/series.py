"""Columns of other libraries as ours: what the type of a pandas series says, or what plain values are.

Numbers are numeric as features; as classes they are counted off, exactly, so that large whole numbers stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from intemi.data.cells import Floats, Mask
from intemi.data.column import Column
from intemi.data.libraries import needed
from intemi.data.numbering import measurement, numbered
from intemi.kernel import ConfigurationError

_TRUTH = ("False", "True")


def from_series(name: str, series: Any) -> tuple[Column, Floats]:
    """A pandas series as a feature."""
    types = needed("pandas", "from_pandas").api.types
    dtype = series.dtype
    if hasattr(series, "cat"):
        return _categorical(name, series)
    if types.is_bool_dtype(dtype):
        return Column(name, _TRUTH), series.to_numpy(dtype=np.float64, na_value=np.nan)
    if types.is_numeric_dtype(dtype) and dtype.kind in "iuf":
        return Column(name), series.to_numpy(dtype=np.float64, na_value=np.nan)
    values, absent = _values(name, series)
    if _are_numbers(values, absent):
        found = [np.nan if missing else float(value) for value, missing in zip(values, absent, strict=True)]
        return Column(name), np.array(found, dtype=np.float64)
    return _labelled("from_pandas", name, values, absent)


def classes_from_series(name: str, series: Any) -> tuple[Column, Floats]:
    """A pandas series as the target: the column with its classes, and the codes of all rows, NaN where missing."""
    types = needed("pandas", "from_pandas").api.types
    is_number = types.is_numeric_dtype(series.dtype) and not types.is_bool_dtype(series.dtype)
    if is_number and series.dtype.kind in "iuf" and not hasattr(series, "cat"):
        return whole("from_pandas", name, series.fillna(0).to_numpy(), series.isna().to_numpy(dtype=bool))
    if types.is_object_dtype(series.dtype) or is_number:
        return as_classes("from_pandas", name, *_values(name, series))
    return from_series(name, series)


def as_classes(who: str, name: str, values: Sequence[Any], absent: Mask) -> tuple[Column, Floats]:
    """Plain values as classes."""
    if not _are_numbers(values, absent):
        return _labelled(who, name, values, absent)
    numbers = np.empty(len(values), dtype=object)
    numbers[:] = values
    return whole(who, name, numbers, absent)


def whole(who: str, name: str, numbers: Any, absent: Mask) -> tuple[Column, Floats]:
    """Whole numbers as classes; fractions are refused."""
    fraction = measurement(numbers[~absent])
    if fraction is not None:
        raise ConfigurationError(
            f"{who}: the target {name!r} must have classes, got numbers such as {fraction:g}: targets are nominal, "
            "regression is not supported; name another target (target='' for none), or make texts or categories of them"
        )
    return numbered(name, numbers, absent)


def _categorical(name: str, series: Any) -> tuple[Column, Floats]:
    categories = series.cat.categories.tolist()
    if any(isinstance(category, bytes) for category in categories):
        raise _refused("from_pandas", name, "bytes")
    texts = [str(category) for category in categories]
    if len(set(texts)) != len(texts):
        raise ConfigurationError(f"from_pandas: categories of {name!r} must differ as texts, got {texts}")
    codes = series.cat.codes.to_numpy().astype(np.float64)
    codes[codes < 0] = np.nan
    return Column(name, tuple(texts)), codes


def _values(name: str, series: Any) -> tuple[list[Any], Mask]:
    """The values of a series as they are, and which are missing."""
    types = needed("pandas", "from_pandas").api.types
    is_text = types.is_object_dtype(series.dtype) or types.is_string_dtype(series.dtype)
    if not is_text and not (types.is_numeric_dtype(series.dtype) and series.dtype.kind == "O"):
        raise _refused("from_pandas", name, str(series.dtype))
    return series.tolist(), series.isna().to_numpy(dtype=bool)


def _are_numbers(values: Sequence[Any], absent: Mask) -> bool:
    kinds = _kinds(values, absent)
    return bool(kinds) and all(issubclass(kind, Real | Decimal) and not _is_truth(kind) for kind in kinds)


def _labelled(who: str, name: str, values: Sequence[Any], absent: Mask) -> tuple[Column, Floats]:
    """Texts, truth values and numbers among them as categories."""
    kinds = _kinds(values, absent)
    for kind in kinds:
        if not (issubclass(kind, str | Real | Decimal) or _is_truth(kind)):
            raise _refused(who, name, f"values such as a {kind.__name__}")
    present = [(value, missing) for value, missing in zip(values, absent.tolist(), strict=True)]
    texts = [None if missing else str(value) for value, missing in present]
    if any(issubclass(kind, str) for kind in kinds) and not all(issubclass(kind, str) for kind in kinds):
        written = {value for value, missing in present if not missing and isinstance(value, str)}
        for value, missing in present:
            if not missing and not isinstance(value, str) and str(value) in written:
                raise ConfigurationError(f"{who}: values of {name!r} must differ as texts, got {value!r} and '{value}'")
    is_truth = bool(kinds) and all(map(_is_truth, kinds))
    categories = _TRUTH if is_truth else tuple(sorted({text for text in texts if text is not None}))
    known: dict[str | None, float] = {category: code for code, category in enumerate(categories)}
    return Column(name, categories), np.array([known.get(text, np.nan) for text in texts], dtype=np.float64)


def _kinds(values: Sequence[Any], absent: Mask) -> set[type]:
    return {type(value) for value, missing in zip(values, absent.tolist(), strict=True) if not missing}


def _is_truth(kind: type) -> bool:
    return issubclass(kind, bool | np.bool_)


def _refused(who: str, name: str, given: str) -> ConfigurationError:
    return ConfigurationError(f"{who}: {name!r} must hold numbers, texts or categories, got {given}")
