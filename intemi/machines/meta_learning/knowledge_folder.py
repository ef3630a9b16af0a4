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
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.data.openml import cache_folder as downloads
from intemi.kernel import ConfigurationError, IntemiError, Machine
from intemi.kernel.component import from_plain
from intemi.kernel.encoding import digest
from intemi.kernel.errors import StoreWarning
from intemi.kernel.plain_files import open_file, read_file
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from intemi.kernel import Capsule, Project
    from intemi.machines.meta_learning.knowledge import Knowledge

FILE_NAME = "knowledge.jsonl"
FORMAT = "intemi knowledge 1"
SEAL_LENGTH = 32
MAX_BYTES = 2**31
BLOCK_BYTES = 65_536
"""How much is read at a time to find the last line."""

Key = tuple[str, str, str, str, str]
"""What is the same for results of the same test: data, configuration, protocol, splits, measure."""


@dataclass(frozen=True)
class Entry:
    """The results of one configuration on one data set, and where they come from."""

    data_set: str
    configuration: str
    """A name, or the configuration as JSON."""
    protocol: str
    """How it was tested: only results of one protocol are compared."""
    results: tuple[float, ...]
    """One for each split."""
    seconds: float | None = None
    """Universal seconds of the whole test."""
    data_digest: str = ""
    """What the data are known by, whatever their name is."""
    measure: str = "Accuracy"
    splits: str = ""
    """What the splits are known by, such as a seed: only results on the same splits are compared in pairs."""
    origin: str = ""
    """What the table is known by that the rows come from: data that share it share rows."""
    configuration_digest: str = ""
    """What the configuration was known by when it was tested; another version of a machine is another one."""
    version: str = ""
    """The version of the package that made it."""
    source: str = ""
    """The search, or the file, that it comes from."""
    when: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", tuple(map(float, self.results)))
        if not self.results or not np.isfinite(self.results).all():
            raise ConfigurationError(
                f"Entry: the results of {self.configuration} on {self.data_set} must be numbers, got {self.results}"
            )

    @property
    def data_key(self) -> str:
        """What its data set is known by."""
        return self.data_digest or self.data_set

    @property
    def key(self) -> Key:
        """What is the same for results of the same test."""
        return self.data_key, self.configuration, self.protocol, self.splits, self.measure


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
        fresh = [each for each in entries_of_search(project, found) if each.key not in held.entries | held.revoked]
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
        fresh = [each for each in _entries_of(base, protocol, source, measure) if each.key not in held.entries]
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
        for line in self._lines(content):
            if "entry" in line:
                entry = Entry(**line["entry"])
                held.revoked.pop(entry.key, None)
                held.entries[entry.key] = entry
            elif "revoked" in line:
                data, configuration, protocol, splits, measure = line["revoked"]
                key = (data, configuration, protocol, splits, measure)
                held.revoked[key] = line["why"]
                held.entries.pop(key, None)
            elif "description" in line:
                held.descriptions[line["data"]] = line["description"]
        return held

    def _lines(self, content: bytes) -> Iterator[dict[str, Any]]:
        """The lines whose seals are right."""
        seal, damaged = "", 0
        for number, each in enumerate(filter(None, content.split(b"\n"))):
            stated, body = _divided(each)
            is_right = stated == _seal(seal, body)
            seal = stated
            line = _parsed(body) if is_right else None
            if line is None:
                damaged += 1
            elif number == 0:
                if line.get("format") != FORMAT:
                    raise IntemiError(f"{self.file}: its format must be {FORMAT!r}, got {line.get('format')!r}")
            else:
                yield line
        if damaged:
            warnings.warn(f"{self.file}: {damaged} damaged lines are left out", StoreWarning, stacklevel=4)


def _entries_of(base: KnowledgeBase, protocol: str, source: str, measure: str) -> Iterator[Entry]:
    for row, data_set in enumerate(base.data_sets):
        for column, configuration in enumerate(base.configurations):
            results = base.results[row, column]
            if not np.isnan(results).any():
                seconds = np.nan if base.seconds is None else float(base.seconds[row, column])
                took = None if np.isnan(seconds) else seconds
                text = name_in_file(configuration)
                yield Entry(data_set, text, protocol, tuple(results), took, measure=measure, source=source)


