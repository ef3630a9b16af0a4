"""What libraries make when they are imported stays, so nobody need look for garbage among it.

Python's collector takes whatever came since its last full round for a reason to begin another one. After an import of a
large library that round is due in the middle of the first machines, among a quarter of a million objects, and takes as
long as hundreds of small machines do.
"""

from __future__ import annotations

import gc
import sys

MANY = 50
"""Modules: so many that were imported since make it worth the while."""
_seen = 0


def spare_imports() -> None:
    """If libraries were imported since the last call, let the collector take all there is for old: it is not looked at
    until it has to be, and the count towards the next full round begins anew."""
    global _seen
    modules = len(sys.modules)
    if modules - _seen >= MANY and not gc.get_freeze_count():  # what somebody else has frozen stays so
        _seen = modules
        gc.freeze()  # out of all generations ...
        gc.unfreeze()  # ... and back into the oldest
