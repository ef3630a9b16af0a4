"""Parquet: what is written is read again, roles included."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from intemi.data import Data
from intemi.data.csv import parse_csv
from intemi.data.errors import DataError
from intemi.data.parquet import parquet_bytes, parse_parquet, read_parquet, write_parquet
from intemi.kernel import ConfigurationError
from tests.data.tables import tables


@settings(deadline=None, max_examples=40, derandomize=True)
@given(tables())
def test_what_is_written_is_read_again(data: Data) -> None:
    assert parse_parquet(parquet_bytes(data, weights="the weight of a row"), "a.parquet") == data


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    data = parse_csv(b"x,class\n1,a\n2,b\n", "x.csv")
    write_parquet(data, tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet") == data
    assert read_parquet(tmp_path / "a.parquet", target="").target is None


def test_what_is_no_parquet_is_a_data_error() -> None:
    with pytest.raises(DataError, match=r"a\.parquet: found no Parquet \(.*\), expected Parquet"):
        parse_parquet(b"PAR1 and nothing else", "a.parquet")


def test_without_pyarrow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(
        ConfigurationError, match="read_parquet: pyarrow is needed and not installed; pip install pyarrow"
    ):
        parse_parquet(b"", "a.parquet")
