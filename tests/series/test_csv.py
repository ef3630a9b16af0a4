from __future__ import annotations

import csv
import io
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.series import Series, SeriesError
from intemi.series.csv import read, written
from tests.series.strategies import CELLS, all_series, exactly

MARKS = st.text(alphabet="ab,\"'\n\r{}[]:*01.-+eEnaif \\u\0", max_size=40)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("", None),
        *(("true", True), ("False", False), ("TRUE", True)),
        *(("0", 0), ("-5", -5), ("123456789012345678901234567890", 123456789012345678901234567890)),
        *(("0.5", 0.5), ("5.", 5.0), (".5", 0.5), ("+0.5", 0.5), ("1e5", 1e5), ("1E-5", 1e-5), ("-inf", float("-inf"))),
        *(("knn", "knn"), ("007", "007"), ("+5", "+5"), ("1.2.3", "1.2.3"), ("e5", "e5"), ("1,5", "1,5"), ("٣", "٣")),
        *(('"5"', "5"), ('""', ""), ('{"float": "nan"}', float("nan"))),
        pytest.param("9" * 5000, "9" * 5000, id="5000 digits"),
    ],
)
def test_what_a_cell_is_follows_from_its_text(text: str, cell: Any) -> None:
    found = read(text, "text")
    assert type(found) is type(cell)
    assert found == cell or found != found


@given(CELLS)
def test_no_two_cells_are_written_alike(cell: Any) -> None:
    one = Series({"a": [cell]})
    assert exactly(Series({"a": [read(written(one.row(0)["a"]), "text")]})) == exactly(one)


def test_the_main_label_is_marked_unless_it_is_the_first() -> None:
    assert Series({"a": [1], "b": [2]}).to_csv() == "a,b\n1,2\n"
    assert Series({"a": [1], "b": [2]}, main="b").to_csv() == "a,b*\n1,2\n"
    assert Series({"a": [1], "b*": [2]}, main="b*").to_csv() == 'a,"""b*""*"\n1,2\n'
    assert Series.from_csv(text="a,b\n1,2\n", main="b").main == "b"


def test_texts_are_quoted_only_where_they_need_it() -> None:
    assert Series({"a": ["knn", "k nn", "5", "a,b", ""]}).to_csv() == 'a\nknn\nk nn\n"""5"""\n"a,b"\n""""""\n'


def test_none_in_a_single_column_is_not_an_empty_line() -> None:
    assert Series({"a": [None]}).to_csv() == 'a\n""\n'


@given(all_series())
def test_the_csv_module_reads_the_same_fields(series: Series) -> None:
    lines = list(csv.reader(io.StringIO(series.to_csv(), newline=""), strict=True))
    assert len(lines) == len(series) + 1
    assert {len(line) for line in lines} == {len(series.labels)}
    for line, row in zip(lines[1:], series, strict=True):
        assert line == [written(cell) for cell in row.values()]


def test_pandas_reads_and_writes_the_same_values() -> None:
    series = Series({"Accuracy": [0.1, 0.2], "machine": ["knn", "a,b"], "Fold": [0, 1], "ok": [True, False]})
    assert Series.from_pandas(pandas.read_csv(io.StringIO(series.to_csv()))) == series
    assert Series.from_csv(text=series.to_pandas().to_csv(index=False)) == series


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_files_of_other_programs_are_read(ending: str, tmp_path: Any) -> None:
    file = tmp_path / "series.csv"
    lines = ["Accuracy,machine", '0.5,"a ""b"""', "", '1,"two', 'lines"', ""]
    file.write_bytes(b"\xef\xbb\xbf" + ending.join(lines).encode())
    expected = Series({"Accuracy": [0.5, 1.0], "machine": ['a "b"', f"two{ending}lines"]})
    assert Series.from_csv(file) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text:1: found nothing, expected a line of labels"),
        ("a,a\n", "text:1: found 'a', expected labels that differ"),
        ("a*,b*\n", r"text:1: found 'b\*', expected labels that differ, one of them marked"),
        ("a,\n", "text:1: found '', expected a label"),
        ("a,b\n1,2\n3\n", "text:3: found 1 cell, expected 2: a, b"),
        ('a,b\n1,"2\n', "text:2: found '\"2.*', expected a field in closed quotes"),
        ('a,b\n1,"2"3\n', "text:2: found '\"2\"3.*', expected a field in closed quotes"),
        ("a\n{x}\n", "text:2: found no JSON"),
        ('a\n"{""int"": 5}"\n', "text:2: found .*, expected a cell"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(SeriesError, match=message):
        Series.from_csv(text=text)


@given(MARKS)
def test_any_text_is_a_series_or_one_clear_error(text: str) -> None:
    message = ""
    try:
        series = Series.from_csv(text=text)
        assert Series.from_csv(text=series.to_csv()) == series
    except SeriesError as error:
        message = str(error)
    assert not message or message.startswith("text:")


def test_a_large_vector_fits_into_a_cell() -> None:
    series = Series({"a": [1], "v": [[0.1] * 100_000]})
    assert Series.from_csv(text=series.to_csv()) == series
