from __future__ import annotations

from pathlib import Path

import pytest

from intemi.series import Series, SeriesError

S = Series({"Accuracy": [0.9], "machine": ["ż"]})


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_what_is_written_to_a_file_is_what_is_returned(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"series.{kind}"
    text = getattr(S, f"to_{kind}")(file)
    assert file.read_bytes().decode() == text == getattr(S, f"to_{kind}")()
    assert getattr(Series, f"from_{kind}")(str(file)) == getattr(Series, f"from_{kind}")(text=text) == S


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_file_that_is_not_utf_8_or_damaged_is_named(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"series.{kind}"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SeriesError, match=rf"series.{kind}: found b'\\xff', expected UTF-8"):
        getattr(Series, f"from_{kind}")(file)
    file.write_bytes(b'a,b\n"')
    with pytest.raises(SeriesError, match=rf"series.{kind}.*: found"):
        getattr(Series, f"from_{kind}")(file)


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_either_a_file_or_a_text_is_read(kind: str) -> None:
    with pytest.raises(SeriesError, match=f"from_{kind}: takes a path or a text=, got neither"):
        getattr(Series, f"from_{kind}")()
    with pytest.raises(SeriesError, match=f"from_{kind}: takes a path or a text=, got both"):
        getattr(Series, f"from_{kind}")("file", text="a\n")
