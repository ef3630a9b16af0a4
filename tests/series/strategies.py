"""Series of all kinds, for the property tests: whatever a cell can hold, and what is easily mistaken for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from intemi.series import Series

TRICKY = [
    *("", " ", "5", "-5", "007", "1.0", "1e5", "+1", ".5", "nan", "NaN", "-inf", "true", "False", "None", "null", "*"),
    *('"', '""', '"a"', "{", '{"int": [1]}', "[1]", "a,b", "a;b", "a\tb", "a\nb", "a\r\nb", "a\rb", "a*", " a ", "a|b"),
    *("\0", "\ufeff", "\x85", "\u2028", "ż", "𝔄", "<b>", "&amp;", "\\", "_", "$x$", "=1+1"),
]

TEXTS = st.sampled_from(TRICKY) | st.text(max_size=6)
LABELS = st.sampled_from([text for text in TRICKY if text]) | st.text(min_size=1, max_size=6)
INTS = st.integers(-(2**63), 2**63 - 1)
LARGE_INTS = st.integers(-(2**80), 2**80)
FLOATS = st.floats()
SHAPES = st.tuples(st.integers(0, 3)) | st.tuples(st.integers(0, 3), st.integers(0, 3))


@st.composite
def arrays(draw: st.DrawFn, shapes: st.SearchStrategy[tuple[int, ...]] = SHAPES) -> Any:
    """Vectors and tables of bools, ints or floats."""
    shape = draw(shapes)
    elements, dtype = draw(st.sampled_from([(st.booleans(), np.bool_), (INTS, np.int64), (FLOATS, np.float64)]))
    size = int(np.prod(shape))
    return np.array(draw(st.lists(elements, min_size=size, max_size=size)), dtype=dtype).reshape(shape)


NUMBERS = st.booleans() | INTS | LARGE_INTS | FLOATS
CELLS = st.none() | TEXTS | NUMBERS | arrays()
KINDS: list[st.SearchStrategy[Any]] = [
    st.booleans(),
    INTS,
    LARGE_INTS,
    FLOATS,
    TEXTS,
    st.none(),
    arrays(),
    arrays(st.tuples(st.integers(0, 3))),
    arrays(st.tuples(st.integers(1, 3), st.integers(0, 3))),
    *(st.none() | kind for kind in (st.booleans(), INTS, FLOATS, TEXTS, arrays(st.tuples(st.just(2))))),
    INTS | FLOATS,
    CELLS,
]


@st.composite
def columns(draw: st.DrawFn, size: int) -> list[Any]:
    """The cells of a column, of one kind or of many."""
    return draw(st.lists(draw(st.sampled_from(KINDS)), min_size=size, max_size=size))


@st.composite
def all_series(draw: st.DrawFn, least_rows: int = 0) -> Series:
    """Series of any labels and cells."""
    labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    size = draw(st.integers(least_rows, 6))
    return Series({label: draw(columns(size)) for label in labels}, main=draw(st.sampled_from(labels)))


@st.composite
def results(draw: st.DrawFn, least_rows: int = 1, cells: st.SearchStrategy[Any] = NUMBERS) -> Series:
    """Results of machines, as a query finds them: a number, the machine and two labels, many rows alike."""
    size = draw(st.integers(least_rows, 12))

    def some(of: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(of, min_size=size, max_size=size))

    few: st.SearchStrategy[Any] = st.sampled_from(["knn", "svm", "", None])
    keys: st.SearchStrategy[Any] = st.sampled_from([0, 1, 1.5, True, None, float("nan"), "1", np.array([1, 2])])
    return Series(
        {"Accuracy": some(cells), "machine": some(few), "key": some(keys), "Fold": some(st.integers(0, 2))},
        main=draw(st.sampled_from(["Accuracy"])),
    )


@st.composite
def pairable(draw: st.DrawFn, numbers: st.SearchStrategy[Any], count: int = 2) -> tuple[Series, ...]:
    """Several series of numbers whose rows belong together by Repetition and Fold, each in its own order."""
    places = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6, unique=True))

    def one() -> Series:
        order: Sequence[tuple[int, int]] = draw(st.permutations(places))
        found = draw(st.lists(numbers, min_size=len(places), max_size=len(places)))
        repetitions, folds = zip(*order, strict=True)
        return Series({"Accuracy": found, "Repetition": repetitions, "Fold": folds})

    return tuple(one() for _ in range(count))


def exactly(series: Series) -> list[Any]:
    """Everything a series holds, in a form in which 1, 1.0 and True, 0.0 and -0.0 differ and NaN equals NaN."""

    def told(cell: Any) -> Any:
        if isinstance(cell, np.ndarray):
            return (str(cell.dtype), cell.shape, [told(each) for each in cell.ravel().tolist()])
        return (type(cell).__name__, repr(cell))

    return [series.main, [(label, [told(row[label]) for row in series]) for label in series.labels]]
