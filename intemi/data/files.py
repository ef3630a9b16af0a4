"""Read and write data by the extension of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intemi.data.arff import ARFF
from intemi.data.csv import CSV
from intemi.data.data import Data
from intemi.data.errors import listed
from intemi.data.excel import Excel
from intemi.data.file_format import FORMATS, FileFormat, extension_of, format_of, is_packed, unpacked
from intemi.data.notes import Note, notes_on
from intemi.data.parquet import Parquet
from intemi.data.texts import file_bytes
from intemi.kernel import ConfigurationError

__all__ = [
    "ARFF",
    "CSV",
    "Excel",
    "FORMATS",
    "FileFormat",
    "Parquet",
    "check_reading",
    "extension_of",
    "format_of",
    "notes_on_file",
    "parse",
    "read",
    "write",
]


def read(path: str | Path, target: str | None = None, **options: Any) -> Data:
    """The data of a file; its extension says how it is read, `options` are those of that format.

    `target` names the column to be predicted: by default the nominal column called class or else the last nominal one
    of an ARFF file, the last column of any other; `""` for none.
    """
    return parse(file_bytes(path), path, target, **options)


def parse(content: bytes, path: str | Path, target: str | None = None, **options: Any) -> Data:
    """The data in the bytes of a file with that name."""
    return check_reading(path, target, options).data_in(content, str(path), target, options)


def notes_on_file(data: Data, path: str | Path, options: Mapping[str, Any], content: bytes | None) -> tuple[Note, ...]:
    """What looks suspicious in data that were read from a file; with its content, notes name the lines."""
    format_ = format_of(path)

    def lines() -> Sequence[int] | None:
        return None if content is None else format_.row_lines(unpacked(content, str(path)), str(path), options)

    every = [column.name for column in data.columns]
    declared = every if format_.declares_types else list(options.get("nominal", ()))
    return notes_on(data, lines=lines, declared=declared, decimal=options.get("decimal", "."))


def check_reading(path: str | Path, target: str | None, options: Mapping[str, Any]) -> FileFormat:
    """The format of a file; refuse what no format reads, and options that it does not have or that make no sense."""
    found = format_of(path)
    _check("read", path, found.reading_options(), options)
    found.check_options(target, options)
    return found


def write(data: Data, path: str | Path, **options: Any) -> None:
    """Write data to a file; its extension says how, `options` are those of that format."""
    found = format_of(path)
    if is_packed(path):
        raise ConfigurationError(f"write: packed files are read, not written, got {str(path)!r}")
    _check("write", path, found.writing_options(), options)
    found.write(data, path, **options)


def reading_options() -> tuple[str, ...]:
    """What readers can be told beside the target: that of CSV a lot, the others some."""
    return tuple(dict.fromkeys(name for each in FORMATS.values() for name in each.reading_options()))


def _check(who: str, path: str | Path, known: Sequence[str], options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in known:
            extension = extension_of(path)
            raise ConfigurationError(f"{who}: {extension} files have no option {name!r}; there are {listed(known)}")
