"""Warnings about a cluster. They are given on threads of ours, which go on."""

from __future__ import annotations

import warnings
from contextlib import suppress


class ClusterWarning(UserWarning):
    """A cluster, or one of its workers, cannot be used."""


def warn(text: str) -> None:
    """Warn of something; where warnings are errors, this thread goes on all the same."""
    with suppress(ClusterWarning):
        warnings.warn(text, ClusterWarning, stacklevel=2)
