"""What is in a table, column by column."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi.data import describe, from_numpy
from intemi.data.guessing import guess
from intemi.kernel import ConfigurationError

TABLE = "height,colour,class\n1.5,red,a\n,blue,b\n1.7,red,a\n"


def test_columns_classes_and_examples(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    found = describe(tmp_path / "t.csv")
    assert (found.name, found.rows, dict(found.classes)) == ("t", 3, {"a": 2, "b": 1})
    height, colour, target = found.columns
    assert (height.type, height.missing, height.low, height.high) == ("numeric", 1, 1.5, 1.7)
    assert (colour.type, colour.categories, colour.examples) == ("nominal", 2, ("red", "blue"))
    assert (target.type, target.categories) == ("target", 2)
    assert "colour  nominal  2 categories           red; blue" in str(found)
    assert found.to_plain()["columns"][0]["missing"] == 1


def test_options_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    found = describe(tmp_path / "t.csv", "colour", drop=["class"])
    assert [each.name for each in found.columns] == ["height", "colour"]
    with pytest.raises(ConfigurationError, match="options are for files and frames"):
        describe(from_numpy([[1.0]], ["a"]), "x")


def guessed(folder: Path, text: str, target: str | None = None) -> tuple[str, dict[str, object]]:
    (folder / "g.csv").write_bytes(text.encode("latin-1"))
    found = guess(folder / "g.csv", target)
    return found.target, found.options


def test_plain_files_need_nothing(tmp_path: Path) -> None:
    assert guessed(tmp_path, TABLE) == ("class", {})


def test_marks_codes_and_columns_are_guessed(tmp_path: Path) -> None:
    rows = [
        f"{row};{row % 9},5;{row % 4};{'?' if row == 3 else 'n/a' if row == 4 else 'xy'[row % 2]}" for row in range(30)
    ]
    target, options = guessed(tmp_path, "\n".join(["nr;weight;kind;sex", *rows, ""]))
    assert target == "sex"
    assert options == {"delimiter": ";", "decimal": ",", "missing": ["?", "n/a"], "drop": ["nr"]}


def test_the_target_is_the_one_called_so_then_the_last_one_then_one_with_few_values(tmp_path: Path) -> None:
    rows = [f"{row % 2},{row % 3},{row * 0.37:.2f}" for row in range(30)]
    assert guessed(tmp_path, "\n".join(["a,Class,size", *rows, ""]))[0] == "Class"
    assert guessed(tmp_path, "\n".join(["a,b,size", *rows, ""]))[0] == "a"
    assert guessed(tmp_path, "\n".join(["a,b,size", *rows, ""]), "b")[0] == "b"
    with pytest.raises(ConfigurationError, match="no column has 2 to 20 different values"):
        guessed(tmp_path, "size,b\n" + "".join(f"{row * 0.37:.2f},{row * 0.31:.2f}\n" for row in range(30)))


def test_another_encoding_is_guessed(tmp_path: Path) -> None:
    assert guessed(tmp_path, "grösse,class\n1,a\n2,b\n1,a\n2,b\n")[1] == {"encoding": "latin-1"}
