"""The extension of a file says how it is read and written."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from intemi.data import Data, from_pandas
from intemi.data.csv import parse_csv
from intemi.data.errors import DataError
from intemi.data.files import check_reading, parse, read, write
from intemi.kernel import ConfigurationError, IntemiError


def small() -> Data:
    return parse_csv(b"x,colour,class\n1,red,a\n2.5,blue,b\n,red,a\n", "x.csv")


@pytest.mark.parametrize("name", ["a.arff", "a.csv", "a.tsv", "a.parquet", "A.ARFF"])
def test_a_file_is_written_and_read_by_its_extension(name: str, tmp_path: Path) -> None:
    data = small()
    if name == "a.arff":
        data = parse_csv(b"x,class\n1,a\n2.5,b\n", "x.csv")
    write(data, tmp_path / name)
    assert read(tmp_path / name) == data
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_options_go_to_the_reader(tmp_path: Path) -> None:
    write(small(), tmp_path / "a.csv")
    data = read(tmp_path / "a.csv", target="colour", nominal=["x"])
    assert data.labels == ("blue", "red")
    assert data.columns[0].categories == ("1", "2.5")


def test_an_option_that_a_reader_does_not_have_is_refused(tmp_path: Path) -> None:
    write(small(), tmp_path / "a.arff")
    with pytest.raises(ConfigurationError, match=r"read: \.arff files have no option 'nominal'; there are encoding"):
        read(tmp_path / "a.arff", nominal=["x"])
    with pytest.raises(
        ConfigurationError, match=r"write: \.csv files have no option 'header'; there are delimiter, weights"
    ):
        write(small(), tmp_path / "a.csv", header=False)


@pytest.mark.parametrize("name", ["a.txt", "a"])
def test_an_unknown_extension_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("x,class\n1,a\n")
    with pytest.raises(
        ConfigurationError, match=r"its extension must be one of \.arff, \.csv, \.tsv, \.xlsx, \.parquet"
    ):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["no such file.csv", "with\0zero.csv"])
def test_a_file_that_cannot_be_read_is_a_data_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"zero|no such file"):
        read(tmp_path / name)


def test_a_folder_that_is_not_there_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="found no way to write it"):
        write(small(), tmp_path / "nowhere" / "a.csv")


def test_a_data_error_has_parts_and_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(DataError("a.csv", 3, "x", "y")))
    assert (error.file, error.line, error.found, error.expected) == ("a.csv", 3, "x", "y")
    assert str(error) == "a.csv:3: found x, expected y"
    assert isinstance(error, IntemiError)
    assert isinstance(error, ValueError)


# Which columns are read


CHOSEN_CSV = b"id,when,height,class\n1,2024-01-01,1.5,a\n2,2024-01-02,1.7,b\n"
CHOSEN_ARFF = (
    b"@relation r\n@attribute id string\n@attribute when date 'yyyy-MM-dd'\n@attribute height real\n"
    b"@attribute class {a,b}\n@data\nx1,'2024-01-01',1.5,a\nx2,'2024-01-02',1.7,b\n"
)


@pytest.mark.parametrize(("content", "file"), [(CHOSEN_CSV, "c.csv"), (CHOSEN_ARFF, "c.arff")])
def test_columns_are_left_out_by_name(content: bytes, file: str) -> None:
    dropped = parse(content, file, drop=["id", "when"])
    chosen = parse(content, file, "class", columns=["height"])
    assert [column.name for column in dropped.columns] == ["height"]
    assert dropped.labels == ("a", "b")
    assert dropped == chosen


def test_the_last_column_that_is_left_is_the_target() -> None:
    assert parse(b"a,b,c\n1,x,2.5\n2,y,3.5\n", "t.csv", drop=["c"]).labels == ("x", "y")


@pytest.mark.parametrize(("content", "file"), [(CHOSEN_CSV, "c.csv"), (CHOSEN_ARFF, "c.arff")])
@pytest.mark.parametrize("option", ["drop", "columns"])
def test_an_unknown_column_is_refused_with_all_names(content: bytes, file: str, option: str) -> None:
    with pytest.raises(DataError, match=rf"no column called 'hight' \({option}\).*id, when, height, class"):
        parse(content, file, **{option: ["hight"]})


def test_a_string_attribute_can_be_left_out_and_is_refused_otherwise() -> None:
    with pytest.raises(DataError, match=r"c.arff:2: found the string attribute 'id'.*drop=\['id'\]"):
        parse(CHOSEN_ARFF, "c.arff")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": "id"}, "drop must be a list of names of columns, got 'id'"),
        ({"columns": [1]}, "columns must be a list of names"),
        ({"drop": ["id"], "columns": ["height"]}, "either drop or columns can be given"),
    ],
)
@pytest.mark.parametrize("file", ["c.csv", "c.arff", "c.parquet"])
def test_a_choice_of_columns_that_makes_no_sense_is_refused_without_a_file(
    options: dict[str, Any], message: str, file: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        check_reading(file, None, options)


def test_the_target_cannot_be_dropped() -> None:
    with pytest.raises(DataError, match="the target 'class' among the columns to drop"):
        parse(CHOSEN_CSV, "c.csv", "class", drop=["class"])


def test_columns_of_frames_and_parquet_files_are_left_out(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"when": pandas.to_datetime(["2024-01-01"] * 2), "x": [1.0, 2.0], "y": ["a", "b"]})
    frame.to_parquet(tmp_path / "t.parquet")
    wanted = from_pandas(frame[["x", "y"]])
    assert from_pandas(frame, drop=["when"]) == from_pandas(frame, "y", columns=["x"]) == wanted
    assert read(tmp_path / "t.parquet", drop=["when"]) == wanted
    with pytest.raises(ConfigurationError, match="drop must be one of when, x, y, got 'wen'"):
        from_pandas(frame, drop=["wen"])


def test_what_only_looks_packed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(b"a,class\n1,x\n")
    with pytest.raises(DataError, match=r"t\.csv\.gz: found no gzip file"):
        read(tmp_path / "t.csv.gz")
    with pytest.raises(ConfigurationError, match="packed files are read, not written"):
        write(small(), tmp_path / "s.csv.gz")
