"""The kernel provider: products of all rows of data, computed once for all machines that learn from them.

What it gives is small, a kernel and data. Their table of products, n × n numbers, is held in memory while there is room
and computed again where it is not: that is quicker than reading it from a disk.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from intemi.data import Data
from intemi.kernel import Input, Machine, Model, Output, storable
from intemi.kernel.errors import NotEnoughMemory
from intemi.kernel.libraries import library
from intemi.kernel.protection import sealed
from intemi.machines.classifiers.kernels import GaussianKernel, Kernel
from intemi.machines.classifiers.training import numbers_only, weights_to_learn_from
from intemi.machines.decoded import expect
from intemi.machines.interfaces import Floats

ROOM = 2**28
"""Bytes that the tables in memory may have together; the latest one stays, whatever its size."""
LITTLE_ROOM = 2**24
"""Where it begins: memory that was used before is at hand at once, new memory takes longer than to fill it."""
SPARE = 2
"""Tables whose memory waits to be used again."""


UNSHARED = 2
"""References to what is in one list only, as Python counts them: that of the question is one more."""


class _Tables:
    """The tables that were used last. There is more room for them once one is missed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: OrderedDict[bytes, Floats] = OrderedDict()
        self._size = 0
        self._room = LITTLE_ROOM
        self._spare: list[Floats] = []

    def compute(self, kernel: Kernel, data: Data) -> Floats:
        """The table of a kernel and data, computed if it is not there; by two at once at worst."""
        key = kernel.digest + data.content_digest()
        table = self._find(key)
        if table is None:
            _check_room(kernel, len(data))
            table = kernel.table(numbers_only(kernel.kind, data), self._used_before(len(data)))
            table.flags.writeable = False
            self._hold(key, table)
        return table

    def get(self, kernel: Kernel, data: Data) -> Floats:
        """A table that was computed before, and computed again if there was no room for it."""
        if self._find(kernel.digest + data.content_digest()) is None:
            with self._lock:
                self._room = min(2 * self._room, ROOM)
        return self.compute(kernel, data)

    def _find(self, key: bytes) -> Floats | None:
        with self._lock:
            if key not in self._tables:
                return None
            self._tables.move_to_end(key)
            return self._tables[key]

    def _hold(self, key: bytes, table: Floats) -> None:
        with self._lock:
            if key not in self._tables:
                self._tables[key] = table
                self._size += table.nbytes
            while self._size > self._room and len(self._tables) > 1:
                oldest = [self._tables.popitem(last=False)[1]]
                self._size -= oldest[0].nbytes
                if sys.getrefcount(oldest[0]) == UNSHARED and _is_plain(oldest[0]):
                    self._spare = [*oldest, *self._spare[: SPARE - 1]]

    def _used_before(self, size: int) -> Floats | None:
        """Memory for a table of some size that nobody looks at any more."""
        with self._lock:
            for place, table in enumerate(self._spare):
                if len(table) == size:
                    del self._spare[place]
                    table.flags.writeable = True
                    return table
        return None


def _check_room(kernel: Kernel, rows: int) -> None:
    """Refuse a table that would not fit into memory, before the system ends the whole program for it."""
    needed = rows * rows * np.dtype(np.float64).itemsize
    if needed < ROOM:
        return
    available = library("psutil").virtual_memory().available
    if needed > available:
        raise NotEnoughMemory(
            f"{kernel.kind}: a table of {rows:,} × {rows:,} products takes {needed / 2**30:.1f} GiB, and "
            f"{available / 2**30:.1f} GiB of memory are available; learn from fewer rows, or use another learner, "
            "such as SklearnClassifier('sklearn.svm.LinearSVC')"
        )


def _is_plain(table: Floats) -> bool:
    """Whether it has memory of its own, as any other table would have it."""
    return table.flags.owndata and table.flags.c_contiguous and table.dtype == np.float64


_tables = _Tables()


@storable
@dataclass(frozen=True, eq=False)
class KernelTable:
    """A kernel and the data whose rows it multiplies."""

    kernel: Kernel
    data: Data

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        expect(isinstance(self.kernel, Kernel) and type(self.data) is Data, "a kernel and data are needed")

    def values(self) -> Floats:
        """The product of each row with each."""
        return sealed(_tables.get(self.kernel, self.data))


class KernelProvider(Machine):
    """Compute the table of a kernel, fitted to the data; machines with the same kernel and the same data share it."""

    data = Input(Data)
    table = Output(KernelTable)

    kernel: Kernel = GaussianKernel()

    def run(self, data: Data) -> Model:
        kernel = self.kernel.fitted(numbers_only(self.kernel.kind, data), weights_to_learn_from(data))
        _tables.compute(kernel, data)
        return Model(table=KernelTable(kernel, data))
