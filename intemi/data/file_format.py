"""File formats: how data are read from files with some extensions, and written. Each is one class.

A format of one's own is registered by its definition, and then used by `read`, `DataLoader` and experiment files.
"""

from __future__ import annotations

import gzip
import inspect
import io
import zlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from intemi.data.data import Data
from intemi.data.errors import DataError, listed
from intemi.kernel.component import Component
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.registered import Registered
from intemi.kernel.unpacking import MAX_RATIO, too_much, unpacked_limit

PACKED = ".gz"
FORMATS: Registered[type[FileFormat]] = Registered("file format")
"""Classes of file formats by extension, with its dot."""


class FileFormat(Component):
    """How files with some extensions are read. Declare `extensions` and write `parse`; `write`, if they can be written.

    What follows `target` among the arguments of `parse` are options, which loaders and experiment files pass on.

    >>> from intemi.data import Column, Table
    >>> class Bits(FileFormat):
    ...     '''A row for each byte: its bits, and whether their number is even.'''
    ...     extensions = (".bits",)
    ...     def parse(self, content, file, target=None):
    ...         rows = [[float(byte >> bit & 1) for byte in content] for bit in range(8)]
    ...         classes = [int(sum(bits)) % 2 for bits in zip(*rows)]
    ...         columns = [Column(f"bit {bit}") for bit in range(8)]
    ...         return Data(Table(columns, rows, Column("parity", ("even", "odd")), classes))
    >>> from intemi.data.files import parse
    >>> len(parse(b"four", "some.bits"))
    4
    """

    extensions: ClassVar[tuple[str, ...]] = ()
    declares_types: ClassVar[bool] = False
    """Whether files say of each column whether it is numeric or nominal, so that nothing is guessed."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for extension in cls.extensions:
            if not extension.startswith(".") or extension != extension.lower():
                raise ConfigurationError(
                    f"{cls.__qualname__}: extensions must begin with a dot and be lower case, got {extension!r}"
                )
            FORMATS.add(extension, cls)

    @abstractmethod
    def parse(self, *args: Any, **options: Any) -> Data:
        """The data in the bytes of a file: `parse(self, content, file, target=None, ...)`.

        `file` is its name, for errors. Subclasses declare their options by name, which these types leave open.
        """

    def data_in(self, content: bytes, file: str, target: str | None, options: Mapping[str, Any]) -> Data:
        """What `parse` makes of the bytes of a file, if that is data."""
        data: object = self.parse(unpacked(content, file), file, target, **options)
        if not isinstance(data, Data):
            raise ConfigurationError(f"{file}: {self.kind}.parse must return Data, got {data!r}")
        return data

    def row_lines(self, content: bytes, file: str, options: Mapping[str, Any]) -> Sequence[int] | None:
        """For each row the number of its line in the bytes of a file; None if rows have no lines."""
        return None

    def write(self, data: Data, path: str | Path, **options: Any) -> None:
        """Write data to a file."""
        raise ConfigurationError(f"{path}: {self.kind} files cannot be written")

    def check_options(self, target: str | None, options: Mapping[str, Any]) -> None:
        """Refuse values of options that make no sense, before there is a file; their names have been checked."""

    @classmethod
    def reading_options(cls) -> tuple[str, ...]:
        """The names of what `parse` can be told beside the target."""
        return _options_of(cls.parse)

    @classmethod
    def writing_options(cls) -> tuple[str, ...]:
        """The names of what `write` can be told."""
        return _options_of(cls.write)


def format_of(path: str | Path) -> FileFormat:
    """The format of a file, by its extension."""
    extension = extension_of(path)
    if extension not in FORMATS:
        raise ConfigurationError(f"{path}: its extension must be one of {listed(FORMATS)}, got {extension!r}")
    return FORMATS[extension]()


def extension_of(path: str | Path) -> str:
    """The extension that says how a file is read, in lower case; that of a packed file stands before `.gz`.

    >>> extension_of("votes.CSV"), extension_of("votes.csv.gz")
    ('.csv', '.csv')
    """
    return Path(_without_packing(path)).suffix.lower()


def stem_of(path: str | Path) -> str:
    """The name of a file without its folder and extension.

    >>> stem_of("data/votes.csv.gz")
    'votes'
    """
    return Path(_without_packing(path)).stem


def is_packed(path: str | Path) -> bool:
    """Whether a file is packed by gzip."""
    return str(path).lower().endswith(PACKED)


def unpacked(content: bytes, file: str) -> bytes:
    """The bytes of a file; those that were packed, if it is a packed one."""
    if not is_packed(file):
        return content
    limit = unpacked_limit(len(content))
    try:
        with gzip.open(io.BytesIO(content)) as packed:
            found = packed.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(file, None, f"no gzip file ({error})", "one that gzip can unpack") from None
    if len(found) > limit:
        raise DataError(
            file, None, too_much(limit), f"at most {MAX_RATIO} times the {len(content):,} bytes of the file"
        )
    return found


def _without_packing(path: str | Path) -> str:
    return str(path)[: -len(PACKED)] if is_packed(path) else str(path)


def _options_of(method: Any) -> tuple[str, ...]:
    named = (each for each in inspect.signature(method).parameters.values() if each.kind is not each.VAR_KEYWORD)
    return tuple(each.name for each in named if each.name not in ("self", "content", "file", "target", "data", "path"))
