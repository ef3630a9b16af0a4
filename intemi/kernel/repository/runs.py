"""Runs: each time that a project is opened and used, with what tells where its results came from; and the requests of
users at which a question starts, if it names them or a run."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from intemi.kernel.errors import ConfigurationError
from intemi.kernel.repository.tables import Requests
from intemi.kernel.shipped import VERSION, package_source

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Run:
    """One session of a project."""

    number: int
    name: str
    started: float
    """Seconds since 1970."""
    program: dict[str, Any]
    """The program, Python, platform, versions of packages, and whether this package was a release."""


@cache
def _versions() -> dict[str, str]:
    """The versions of packages; to look for them takes milliseconds."""
    versions = {"intemi": VERSION}
    for name in _LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def fingerprint() -> str:
    """What this program runs on, as JSON."""
    return json.dumps(
        {
            "program": sys.argv[0] if sys.argv else "",
            "python": platform.python_version(),
            "platform": platform.platform(),
            "packages": _versions(),
            "source": package_source(),
        }
    )


WhichRun = Run | int | Literal["all"] | None
"""The run whose requests are meant; all runs; None: for each name the latest request, in whichever run that is."""


def start_of(root: Any, run: WhichRun) -> Any:
    """Where a question starts: names and runs become `Requests`, a context stays as it is, None is everything."""
    number = run.number if isinstance(run, Run) else run
    if number is not None and number != "all" and type(number) is not int:
        raise ConfigurationError(f'query: run must be a run, its number or "all", got {run!r}')
    if root is None:
        return None if number in (None, "all") else Requests(None, number)
    if isinstance(root, str):
        return Requests(root, number)
    if run is not None:
        raise ConfigurationError(f"query: run says which request of a name is meant, got it with {root!r}")
    return Requests(None, root.number) if isinstance(root, Run) else root
