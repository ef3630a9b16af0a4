"""The cache of compiled kernels: when it counts, and who compiles.

numba keeps machine code for one version of numba, one processor and one content of the file of a kernel; what a kernel
calls in other files it does not look at. So beside the code of a file there is a note: the digest of all sources that
the file is made of, and the version of llvmlite. Times do not count, so what was installed anew is not compiled again.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
from numba import njit

from intemi.kernel.encoding import digest
from intemi.kernel.shipped import digest_of_files

_PYTHON = f"py{sys.version_info[0]}{sys.version_info[1]}"
"""numba has other files for each version of Python."""
_TREES = f"{__name__.rpartition('.kernels.')[0]}."
"""No code of other packages is compiled into kernels."""


@contextmanager
def one_at_a_time(function: Callable[..., Any]) -> Iterator[None]:
    """Let one process compile a function and the others wait for it; what was compiled of other sources is removed."""
    try:
        probe: Any = njit(cache=True)(function)
        folder, name = Path(probe.stats.cache_path), Path(function.__code__.co_filename).stem
        note = os.open(folder / f"{name}.{_PYTHON}.sources", os.O_RDWR | os.O_CREAT, 0o600)
    except (RuntimeError, OSError):  # there is no place for it, so there is nothing to wait for either
        yield
        return
    with open(note, "r+b", buffering=0) as file:
        with suppress(OSError):  # a file system without locks: then each process compiles
            fcntl.flock(file, fcntl.LOCK_EX)
        sources = digest(llvmlite.__version__.encode(), digest_of_files(function.__module__, _TREES))
        if file.read() != sources:
            for cached in folder.glob(f"{name}.*{_PYTHON}*.nb[ci]"):
                with suppress(OSError):
                    cached.unlink()
            file.seek(0)
            file.truncate()
            file.write(sources)
        yield
