"""Linear algebra on one thread, while task managers run leaves.

The libraries behind numpy would split every product of matrices among all cores, in the way of the other leaves that
run there; and a product that is summed up in another number of parts is another product, in its last digits. The
limit holds for the whole process: numpy outside of machines has one thread, too, while a project has work.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_lock = threading.RLock()  # the garbage collector may end a user in the middle of a change
_users: weakref.WeakSet[object] = weakref.WeakSet()
_restore: Callable[[], None] | None = None


def use_one_thread(user: object) -> None:
    """From now on, until all users have given it back, or are gone. Not for a thread that was started for a while."""
    global _restore
    with _lock:
        if user not in _users:
            _users.add(user)
            weakref.finalize(user, _restore_unused).atexit = False
        if _restore is None:
            _restore = _libraries(len(sys.modules)).limit(limits=1, user_api="blas").restore_original_limits


def give_back(user: object) -> None:
    """One of its users needs it no more."""
    with _lock:
        _users.discard(user)
        _restore_unused()


def _restore_unused() -> None:
    global _restore
    with _lock:
        if not list(_users) and _restore is not None:
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
    """The libraries that are loaded; the search for them takes time, so only when modules have been imported since."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
