"""Large libraries that are imported where they are first needed, by one thread at a time.

scikit-learn, scipy and skops import each other in circles. Two threads that enter such a circle at different modules
are given modules that are not ready yet, and fail with an ImportError. So every use in the package goes through
`library`. A user's own import statement takes no part in this: it is safe once it is done before workers start.
"""

from __future__ import annotations

import threading
from functools import cache
from importlib import import_module
from typing import Any

_IMPORTING = threading.RLock()


@cache
def library(name: str) -> Any:
    """A module of a library, imported under one lock; later calls cost no more than an import statement.

    >>> library("scipy.special").ndtr(0.0).item()
    0.5
    """
    with _IMPORTING:
        return import_module(name)
