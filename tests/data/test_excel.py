"""Excel files are read through pandas; without openpyxl one message says what is needed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from intemi.data import DataError, read
from intemi.kernel import ConfigurationError

pandas = pytest.importorskip("pandas")
with_openpyxl = pytest.mark.skipif(find_spec("openpyxl") is None, reason="needs openpyxl")


@pytest.mark.skipif(find_spec("openpyxl") is not None, reason="needs an environment without openpyxl")
def test_without_openpyxl_one_message_says_what_is_needed(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"any")
    with pytest.raises(ConfigurationError, match="openpyxl is needed and not installed; pip install openpyxl"):
        read(tmp_path / "t.xlsx")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    when = pandas.to_datetime(["2024-01-01", None, "2024-01-03"])
    frame = pandas.DataFrame({"x": [1.5, None, 2.5], "when": when, "c": ["r", "g", "r"], "y": ["a", "b", "a"]})
    with pandas.ExcelWriter(tmp_path / "t.xlsx") as writer:
        frame.to_excel(writer, sheet_name="first", index=False)
        frame[["x", "y"]].to_excel(writer, sheet_name="second", index=False)
    return tmp_path / "t.xlsx"


@with_openpyxl
def test_a_sheet_is_read(book: Path) -> None:
    data = read(book, drop=["when"])
    assert str(data) == "Data(3 rows, 1 numeric and 1 nominal columns, y of 2: a 2, b 1)"
    assert data.name == "t"
    assert [column.name for column in read(book, sheet="second").columns] == ["x"]


@with_openpyxl
def test_dates_are_texts(book: Path) -> None:
    assert read(book).columns[1].categories == ("2024-01-01", "2024-01-03")


@with_openpyxl
def test_what_is_wrong_is_told(book: Path) -> None:
    with pytest.raises(DataError, match="no sheet called 'third', expected one of first, second"):
        read(book, sheet="third")
    book.write_bytes(b"no")
    with pytest.raises(DataError, match="no Excel file"):
        read(book)
