"""Bytes of files and their encodings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from intemi.data.errors import DataError
from intemi.data.files import read
from intemi.data.texts import file_bytes
from intemi.kernel import ConfigurationError

ODD = ["undefined", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "rot13", "zlib", "base64", "", "x\0"]


@pytest.mark.parametrize("encoding", [*ODD, "Punycode", "UNDEFINED", "x" * 5000])
@pytest.mark.parametrize("name", ["a.csv", "a.arff", "a.tsv"])
def test_an_odd_codec_is_one_clear_error(tmp_path: Path, name: str, encoding: str) -> None:
    (tmp_path / name).write_bytes(b"@relation a\n@attribute x numeric\n@data\n1\n" if "arff" in name else b"a,b\n1,x\n")
    with pytest.raises(ConfigurationError, match="encoding must be one"):
        read(tmp_path / name, encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "UTF8", "latin-1", "cp1252", "utf-16"])
def test_other_codecs_are_read(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes("a,b\n1,ä\n2,x\n".encode(encoding))
    assert set(read(tmp_path / "a.csv", encoding=encoding).labels) == {"ä", "x"}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(DataError, match="a pipe, a device or the like"):
        file_bytes(tmp_path / "a.csv")


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x")
    (tmp_path / "b.csv").symlink_to("a.csv")
    assert file_bytes(tmp_path / "b.csv") == b"x"
