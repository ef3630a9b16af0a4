"""Shared memory: large arrays exist once, however many worker processes of this computer use them.

An array that is kept is copied into a file that lives in memory and has no name. Everything here maps it for reading
only, so not even a program that wants to can write into it; another process gets the file descriptor and maps the same
pages. A region ends with the last array that lies in it. Where no memory can be shared, arrays stay where they are.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

MIN_SHARED_BYTES = 2**25
"""Smaller arrays are copied to each process that uses them."""
MAX_REGIONS = 256
"""Each needs a file descriptor, of which a process may not have many."""


class Region(NamedTuple):
    """A piece of shared memory, as this process sees it."""

    address: int
    size: int
    descriptor: int


_regions: dict[int, Region] = {}
_lock = threading.RLock()  # the garbage collector may end a region in the middle of a change


def shared(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """A copy of a C-contiguous array in shared memory, which cannot be written; None if it stays where it is."""
    if array.nbytes < MIN_SHARED_BYTES or len(_regions) >= MAX_REGIONS or os.name != "posix":
        return None
    with suppress(OSError, ValueError):
        descriptor = _new_file()
        try:
            os.truncate(descriptor, array.nbytes)
            _write(descriptor, array)
            buffer = mapped(descriptor, array.nbytes)
        except BaseException:
            os.close(descriptor)
            raise
        flat: Any = np.frombuffer(buffer, array.dtype)
        return flat.reshape(array.shape)  # type: ignore[no-any-return]
    return None


def mapped(descriptor: int, size: int) -> memoryview:
    """Map a region for reading; the descriptor belongs to it from now on, and is closed with it at the latest."""
    mapping = mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
    view = memoryview(mapping)
    if len(_regions) >= MAX_REGIONS:
        os.close(descriptor)  # it stays mapped, but this process cannot share it with others
        return view
    address = int(np.frombuffer(view, np.uint8).__array_interface__["data"][0])
    with _lock:
        _regions[address] = Region(address, size, descriptor)
    weakref.finalize(mapping, _end, address, descriptor).atexit = False
    return view


def region_of(address: int, size: int) -> Region | None:
    """The region in which memory lies, if it is shared."""
    with _lock:
        for region in _regions.values():
            if region.address <= address and address + size <= region.address + region.size:
                return region
    return None


def _end(address: int, descriptor: int) -> None:
    with _lock:
        del _regions[address]
    os.close(descriptor)


def _new_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("intemi", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _write(descriptor: int, array: np.ndarray[Any, Any]) -> None:
    data: memoryview = array.reshape(-1).view(np.uint8).data
    written = 0
    while written < len(data):
        written += os.pwrite(descriptor, data[written : written + 2**30], written)
