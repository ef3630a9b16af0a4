"""Entries: results of one configuration on one data set, and the knowledge base that they make."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from intemi.kernel import ConfigurationError, IntemiError, Machine
from intemi.kernel.component import from_plain
from intemi.kernel.errors import MalformedError, StoreWarning
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase

MAX_RESULTS = 100_000
"""Splits of one test."""
MAX_NUMBERS = 2**27
"""Numbers in a table of results: data sets × configurations × splits."""
MAX_BITS = 1023
"""Of whole numbers that a float can have."""
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


def entry_of(plain: Any) -> Entry:
    """The entry that plain data describe; MalformedError if they are of another form.

    >>> entry_of({"data_set": "iris", "configuration": "knn", "protocol": "2 × 5", "results": [0.9, 1]}).results
    (0.9, 1.0)
    """
    kinds = {field.name: field.type for field in fields(Entry)}
    required = {field.name for field in fields(Entry) if field.default is MISSING}
    if not isinstance(plain, dict) or not required <= plain.keys() <= kinds.keys():
        raise MalformedError("other fields than an entry has")
    results, seconds = plain["results"], plain.get("seconds")
    if not isinstance(results, list) or not 0 < len(results) <= MAX_RESULTS or not all(map(is_number, results)):
        raise MalformedError(f"results that are not 1 to {MAX_RESULTS:,} numbers")
    if seconds is not None and not (is_number(seconds) and seconds >= 0):
        raise MalformedError("seconds that are no number")
    if not all(isinstance(value, str) for name, value in plain.items() if kinds[name] == "str"):
        raise MalformedError("names that are no texts")
    return Entry(**plain)


def is_number(value: Any) -> bool:
    """Whether a value of JSON is a number that a float can have."""
    if isinstance(value, int):
        return not isinstance(value, bool) and value.bit_length() < MAX_BITS
    return isinstance(value, float) and math.isfinite(value)


def as_base(
    entries: Iterable[Entry], descriptions: Mapping[str, Mapping[str, float]] | None = None, sign: int = 1
) -> KnowledgeBase:
    """The knowledge base of entries of one protocol; what is not known of a configuration on a data set is NaN.

    Configurations that can be made of their JSON are configurations there, others are known by their names. Of a data
    set that was tested on several splits, those count on which most configurations were tested. With `sign` -1 the
    lowest results are the best.
    """
    listed = _on_common_splits(_within_memory(list(entries)))
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
    if len(names) * len(rows) > MAX_NUMBERS:
        raise ConfigurationError(f"knowledge: {len(names):,} meta-features of {len(rows):,} data sets are too many")
    table = np.array([[each.get(name, np.nan) for name in names] for each in described]) if names else None
    return KnowledgeBase(tuple(data_sets.values()), known, results, seconds, table, names)


def _within_memory(entries: list[Entry]) -> list[Entry]:
    """The entries without those of so many splits that a table of all would take too much memory."""
    tests = len({each.data_key for each in entries}) * len({(e.configuration, e.configuration_digest) for e in entries})
    most = MAX_NUMBERS // max(tests, 1)
    kept = [each for each in entries if len(each.results) <= most]
    if len(kept) < len(entries):
        left = f"{len(entries) - len(kept):,} entries with more than {most:,} results are left out"
        warnings.warn(f"knowledge: {left}: a table of {tests:,} tests has no room for them", StoreWarning, stacklevel=3)
    return kept


def _on_common_splits(entries: Sequence[Entry]) -> list[Entry]:
    """Of each data set the entries of those splits that most of its entries are of; of equal ones the first."""
    counts: dict[str, Counter[str]] = {}
    for each in entries:
        counts.setdefault(each.data_key, Counter())[each.splits] += 1
    chosen = {data: max(of_data, key=of_data.__getitem__) for data, of_data in counts.items()}
    return [each for each in entries if each.splits == chosen[each.data_key]]


def entries_of_base(base: KnowledgeBase, protocol: str, source: str, measure: str) -> Iterator[Entry]:
    """An entry for each test that a knowledge base knows all splits of."""
    for row, data_set in enumerate(base.data_sets):
        for column, configuration in enumerate(base.configurations):
            results = base.results[row, column]
            if not np.isnan(results).any():
                seconds = np.nan if base.seconds is None else float(base.seconds[row, column])
                took = None if np.isnan(seconds) else seconds
                text = name_in_file(configuration)
                yield Entry(data_set, text, protocol, tuple(results), took, measure=measure, source=source)


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
    plain = parsed(text)
    if plain is None:
        return text
    try:
        found = from_plain(plain)
    except IntemiError:
        return text
    is_the_same = isinstance(found, Machine) and known_by in ("", found.digest.hex())
    return found if is_the_same else f"{text} {known_by}"


def parsed(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is; None if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
