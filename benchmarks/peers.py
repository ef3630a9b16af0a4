"""One task, trivial leaves with an integer and perhaps an array, as users of each library would write it.

Each peer is a context manager: it opens what has to be opened and gives a function from numbers to the values of their
leaves. The functions and machines live in a module, where every peer can find their names and their source.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from intemi import Capsule, Input, Machine, Model, Output, Project

Array = np.ndarray[Any, Any]
Ask = Callable[[Sequence[int]], list[int]]
Peer = Callable[[Path | None, Array | None], AbstractContextManager[Ask]]


def array_argument() -> Array:
    """100 kB, the same in every process."""
    return np.random.default_rng(0).random(12_500)


class Leaf(Machine):
    """As little as a machine can do."""

    version = 1
    value = Output(int)

    number: int

    def run(self) -> Model:
        return Model(value=leaf(self.number))


class ArrayLeaf(Machine):
    """The same with an array that comes in through a port."""

    version = 1
    data = Input(np.ndarray)
    value = Output(int)

    number: int

    def run(self, data: Array) -> Model:
        return Model(value=leaf(self.number, data))


def leaf(number: int, data: Array | None = None) -> int:
    """The same as a function."""
    return 2 * number + (0 if data is None else data.size)


def expected(numbers: Sequence[int], data: Array | None) -> list[int]:
    """What every peer must answer."""
    return [leaf(number, data) for number in numbers]


class Requests:
    """Request everything and wait, then look at every value. An array is given to the project, once."""

    def __init__(self, project: Project, data: Array | None) -> None:
        self.project = project
        self.data = data

    def request(self, numbers: Sequence[int]) -> list[Capsule]:
        """Request and wait."""
        if self.data is None:
            capsules = [self.project.request(Leaf(number)) for number in numbers]
        else:
            data = self.project.given(self.data)
            capsules = [self.project.request(ArrayLeaf(number), data=data) for number in numbers]
        self.project.wait(*capsules)
        return capsules

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        return [capsule.outputs["value"] for capsule in self.request(numbers)]

    def one_by_one(self, numbers: Sequence[int]) -> list[int]:
        """Ask for one after the other and look at its value, as the callers of the others do."""
        if self.data is None:
            return [self.project.run(Leaf(number)).outputs["value"] for number in numbers]
        data = self.project.given(self.data)
        return [self.project.run(ArrayLeaf(number), data=data).outputs["value"] for number in numbers]


@contextmanager
def intemi(folder: Path | None, data: Array | None, workers: int | None = None) -> Iterator[Requests]:
    """A project, with as many threads as it takes by itself."""
    with Project(folder, workers=workers) as project:
        yield Requests(project, data)


def _call(function: Callable[..., int], data: Array | None) -> Ask:
    if data is None:
        return lambda numbers: [function(number) for number in numbers]
    return lambda numbers: [function(number, data) for number in numbers]


@contextmanager
def joblib_memory(folder: Path | None, data: Array | None) -> Iterator[Ask]:
    """`@memory.cache`."""
    import joblib

    yield _call(joblib.Memory(folder, verbose=0).cache(leaf), data)


@contextmanager
def diskcache_memoize(folder: Path | None, data: Array | None) -> Iterator[Ask]:
    """`@cache.memoize()`."""
    import diskcache

    with diskcache.Cache(folder) as cache:
        yield _call(cache.memoize()(leaf), data)


@contextmanager
def dask_delayed(folder: Path | None, data: Array | None) -> Iterator[Ask]:
    """Build one graph and compute it with the default scheduler. Nothing is kept: asked again, it computes again."""
    import dask

    def ask(numbers: Sequence[int]) -> list[int]:
        lazy = dask.delayed(leaf, pure=True)
        arguments = () if data is None else (dask.delayed(data, pure=True),)  # once, as its documentation advises
        return list(dask.compute(*(lazy(number, *arguments) for number in numbers)))

    yield ask


@contextmanager
def bare_row(folder: Path | None, data: Array | None) -> Iterator[Ask]:
    """The floor: hash the pickled arguments, look up one SQLite row, write one if it is not there."""
    assert folder is not None
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / "rows.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE IF NOT EXISTS leaves (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")

        def cached(*arguments: object) -> int:
            key = blake3(pickle.dumps(arguments)).digest(16)
            for (value,) in connection.execute("SELECT value FROM leaves WHERE key = ?", (key,)):
                return pickle.loads(value)
            value = leaf(*arguments)
            connection.execute("INSERT INTO leaves VALUES (?, ?)", (key, pickle.dumps(value)))
            return value

        yield _call(cached, data)


OURS = "intemi"
ONE_WORKER = "one worker"
JOBLIB = "joblib.Memory"
DISKCACHE = "diskcache memoize"
DASK = "dask.delayed"

PEERS: dict[str, Peer] = {
    OURS: intemi,
    ONE_WORKER: partial(intemi, workers=1),
    JOBLIB: joblib_memory,
    DISKCACHE: diskcache_memoize,
    DASK: dask_delayed,
    "bare row": bare_row,
}
IN_MEMORY = {OURS, ONE_WORKER, DASK}
"""Those that also work without a folder."""
ON_DISK = set(PEERS) - {DASK}
WARM_UP = range(-10, 0)
"""Leaves that are asked for before anything is measured."""
