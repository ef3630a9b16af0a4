"""ARFF: what a file says is what the data are, and what is written is read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.data.arff import arff_text, parse_arff, read_arff, write_arff
from intemi.data.errors import DataError
from scripts.reference_data import WIDE
from tests import datasets
from tests.data.tables import tables, target_of

HEADER = "@relation weather\n@attribute temperature numeric\n@attribute outlook {sunny,'very rainy'}\n@data\n"


def parse(text: str, **options: str) -> Data:
    return parse_arff(text.encode(), "weather.arff", **options)


def values(text: str) -> list[tuple[float, int]]:
    data = parse(HEADER + text)
    return list(zip(data.feature(0).tolist(), data.classes.tolist(), strict=True))


def refusal(text: str, **options: str) -> str:
    with pytest.raises(DataError) as caught:
        parse(text, **options)
    return str(caught.value)


@pytest.mark.wide
@pytest.mark.parametrize("name", WIDE.names())
def test_a_file_of_the_collection_agrees_with_its_index(name: str) -> None:
    entry = datasets.index()[name]
    data = read_arff(datasets.path(name))
    nominal = sum(column.is_nominal for column in data.columns)
    assert (len(data), len(data.columns) - nominal, nominal) == tuple(
        int(entry[head]) for head in ("instances", "numeric", "nominal")
    )
    assert np.isnan(data.features).mean() * 100 == pytest.approx(float(entry["missing %"]), abs=0.00501)
    counts = np.bincount(data.classes, minlength=len(data.labels))
    assert (counts > 0).sum() == int(entry["classes"].split()[0])
    assert counts.max() / len(data) * 100 == pytest.approx(float(entry["majority %"]), abs=0.00501)
    assert data.target is not None
    assert data.target.name == "class"


@pytest.mark.parametrize("name", datasets.available())
def test_every_value_of_a_file_is_read_as_a_plain_reading_would(name: str) -> None:
    assert read_arff(datasets.path(name)) == datasets.load(name)


@pytest.mark.parametrize("name", ["colic", "credit-g", "segment", "waveform-5000", "hypothyroid"])
def test_a_file_of_the_collection_survives_being_written(name: str, tmp_path: Path) -> None:
    data = read_arff(datasets.path(name))
    write_arff(data, tmp_path / "copy.arff")
    assert read_arff(tmp_path / "copy.arff") == data


@given(tables())
def test_what_is_written_is_read_again(data: Data) -> None:
    assert parse(arff_text(data), target=target_of(data)) == data


@given(
    st.lists(st.floats(allow_nan=False) | st.from_regex(r"[+-]?[0-9]{0,12}\.?[0-9]{1,12}", fullmatch=True), min_size=1)
)
def test_a_number_is_the_one_that_python_reads(numbers: list[float | str]) -> None:
    texts = [str(number) for number in numbers]
    data = parse("@attribute x real\n@data\n" + "\n".join(texts))
    np.testing.assert_array_equal(data.feature(0), [float(text) for text in texts])
    np.testing.assert_array_equal(np.signbit(data.feature(0)), np.signbit([float(text) for text in texts]))


@pytest.mark.parametrize(
    "line",
    [
        "21.5,sunny",
        "  21.5 ,\tsunny  ",
        "21.5,'sunny'",
        '21.5,"sunny"',
        "'21.5',sunny",
        "21.50,'s\\u0075nny'",
        "2.15e1,sunny",
        "+21.5,sunny % warm",
        "21.5          ,          sunny",
        "21.5000000000000000000,sunny",
    ],
)
def test_a_line_may_be_written_in_many_ways(line: str) -> None:
    assert values(line) == [(21.5, 0)]


def test_comments_and_blank_lines_are_left_out() -> None:
    assert values("\n% nothing\n1,sunny\n   \n  % 2,sunny\n3,'very rainy'\n\n") == [(1, 0), (3, 1)]


def test_keywords_and_types_are_read_in_any_case() -> None:
    data = parse("@RELATION r\n@Attribute a REAL\n@ATTRIBUTE b Integer\n@attribute c{x,y}\n@DATA\n1,2,y")
    assert [column.is_nominal for column in data.columns] == [False, False]
    assert data.classes.tolist() == [1]


def test_a_question_mark_is_missing_unless_it_is_quoted() -> None:
    data = parse("@attribute a {'?',b}\n@attribute c {x}\n@data\n?,x\n'?',x\nb,?")
    np.testing.assert_array_equal(data.feature(0), [np.nan, 0, 1])
    assert data.classes.tolist() == [0, 0, -1]


@pytest.mark.parametrize("line", ["1,sunny,{0.5}", "1,sunny {0.5}", "1,'sunny'{0.5}", "1,'sunny', {0.5} % light"])
def test_a_weight_stands_in_braces_at_the_end_of_a_line(line: str) -> None:
    assert parse(HEADER + line + "\n2,sunny\n").weights.tolist() == [0.5, 1.0]


def test_without_weights_data_are_not_weighted() -> None:
    assert not parse(HEADER + "1,sunny").is_weighted


def test_the_target_is_the_column_called_class_or_the_last_nominal_one() -> None:
    header = "@attribute a {x,y}\n@attribute {0} {{x,y}}\n@attribute c {{x,y}}\n@attribute d real\n@data\nx,y,x,1"
    targets = [
        parse(header.replace("{0}", name).replace("{{", "{").replace("}}", "}")).target for name in ("Class", "b")
    ]
    assert [target and target.name for target in targets] == ["Class", "c"]


def test_another_target_can_be_named_and_so_can_none() -> None:
    text = "@attribute a {x,y}\n@attribute b real\n@attribute class {x,y}\n@data\ny,1,x"
    named, none = parse(text, target="a"), parse(text, target="")
    assert named.target == Column("a", ("x", "y"))
    assert [column.name for column in named.columns] == ["b", "class"]
    assert named.classes.tolist() == [1]
    assert (none.target, len(none.columns)) == (None, 3)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_are_read(end: str) -> None:
    assert values("1,sunny\n2,sunny\n".replace("\n", end)) == [(1, 0), (2, 0)]


def test_text_in_another_encoding_is_read_when_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "ort.arff"
    file.write_bytes("@attribute ort {Köln,Bonn}\n@data\nKöln\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"ort\.arff:1: found the byte 0xf6, expected text in utf-8"):
        read_arff(file)
    assert read_arff(file, encoding="latin-1").labels == ("Köln", "Bonn")


def test_a_long_file_is_read_in_pieces_without_a_seam() -> None:
    count = 60_000
    lines = [f"{index},{'sunny' if index % 3 else repr('very rainy')}" for index in range(count)]
    lines[40_000] = "% here was a line"
    data = parse(HEADER + "\n".join(lines))
    expected = np.delete(np.arange(count), 40_000)
    np.testing.assert_array_equal(data.feature(0), expected)
    np.testing.assert_array_equal(data.classes, expected % 3 == 0)
    lines[50_000] = "warm,sunny"
    assert refusal(HEADER + "\n".join(lines)).startswith("weather.arff:50005: found 'warm', expected a number or ?")


def test_a_file_without_instances_is_an_empty_table() -> None:
    assert len(parse(HEADER)) == len(parse(HEADER.rstrip("\n"))) == 0


def test_a_view_is_written_as_what_it_shows() -> None:
    table = Table([Column("x"), Column("y")], [[1, 2, 3], [4, 5, 6]], Column("class", ("a", "b")), [0, 1, 0])
    view = Data(table).select_rows([0, 2, 2]).select_columns(["y"])
    assert parse(arff_text(view)).feature(0).tolist() == [4, 6, 6]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "weather.arff:1: found the end of the file, expected @data after the attributes"),
        ("@data\n", "weather.arff:1: found @data, expected at least one @attribute before it"),
        ("hello\n", "weather.arff:1: found 'hello', expected @relation, @attribute or @data"),
        (
            "@attribute a string\n@data\nx\n",
            ":1: found the string attribute 'a', expected numeric, real, integer or {nominal",
        ),
        ("\n@attribute a date 'yyyy'\n@data\n?\n", ":2: found the date attribute 'a', expected numeric"),
        ("@attribute a relational\n", ":1: found the relational attribute 'a', expected numeric"),
        ("@attribute a float\n", ":1: found 'float', expected numeric, real, integer or {nominal values} as the type"),
        ("@attribute a\n", ":1: found nothing, expected numeric"),
        ("@attribute\n", ":1: found nothing, expected a name of the attribute"),
        ("@attribute '' real\n", ":1: found \"'' real\", expected a name"),
        ("@attribute a real [0,1]\n", ":1: found '[0,1]', expected the end of the line"),
        (
            "@attribute a real\n@attribute a real\n",
            ":2: found a second attribute called 'a', expected names that differ",
        ),
        ("@attribute a {x,y\n", ":1: found the end of the line, expected a comma or }"),
        ("@attribute a {x,,y}\n", ":1: found nothing in '{x,,y}', expected a value between commas"),
        ("@attribute a {x,x}\n", ":1: found the value 'x' twice, expected values that differ"),
        ("@attribute a {'x}\n", ":1: found \"'x\", expected a closing '"),
        ("@attribute a {'\\q'}\n", ":1: found the escape '\\\\q', expected one of"),
        (HEADER + "warm,sunny\n", ":5: found 'warm', expected a number or ? for 'temperature'"),
        (HEADER + "1,sunny\n1,cloudy\n", ":6: found 'cloudy', expected sunny, very rainy or ? for 'outlook'"),
        (HEADER + ",sunny\n", ":5: found nothing, expected a number or ? for 'temperature'"),
        (HEADER + "1e999,sunny\n", ":5: found '1e999', expected a number"),
        (HEADER + "1_0,sunny\n", ":5: found '1_0', expected a number"),
        (HEADER + "1\n", ":5: found 1 value, expected 2, one for each of temperature, outlook"),
        (HEADER + "1,sunny,2\n", ":5: found 3 values, expected 2"),
        (HEADER + "{0 1,1 sunny}\n", ":5: found a sparse instance in braces, expected all its values"),
        (HEADER + "1,'very rainy\n", ":5: found \"'very rainy\", expected a closing '"),
        (HEADER + "1,'very' rainy\n", ":5: found 'rainy', expected a comma after a quoted value"),
        (HEADER + "1,sunny,{heavy}\n", ":5: found '{heavy}', expected a weight of at least 0 in braces"),
        (HEADER + "1,sunny,{-1}\n", ":5: found '{-1}', expected a weight"),
        (HEADER + "1,sun\0ny\n", ":5: found a zero byte, expected text"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, error: str) -> None:
    assert error in refusal(text)


def test_a_target_that_is_not_there_is_refused() -> None:
    assert refusal(HEADER, target="wind") == (
        "weather.arff: found no column called 'wind', expected a target among temperature, outlook"
    )


def test_whole_numbers_are_classes_and_fractions_are_not() -> None:
    data = parse(HEADER + "10,sunny\n9,sunny\n?,sunny\n", target="temperature")
    assert (data.labels, data.classes.tolist()) == (("9", "10"), [1, 0, -1])
    assert refusal(HEADER + "10,sunny\n9.5,sunny\n", target="temperature") == (
        "weather.arff: found numbers such as 9.5 in the target 'temperature', "
        "expected classes there: a nominal attribute, or whole numbers"
    )


def test_values_may_be_separated_by_tabs() -> None:
    assert values("% two columns\n1\tsunny\n\t\n 2 \t\tvery rainy\t\n") == [(1, 0), (2, 1)]
    error = refusal(HEADER + "1 sunny\n")
    assert error.endswith("found 1 value, expected 2, one for each of temperature, outlook (separated by commas)")


def test_many_categories_are_found_in_many_pieces() -> None:
    names = [f"category {index}" for index in range(3000)]
    codes = np.random.default_rng(1).integers(0, len(names), 40_000)
    rows = "".join(f"{names[code]},x\n" for code in codes)
    data = parse(f"@attribute a {{{','.join(names)}}}\n@attribute class {{x}}\n@data\n{rows}")
    np.testing.assert_array_equal(data.feature(0), codes)


def test_a_file_that_is_not_there_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="found nothing to read"):
        read_arff(tmp_path / "nothing.arff")
