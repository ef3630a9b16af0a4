"""The order of the files of tests: the longest first, so that no worker of pytest is left with a long one in the end.

`python -m pytest -n 3 --dist loadfile --write-durations` renews what is known of them. It need not be exact.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

PLACE = Path(__file__).with_name("durations.json")


def file_of(nodeid: str) -> str:
    """The file of a test."""
    return nodeid.partition("::")[0]


def longest_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests, those of one file together: files that are not known yet, then the longest."""
    seconds: dict[str, float] = json.loads(PLACE.read_text("utf-8"))
    return sorted(items, key=lambda item: -seconds.get(file_of(item.nodeid), float("inf")))


class Durations:
    """A plugin that measures files of tests, and writes what it has measured into the table."""

    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[file_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        known: dict[str, float] = json.loads(PLACE.read_text("utf-8")) | {
            file: round(seconds, 1) for file, seconds in self._seconds.items()
        }
        kept = {file: known[file] for file in sorted(known) if (PLACE.parents[1] / file).is_file()}
        PLACE.write_text(json.dumps(kept, indent=0) + "\n", "utf-8")
