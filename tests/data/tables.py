"""Data of any shape for the tests of readers and writers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from intemi.data import Column, Data, Table

NAMES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=12)
NUMBERS = st.one_of(
    st.floats(allow_nan=False),
    st.integers(-(10**6), 10**6).map(float),
    st.decimals(-1000, 1000, places=3).map(float),
    st.just(np.nan),
)


@st.composite
def tables(draw: st.DrawFn, *, with_rows: bool = False) -> Data:
    """Data with every kind of column."""
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    size = draw(st.integers(1 if with_rows else 0, 8))
    columns, values = [], []
    for name in names:
        if draw(st.booleans()):
            columns.append(Column(name))
            values.append(draw(st.lists(NUMBERS, min_size=size, max_size=size)))
            continue
        categories = draw(
            st.lists(st.one_of(NAMES, st.sampled_from(["", "?", "NA", "a,b", "1"])), max_size=4, unique=True)
        )
        codes = st.sampled_from([np.nan, *range(len(categories))])
        chosen = draw(st.lists(codes, min_size=size, max_size=size))
        columns.append(Column(name, tuple(categories)))
        values.append(chosen)
    *_, last = columns
    weights = draw(st.none() | st.lists(st.floats(0, 1e6), min_size=size, max_size=size)) if size else None
    array = np.array(values, dtype=float).reshape(len(columns), size)
    if last.is_nominal and draw(st.booleans()):
        classes = np.where(np.isnan(array[-1]), -1, array[-1])
        return Data(Table(columns[:-1], array[:-1], last, classes, weights))
    return Data(Table(columns, array, weights=weights))


def target_of(data: Data) -> str:
    """What a reader is told to find the same target."""
    return data.target.name if data.target else ""
