"""Values that know where they stand."""

from __future__ import annotations

import math
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from intemi.experiments.document import parse
from intemi.experiments.errors import ExperimentError

KEYS = st.from_regex("[a-z]{1,4}", fullmatch=True)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    # That 08 and 1e5 are texts is what the library takes from YAML 1.1; they are numbers in 1.2, which is read here.
    | st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=8).filter(
        lambda text: not re.match("[-+.0-9]", text)
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.from_regex("[a-z]{1,4}", fullmatch=True), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(PLAIN.filter(lambda value: value is not None))
def test_what_a_yaml_library_writes_is_read_back(value: object) -> None:
    text = yaml.safe_dump({"value": value}, allow_unicode=True)
    assert parse(text, "file.yaml").plain() == {"value": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001), ("1E5", 1e5), (".5", 0.5), ("-3", -3), ("0x1f", 31), ("0o17", 15), (".inf", math.inf),
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("true", True), ("null", None), ("~", None), ("'1'", "1"),
        ("2020-01-01", "2020-01-01"), ("1_000", "1_000"), ("010", 10), ("1:30", "1:30"),
    ],
)  # fmt: skip
def test_numbers_and_words_are_those_of_yaml_1_2(text: str, value: object) -> None:
    found = parse(f"value: {text}", "file.yaml").plain()["value"]
    assert found == value
    assert type(found) is type(value)


def test_every_value_knows_its_line_and_its_path() -> None:
    node = parse("a:\n  - b: 1\n    c:\n      - 2\n      - 3\n", "file.yaml")
    three = node.get("a").value[0].get("c").value[1]  # type: ignore[union-attr]
    assert (three.value, three.line, three.path) == (3, 5, "a.0.c.1")


def test_what_is_repeated_by_an_alias_is_read_as_often() -> None:
    assert parse("a: &x {k: 1}\nb: *x\n", "file.yaml").plain() == {"a": {"k": 1}, "b": {"k": 1}}


@pytest.mark.parametrize(
    "text", ["a: b: c", "a: [1", "{", "\0", "a: *nowhere", "--- 1\n--- 2\n", "%YAML 9.9\n---\na", "[" * 3000]
)
def test_what_is_not_yaml_is_refused_with_a_line(text: str) -> None:
    with pytest.raises(ExperimentError, match=r"^file.yaml:\d+: "):
        parse(text, "file.yaml")
