"""Parts that several values share are kept once, on disk and in memory."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import Input, Machine, Model, MultiOutput, Output, Project, StoreWarning
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode_parts


class Load(Machine):
    """A table of random numbers."""

    data = Output(Data)
    size: int = 20_000

    def run(self) -> Model:
        values = np.random.default_rng(0).random((3, self.size))
        return Model(data=Data(Table([Column("a"), Column("b"), Column("c")], values)))


class Halves(Machine):
    """Odd and even rows."""

    data = Input(Data)
    halves = MultiOutput(Data)

    def run(self, data: Data) -> Model:
        rows = np.arange(len(data))
        return Model(halves=[data.select_rows(rows[rows % 2 == odd]) for odd in (0, 1)])


class Total(Machine):
    """The sum of a column."""

    data = Input(Data)
    column: int = 0

    def run(self, data: Data) -> Model:
        return Model(results={"Total": float(data.feature(self.column).sum())})


def contents_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "contents").rglob("*.val"))


def test_a_view_is_stored_as_indices_and_its_table_once(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        loaded = project.request(Load())
        project.run(Halves(), data=loaded.data)
    table, indices = 3 * 20_000 * 8, 2 * 10_000 * 4
    assert table < contents_of(tmp_path) < table + 2 * indices


def test_views_that_come_back_from_the_disk_share_one_table(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        halves = project.run(Halves(), data=project.request(Load()).data)
        before = [half.features.sum() for half in halves.outputs["halves"]]
    with Project(tmp_path) as project:
        halves = project.run(Halves(), data=project.request(Load()).data)
        first, second = halves.outputs["halves"]
        assert first.table is second.table
        assert [half.features.sum() for half in (first, second)] == before
        assert not project.counts().physical


def totals(folder: Path) -> list[Any]:
    """The totals of both columns of the second half, as a session finds them."""
    with Project(folder) as project:
        halves = project.run(Halves(), data=project.request(Load()).data)
        return [project.run(Total(column), data=halves.halves[1]).results for column in (0, 1)]


def test_a_lost_table_is_made_again(tmp_path: Path) -> None:
    expected = totals(tmp_path / "undamaged")
    with Project(tmp_path / "damaged") as project:
        project.run(Halves(), data=project.request(Load()).data)
    for file in (tmp_path / "damaged" / "contents").rglob("*.val"):
        if file.stat().st_size > 3 * 20_000 * 8:
            os.truncate(file, 1000)
    with pytest.warns(StoreWarning, match="is treated as absent"):
        found = totals(tmp_path / "damaged")
    assert found == expected
    assert found[0] != found[1]


def test_the_bytes_of_a_value_name_its_shared_parts() -> None:
    table = Table([Column("a")], [[1.0, 2.0, 3.0]])
    shared: dict[bytes, Any] = {}
    parts = encode_parts(Data(table, [0, 2]), shared)
    assert list(shared.values()) == [table]
    copy = decode(b"".join(parts), shared.__getitem__)
    assert copy == Data(table, [0, 2])
    assert copy.table is table
    gc.collect()
