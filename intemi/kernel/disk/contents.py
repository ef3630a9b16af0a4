"""The large contents of a store: files that are named by what they hold.

A content is written under another name and then renamed, so it exists as a whole or not at all, however the process
ends. One that is damaged (by a power failure, say) does not fit its seal: it is absent, and can be written again. Any
number of threads and processes may read and write at a time.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from intemi.kernel.disk.claims import exclusively
from intemi.kernel.disk.database import set_aside, unusable, warn
from intemi.kernel.disk.format import CONTENT, DamageError, seal, unseal
from intemi.kernel.plain_files import (
    UNFINISHED,
    SpecialFileError,
    check_file,
    check_folder,
    is_file,
    open_below,
    read_all,
    remove_below,
    write_below,
)

_NAME = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]*)\.val")
_MAX_BYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
"""Larger files than the memory are not read."""
_NOT_ITS_FAULT = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM}
"""What may go wrong with opening a file that is in order."""


class Contents:
    """Content id → bytes, in a folder that is made when the first of them is written."""

    def __init__(self, folder: Path, report: Callable[[str], None] = warn) -> None:
        self._folder = folder
        self._report = report

    def read(self, content: bytes) -> bytes | None:
        """The bytes of a content; None if they are absent, None and a warning if they are damaged."""
        self._check_folder()
        name = _name(content)
        try:
            return unseal(CONTENT, content, self._sealed(name))
        except FileNotFoundError:
            return None
        except DamageError as damage:
            self._make_way(name)
            self.drop(content)  # so that it can be written again
            name = f"{self._folder.parent.name}/contents"
            self._report(f"{name}: content {content.hex()} is treated as absent: {damage}")
            return None

    def write(self, content: bytes, payload: bytes) -> None:
        """Write a content, unless it exists."""
        self._check_folder()
        name = _name(content)
        if is_file(self._folder / name):
            return
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._make_way(name)
            write_below(self._folder, name, seal(CONTENT, content, payload))
        except OSError as error:
            raise unusable(self._folder, error) from error

    def drop(self, content: bytes) -> None:
        """Remove a content."""
        with suppress(OSError, SpecialFileError):
            remove_below(self._folder, _name(content))

    def sizes(self) -> Iterator[tuple[bytes, int]]:
        """The ids of all contents, and how large their files are."""
        for file in self._files("val"):
            found = _NAME.fullmatch(f"{file.parent.name}/{file.name}")
            if found is not None and len(found[2]) % 2 == 0:
                yield bytes.fromhex(found[2]), file.lstat().st_size

    def unfinished(self) -> Iterator[Path]:
        """Files that processes were writing, or have left when they were killed."""
        return self._files(UNFINISHED)

    def set_aside(self) -> Iterator[Path]:
        """What stood in place of a content or of a folder of contents."""
        if not self._folder.is_symlink():
            yield from self._folder.glob("*.damaged-*")
            for inner in self._folder.glob("[0-9a-f][0-9a-f]"):
                if not inner.is_symlink():
                    yield from inner.glob("*.damaged-*")

    def _files(self, kind: str) -> Iterator[Path]:
        if self._folder.is_symlink():
            return
        for file in self._folder.glob(f"[0-9a-f][0-9a-f]/*.{kind}"):
            if is_file(file) and not file.parent.is_symlink():
                yield file

    def _sealed(self, name: str) -> bytes:
        path = self._folder / name
        try:
            with open(open_below(self._folder, name, os.O_RDONLY), "rb", buffering=0) as file:
                return read_all(file.fileno(), path, _MAX_BYTES)
        except FileNotFoundError:
            raise
        except SpecialFileError as error:
            raise DamageError(f"its file is {error.what}") from None
        except OSError as error:
            if error.errno in _NOT_ITS_FAULT:
                raise unusable(self._folder, error) from error
            raise DamageError(str(error.strerror)) from error

    def _check_folder(self) -> None:
        """Set aside what is in place of the folder."""
        try:
            check_folder(self._folder)
        except SpecialFileError as error:
            with exclusively(self._folder.with_name("claims")):
                aside = set_aside(self._folder)
            name = f"{self._folder.parent.name}/{self._folder.name}"
            self._report(f"{name}: it is {error.what}; set aside as {aside.name}, a fresh one is used")

    def _make_way(self, name: str) -> None:
        """Set aside what stands in place of a content or its folder."""
        path = self._folder / name
        for check, part in ((check_folder, path.parent), (check_file, path)):
            try:
                check(part)
            except SpecialFileError:
                set_aside(part)


def _name(content: bytes) -> str:
    key = content.hex()
    return f"{key[:2] or '00'}/{key}.val"
