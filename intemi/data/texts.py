"""What readers and writers of text share: bytes of files, and values as texts."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from intemi.data.column import Column
from intemi.data.data import Data
from intemi.data.errors import DataError
from intemi.kernel import ConfigurationError
from intemi.whole_files import write_whole

_NOT_FOR_FILES = {"undefined", "punycode", "idna", "unicode-escape", "raw-unicode-escape"}
"""Codecs that Python has for other things than the texts of files."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def file_bytes(path: str | Path) -> bytes:
    """The content of a file."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DataError(str(path), None, "a pipe, a device or the like", "a file")
            return file.read()
    except OSError as error:
        raise DataError(str(path), None, f"nothing to read ({error.strerror})", "a file") from None
    except ValueError as error:
        raise DataError(repr(str(path)), None, f"no name of a file ({error})", "a file") from None


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe would wait for a writer


def decoded(content: bytes, file: str, encoding: str) -> bytes:
    """The content of a text file in UTF-8; what is no text is refused."""
    try:
        if codecs.lookup(encoding).name in _NOT_FOR_FILES:
            raise LookupError
        if encoding.lower() not in ("utf-8", "utf8"):
            content = content.decode(encoding).encode("utf-8", "surrogatepass")
        elif not content.isascii():
            content = content.removeprefix(_BYTE_ORDER_MARK)
            content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{content[error.start]:02x}" if error.start < len(content) else "an incomplete character"
        expected = f"text in {encoding}; another encoding can be named, such as encoding: latin-1"
        raise DataError(file, line, found, expected) from None
    except (LookupError, ValueError):
        raise ConfigurationError(f"read: encoding must be one that Python knows, got {encoding[:60]!r}") from None
    nul = content.find(b"\0")
    if nul >= 0:
        raise DataError(file, content.count(b"\n", 0, nul) + 1, "a zero byte", "text")
    return content


def written_columns(who: str, data: Data, quoted: Callable[[str], str], missing: str) -> list[list[str]]:
    """All values as texts, column by column, those of the target last."""
    columns = [*data.columns, *([data.target] if data.target else [])]
    if not all(column.name for column in columns):
        raise ConfigurationError(f"{who}: every column must have a name, got ''")
    written = []
    for index, column in enumerate(data.columns):
        written.append(_texts(column, data.feature(index), quoted, missing))
    if data.target is not None:
        written.append(_texts(data.target, data.classes, quoted, missing))
    return written


def _texts(column: Column, values: Any, quoted: Callable[[str], str], missing: str) -> list[str]:
    if column.categories is not None:
        labels = [*map(quoted, column.categories), missing]
        codes = np.where(np.isnan(values) | (values < 0), len(column.categories), values).astype(int)
        return [labels[code] for code in codes.tolist()]
    whole = np.isfinite(values) & (np.abs(values) < 1e15) & (values == np.floor(values)) & ~_negative_zero(values)
    if whole.all():
        return list(map(str, values.astype(np.int64).tolist()))
    texts = list(map(repr, values.tolist()))
    for index in np.flatnonzero(whole).tolist():
        texts[index] = texts[index].removesuffix(".0")
    for index in np.flatnonzero(~np.isfinite(values)).tolist():
        texts[index] = missing if np.isnan(values[index]) else "Infinity" if values[index] > 0 else "-Infinity"
    return texts


def _negative_zero(values: Any) -> Any:
    return (values == 0) & np.signbit(values)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ConfigurationError(
            f"write: names and categories must be text, got {error.object[error.start]!r}"
        ) from None
    write_bytes(path, content)


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise DataError(
            str(path), None, f"no way to write it ({error.strerror})", "a file that can be written"
        ) from None
