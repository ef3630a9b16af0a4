"""A knowledge base on disk: a folder with one file, to which every search may add a line for each test.

The file is text, one JSON object a line, and is only ever appended to. Each line begins with a seal, a digest of the
line and of the seal before it: a line that was changed, or before which one is missing, is left out with a warning. A
process that is killed while it writes leaves a torn line, which is left out as well.
"""

from __future__ import annotations

import fcntl
import json
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.kernel import IntemiError
from intemi.kernel.encoding import digest
from intemi.kernel.errors import MalformedError, StoreWarning
from intemi.kernel.plain_files import open_file, read_file
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.knowledge_entries import (
    Entry,
    Key,
    as_base,
    entries_of_base,
    entry_of,
    is_number,
    parsed,
)

if TYPE_CHECKING:
    from intemi.kernel import Capsule, Project
    from intemi.machines.meta_learning.knowledge import Knowledge

FILE_NAME = "knowledge.jsonl"
KNOWLEDGE_VARIABLE = "INTEMI_KNOWLEDGE"
"""Names the folder of the user, if it is not the usual one."""
FORMAT = "intemi knowledge 1"
SEAL_LENGTH = 32
MAX_BYTES = 2**31
BLOCK_BYTES = 65_536
"""How much is read at a time to find the last line."""


@dataclass
class Held:
    """What a knowledge folder held at some time."""

    entries: dict[Key, Entry] = field(default_factory=dict)
    """Those that count."""
    revoked: dict[Key, str] = field(default_factory=dict)
    """Why others do not."""
    descriptions: dict[str, dict[str, float]] = field(default_factory=dict)
    """Meta-features of data sets, by the digest of the data, or by the name if there is none."""


