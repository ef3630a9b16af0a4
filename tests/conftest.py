"""What all tests share: the digests of a release, and that the wide check is left out where its data are not there."""

from __future__ import annotations

import os

import pytest

from intemi.kernel.shipped import VARIABLE
from scripts.reference_data import WIDE


def pytest_configure() -> None:
    """Let machines have the digests of a release, here and in processes that tests start: those are pinned."""
    os.environ.setdefault(VARIABLE, "release")


def pytest_report_header() -> str:
    """Say whether the wide check is part of the run."""
    if WIDE.is_there:
        return f"wide check: {len(WIDE.names())} data sets found beside the repository"
    return "wide check: 57 data sets not found: tests marked wide are not collected, others have stand-ins"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests of the wide check where its data are not there."""
    if WIDE.is_there:
        return
    left_out = [item for item in items if item.get_closest_marker("wide")]
    items[:] = [item for item in items if not item.get_closest_marker("wide")]
    config.hook.pytest_deselected(items=left_out)
