"""The table: all values of a data set, feature-major and contiguous, and what is computed once for all its views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from intemi.data.column import Column, repeated
from intemi.kernel import ConfigurationError, storable
from intemi.kernel.encoding import digest, encode
from intemi.kernel.errors import MalformedError
from intemi.kernel.protection import Frozen, is_read_only, sealed, set_once

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
_T = TypeVar("_T")

MISSING = -1
"""The code of a class that is not known; missing features are NaN."""
SORTED_AT_ONCE = 2**15
"""Values that are sorted together: many enough for numpy, few enough for the cache."""
WORTH_PACKING = 2**12
"""Fewer values are sorted faster as they are."""
_NO_TARGET = "Table: a target is a nominal column, given together with the classes of all rows"
LARGEST = np.iinfo(np.int64).max
_NAN_BITS = np.float64(np.nan).view(np.int64)
"""Those of the NaN that stands for a missing value."""


class Origin(NamedTuple):
    """Where the rows of a table come from, which was made of another."""

    table: bytes
    """The digest of the other table: of the first one, if that was made of another, too."""
    rows: Codes | None
    """The row of that table for each row; None if they are all of its rows in their order."""


def _once(compute: Callable[[Table], _T]) -> Callable[[Table], _T]:
    """A method of a table that computes its value when it is first called, and remembers it."""
    name = compute.__name__

    @wraps(compute)
    def read(table: Table) -> _T:
        computed = table._computed
        if name not in computed:
            computed[name] = compute(table)
        return cast(_T, computed[name])

    return read


@storable
class Table(Frozen):
    """All values of a data set, immutable and shared by every view of it."""

    __slots__ = (
        *("__weakref__", "_computed", "base", "classes", "columns", "features", "name", "origin", "target", "weights"),
    )

    is_shared = True
    is_immutable = True

    columns: tuple[Column, ...]
    features: Floats
    """A row for each column."""
    target: Column | None
    classes: Codes | None
    weights: Floats | None
    name: str
    origin: Origin | None
    base: Table | None
    """The table that has all its values but the weights, if it was made of one."""
    _computed: dict[str, Any]
    """What was computed of it, by the names of the methods."""

    def __init__(
        self,
        columns: Sequence[Column],
        features: Any,
        target: Column | None = None,
        classes: Any = None,
        weights: Any = None,
        name: str = "",
    ) -> None:
        """`features` has a row for each column, `classes` the indices of the target's categories."""
        self._fill(
            columns=tuple(columns),
            features=_frozen(features, _with_one_nan(as_floats("Table", "features", features)), 2),
            target=target,
            classes=None if classes is None else _codes(target, classes),
            weights=None if weights is None else _frozen(weights, as_floats("Table", "weights", weights), 1),
            name=name,
            origin=None,
            base=None,
        )
        self._check()

    def _fill(self, **attributes: Any) -> None:
        """Set all attributes, once."""
        set_once(self, "_computed", {})
        for name, value in attributes.items():
            set_once(self, name, value)

    def with_features(self, columns: Sequence[Column], features: Any, rows: Codes | None) -> Table:
        """A table of other features for some of the rows (None for all); only the features need to be checked."""
        other = Table.__new__(Table)
        other._fill(
            columns=tuple(columns),
            features=_frozen(features, _with_one_nan(as_floats("Table", "features", features)), 2),
            target=self.target,
            classes=_taken(self.classes, rows),
            weights=_taken(self.weights, rows),
            name=self.name,
            origin=Origin(self.origin_digest, _taken(None if self.origin is None else self.origin.rows, rows, rows)),
            base=None,
        )
        other._check_features(len(self) if rows is None else len(rows))
        return other

    def reweighted(self, weights: Any) -> Table:
        """The same rows with other weights. Nothing else is copied, sorted or kept a second time."""
        base = self if self.base is None else self.base
        other = Table.__new__(Table)
        other._fill(
            **{name: getattr(base, name) for name in ("columns", "features", "target", "classes", "name")},
            weights=_frozen(weights, as_floats("Table", "weights", weights), 1),
            origin=base.origin or Origin(base.origin_digest, None),
            base=base,
        )
        other._check_weights(len(base))
        return other

    def _check(self) -> None:
        size = self.features.shape[1]
        self._check_features(size)
        if self.target is not None and self.classes is None:
            raise ConfigurationError(_NO_TARGET)
        if self.classes is not None:
            _check_size("classes", self.classes, size)
        self._check_weights(size)

    def _check_weights(self, size: int) -> None:
        if self.weights is not None:
            _check_size("weights", self.weights, size)
            if not (np.isfinite(self.weights) & (self.weights >= 0)).all():
                raise ConfigurationError("Table: weights must be finite and at least 0")

    def _check_features(self, size: int) -> None:
        if len(self.columns) != len(self.features):
            raise ConfigurationError(f"Table: {len(self.columns)} columns are named, got {len(self.features)}")
        if len(self) != size:
            raise ConfigurationError(f"Table: features must have one value for each of {size} rows, got {len(self)}")
        names = [column.name for column in self.columns]
        if (twice := repeated(names)) is not None:
            raise ConfigurationError(f"Table: the names of columns must differ, got {twice!r} twice")
        if self.target is not None and self.target.name in names:
            raise ConfigurationError(
                f"Table: the target must have another name than the features, got {self.target.name!r} for both"
            )
        for column, values in zip(self.columns, self.features, strict=True):
            if column.categories is not None:
                _check_codes(column, len(column.categories), values, 0, "NaN")

    def __len__(self) -> int:
        return int(self.features.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes of all values."""
        return sum(each.nbytes for each in (self.features, self.classes, self.weights) if each is not None)

    @property
    def origin_digest(self) -> bytes:
        """The digest of the table that its rows come from; its own, if they are its own."""
        return self.content_digest() if self.origin is None else self.origin.table

    @property
    @_once
    def has_copies(self) -> bool:
        """Whether several of its rows come from one."""
        rows = None if self.origin is None else self.origin.rows
        return rows is not None and len(np.unique(rows)) < len(rows)

    def state(self) -> dict[str, Any]:
        """What the store keeps."""
        parts = ("columns", "features", "target", "classes", "weights", "name")
        origin = {} if self.origin is None else {"origin": tuple(self.origin)}
        return {name: getattr(self, name) for name in parts} | origin

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Table:
        """The table that was kept."""
        columns, target = state["columns"], state["target"]
        if not all(type(each) is Column for each in columns) or type(target) not in (Column, type(None)):
            raise MalformedError("the columns of a table are columns")
        given = dict(state)
        origin = given.pop("origin", None)
        table = cls(**given)
        if origin is not None:
            set_once(table, "origin", _checked_origin(origin, len(table)))
        return table

    @_once
    def content_digest(self) -> bytes:
        """The identity of its content, computed once; the name is not part of it."""
        if self.base is not None:
            return digest(b"reweighted", self.base.content_digest(), encode(self.weights))
        parts = ("columns", "features", "target", "classes", "weights")
        origin = () if self.origin is None else (encode(tuple(self.origin)),)
        return digest(b"table", *(encode(getattr(self, name)) for name in parts), *origin)

    @property
    @_once
    def category_counts(self) -> Codes:
        """The number of categories of each column, 0 if it is numeric."""
        return sealed(np.array([len(column.categories or ()) for column in self.columns], dtype=np.int32))

    @property
    @_once
    def most_categories(self) -> int:
        """The number of categories of the column that has most."""
        return int(self.category_counts.max(initial=0))

    @property
    @_once
    def column_indices(self) -> Codes:
        """The indices of all columns."""
        return sealed(np.arange(len(self.columns), dtype=np.int32))

    @property
    @_once
    def all_rows_count(self) -> bool:
        """Whether the class of every row is known and no row has the weight 0; that is so of all views, then."""
        known = self.classes is not None and bool((self.classes >= 0).all())
        return known and (self.weights is None or bool((self.weights > 0).all()))

    @property
    def is_order_known(self) -> bool:
        """Whether `order` was computed before."""
        return "order" in self._computed

    @property
    @_once
    def order(self) -> Codes:
        """For each column the rows in ascending order of its values, missing ones last."""
        if self.base is not None:
            return self.base.order
        order = np.empty(self.features.shape, dtype=np.int32)
        at_once = max(1, SORTED_AT_ONCE // max(1, len(self)))
        for start in range(0, len(order), at_once):
            _sort(self.features[start : start + at_once], order[start : start + at_once])
        return sealed(order)

    def __getstate__(self) -> dict[str, Any]:
        small = {name: value for name, value in self._computed.items() if not isinstance(value, np.ndarray)}
        return {name: getattr(self, name) for name in _ATTRIBUTES} | {"_computed": small}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The table that was copied, or sent by another process."""
        origin = state["origin"]
        if origin is not None and origin.rows is not None:
            origin = origin._replace(rows=sealed(origin.rows))
        arrays = {name: sealed(array) for name in _ARRAYS if (array := state[name]) is not None}
        self._fill(**state | arrays | {"origin": origin})


_ARRAYS = ("features", "classes", "weights")
_ATTRIBUTES = (*_ARRAYS, "columns", "target", "name", "origin", "base")


def _sort(features: Floats, order: Codes) -> None:
    """Fill `order` with the rows in ascending order of the values of each column, equal ones in the order of the rows.

    It is what a stable `argsort` gives, several times faster: the value with its last bits replaced by the row is a
    whole number, and numbers sort much faster than indices of numbers.
    """
    size = features.shape[1]
    if features.size < WORTH_PACKING:
        order[:] = np.argsort(features, axis=1, kind="stable")
        return
    keys = (features + 0.0).view(np.int64)  # -0.0 and 0.0 are equal
    keys ^= (keys >> 63) & LARGEST  # now their order is that of the values
    missing = np.isnan(features)
    if missing.any():
        keys[missing] = LARGEST
    rows = (1 << (size - 1).bit_length()) - 1
    keys &= ~rows
    keys |= np.arange(size)
    keys.sort(axis=1)
    places = keys & rows
    order[:] = places
    places += np.arange(0, features.size, size)[:, None]
    ascending = features.take(places)
    wrong = ascending[:, 1:] < ascending[:, :-1]
    if not wrong.any():
        return
    for column in np.flatnonzero(wrong.any(axis=1)):
        # Values that differ in the bits that were replaced are beside each other: there are few of these stretches.
        stretch = np.cumsum(np.diff(keys[column] & ~rows, prepend=0) != 0)
        affected = np.flatnonzero(np.isin(stretch, stretch[1:][wrong[column]]))
        found = order[column, affected]
        order[column, affected] = found[np.argsort(features[column, found], kind="stable")]


def as_floats(who: str, what: str, values: Any) -> Floats:
    """Numbers of any kind as floats; what is masked, or None, is NaN."""
    try:
        array = np.asanyarray(values)
        if array.dtype.kind in "biufOU":  # not complex numbers and dates, of which numpy would leave out a part
            if isinstance(values, np.ma.MaskedArray):
                return np.ma.filled(values.astype(np.float64), np.nan)
            return np.asarray(array, dtype=np.float64)
        given = f"values of the type {array.dtype}"
    except (TypeError, ValueError) as error:
        given = str(error).strip().partition("\n")[0]
    raise ConfigurationError(f"{who}: {what} must be numbers, as many in each row: {given}")


def _with_one_nan(values: Floats) -> Floats:
    """The same values, every NaN with the same bits: inf − inf has a sign, other programs leave payloads in theirs."""
    missing = np.isnan(values)
    if not missing.any() or (values[missing].view(np.int64) == _NAN_BITS).all():
        return values
    return np.where(missing, np.nan, values)


def _codes(target: Column | None, classes: Any) -> Codes:
    """Classes as indices of the categories of the target."""
    if target is None or target.categories is None:
        raise ConfigurationError(_NO_TARGET)
    if isinstance(classes, np.ma.MaskedArray):
        array = np.where(np.ma.getmaskarray(classes), np.int64(MISSING), np.ma.getdata(classes))
    elif isinstance(classes, np.ndarray) and classes.dtype.kind in "iu":  # whole numbers beyond 2^53 stay what they are
        array = classes
    else:
        array = as_floats("Table", "classes", classes)
    _check_codes(target, len(target.categories), array, MISSING, str(MISSING))
    return cast(Codes, _frozen(classes, array.astype(np.int32, copy=False), 1))


def _frozen(given: Any, array: Any, dimensions: int) -> Any:
    """The array that was made of what was given, sealed: a copy, if the memory of what was given can be written."""
    if array.ndim != dimensions:
        raise ConfigurationError(f"Table: {dimensions} dimensions expected, got an array of shape {array.shape}")
    array = np.ascontiguousarray(array)
    is_new = isinstance(given, list | tuple) or not np.may_share_memory(array, given)
    if not is_new and not is_read_only(array):
        array = array.copy()
    return sealed(array)


def _checked_origin(origin: Any, size: int) -> Origin:
    """Where rows come from, as it was kept."""
    if type(origin) is tuple and len(origin) == 2 and type(origin[0]) is bytes:
        rows = origin[1]
        if rows is None or (
            isinstance(rows, np.ndarray) and rows.dtype == np.int32 and rows.shape == (size,) and (rows >= 0).all()
        ):
            return Origin(*origin)
    raise MalformedError("the origin of a table is that of its rows")


def _taken(values: Any, rows: Codes | None, otherwise: Any = None) -> Any:
    """The values of some rows, sealed; `otherwise`, if there are no values."""
    if values is None:
        return otherwise
    if rows is None:
        return values
    return sealed(values.take(rows))


def _check_size(what: str, values: Any, size: int) -> None:
    if len(values) != size:
        raise ConfigurationError(f"Table: {what} must have one value for each of {size} rows, got {len(values)}")


def _check_codes(column: Column, count: int, codes: Any, lowest: int, missing: str) -> None:
    """Refuse what is no index of a category, nor what stands for a missing one."""
    good = (codes >= lowest) & (codes < count) & (codes == np.floor(codes))
    if lowest == 0:
        good |= np.isnan(codes)
    if not good.all():
        raise ConfigurationError(
            f"Table: {column.name} has {count} categories, so its values must be 0 to {count - 1} "
            f"({missing} where missing), got {codes[~good][0]:.15g}"
        )
