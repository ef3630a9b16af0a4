"""Threads that talk to a cluster, so that no other thread waits for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

MAX_THREADS = 16
"""They mostly wait for the cluster."""


class Background:
    """A pool of threads that can be closed and started again. What is submitted while it is closed is not done.

    >>> Background(print).submit(print, "never")
    """

    def __init__(self, fail: Callable[..., None]) -> None:
        self._fail = fail
        """Gets each error, and the arguments of the action that it is an error of."""
        self._pool: ThreadPoolExecutor | None = None

    def start(self) -> None:
        """Have threads, as soon as they are needed."""
        self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="intemi dask")

    def submit(self, action: Callable[..., None], *arguments: Any) -> Any:
        """Do something on a thread of the pool; the future of it."""
        pool = self._pool
        return None if pool is None else pool.submit(self._guarded, action, *arguments)

    def close(self) -> None:
        """Begin nothing more, and do not wait for what is under way."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _guarded(self, action: Callable[..., None], *arguments: Any) -> None:
        try:
            action(*arguments)
        except Exception as error:
            self._fail(error, *arguments)
