"""Libraries that are used where they are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from intemi.kernel import ConfigurationError


def needed(library: str, who: str) -> Any:
    """A library that is not among the requirements of this package."""
    try:
        return import_module(library)
    except ImportError:
        package = library.partition(".")[0]
        raise ConfigurationError(f"{who}: {package} is needed and not installed; pip install {package}") from None
