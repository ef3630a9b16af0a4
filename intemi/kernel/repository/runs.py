"""Runs: each time that a project is opened and used, with what tells where its results came from."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

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
