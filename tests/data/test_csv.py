"""CSV: types are found, can be told, and what is written is read again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.data.arff import read_arff
from intemi.data.csv import Options, csv_text, parse_csv, read_csv, write_csv
from intemi.data.errors import DataError
from intemi.kernel import ConfigurationError
from tests import datasets
from tests.data.tables import tables, target_of


def parse(text: str, **options: Any) -> Data:
    return parse_csv(text.encode(), "people.csv", Options(**options))


def refusal(text: str, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        parse(text, **options)
    return str(caught.value)


def test_types_are_inferred() -> None:
    data = parse("height,colour,class\n1.5,red,yes\n2,blue,no\n")
    assert data.columns == (Column("height"), Column("colour", ("blue", "red")))
    assert data.target == Column("class", ("no", "yes"))
    assert data.features.tolist() == [[1.5, 2.0], [1.0, 0.0]]
    assert data.classes.tolist() == [1, 0]


def test_a_column_with_one_text_far_down_is_nominal() -> None:
    lines = [*map(str, range(500)), "none"]
    data = parse("x,class\n" + "".join(f"{line},a\n" for line in lines))
    assert data.columns[0].categories is not None
    assert len(data.columns[0].categories) == 501


def test_types_can_be_told() -> None:
    data = parse("zip,size,class\n10,1,a\n9,2,b\n", nominal=["zip"], numeric=["size"])
    assert data.columns == (Column("zip", ("9", "10")), Column("size"))
    assert refusal("zip,class\n10,a\nB1,b\n", numeric=["zip"]) == (
        "people.csv:3: found 'B1', expected a number for 'zip'"
    )


def test_categories_can_be_told() -> None:
    text = "size,class\nbig,a\nsmall,b\n"
    data = parse(text, nominal={"size": ["small", "middle", "big"]})
    assert data.columns == (Column("size", ("small", "middle", "big")),)
    assert data.feature(0).tolist() == [2, 0]
    assert "people.csv:2: found 'big', expected small, middle for 'size'" in refusal(
        text, nominal={"size": ["small", "middle"]}
    )


@pytest.mark.parametrize("marker", ["", "?", "NA", "nan", "NaN"])
def test_missing_values_are_found_in_all_columns(marker: str) -> None:
    data = parse(f"x,y,class\n1,red,a\n{marker},{marker},{marker}\n")
    np.testing.assert_array_equal(data.features, [[1, np.nan], [0, np.nan]])
    assert data.classes.tolist() == [0, -1]


def test_a_quoted_marker_is_a_value_but_not_among_numbers() -> None:
    data = parse('x,y,class\n"1","NA",a\n"","red",a\n')
    np.testing.assert_array_equal(data.feature(0), [1, np.nan])
    assert data.columns[1] == Column("y", ("NA", "red"))


def test_among_numbers_more_texts_mean_that_one_is_missing() -> None:
    data = parse("x,y,class\n1,red,a\nN/A,N/A,b\nNULL,NULL,b\n#N/A,<NA>,null\n")
    np.testing.assert_array_equal(data.feature(0), [1, np.nan, np.nan, np.nan])
    assert data.columns[1] == Column("y", ("<NA>", "N/A", "NULL", "red"))
    assert data.labels == ("a", "b", "null")


def test_what_is_missing_can_be_told() -> None:
    text = "x,y,class\n-999,NA,a\n1,not available,b\n,red,not available\n"
    data = parse(text, missing=["-999", "not available"])
    np.testing.assert_array_equal(data.features, [[np.nan, 1, np.nan], [0, np.nan, 1]])
    assert data.columns == (Column("x"), Column("y", ("NA", "red")))
    assert data.classes.tolist() == [0, 1, -1]
    assert refusal("x,class\n1,a\nNA,b\n", missing=["-"], numeric=["x"]) == (
        "people.csv:3: found 'NA', expected a number for 'x'"
    )


def test_numbers_may_have_a_decimal_comma() -> None:
    data = parse("x;y;w;class\n1,5;1.5;0,5;2\n-,25;n/a;1;10\n?;;2;10\n", decimal=",", weights="w")
    np.testing.assert_array_equal(data.feature(0), [1.5, -0.25, np.nan])
    assert data.columns == (Column("x"), Column("y", ("1.5", "n/a")))
    assert data.weights.tolist() == [0.5, 1, 2]
    assert data.labels == ("2", "10")
    assert "numbers such as 1.5 in the target 'x'" in refusal("x;class\n1,5;a\n", decimal=",", target="x")
    assert refusal("x;class\n1.234;a\n", decimal=",", numeric=["x"]).startswith("people.csv:2: found '1.234'")


def test_a_delimiter_at_the_ends_of_all_lines_makes_no_column() -> None:
    data = parse("a,b,class,,\n1,2,x,,\n3,4,y,,\n")
    assert (data.labels, len(data.columns)) == (("x", "y"), 2)
    assert parse("1,x,\n2,y,\n", header=False).labels == ("x", "y")
    assert [column.name for column in parse("a,class,\n1,x,\n3,y,5\n").columns] == ["a", "class"]


def test_a_last_column_without_a_value_is_no_target_unless_it_is_named() -> None:
    text = "a,class,note\n1,x,\n2,y,\n"
    assert refusal(text) == (
        "people.csv: found no value in the last column, 'note', "
        "expected classes there, or the name of another target (target='' for none)"
    )
    assert parse(text, target="note").classes.tolist() == [-1, -1]


@pytest.mark.parametrize("target", [None, "class"])
def test_a_single_column_is_refused_with_a_hint(target: str | None) -> None:
    error = refusal("x y class\n1 2 a\n3 4 b\n", target=target)
    assert "people.csv: found no column beside 'x y class', expected several, separated by one of" in error
    assert "delimiter=" in error
    assert parse("x y class\n1 2 a\n3 4 b\n", target=target, delimiter=" ").labels == ("a", "b")
    assert len(parse("x\n1\n2\n", target="").columns) == 1


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    text = 'a b,"c, d; e",class\n1,"x;y\tz, 1",yes\n2,u,no\n'
    text = text.replace('b,"', f'b{delimiter}"').replace('",', f'"{delimiter}').replace('1,"', f'1{delimiter}"')
    text = text.replace("2,u,no", delimiter.join(["2", "u", "no"]))
    data = parse(text)
    assert [column.name for column in data.columns] == ["a b", "c, d; e"]
    assert data.columns[1].categories == ("u", "x;y\tz, 1")


def test_quotes_hold_delimiters_line_ends_and_doubled_quotes() -> None:
    data = parse('x,class\n1,"a, ""b""\nc"\r\n2, "d" \n')
    assert data.labels == ('a, "b"\nc', "d")


def test_the_target_is_the_last_column_unless_another_or_none_is_named() -> None:
    text = "a,b\n1,2\n3,4\n"
    assert parse(text).target == Column("b", ("2", "4"))
    assert parse(text, target="a").target == Column("a", ("1", "3"))
    assert parse(text, target="").target is None


def test_measurements_in_the_last_column_are_not_taken_for_classes() -> None:
    text = "a,price\n1,2.5\n3,4\n"
    assert refusal(text) == (
        "people.csv: found numbers such as 2.5 in the last column, 'price', expected classes there, "
        "or the name of another target (target='' for none); nominal=['price'] to have them as classes"
    )
    assert "found numbers such as 2.5 in the target 'price'" in refusal(text, target="price")
    assert parse(text, nominal=["price"]).labels == ("2.5", "4")


def test_without_a_header_columns_are_numbered() -> None:
    data = parse("1,a\n2,b\n", header=False)
    assert (data.columns, len(data)) == ((Column("column 1"),), 2)


def test_a_name_that_is_left_out_is_numbered() -> None:
    assert parse(",x,class\n0,1,a\n").columns[0].name == "column 1"


def test_weights_come_from_a_column_that_is_named() -> None:
    data = parse("x,w,class\n1,0.5,a\n2,2,b\n", weights="w")
    assert data.columns == (Column("x"),)
    assert data.weights.tolist() == [0.5, 2.0]
    assert data.classes.tolist() == [0, 1]
    assert refusal("x,w,class\n1,-1,a\n", weights="w") == (
        "people.csv:2: found '-1', expected a weight of at least 0 for 'w'"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems_are_read(end: str) -> None:
    data = parse(end.join(["x,class", "1,a", "", '"2","b"', ""]))
    assert data.feature(0).tolist() == [1, 2]
    assert refusal(end.join(["x,class", "1,a", "", "2"])).startswith("people.csv:4: found 1 value, expected 2")


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    assert parse("\ufeffx,class\n1,a\n").columns == (Column("x"),)


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        ("", {}, "people.csv:1: found nothing but blank lines, expected a line with the names of the columns"),
        ("a,class\n", {}, "people.csv:1: found no rows, expected at least one"),
        ("a,class\n1,x\n1\n", {}, "people.csv:3: found 1 value, expected 2, as on line 1 (separated by ',')"),
        ("a,a\n1,x\n", {}, "people.csv:1: found the name 'a' twice, expected names of columns that differ"),
        ('a,class\n1,"x\n2,y\n', {}, "people.csv:2: found a quote that is never closed, expected quotes in pairs"),
        ('a,class\n1,5"\n2,6"\n', {}, "people.csv:2: found a quote within"),
        ('a,class\n1,"x"y"z"\n', {}, "people.csv:2: found a quote within"),
        ("a,class\n1,x\n", {"target": "b"}, "people.csv: found no column called 'b', expected one of a, class"),
        ("a,class\n1,x\n", {"nominal": ["b"]}, "people.csv: found no column called 'b'"),
        ("a,class\n1,1\n", {"numeric": ["class"]}, "people.csv: found numbers in the target 'class'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, options: Any, error: str) -> None:
    assert error in refusal(text, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ";;"},
        {"delimiter": '"'},
        {"nominal": "ab"},
        {"nominal": ["a"], "numeric": ["a"]},
        {"missing": "NA"},
        {"missing": [-999]},
        {"header": "no"},
        {"weights": 3},
        {"missing": ["-" * 65]},
        {"decimal": ";"},
        {"decimal": ",", "delimiter": ","},
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any) -> None:
    with pytest.raises(ConfigurationError, match="read_csv: "):
        Options(**options)


@pytest.mark.parametrize("categories", [["s", "l", "s"], "sl"])
def test_categories_that_are_told_must_differ(categories: Any) -> None:
    with pytest.raises(ConfigurationError, match="Column: categories of 'a' must "):
        Options(nominal={"a": categories})


def test_a_wide_table_is_written_in_a_moment() -> None:
    width = 20_000
    columns = [Column(f"x{index}") for index in range(width)]
    begin = time.perf_counter()
    csv_text(Data(Table(columns, np.zeros((width, 1)))))
    assert time.perf_counter() - begin < 2


@given(tables(with_rows=True), st.sampled_from([",", ";", "\t"]))
def test_what_is_written_is_read_again(data: Data, delimiter: str) -> None:
    every = [*data.columns, *([data.target] if data.target else [])]
    told = {
        "nominal": {column.name: column.categories for column in every if column.categories is not None},
        "numeric": [column.name for column in every if not column.is_nominal],
        "weights": "the weight" if data.is_weighted else None,
    }
    text = csv_text(data, delimiter=delimiter, weights="the weight")
    assert parse(text, target=target_of(data), delimiter=delimiter, **told) == data


@pytest.mark.parametrize("name", ["iris", "vowel", "credit-g", "hepatitis"])
def test_a_real_table_survives_without_being_told_anything_but_its_categories(name: str, tmp_path: Path) -> None:
    data = read_arff(datasets.path(name))
    every = [*data.columns, data.target]
    write_csv(data, tmp_path / "copy.csv")
    told = {column.name: column.categories for column in every if column and column.categories is not None}
    assert read_csv(tmp_path / "copy.csv", nominal=told) == data


@given(st.permutations(range(12)))
def test_categories_do_not_depend_on_the_order_of_the_rows(order: list[int]) -> None:
    data = parse("class\n" + "".join(f"c{index % 5}\n" for index in order), delimiter=",")
    assert data.labels == ("c0", "c1", "c2", "c3", "c4")
    assert data.classes.tolist() == [index % 5 for index in order]


def test_long_and_similar_texts_are_told_apart() -> None:
    texts = [f"{'the same beginning ' * many}{end}" for many in (0, 1, 5) for end in ("a", "b", "ab", "é")]
    rows = [texts[index % len(texts)] for index in range(300)]
    data = parse("x,class\n" + "".join(f"{text},{text}\n" for text in rows))
    assert [data.labels[code] for code in data.classes] == rows
    assert data.feature(0).tolist() == data.classes.tolist()
