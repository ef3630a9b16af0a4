from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import Input, Machine, Model, Output, Project
from intemi.kernel.memory import measured

ROWS = 10_000
_made: list[Any] = []
"""Tables, weakly."""


class Shifted(Machine):
    """The data with another table."""

    version = 1
    data = Input(Data)
    shifted = Output(Data)
    by: float = 1.0

    def run(self, data: Data) -> Model:
        shifted = data.with_features(data.columns, data.features + self.by)
        _made.append(weakref.ref(shifted.table))
        return Model(shifted=shifted)


def table(columns: int = 10) -> Data:
    features = np.random.default_rng(0).random((columns, ROWS))
    return Data(Table([Column(f"x{index}") for index in range(columns)], features))


def test_the_table_is_measured_beside_the_view() -> None:
    data = table()
    size, parts = measured(data.select_rows(np.arange(100)))
    assert size < 1000
    assert list(parts) == [data.table]


@pytest.mark.parametrize("kept", ["in memory", "on disk"])
def test_tables_are_bounded_like_everything_else(tmp_path: Path, kept: str) -> None:
    _made.clear()
    data = table()
    limit = 3 * data.table.nbytes
    with Project(tmp_path if kept == "on disk" else None, memory=limit, workers=1) as project:
        given = project.given(data)
        done = [project.run(Shifted(float(by)), data=given) for by in range(12)]
        gc.collect()
        assert sum(ref() is not None for ref in _made) <= 4
        first = done[0].outputs["shifted"]
        assert np.array_equal(first.features, data.features)  # it comes back


def test_a_leaf_that_is_run_once_more_is_counted() -> None:
    _made.clear()
    data = table()
    with Project(memory=2 * data.table.nbytes, workers=1) as project:
        given = project.given(data)
        first = project.run(Shifted(0.0), data=given)
        for by in range(1, 6):
            project.run(Shifted(float(by)), data=given)
        before = project.counts().physical["Shifted"]
        assert len(first.outputs["shifted"]) == ROWS
        assert (before, project.counts().physical["Shifted"]) == (6, 7)
