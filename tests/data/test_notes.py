"""Suspicious things in data get a note each; ordinary data get none."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from intemi.data import from_numpy, from_pandas, notes_on, read
from intemi.data.csv import parse_csv
from intemi.data.files import notes_on_file, parse
from intemi.data.notes import note_on_folds, note_on_scales
from intemi.machines import DataLoader, SklearnDataset


def notes(head: str, rows: list[str], **options: object) -> list[str]:
    """The notes on a CSV file, with its lines."""
    content = "\n".join([head, *rows, ""]).encode()
    return list(map(str, notes_on_file(parse(content, "x.csv", **options), "x.csv", options, content)))


def test_ordinary_data_get_no_note() -> None:
    assert notes("x,colour,class", [f"{row / 7},{'rgb'[row % 3]},{'ab'[row % 2]}" for row in range(50)]) == []
    assert notes_on(SklearnDataset("iris").run().outputs["data"]) == ()


def test_numbers_with_a_decimal_comma() -> None:
    rows = [f"{row},5;{row % 3},25;{'ab'[row % 2]}" for row in range(20)]
    (note,) = notes("x;y;class", rows)
    assert note.startswith("'x' and 'y' look like numbers with a decimal comma, but were read as categories")
    assert note.endswith("decimal: ',' reads numbers")
    assert notes("x;y;class", rows, decimal=",") == []


def test_numbers_with_a_point_where_a_comma_was_told() -> None:
    (note,) = notes("x;class", [f"{row}.5;{'ab'[row % 2]}" for row in range(20)], decimal=",")
    assert "decimal point" in note
    assert "decimal: '.'" in note


def test_a_stray_text_among_numbers_is_named_with_its_line() -> None:
    rows = [f"{row},{'ab'[row % 2]}" for row in range(1000)]
    (note,) = notes("a,class", [*rows, "12.5 kg,a"])
    assert note.startswith("1 of 1,001 values of 'a' is no number: '12.5 kg' in line 1002, so it was read as 1,001 cat")
    assert note.endswith("add to missing: ['12.5 kg']")


def test_lines_are_those_of_the_file_not_of_the_rows() -> None:
    (note,) = notes("a,class", ["1,x", "", "2,y", '"3",x', "", "many,y", "1,x"])
    assert "'many' in line 7" in note


def test_without_a_file_the_row_is_named() -> None:
    data = parse_csv(b"a,class\n1,x\n2,y\nmany,x\n2,y\n", "x.csv")
    assert "'many' in row 3" in str(notes_on(data)[0])


def test_a_number_too_large_is_no_number() -> None:
    (note,) = notes("a,class", [*(f"{row % 9},x" for row in range(40)), "1e400,y", "inf,y"])
    assert "1 of 42 values of 'a' is no number: '1e400' in line 42" in note


def test_columns_whose_type_was_told_are_not_suspected() -> None:
    rows = [f"{row % 3},x" for row in range(30)] + ["many,y", "1,y"]
    assert notes("a,class", rows, nominal=["a"]) == []
    arff = b"@relation r\n@attribute a {1,2,many}\n@attribute class {x,y}\n@data\n1,x\n2,y\nmany,x\n1,y\n"
    assert notes_on_file(parse(arff, "x.arff"), "x.arff", {}, arff) == ()


@pytest.mark.parametrize("value", ["P{0}", "{0}"])
def test_a_column_that_names_rows(value: str) -> None:
    (note,) = notes("patient,class", [f"{value.format(row)},{'ab'[row % 2]}" for row in range(20)])
    assert note == "'patient' is different in every row, as the name of a row is; drop: ['patient'] leaves it out"


def test_whole_numbers_that_happen_to_differ_are_no_names() -> None:
    assert notes("income,class", [f"{row * 37 + 900},{'ab'[row % 2]}" for row in range(20)]) == []
    assert len(notes("Patient ID,class", [f"{row * 37 + 900},{'ab'[row % 2]}" for row in range(20)])) == 1


@pytest.mark.parametrize(
    "form", ["2024-{:02d}-05", "{:02d}.03.2024", "3/{:d}/24", "{:d} May 2024", "2024-01-{:02d} 12:30"]
)
def test_dates(form: str) -> None:
    (note,) = notes("when,class", [f"{form.format(1 + row % 12)},{'ab'[row % 2]}" for row in range(24)])
    assert note.startswith("'when' holds dates")


def test_texts_empty_and_constant_columns() -> None:
    rows = [f"the patient of bed {row} went home,,1,k,{'ab'[row % 2]}" for row in range(20)]
    texts, empty, constant = notes("remarks,nothing,one,letter,class", rows)
    assert texts.startswith("'remarks' holds texts")
    assert empty.startswith("'nothing' has no value")
    assert constant.startswith("'one' and 'letter' have the same value everywhere")
    assert "drop: ['one', 'letter']" in constant


def test_codes_for_missing_values() -> None:
    rows = [f"{'N/A' if row % 5 == 0 else 'rg'[row % 2]},{-999 if row % 4 == 0 else row % 30},a" for row in range(40)]
    text, number = notes("colour,age,class", rows)
    assert text.startswith("'N/A' occurs 8 times in 'colour' as a category")
    assert number.startswith("-999 occurs 10 times in 'age', where all others are 0 to 29")


def test_a_target_of_amounts() -> None:
    (note,) = notes("x,price", [f"{row % 7},{row * 13}" for row in range(100)])
    assert note.startswith("the target 'price' looks like amounts: 100 different numbers in 100 rows")


def test_classes_of_one_row_and_rows_without_a_class() -> None:
    rare, unknown = notes("x,class", [*(f"{row % 7},a" for row in range(20)), "1,b", "2,", "3,c"])
    assert rare.startswith("classes of 'class' have one row each: 'b', 'c'")
    assert unknown.startswith("1 row has no class in 'class'")


def test_classes_with_fewer_rows_than_folds() -> None:
    data = from_numpy([[float(row)] for row in range(13)], ["a"] * 10 + ["b"] * 2 + ["c"])
    note = note_on_folds(data, 5)
    assert str(note).startswith("the classes 'b' has 2 rows, 'c' has 1 row, fewer than the 5 folds")
    assert note_on_folds(data, 1) is None


def test_names_with_braces_are_no_formats() -> None:
    (note,) = notes("{0},class", [f"P{row},{'ab'[row % 2]}" for row in range(20)])
    assert note.startswith("'{0}' is different in every row")


def test_frames_get_notes_as_well() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": ["1,5", "2,5", "3,5"] * 5, "y": ["a", "b", "a"] * 5})
    assert "decimal comma" in str(notes_on(from_pandas(frame))[0])


def test_a_loader_names_lines_of_the_file_only_if_it_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,class\n1,x\n2,y\nmany,x\n1,y\n")
    loader = DataLoader(str(file))
    data = loader.run().outputs["data"]
    assert "in line 4" in str(loader.notes(data)[0])
    file.write_text("a,class\n")
    assert "in row 3" in str(loader.notes(data)[0])


def test_packed_files_are_read_and_have_notes(tmp_path: Path) -> None:
    content = b"a,class\n1,x\n2,y\nmany,x\n1,y\n"
    (tmp_path / "t.csv").write_bytes(content)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(content))
    packed = read(tmp_path / "t.csv.gz")
    assert packed == read(tmp_path / "t.csv")
    assert packed.name == "t"
    loader = DataLoader(str(tmp_path / "t.csv.gz"))
    assert "in line 4" in str(loader.notes(loader.run().outputs["data"])[0])


def test_learners_that_compare_distances_are_told_of_columns_on_different_scales() -> None:
    data = from_numpy([[1.0, 100.0, np.nan], [2.0, 900.0, 5.0], [3.0, 500.0, 5.0]], ["a", "b", "b"])
    note = "'x2' varies 400 times as much as 'x1'; preprocessing: Standardization helps knn and 1 more"
    assert str(note_on_scales(data, ["knn", "svm"])) == note
    assert note_on_scales(data, []) is None
    assert note_on_scales(data.select_columns(["x1", "x3"]), ["knn"]) is None