def own_knowledge_folder() -> KnowledgeFolder:
    """The knowledge of this user, which searches extend: in the cache folder of the user."""
    return KnowledgeFolder(downloads().parent / "knowledge")


def as_base(
    entries: Iterable[Entry], descriptions: Mapping[str, Mapping[str, float]] | None = None, sign: int = 1
) -> KnowledgeBase:
    """The knowledge base of entries of one protocol; what is not known of a configuration on a data set is NaN.

    Configurations that can be made of their JSON are configurations there, others are known by their names. Of a data
    set that was tested on several splits, those count on which most configurations were tested. With `sign` -1 the
    lowest results are the best.
    """
    listed = _on_common_splits(list(entries))
    data_sets = {each.data_key: each.data_set for each in listed}
    configurations = list(dict.fromkeys((each.configuration, each.configuration_digest) for each in listed))
    splits = max((len(each.results) for each in listed), default=1)
    rows = {key: row for row, key in enumerate(data_sets)}
    columns = {text: column for column, text in enumerate(configurations)}
    results = np.full((len(rows), len(columns), splits), np.nan)
    seconds = np.full((len(rows), len(columns)), np.nan)
    for each in listed:
        place = rows[each.data_key], columns[each.configuration, each.configuration_digest]
        results[place][: len(each.results)] = np.multiply(sign, each.results)
        seconds[place] = np.nan if each.seconds is None else each.seconds
    known = tuple(configuration_of(*each) for each in configurations)
    described = [(descriptions or {}).get(key, {}) for key in data_sets]
    names = tuple(dict.fromkeys(name for each in described for name in each))
    table = np.array([[each.get(name, np.nan) for name in names] for each in described]) if names else None
    return KnowledgeBase(tuple(data_sets.values()), known, results, seconds, table, names)


def _on_common_splits(entries: Sequence[Entry]) -> list[Entry]:
    """Of each data set the entries of those splits that most of its entries are of; of equal ones the first."""
    counts: dict[str, Counter[str]] = {}
    for each in entries:
        counts.setdefault(each.data_key, Counter())[each.splits] += 1
    chosen = {data: max(of_data, key=of_data.__getitem__) for data, of_data in counts.items()}
    return [each for each in entries if each.splits == chosen[each.data_key]]


def protocol_of(validation: Machine) -> str:
    """What the results of a validation are filed under: how it looks, and its digest.

    >>> from intemi.machines.meta_learning import cross_validation
    >>> protocol_of(cross_validation()).rpartition(" ")[0]
    'Repeater(distributor=CVDistributor(…), test=Scheme(…), repetitions=2)'
    """
    return f"{validation!r} {validation.digest.hex()[:16]}"


def text_of(configuration: Machine) -> str:
    """A configuration as text, for an entry."""
    return json.dumps(configuration.to_plain(), sort_keys=True, ensure_ascii=False)


def name_in_file(configuration: Hashable) -> str:
    """What stands for a configuration in a file: its JSON, or its name if it is none of ours."""
    return text_of(configuration) if isinstance(configuration, Machine) else str(configuration)


@lru_cache(maxsize=65_536)
def configuration_of(text: str, known_by: str = "") -> Hashable:
    """The configuration that a text describes; the text itself if there is none here, or it is another version.

    >>> from intemi.machines import KNN
    >>> configuration_of(text_of(KNN(k=3))) == KNN(k=3), configuration_of("J48 of WEKA")
    (True, 'J48 of WEKA')
    """
    plain = _parsed(text)
    if plain is None:
        return text
    try:
        found = from_plain(plain)
    except IntemiError:
        return text
    is_the_same = isinstance(found, Machine) and known_by in ("", found.digest.hex())
    return found if is_the_same else f"{text} {known_by}"


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


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
