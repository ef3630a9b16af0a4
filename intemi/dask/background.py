"""Threads that work for a cluster, so that no other thread waits for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from intemi.dask.warned import warn

MAX_THREADS = 16


class Background:
    """A pool of threads that can be closed and started again. What is submitted while it is closed is not done.

    >>> Background("sender").submit(print, "it is closed")
    """

    def __init__(self, name: str) -> None:
        self._name = f"intemi dask {name}"
        self._pool: ThreadPoolExecutor | None = None

    def start(self) -> None:
        """Have threads, as soon as they are needed."""
        self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix=self._name)

    def submit(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do something on a thread of the pool, without waiting for it."""
        pool = self._pool
        if pool is not None:
            with suppress(RuntimeError):  # it was closed just now
                pool.submit(self._guarded, action, *arguments)

    def close(self) -> None:
        """Begin nothing more, and do not wait for what is under way."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _guarded(self, action: Callable[..., None], *arguments: Any) -> None:
        try:
            action(*arguments)
        except Exception as error:
            warn(f"{self._name}: {type(error).__name__}: {error}")
