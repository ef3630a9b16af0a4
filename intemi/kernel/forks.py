"""Forks: a child of this process has none of its threads, and must not use its files and locks.

Whatever has threads or open files notes `number` when it is made; if the number is another one later, it is used in a
fork. That is cheaper to look at than the id of the process.
"""

from __future__ import annotations

import os

from intemi.kernel.errors import IntemiError

number = 0
"""How many forks lie between this process and the first one."""


def _count() -> None:
    global number
    number += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count)


def refused(what: str) -> IntemiError:
    """The error that says why something cannot be used here, and what to do."""
    return IntemiError(
        f"{what} was opened by another process and is used in its fork {os.getpid()}, which has none of its threads; "
        "open the folder again in the fork, or spawn processes instead (multiprocessing.get_context('spawn'))"
    )
