"""The kernel provider: products of all rows of data, computed once for all machines that learn from them.

What it gives is small, a kernel and data. Their table of products, n × n numbers, is held in memory while there is room
and computed again where it is not: that is quicker than reading it from a disk.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Input, Machine, Model, Output, storable
from intemi.machines.classifiers.kernels import GaussianKernel, Kernel
from intemi.machines.classifiers.training import numbers_only
from intemi.machines.interfaces import Floats

ROOM = 2**28
"""Bytes that the tables in memory may have together; the latest one stays, whatever its size."""


class _Tables:
    """The tables that were used last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: OrderedDict[bytes, Floats] = OrderedDict()
        self._size = 0

    def get(self, kernel: Kernel, data: Data) -> Floats:
        """The table of a kernel and data, computed if it is not there; by two at once at worst."""
        key = kernel.digest + data.content_digest()
        with self._lock:
            if key in self._tables:
                self._tables.move_to_end(key)
                return self._tables[key]
        with np.errstate(over="ignore", invalid="ignore"):
            table = kernel.table(numbers_only(kernel.kind, data))
        if not np.isfinite(table.sum()):  # one number tells of all
            raise ConfigurationError(f"{kernel.kind}: the products of some rows are infinite; scale the data first")
        table.flags.writeable = False
        with self._lock:
            if key not in self._tables:
                self._tables[key] = table
                self._size += table.nbytes
            while self._size > ROOM and len(self._tables) > 1:
                self._size -= self._tables.popitem(last=False)[1].nbytes
        return table


_tables = _Tables()


@storable
@dataclass(frozen=True, eq=False)
class KernelTable:
    """A kernel and the data whose rows it multiplies."""

    kernel: Kernel
    data: Data

    def values(self) -> Floats:
        """The product of each row with each."""
        return _tables.get(self.kernel, self.data)


class KernelProvider(Machine):
    """Compute the table of a kernel; machines with the same kernel and the same data share it."""

    data = Input(Data)
    table = Output(KernelTable)

    kernel: Kernel = GaussianKernel()

    def run(self, data: Data) -> Model:
        table = KernelTable(self.kernel, data)
        table.values()
        return Model(table=table)
