"""Read and write data by the extension of the file."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from intemi.data.arff import parse_arff, write_arff
from intemi.data.csv import Options, parse_csv, write_csv
from intemi.data.data import Data
from intemi.data.errors import listed
from intemi.data.parquet import parse_parquet, write_parquet
from intemi.data.texts import file_bytes
from intemi.kernel import ConfigurationError


def read(path: str | Path, target: str | None = None, **options: Any) -> Data:
    """The data of a file; its extension says how it is read, `options` are those of that reader.

    `target` names the column to be predicted: by default the nominal column called class or else the last nominal one
    of an ARFF file, the last column of any other; `""` for none.
    """
    return parse(file_bytes(path), path, target, **options)


def parse(content: bytes, path: str | Path, target: str | None = None, **options: Any) -> Data:
    """The data in the bytes of a file with that name."""
    check_reading(path, target, options)
    extension = _extension(path)
    if extension == ".arff":
        return parse_arff(content, str(path), target, **options)
    if extension == ".parquet":
        return parse_parquet(content, str(path), target, **options)
    return parse_csv(content, str(path), Options(target, **options))


def check_reading(path: str | Path, target: str | None, options: Mapping[str, Any]) -> None:
    """Refuse a file that no reader reads, and options that its reader does not have or that make no sense to it."""
    extension = _extension(path)
    reader = _READERS[extension]
    _check("read", path, reader, options)
    if reader is Options:
        Options(target, **options)


def write(data: Data, path: str | Path, **options: Any) -> None:
    """Write data to a file; its extension says how, `options` are those of that writer."""
    extension = _extension(path)
    if extension == ".tsv":
        options = {"delimiter": "\t", **options}
    writer = _WRITERS[extension]
    _check("write", path, writer, options)
    writer(data, path, **options)


_READERS: dict[str, Callable[..., Any]] = {
    ".arff": parse_arff,
    ".csv": Options,
    ".tsv": Options,
    ".parquet": parse_parquet,
}
_WRITERS: dict[str, Callable[..., None]] = {
    ".arff": write_arff,
    ".csv": write_csv,
    ".tsv": write_csv,
    ".parquet": write_parquet,
}


OPTIONS = tuple(field.name for field in dataclasses.fields(Options) if field.name != "target")
"""What readers can be told beside the target: that of CSV all of it, the others some."""


def _extension(path: str | Path) -> str:
    extension = Path(path).suffix.lower()
    if extension not in _WRITERS:
        raise ConfigurationError(f"{path}: its extension must be one of {listed(_WRITERS)}, got {extension!r}")
    return extension


def _check(who: str, path: str | Path, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse options that a reader or a writer does not have."""
    ours = ("content", "file", "target", "data", "path")
    known = [name for name in inspect.signature(function).parameters if name not in ours]
    for name in options:
        if name not in known:
            raise ConfigurationError(
                f"{who}: {_extension(path)} files have no option {name!r}; there are {listed(known)}"
            )
