"""Read and write data by the extension of the file."""

from __future__ import annotations

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
    if _extension(path) in (".csv", ".tsv"):
        _check("read", path, Options, options)
        return parse_csv(content, str(path), Options(target, **options))
    parser = parse_arff if _extension(path) == ".arff" else parse_parquet
    _check("read", path, parser, options)
    return parser(content, str(path), target, **options)


def write(data: Data, path: str | Path, **options: Any) -> None:
    """Write data to a file; its extension says how, `options` are those of that writer."""
    extension = _extension(path)
    if extension == ".tsv":
        options = {"delimiter": "\t", **options}
    writer = _WRITERS[extension]
    _check("write", path, writer, options)
    writer(data, path, **options)


_WRITERS: dict[str, Callable[..., None]] = {
    ".arff": write_arff,
    ".csv": write_csv,
    ".tsv": write_csv,
    ".parquet": write_parquet,
}


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
