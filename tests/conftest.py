"""What all tests share: the digests of a release, and which tests are left out where something is not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from intemi.kernel.shipped import VARIABLE
from scripts.reference_data import WIDE
from tests import profiles
from tests.clusters import RealCluster

profiles.load()

EXTRAS = {
    "bench": ("arff", "dask"),
    "browser": ("PyQt6",),
    "dask": ("cryptography", "distributed"),
    "docs": ("material", "mkdocs", "mkdocstrings"),
    "jobqueue": ("cryptography", "dask_jobqueue", "distributed"),
}
"""The extras that tests can need beside `test`, and the modules by which they are known to be installed."""


def missing_modules(extra: str) -> list[str]:
    """The modules of an extra that are not installed."""
    return [module for module in EXTRAS[extra] if find_spec(module) is None]


def pytest_configure() -> None:
    """Let machines have the digests of a release, here and in processes that tests start: those are pinned."""
    os.environ.setdefault(VARIABLE, "release")


def pytest_report_header() -> list[str]:
    """Say which tests are not part of the run because something is not there."""
    missing = [extra for extra in EXTRAS if missing_modules(extra)]
    extras = f"not installed: {', '.join(missing)}: tests that need them are skipped" if missing else "all installed"
    if WIDE.is_there:
        wide = f"{len(WIDE.names())} data sets found beside the repository"
    else:
        wide = "57 data sets not found: tests marked wide are not collected, others have stand-ins"
    return [f"extras: {extras}", f"wide check: {wide}"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests whose extra is not installed, and leave out those of the wide check where its data are not there."""
    for item in items:
        for marker in item.iter_markers("needs"):
            if missing := missing_modules(*marker.args):
                reason = f"needs intemi[{marker.args[0]}]: {', '.join(missing)} not installed; make test installs it"
                item.add_marker(pytest.mark.skip(reason=reason))
    if not WIDE.is_there:
        left_out = [item for item in items if item.get_closest_marker("wide")]
        items[:] = [item for item in items if not item.get_closest_marker("wide")]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def shared_cluster() -> Iterator[RealCluster]:
    """A dask cluster for tests that do it no harm; they add the workers that they need."""
    with RealCluster(1) as made:
        yield made
