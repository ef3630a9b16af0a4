"""Knowledge as a part of a configuration: what a folder held at some time, and what of it a search may use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Self

from intemi.data import Data
from intemi.kernel import Component, ConfigurationError, Machine, parameter
from intemi.kernel.encoding import digest
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.knowledge_entries import Entry, as_base, protocol_of
from intemi.machines.meta_learning.knowledge_folder import Held, KnowledgeFolder


class Knowledge(Component):
    """Results on other data, for a `MetaLearner`: what is in a knowledge folder when this is made.

    Its identity covers the content of the folder. Since folders are only ever appended to, what is added later does not
    disturb it: a search uses what was there, and asked for again with the same `Knowledge`, it is the same search.

    A search never gets results on its own data, nor on other parts of the table that its rows come from, so it can be
    cross-validated.

    >>> import tempfile
    >>> from intemi.machines.meta_learning import Entry
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = KnowledgeFolder(folder)
    ...     kept.append([Entry("iris", "knn", "2 × 5", (0.9, 0.95))])
    ...     before = Knowledge(folder)
    ...     kept.append([Entry("wine", "knn", "2 × 5", (0.8, 0.85))])
    ...     len(before.entries()), len(Knowledge(folder).entries()), before == Knowledge(folder)
    (1, 2, False)
    """

    folder: str
    protocol: str | None = None
    """How results were obtained, as the folder calls it; None for the way in which the search tests its candidates."""
    size: int = parameter(default=-1, at_least=-1, kw_only=True)
    """How many bytes the file of the folder has; filled in if it is not given."""
    content: str = parameter(default="", kw_only=True)
    """The digest of these bytes; filled in if it is not given."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size >= 0 and self.content:
            return
        if not os.path.isdir(self.folder):
            raise ConfigurationError(f"{self.kind}: folder must be one that exists, got {self.folder!r}")
        held = KnowledgeFolder(self.folder).content()
        self.__dict__.update(size=len(held), content=digest(held).hex())

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        """The knowledge that was kept. It says what its folder held, so nothing is read."""
        if not parameters.get("content") or "size" not in parameters:
            raise ConfigurationError(f"{cls.__name__}: size and content must be given in plain data")
        return super().restored(parameters)

    def with_part(self, name: str, value: Any) -> Self:
        """A copy with one part exchanged; another folder has another content."""
        if name == "folder":
            return type(self)(value, self.protocol)
        return super().with_part(name, value)

    def entries(self) -> tuple[Entry, ...]:
        """The entries that counted then."""
        return tuple(self.held().entries.values())

    def held(self) -> Held:
        """All that the folder held."""
        return _held(self.folder, self.size, self.content)

    def base_for(self, data: Data, validation: Machine, measure: str, sign: int = 1) -> KnowledgeBase:
        """What may be known to a search on data: results of the same protocol and measure, on other rows."""
        protocol = self.protocol or protocol_of(validation)
        usable = [each for each in self.entries() if (each.protocol, each.measure) == (protocol, measure)]
        return as_base([each for each in usable if not _shares_rows(each, data)], self.held().descriptions, sign)


def _shares_rows(entry: Entry, data: Data) -> bool:
    """Whether results are of rows that the data may have, too; what has no known origin goes by its name."""
    return entry.origin == data.table.origin_digest.hex() if entry.origin else entry.data_set == data.name


@lru_cache(maxsize=8)
def _held(folder: str, size: int, content: str) -> Held:
    kept = KnowledgeFolder(folder)
    held = kept.content(size)
    if digest(held).hex() != content:
        raise ConfigurationError(
            f"Knowledge: {kept.file} must begin with the {size:,} bytes that it held when this was made; "
            "they were changed: make a new one to use the folder as it is now"
        )
    return kept.held_in(held)
