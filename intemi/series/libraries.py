"""Libraries that are not among the requirements of the package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from intemi.series.errors import SeriesError


def needed(library: str, who: str) -> Any:
    """A library of the extra `frames`, or an error that says how to install it."""
    try:
        return import_module(library)
    except ImportError:
        raise SeriesError(f"{who}: {library} is needed and not installed; pip install 'intemi[frames]'") from None
