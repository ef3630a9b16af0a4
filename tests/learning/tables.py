"""Small data that tests of learning machines work on, and strategies that make more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from intemi.data import Column, Data, Table

CLASSES = Column("class", ("a", "b", "c"))


def numeric(*features: Sequence[float], classes: Sequence[int] | None = None, weights: Any = None) -> Data:
    """Data with numeric columns x0, x1, ..."""
    columns = [Column(f"x{index}") for index in range(len(features))]
    return Data(Table(columns, np.array(features, float), None if classes is None else CLASSES, classes, weights))


def nominal(*features: Sequence[float], classes: Sequence[int] | None = None, weights: Any = None) -> Data:
    """Data with nominal columns n0, n1, ... of three categories."""
    columns = [Column(f"n{index}", ("p", "q", "r")) for index in range(len(features))]
    return Data(Table(columns, np.array(features, float), None if classes is None else CLASSES, classes, weights))


def mixed(rows: int = 60, seed: int = 0, missing: float = 0.1, weighted: bool = False) -> Data:
    """Numeric, nominal and constant columns, some values missing; the first and the last column tell the class."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.arange(rows) % 3)
    features = np.array(
        [
            classes + 0.3 * rng.normal(size=rows),
            10 * rng.normal(size=rows),
            np.full(rows, 0.1),
            rng.integers(3, size=rows),
            np.where(rng.random(rows) < 0.8, classes, rng.integers(3, size=rows)),
        ]
    )
    features[rng.random(features.shape) < missing] = np.nan
    columns = [
        Column("x"),
        Column("noise"),
        Column("constant"),
        Column("n", ("p", "q", "r")),
        Column("m", ("p", "q", "r")),
    ]
    weights = rng.integers(0, 4, size=rows) if weighted else None
    return Data(Table(columns, features, CLASSES, classes, weights))


@st.composite
def classified(draw: st.DrawFn, least: int = 2, most: int = 40) -> Data:
    """Data with two numeric columns of few values, some missing, and classes of any sizes."""
    rows = draw(st.integers(least, most))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    features = np.round(rng.normal(size=(2, rows)) * draw(st.sampled_from([1, 10, 1000])), 2)
    features[rng.random(features.shape) < draw(st.sampled_from([0, 0.2]))] = np.nan
    classes = rng.choice(3, size=rows, p=draw(st.sampled_from([(1 / 3, 1 / 3, 1 / 3), (0.8, 0.2, 0.0), (0, 1, 0)])))
    weights = rng.integers(1, 5, size=rows) if draw(st.booleans()) else None
    return numeric(*features, classes=classes, weights=weights)


def duplicated(data: Data) -> Data:
    """The same data with each row as often as its weight says, and without weights."""
    rows = np.repeat(np.arange(len(data)), data.weights.astype(int))
    return Data(Table(data.columns, data.features[:, rows], data.target, data.classes[rows]))


def outputs(machine: Any, seed: int = 0, **inputs: Any) -> dict[str, Any]:
    """What a leaf gives, without a project around it."""
    extra = {"rng": np.random.default_rng(seed)} if machine.takes_rng else {}
    given: dict[str, Any] = machine.run(**inputs, **extra).outputs
    return given
