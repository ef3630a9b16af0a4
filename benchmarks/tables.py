"""Data that several benchmarks read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from intemi.data import Column, Data, Table

SHARED = Path(__file__).parents[2] / "shared" / "data"
BUILT_IN = ("iris", "wine", "breast_cancer", "digits")


def built_in(name: str) -> Data:
    """A data set that scikit-learn carries."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    columns = [Column(f"x{index}") for index in range(bunch.data.shape[1])]
    target = Column("class", tuple(map(str, bunch.target_names)))
    return Data(Table(columns, np.ascontiguousarray(bunch.data.T), target, bunch.target, name=name))


def fresh(data: Data) -> Data:
    """The same on a table that nobody has sorted yet."""
    table = data.table
    return Data(Table(table.columns, table.features.copy(), table.target, table.classes, name=table.name))