class KnowledgeFolder:
    """Entries that are kept in a folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = KnowledgeFolder(folder)
    ...     kept.append([Entry("iris", "knn", "2 × 5", (0.9, 0.95)), Entry("iris", "tree", "2 × 5", (0.9, 0.85))])
    ...     len(list(kept.entries())), kept.base().accuracies.round(3).tolist()
    (2, [[0.925, 0.875]])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.file = self.path / FILE_NAME

    def append(self, entries: Iterable[Entry]) -> None:
        """Add entries; those of the same test as an earlier one count instead of it."""
        self._write({"entry": asdict(entry)} for entry in entries)

    def add_search(self, project: Project, found: Capsule) -> int:
        """Add the finished tests of a search, and say how many were new.

        Nothing is added twice, nor what was revoked, nor results that are stamped as unfair. The search may have ended
        early, or by its time limit. Of one that was aborted nothing is added: requested again, it goes on where it was.
        """
        from intemi.machines.meta_learning.harvest import description_of_search, entries_of_search

        held = self._read()
        known = held.entries.keys() | held.revoked.keys()
        fresh = [each for each in entries_of_search(project, found) if each.key not in known]
        if fresh:
            self.append(fresh)
            if fresh[0].data_key not in held.descriptions:
                self.describe(fresh[0].data_key, description_of_search(found))
        return len(fresh)

    def add_base(self, base: KnowledgeBase, protocol: str, source: str = "", measure: str = "Accuracy") -> int:
        """Add the tests that a knowledge base knows all splits of, and say how many were new.

        So what was read from a file gets into a folder. Descriptions of data sets are added as well.
        """
        held = self._read()
        fresh = [each for each in entries_of_base(base, protocol, source, measure) if each.key not in held.entries]
        if fresh:
            self.append(fresh)
        for data_set in base.data_sets:
            description = base.description_of(data_set)
            if description is not None and data_set not in held.descriptions:
                self.describe(data_set, description)
        return len(fresh)

    def describe(self, data: str, description: Mapping[str, float]) -> None:
        """Add the meta-features of a data set, by the digest of the data, or its name if it has none."""
        known = {name: float(value) for name, value in description.items() if np.isfinite(value)}
        self._write([{"data": data, "description": known}])

    def revoke(self, entries: Iterable[Entry], why: str) -> None:
        """Declare entries invalid. They stay on record, with the reason, and count no more."""
        self._write({"revoked": entry.key, "why": why} for entry in entries)

    def entries(self) -> Iterator[Entry]:
        """The entries that count, in the order in which their tests were first added."""
        yield from self._read().entries.values()

    def revoked(self) -> Mapping[Key, str]:
        """Why entries do not count, by their keys."""
        return self._read().revoked

    def protocols(self) -> dict[str, int]:
        """How many entries there are of each protocol."""
        return dict(Counter(entry.protocol for entry in self.entries()))

    def base(self, protocol: str | None = None, measure: str = "Accuracy") -> KnowledgeBase:
        """The results of one protocol, by default the most frequent one."""
        held = self._read()
        of_measure = [each for each in held.entries.values() if each.measure == measure]
        if protocol is None:
            counts = Counter(each.protocol for each in of_measure)
            protocol = max(counts, key=counts.__getitem__, default="")
        return as_base([each for each in of_measure if each.protocol == protocol], held.descriptions)

    def knowledge(self, protocol: str | None = None) -> Knowledge:
        """What is in it now, for a `MetaLearner`; the folder is made if it is not there."""
        from intemi.machines.meta_learning.knowledge import Knowledge

        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Knowledge(str(self.path), protocol)

    def content(self, size: int | None = None) -> bytes:
        """The bytes of its file, or so many of the first ones; none if there is no file."""
        if not self.file.exists():
            return b""
        return read_file(self.file, MAX_BYTES)[:size]

    def _write(self, lines: Iterable[Mapping[str, Any]]) -> None:
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(open_file(self.file, os.O_RDWR | os.O_CREAT | os.O_APPEND), "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            seal, has_end = _last_seal(file)
            text = [] if has_end else ["\n"]
            if not seal:
                lines = [{"format": FORMAT}, *lines]
            for line in lines:
                body = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
                seal = _seal(seal, body)
                text.append(f"{seal} {body}\n")
            file.write("".join(text).encode("utf-8"))

    def _read(self) -> Held:
        return self.held_in(self.content())

    def held_in(self, content: bytes) -> Held:
        """What is in the bytes that the file had at some time."""
        held = Held()
        unknown: list[str] = []
        for line in self._lines(content):
            try:
                _add(held, line)
            except MalformedError as error:
                unknown.append(str(error))
        if unknown:
            warnings.warn(
                f"{self.file}: {len(unknown):,} lines are left out that this version of intemi cannot read, "
                f"the first one since it has {unknown[0]}",
                StoreWarning,
                stacklevel=4,
            )
        return held

    def _lines(self, content: bytes) -> Iterator[dict[str, Any]]:
        """The lines whose seals are right."""
        seal, damaged = "", 0
        for number, each in enumerate(filter(None, content.split(b"\n"))):
            stated, body = _divided(each)
            is_right = stated == _seal(seal, body)
            seal = stated
            line = parsed(body) if is_right else None
            if line is None:
                damaged += 1
            elif number == 0:
                if line.get("format") != FORMAT:
                    raise IntemiError(f"{self.file}: its format must be {FORMAT!r}, got {line.get('format')!r}")
            else:
                yield line
        if damaged:
            warnings.warn(f"{self.file}: {damaged} damaged lines are left out", StoreWarning, stacklevel=4)


def own_knowledge_folder() -> KnowledgeFolder:
    """The knowledge of this user, which searches extend: where INTEMI_KNOWLEDGE says, else in the user's data folder.

    It is not kept in the cache, since it cannot be had again.
    """
    chosen = os.environ.get(KNOWLEDGE_VARIABLE)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return KnowledgeFolder(chosen or Path(data, "intemi", "knowledge"))


def _add(held: Held, line: Mapping[str, Any]) -> None:
    """Add what a line has; MalformedError if it is of another form than those that are written."""
    match line:
        case {"entry": plain, **others} if not others:
            entry = entry_of(plain)
            held.revoked.pop(entry.key, None)
            held.entries[entry.key] = entry
        case {"revoked": [str(data), str(configuration), str(protocol), str(splits), str(measure)], "why": str(why)}:
            key = (data, configuration, protocol, splits, measure)
            held.revoked[key] = why
            held.entries.pop(key, None)
        case {"data": str(data), "description": dict(description)} if all(map(is_number, description.values())):
            held.descriptions[data] = description
        case _:
            raise MalformedError("another form")


def _seal(before: str, body: str) -> str:
    return digest(before.encode(), body.encode()).hex()


def _divided(line: bytes) -> tuple[str, str]:
    """The seal of a line, and what it seals."""
    return line[:SEAL_LENGTH].decode("ascii", "replace"), line[SEAL_LENGTH + 1 :].decode("utf-8", "replace")


def _last_seal(file: Any) -> tuple[str, bool]:
    """The seal of the last line of a file, and whether that line has an end; no seal if there is no line."""
    start = size = file.seek(0, os.SEEK_END)
    tail = b""
    while start and b"\n" not in tail[:-1]:
        length = min(BLOCK_BYTES, start)
        start -= length
        file.seek(start)
        tail = file.read(length) + tail
    last = tail.removesuffix(b"\n").rpartition(b"\n")[2]
    return _divided(last)[0], not size or tail.endswith(b"\n")
