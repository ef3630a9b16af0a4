"""Whatever bytes a file holds, reading it gives a table or one clear error; never another error, never a hang."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.data.arff import arff_text, parse_arff
from intemi.data.csv import csv_text
from intemi.data.errors import DataError
from intemi.data.files import parse
from tests import datasets
from tests.profiles import by_profile

SMALL = ["labor", "colic", "glass", "credit-g", "autos", "hypothyroid"]
MARKS = b"\n\r\t ,;'\"\\%{}?@.-+0123456789eEaNI_\0\xff\xc3\xa9"
EXTENSIONS = ("arff", "csv", "tsv", "parquet")

SEEDS = by_profile(quick=50, full=500)
pytestmark = pytest.mark.timeout(120)


def outcome(content: bytes, extension: str) -> Data | DataError:
    """What reading gives: data that hold together, or an error that says what and where."""
    file = f"file.{extension}"
    try:
        data = parse(content, file)
    except DataError as error:
        assert_clear(error, file, content)
        return error
    assert data == Data.from_state(data.state())
    return data


def assert_clear(error: DataError, file: str, content: bytes) -> None:
    text = str(error)
    assert text.startswith(file)
    assert "\n" not in text
    assert len(text) < 2_000
    assert error.found
    assert error.expected
    assert error.line is None or 1 <= error.line <= content.count(b"\n") + content.count(b"\r") + 2


def mutated(content: bytes, chance: random.Random) -> bytes:
    """A file in which a few bytes were changed, added, lost, moved or doubled."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        until = min(len(changed), at + chance.choice([1, 1, 1, 3, 40]))
        kind = chance.randrange(6)
        if kind == 0:
            changed[at:at] = bytes([chance.choice(MARKS)])
        elif kind == 1:
            changed[at:until] = b""
        elif kind == 2:
            changed[at:until] = bytes([chance.choice(MARKS)])
        elif kind == 3:
            changed[at:at] = changed[at:until]
        elif kind == 4:
            changed[at : at + 1] = bytes([chance.randrange(256)])
        else:
            changed[at:] = b""
            if not changed:
                break
    return bytes(changed)


def after_header(content: bytes) -> bytes:
    """A file without the long comments before its attributes, so that changes hit what means something."""
    return content[content.index(b"@relation") :]


@pytest.mark.parametrize("name", SMALL)
def test_real_arff_files_with_changed_bytes(name: str) -> None:
    content = after_header(datasets.path(name).read_bytes())[:20_000]
    content = content[: content.rindex(b"\n")]
    outcomes = [outcome(mutated(content, random.Random(seed)), "arff") for seed in range(SEEDS)]
    kinds = {type(each) for each in outcomes}
    assert kinds == {Data, DataError}


@pytest.mark.parametrize("name", SMALL)
def test_real_tables_as_csv_with_changed_bytes(name: str) -> None:
    content = csv_text(parse_arff(datasets.path(name).read_bytes(), name)).encode()[:10_000]
    content = content[: content.rindex(b"\n")]
    outcomes = [outcome(mutated(content, random.Random(seed)), "csv") for seed in range(SEEDS)]
    kinds = {type(each) for each in outcomes}
    assert kinds == {Data, DataError}


def test_a_parquet_file_with_changed_bytes() -> None:
    pytest.importorskip("pyarrow")
    from intemi.data.parquet import parquet_bytes

    data = parse(b"x,y,class\n1,red,a\n2,,b\n", "x.csv")
    content = parquet_bytes(data)
    for seed in range(SEEDS):
        outcome(mutated(content, random.Random(seed)), "parquet")


@pytest.mark.parametrize("extension", EXTENSIONS)
@given(st.binary(max_size=200))
def test_any_bytes(extension: str, content: bytes) -> None:
    outcome(content, extension)


@pytest.mark.parametrize("extension", ["arff", "csv", "tsv"])
@given(st.text(st.sampled_from("ab1.,;'\"\\%{}?@ \t\n\r-e_é"), max_size=120))
def test_any_text_of_marks_that_mean_something(extension: str, text: str) -> None:
    outcome(text.encode(), extension)
    if extension == "arff":
        outcome(b"@attribute a real\n@attribute class {a,b}\n@data\n" + text.encode(), extension)
        outcome(b"@attribute a {'b',a}\n@attribute " + text.encode() + b" {a,b}\n@data\na,a", extension)


@given(
    st.lists(
        st.lists(
            st.sampled_from(["1", "a", "'a'", '"b"', "?", "", " ", "'", '"', "{5}", "{", "%", "\\'", "'a\\'"]),
            max_size=4,
        ),
        max_size=5,
    )
)
def test_lines_of_cells_are_read_all_at_once_as_they_are_read_one_by_one(rows: list[list[str]]) -> None:
    header = b"@attribute x {a,b,'1',\"a'\"}\n@attribute class {a,b,'1',\"a'\"}\n@data\n"
    lines = [",".join(row) for row in rows]
    together = outcome(header + "\n".join(lines).encode(), "arff")
    # A comment sends a line to the reading that is the authority on what it means.
    alone = outcome(header + "\n".join(f"{line} %" for line in lines).encode(), "arff")
    if isinstance(together, DataError) and isinstance(alone, DataError):
        assert (together.line, together.expected) == (alone.line, alone.expected)
    else:
        assert together == alone


@pytest.mark.parametrize(
    ("extension", "content"),
    [
        ("arff", b"@attribute a real\n@data\n" + b" " * 1_000_000 + b"1" + b" " * 1_000_000),
        ("arff", b"@attribute a {" + b"x" * 1_000_000 + b"}\n@data\n" + b"y" * 1_000_000),
        ("arff", b"@attribute a {'" + b"\\" * 1_000_000 + b"\n@data\n"),
        ("arff", b"@attribute a real\n@data\n" + b"'" * 999_999),
        ("arff", b"@attribute a real\n@data\n" + b"{" * 1_000_000 + b"}"),
        ("arff", b"@attribute a real\n@data\n" + b"1" * 1_000_000),
        ("arff", b"@attribute a real\n@data\n" + b"," * 1_000_000),
        ("arff", b"@attribute " + b"a" * 1_000_000),
        ("arff", b"@attribute a {" + b"," * 1_000_000),
        ("arff", b"@" * 1_000_000),
        ("csv", b'"' * 1_000_001),
        ("csv", b'a,class\n"' + b'""' * 500_000 + b'",x\n'),
        ("csv", b"," * 1_000_000),
        ("csv", b"a,class\n" + b" " * 1_000_000 + b"b,c\n"),
        ("csv", b"a,class\n" + b"\r" * 1_000_000),
        ("csv", b"a,class\n1e" + b"9" * 1_000_000 + b",x\n"),
    ],
    ids=range(16),
)
def test_long_runs_of_one_mark_take_no_long_time(extension: str, content: bytes) -> None:
    outcome(content, extension)


READERS: list[tuple[str, Callable[[Data], str]]] = [("arff", arff_text), ("csv", csv_text)]


@pytest.mark.parametrize(("extension", "text"), READERS, ids=["arff", "csv"])
def test_a_file_that_is_cut_anywhere(extension: str, text: Callable[[Data], str]) -> None:
    data = parse(b'x,y,class\n1,\'red\',"a ""b"""\n2,,b\n', "x.csv")
    content = text(data).encode()
    for end in range(len(content)):
        outcome(content[:end], extension)
