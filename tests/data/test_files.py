"""The extension of a file says how it is read and written."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from intemi.data import Data
from intemi.data.csv import parse_csv
from intemi.data.errors import DataError
from intemi.data.files import read, write
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
    with pytest.raises(ConfigurationError, match=r"its extension must be one of \.arff, \.csv, \.tsv, \.parquet"):
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
