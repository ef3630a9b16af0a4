"""Linear algebra on one thread, while task managers run leaves.

The libraries behind numpy would split every product of matrices among all cores, in the way of the other leaves that
run there; and a product that is summed up in another number of parts is another product, in its last digits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_users = 0
_restore: Callable[[], None] | None = None


def use_one_thread() -> None:
    """From now on, until as many calls of `give_back` have come."""
    global _users, _restore
    with _lock:
        _users += 1
        if _users == 1:
            _restore = _libraries(len(sys.modules)).limit(limits=1, user_api="blas").restore_original_limits


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """The libraries that are loaded; to look for them takes its time, so only when modules have been imported since."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def give_back() -> None:
    """Nobody here needs it any more."""
    global _users, _restore
    with _lock:
        _users -= 1
        if not _users and _restore is not None:
            _restore()
            _restore = None
