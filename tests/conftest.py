"""What all tests share: the digests of a release, and which tests are left out where something is not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from intemi.kernel.shipped import VARIABLE
from scripts.reference_data import WIDE
from tests import durations, profiles
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


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that renews the table of durations."""
    parser.addoption("--write-durations", action="store_true", help="renew tests/durations.json")


def pytest_configure(config: pytest.Config) -> None:
    """Let machines have the digests of a release, here and in processes that tests start: those are pinned."""
    os.environ.setdefault(VARIABLE, "release")
    if config.getoption("write_durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(durations.Durations())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests are not part of the run."""
    if not profiles.FULL:
        terminalreporter.line("profile quick: few examples, and none of the tests marked full; `make test-all` has all")
    if missing := [extra for extra in EXTRAS if missing_modules(extra)]:
        terminalreporter.line(f"not installed: {', '.join(missing)}: tests that need them were skipped")
    if not WIDE.is_there:
        terminalreporter.line("57 data sets not found: tests marked wide are not collected, others have stand-ins")


@pytest.hookimpl(tryfirst=True)  # before the options -k and -m
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests whose extra is not installed, leave out what is not part of this run, and put long files first."""
    for item in items:
        for marker in item.iter_markers("needs"):
            if missing := missing_modules(*marker.args):
                reason = f"needs intemi[{marker.args[0]}]: {', '.join(missing)} not installed; make test installs it"
                item.add_marker(pytest.mark.skip(reason=reason))
    absent = {name for name, is_run in (("full", profiles.FULL), ("wide", WIDE.is_there)) if not is_run}
    left_out = {item for item in items if any(item.get_closest_marker(name) for name in absent)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
    kept = [item for item in items if item not in left_out]
    items[:] = durations.longest_first(kept) if hasattr(config, "workerinput") else kept


@pytest.fixture(scope="session")
def shared_cluster() -> Iterator[RealCluster]:
    """A dask cluster for tests that do it no harm; they add the workers that they need."""
    with RealCluster(1) as made:
        yield made
