"""Files that are written whole or not at all: under another name in the same folder, and renamed when they are done.

An error, a full disk or Ctrl-C in the middle leaves the file that was there as it was. Every file that a user has named
is written through this module.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from contextlib import suppress


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file, or leave the one that is there; a text is written as UTF-8.

    What is no regular file, such as a pipe or `/dev/stdout`, cannot be replaced, and is written to as it is. A link
    stays one: the file that it leads to is replaced. The permissions of a file stay as they were.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.txt"), "one")
    ...     Path(folder, "a.txt").read_text(), len(os.listdir(folder))
    ('one', 1)
    """
    encoded = content.encode("utf-8") if isinstance(content, str) else content
    target = os.path.realpath(path)
    mode = _mode_of(target)
    can_be_replaced = mode is None or stat.S_ISREG(mode)
    beside = os.path.join(os.path.dirname(target), f".intemi-{secrets.token_hex(8)}")
    try:
        with open(beside if can_be_replaced else target, "wb") as file:
            file.write(encoded)
        if can_be_replaced:
            if mode is not None:
                shutil.copymode(target, beside)
            os.replace(beside, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError):
            error.filename, error.filename2 = os.fspath(path), None  # the other name means nothing to the user
        raise


def _mode_of(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except OSError:  # it is not there; if it cannot be reached, writing it tells why
        return None
