"""Progress of a search: how far it is."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """How far a search is; a running `MetaLearner` reports it, and its caller reads `capsule.progress`.

    >>> now = Progress(finished=3, failed=0, best="knn", quality=0.9, running=("svm",), begun=time.monotonic())
    >>> now.finished, now.best, now.seconds_left is None
    (3, 'knn', True)
    """

    finished: int = 0
    """Tests that have finished."""
    failed: int = 0
    best: Hashable | None = None
    """The best candidate so far."""
    quality: float | None = None
    """Its quality."""
    running: tuple[Hashable, ...] = ()
    """Candidates whose tests run now or, while `is_learning`, the one that learns from all data."""
    quarantine: tuple[Hashable, ...] = ()
    """Candidates whose tests were stopped by their limits, and have not been started again."""
    begun: float = 0.0
    """When the search began, as `time.monotonic` counts, like the next."""
    ends: float | None = None
    """When the search, with the learning of the winner, has to be over."""
    is_learning: bool = False
    """Whether it has ended its tests, and learns with the winner."""

    @property
    def seconds(self) -> float:
        """For how long it has been running."""
        return time.monotonic() - self.begun

    @property
    def seconds_left(self) -> float | None:
        """For how long it may still run; None if there is no limit."""
        return None if self.ends is None else max(0.0, self.ends - time.monotonic())
