"""Parquet: what is written is read again, roles included."""

from __future__ import annotations

import io
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given

from intemi.data import Data
from intemi.data.csv import parse_csv
from intemi.data.errors import DataError
from intemi.data.parquet import parquet_bytes, parse_parquet, read_parquet, write_parquet
from intemi.kernel import ConfigurationError
from tests.data.tables import tables


@given(tables())
def test_what_is_written_is_read_again(data: Data) -> None:
    assert parse_parquet(parquet_bytes(data, weights="the weight of a row"), "a.parquet") == data


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    data = parse_csv(b"x,class\n1,a\n2,b\n", "x.csv")
    write_parquet(data, tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet") == data
    assert read_parquet(tmp_path / "a.parquet", target="").target is None


def parquet(**columns: pyarrow.Array) -> bytes:
    written = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), written)
    return written.getvalue()


def test_types_of_parquet_are_kept() -> None:
    content = parquet(
        price=pyarrow.array([Decimal("1.25"), None], pyarrow.decimal128(10, 2)),
        open=pyarrow.array([True, None]),
        count=pyarrow.array([1, None]),
        label=pyarrow.array([2**53 + 1, 2**53]),
    )
    data = parse_parquet(content, "a.parquet")
    assert [column.categories for column in data.columns] == [None, ("False", "True"), None]
    np.testing.assert_array_equal(data.features, [[1.25, np.nan], [1, np.nan], [1, np.nan]])
    assert data.labels == ("9007199254740992", "9007199254740993")
    gaps = parquet(x=pyarrow.array([1, 2, 3]), label=pyarrow.array([2**53 + 1, None, 2**53]))
    assert parse_parquet(gaps, "a.parquet").classes.tolist() == [1, -1, 0]


@pytest.mark.parametrize("values", [[[1, 2]], [b"a"], [{"a": 1}]])
def test_nested_and_binary_columns_are_refused(values: list[object]) -> None:
    content = parquet(x=pyarrow.array(values), label=pyarrow.array(["a"]))
    with pytest.raises(
        DataError, match=r"a\.parquet: found no data table .*'x' must hold numbers, texts or categories"
    ):
        parse_parquet(content, "a.parquet")


def test_texts_are_no_weights() -> None:
    content = parquet(x=pyarrow.array([1]), w=pyarrow.array(["heavy"]), label=pyarrow.array(["a"]))
    with pytest.raises(DataError, match="weights must be a column of numbers, got w"):
        parse_parquet(content, "a.parquet", weights="w")


def test_what_is_no_parquet_is_a_data_error() -> None:
    with pytest.raises(DataError, match=r"a\.parquet: found no Parquet \(.*\), expected Parquet"):
        parse_parquet(b"PAR1 and nothing else", "a.parquet")


def test_without_pyarrow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(
        ConfigurationError, match="read_parquet: pyarrow is needed and not installed; pip install pyarrow"
    ):
        parse_parquet(b"", "a.parquet")
