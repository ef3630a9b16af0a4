"""Records of machines that never ran: what benchmarks put into a folder to ask questions about it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from intemi import Job, Machine, Model, Project
from intemi.kernel import content_digest
from intemi.kernel.disk import DiskStore
from intemi.kernel.record import Record
from intemi.kernel.store import Finished


class OnRecord(Machine, abstract=True):
    """A machine of which only the record is made."""

    version = 1

    async def run(self, job: Job) -> Model:
        raise NotImplementedError


def record_of(place: tuple[Any, ...], config: Machine, results: dict[str, Any] | None = None) -> Record:
    """What a machine would leave; its place among all of them tells it from others."""
    return Record(content_digest(place), config.kind, config.encoding, None, {}, results=results or {}, started=1.0)


def seconds_to_keep(folder: str, batches: Iterable[Sequence[Finished]]) -> float:
    """Keep finished machines in the store of a project, one batch after another; making them does not count."""
    spent = 0.0
    with closing(DiskStore(Path(folder, "project"))) as store:
        for batch in batches:
            start = time.perf_counter()
            store.keep_all(batch)
            spent += time.perf_counter() - start
    return spent


def seconds_to_index(folder: str, kind: type[Machine], count: int) -> float:
    """Open the project and ask the first question, for which everything is read: about all machines of a kind."""
    start = time.perf_counter()
    with Project.open(Path(folder, "project"), workers=1) as project:
        found = project.query(type=kind, labels="machine")
        seconds = time.perf_counter() - start
    assert len(found) == count
    return seconds
