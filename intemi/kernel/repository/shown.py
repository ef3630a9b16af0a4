"""What every answer shows beside the labels that were asked for: that results are not what they look like without it.

A result that is stamped as a leak or as an oracle's has the stamp beside it. A result on a sample that stays the same
has the number of *looks* beside it: how many different things were ever tried there, in this project. With enough of
them something fits by chance, so the level of a test is to be divided by their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from intemi.kernel.lineage import INVALIDATING, SAMPLE
from intemi.kernel.repository.item import MISSING, Item, Reader
from intemi.kernel.repository.labels import Labeler

STAMPS = (*INVALIDATING, SAMPLE)
LOOKS, CORRECTED_LEVEL = "Looks", "Corrected level"
LEVEL = 0.05
"""The level that is divided by the number of looks."""


class Stamps(Labeler):
    """The stamps of items, and how often their samples were looked at."""

    def __init__(self, reader: Reader, items: Sequence[Item], looks_at: Callable[[str], int]) -> None:
        found = {stamp: any(item.result(stamp) is not MISSING for item in items) for stamp in STAMPS}
        self._shown = [stamp for stamp in INVALIDATING if found[stamp]]
        self._has_samples = found[SAMPLE]
        self._looks_at = looks_at
        self._looks: dict[Any, int] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self._shown and not self._has_samples

    def labels(self, item: Item) -> dict[str, Any]:
        shown = {stamp: None if (said := item.result(stamp)) is MISSING else said for stamp in self._shown}
        if self._has_samples:
            sample = item.result(SAMPLE)
            if sample is not MISSING and sample not in self._looks:
                self._looks[sample] = self._looks_at(sample)
            looks = self._looks.get(sample)
            shown |= {LOOKS: looks, CORRECTED_LEVEL: None if looks is None else LEVEL / looks}
        return shown
