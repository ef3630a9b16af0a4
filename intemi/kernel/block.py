"""Blocks: many results of one machine as one value, an array whose axes are labelled.

A block is kept once, in the record of its machine. Queries serve its cells as if each were a result of its own, with
the labels of the axes beside it. Most arrays of results have few different values (an accuracy on n rows has n + 1), so
a block is kept as these values and, for each cell, the number of its value, which takes a byte or two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, product
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from intemi.kernel import registry
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode, storable
from intemi.kernel.errors import ConfigurationError, MalformedError
from intemi.kernel.protection import sealed
from intemi.series import Series
from intemi.series.cells import dtype_of

Coordinate = str | int | float | bool
Given = Mapping[Any, Sequence[Any]]
"""Axes as users write them: for each label its coordinates, for several labels tuples of coordinates."""
_CODES: tuple[Any, ...] = (np.uint8, np.uint16, np.uint32)
_COORDINATES = (str, int, float, bool)


class BlockCell(NamedTuple):
    """One cell of a block."""

    number: int
    """Counted as in memory, the last axis first."""
    labels: dict[str, Coordinate]
    """Its coordinates."""


class Axes:
    """The labels of the cells of a block, axis by axis. An axis has one label, or several that change together."""

    def __init__(self, labels: Sequence[tuple[str, ...]], coordinates: Sequence[Sequence[tuple[Any, ...]]]) -> None:
        self._labels = tuple(labels)
        self._coordinates = tuple(map(tuple, coordinates))
        self.shape = tuple(map(len, self._coordinates))
        """How many coordinates each axis has."""
        self.size = prod(self.shape)
        """How many cells there are."""
        self.labels = tuple(label for names in self._labels for label in names)
        """The labels of all axes, in order."""

    def cells(self, allows: Callable[[str, Any], bool] | None = None) -> list[BlockCell]:
        """The cells all of whose labels are allowed, in order."""
        chosen = []
        for axis, (labels, coordinates) in enumerate(zip(self._labels, self._coordinates, strict=True)):
            step = prod(self.shape[axis + 1 :])
            chosen.append(
                [
                    (at * step, list(zip(labels, coordinate, strict=True)))
                    for at, coordinate in enumerate(coordinates)
                    if allows is None or all(map(allows, labels, coordinate))
                ]
            )
        return [
            BlockCell(sum(steps), dict(chain.from_iterable(labelled)))
            for steps, labelled in (zip(*along, strict=True) for along in product(*chosen))
        ]

    def columns(self) -> dict[str, list[Coordinate]]:
        """For each label its coordinates, cell by cell."""
        cells = self.cells()
        return {label: [cell.labels[label] for cell in cells] for label in self.labels}

    @property
    def encoding(self) -> bytes:
        """The axes as bytes: for each label its different coordinates, and which of them comes where."""
        axes = []
        for labels, coordinates in zip(self._labels, self._coordinates, strict=True):
            columns = []
            for column in zip(*coordinates, strict=True):
                numbers: dict[tuple[type, Any], int] = {}  # True is 1 to a dictionary
                codes = [numbers.setdefault((type(each), each), len(numbers)) for each in column]
                columns.append((tuple(each for _, each in numbers), np.array(codes, dtype=_code_of(len(numbers)))))
            axes.append((labels, tuple(columns)))
        return encode(tuple(axes))


@lru_cache(maxsize=64)
def axes_of(encoding: bytes) -> Axes:
    """The axes of bytes; MalformedError if they are none. Many blocks have the same."""
    try:
        labels, coordinates = [], []
        for names, columns in decode(encoding):
            labels.append(names)
            read = [[levels[code] for code in codes.tolist()] for levels, codes in columns]
            coordinates.append(list(zip(*read, strict=True)))
        return _checked(labels, coordinates)
    except (ConfigurationError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise MalformedError(f"not the axes of a block: {error}") from error


@storable
class Block:
    """An array of results, with labels for each axis and coordinates along it.

    >>> accuracies = Block([[0.8, 0.7], [0.9, 0.85]], {"Size": (1, 2), "Rule": ("vote", "average")})
    >>> accuracies
    Block(2 × 2 cells by Size, Rule)
    >>> accuracies.series("Accuracy")[:3]
    Accuracy*  Size  Rule
          0.8     1  vote
          0.7     1  average
          0.9     2  vote
    3 rows

    Several labels may change together along one axis, where not all their combinations are there:

    >>> Block([0.8, 0.7], {("Mode", "Errors"): [("separate", 0), ("common", 1)]}).axes.labels
    ('Mode', 'Errors')
    """

    __slots__ = ("_axes", "_codes", "_levels")
    is_immutable: ClassVar[bool] = True

    def __init__(self, values: Any, axes: Given) -> None:
        array = np.asarray(values)
        dtype = dtype_of(array)
        if dtype is None:
            raise ConfigurationError(f"Block: values must be numbers or truth values, got an array of {array.dtype}")
        checked = _axes_given(axes)
        if array.shape != checked.shape:
            raise ConfigurationError(
                f"Block: values must have an axis for each of {list(axes)} and be of the shape {checked.shape}, "
                f"got {array.shape}"
            )
        self._axes = checked.encoding
        self._levels, codes = _coded(np.ascontiguousarray(array, dtype=dtype).ravel())
        self._codes = sealed(codes)

    @property
    def axes(self) -> Axes:
        """What its axes stand for."""
        return axes_of(self._axes)

    @property
    def encoded_axes(self) -> bytes:
        """The axes as bytes: equal for equal axes."""
        return self._axes

    @property
    def values(self) -> NDArray[Any]:
        """The array, read-only.

        >>> Block([0.8, 0.7], {"Size": (1, 2)}).values
        array([0.8, 0.7])
        """
        array = (self._codes if self._levels is None else self._levels[self._codes]).reshape(self.axes.shape)
        array.flags.writeable = False
        return array

    def value(self, cell: int) -> Any:
        """The value of one cell, counted as in memory."""
        number = self._codes[cell]
        return (number if self._levels is None else self._levels[number]).item()

    def series(self, label: str) -> Series:
        """All cells with their labels, under a label for the values."""
        return Series({label: self.values.ravel(), **self.axes.columns()})

    def __len__(self) -> int:
        return len(self._codes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Block):
            return NotImplemented
        return self._axes == other._axes and encode(self.values) == encode(other.values)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Block({' × '.join(map(str, self.axes.shape))} cells by {', '.join(self.axes.labels)})"

    def state(self) -> tuple[Any, ...]:
        """Everything it is made of, as plain values and arrays: what a store keeps."""
        return self._axes, self._levels, self._codes

    @classmethod
    def from_state(cls, state: tuple[Any, ...]) -> Block:
        """The block of a state."""
        block = object.__new__(cls)
        try:
            block._axes, block._levels, block._codes = state
        except (TypeError, ValueError) as error:
            raise MalformedError(f"not the state of a block: {error}") from error
        return block

    def check_decoded(self) -> None:
        """Refuse parts that do not fit together, after they were read."""
        codes, levels = self._codes, self._levels
        fits = isinstance(self._axes, bytes) and isinstance(codes, np.ndarray) and codes.ndim == 1
        if not fits or len(codes) != axes_of(self._axes).size:
            raise MalformedError("a block has axes, and a cell for each combination of their coordinates")
        if levels is None:
            fits = codes.dtype.char in _VALUES
        else:
            fits = isinstance(levels, np.ndarray) and levels.ndim == 1 and levels.dtype.char in _VALUES
            fits = fits and codes.dtype.kind == "u" and int(codes.max()) < len(levels)
        if not fits:
            raise MalformedError("the cells of a block are numbers or truth values, or refer to some")


_VALUES = frozenset(np.dtype(kind).char for kind in (np.bool_, np.int64, np.float64))
_HEAD = b"O" + len(name := registry.qualified_name(Block).encode()).to_bytes(8, "little") + name


def is_block(encoded: bytes) -> bool:
    """Whether bytes are the encoding of a block.

    >>> is_block(encode(Block([1], {"Size": (1,)}))), is_block(encode("text"))
    (True, False)
    """
    return encoded.startswith(_HEAD)


def axes_of_results(results: Mapping[str, Any]) -> Axes | None:
    """The axes of the blocks among results; ConfigurationError if they differ, or if a label has two meanings."""
    blocks = {label: value for label, value in results.items() if isinstance(value, Block)}
    if not blocks:
        return None
    (first, block), *others = blocks.items()
    for label, other in others:
        if other.encoded_axes != block.encoded_axes:
            raise ConfigurationError(f"the blocks of one machine must have the same axes, got {first!r} and {label!r}")
    if twice := [label for label in block.axes.labels if label in results]:
        raise ConfigurationError(f"a result cannot have the label of an axis, got {twice[0]!r}")
    return block.axes


def _axes_given(axes: Given) -> Axes:
    if not isinstance(axes, Mapping) or not axes:
        raise ConfigurationError(f"Block: axes must be a mapping from labels to coordinates, got {axes!r}")
    labels = [(label,) if isinstance(label, str) else label for label in axes]
    coordinates = [
        [(_plain(each),) if isinstance(label, str) else tuple(map(_plain, each)) for each in along]
        for label, along in axes.items()
    ]
    return _checked(labels, coordinates)


def _checked(labels: Sequence[Any], coordinates: Sequence[Sequence[tuple[Any, ...]]]) -> Axes:
    every = [label for names in labels for label in names]
    for label in every:
        if not isinstance(label, str) or not label or every.count(label) > 1:
            raise ConfigurationError(f"Block: labels of axes must be different texts, got {label!r} among {every}")
    for names, along in zip(labels, coordinates, strict=True):
        for each in along:
            if len(each) != len(names) or not all(type(one) in _COORDINATES and one == one for one in each):
                raise ConfigurationError(
                    f"Block: coordinates must be texts, numbers or truth values, one for each of {list(names)}, "
                    f"got {each}"
                )
        if not along or len({tuple((type(one), one) for one in each) for each in along}) != len(along):
            raise ConfigurationError(f"Block: coordinates of {', '.join(names)} must be some, and all different")
    return Axes(labels, coordinates)


def _plain(coordinate: Any) -> Any:
    return coordinate.item() if isinstance(coordinate, np.generic) else coordinate


def _coded(values: NDArray[Any]) -> tuple[NDArray[Any] | None, NDArray[Any]]:
    """The different values and for each cell which of them it has; None and all values if that is no shorter."""
    is_float = values.dtype == np.float64
    values = np.where(np.isnan(values), np.nan, values) if is_float else values.copy()  # one NaN, as in all encodings
    bits = values.view(np.int64) if is_float else values  # -0.0 is not 0.0
    levels, codes = np.unique(bits, return_inverse=True)
    kind = np.dtype(_code_of(len(levels)))
    if levels.nbytes + kind.itemsize * len(values) >= values.nbytes:
        return None, values
    return levels.view(values.dtype), codes.astype(kind)


def _code_of(count: int) -> Any:
    """The smallest type that tells so many things apart."""
    return next(kind for kind in _CODES if count <= np.iinfo(kind).max + 1)
