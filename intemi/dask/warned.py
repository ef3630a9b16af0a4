"""Warnings about a cluster. They are given on threads of ours, which go on."""

from __future__ import annotations

import sys
import threading
import warnings


class ClusterWarning(UserWarning):
    """A cluster, or one of its workers, cannot be used."""


def warn(text: str) -> None:
    """Warn of something; where warnings are errors, it goes to `threading.excepthook`, and this thread goes on."""
    try:
        warnings.warn(text, ClusterWarning, stacklevel=2)
    except ClusterWarning:
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
