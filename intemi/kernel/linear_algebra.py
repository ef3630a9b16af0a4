"""Linear algebra on one thread, while task managers run leaves.

The libraries behind numpy would split every product of matrices among all cores, in the way of the other leaves that
run there; and a product that is summed up in another number of parts is another product, in its last digits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_users: set[int] = set()
_restore: Callable[[], None] | None = None


def use_one_thread(user: object) -> None:
    """From now on, until it was given back by everybody who uses it. Not for a thread that was started for a while."""
    global _restore
    with _lock:
        _users.add(id(user))
        if _restore is None:
            _restore = _libraries(len(sys.modules)).limit(limits=1, user_api="blas").restore_original_limits


def give_back(user: object) -> None:
    """One of its users needs it no more."""
    global _restore
    with _lock:
        _users.discard(id(user))
        if not _users and _restore is not None:
            _restore()
            _restore = None


def one_openmp_thread() -> AbstractContextManager[object]:
    """Let loops of compiled libraries use one thread, in a `with` block; OpenMP counts for each caller by itself.

    What a leaf starts on all cores would be in the way of the leaves beside it.
    """
    limited: AbstractContextManager[object] = _libraries(len(sys.modules)).limit(limits=1, user_api="openmp")
    return limited


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """The libraries that are loaded; to look for them takes its time, so only when modules have been imported since."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
