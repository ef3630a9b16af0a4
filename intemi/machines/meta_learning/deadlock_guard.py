"""A guard against deadlocks of a bounded profile: one that does not change, or that has led to nothing good."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from intemi.machines.meta_learning.profile import Profile


@dataclass
class _Snapshot:
    """A profile, and how good the package was that followed from it."""

    results: dict[Hashable, float]
    quality: float
    evicted: set[Hashable] = field(default_factory=set)
    """What has left it when it was restored."""


class DeadlockGuard:
    """Looks at a profile after each package of tests.

    A bad ranking gives weak results, which may never enter the profile, so that the ranking would never change. If the
    profile was the same for `stale_limit` packages, the newest results enter it. If packages were weaker than the
    median of all results so far for `rollback_after` times, the profile comes back that was followed by the best
    package, without one of its members: another one each time.
    """

    def __init__(self, profile: Profile, stale_limit: int, rollback_after: int) -> None:
        self._profile, self._stale_limit, self._rollback_after = profile, stale_limit, rollback_after
        self._before: dict[Hashable, float] = {}
        self._snapshots: list[_Snapshot] = []
        self._qualities: list[float] = []
        self._stale = self._weak = 0

    def look_at(self, package: Sequence[tuple[Hashable, float]]) -> None:
        """Take notice of a package, whose results were registered, and do something if it has to be done."""
        if not package:
            return
        quality = fmean(result for _, result in package)
        is_weak = bool(self._qualities) and quality < median(self._qualities)
        self._qualities += [result for _, result in package]
        self._snapshots.append(_Snapshot(self._before, quality))
        self._weak = self._weak + 1 if is_weak else 0
        self._stale = self._stale + 1 if set(self._profile.results) == set(self._before) else 0
        if self._weak >= self._rollback_after:
            self._roll_back()
        elif self._stale >= self._stale_limit:
            for candidate, result in package:
                self._profile.force(candidate, result)
            self._stale = 0
        self._before = dict(self._profile.results)

    def _roll_back(self) -> None:
        self._weak = self._stale = 0
        usable = [each for each in self._snapshots if len(each.results) > max(1, len(each.evicted))]
        if usable:
            best = max(usable, key=lambda each: each.quality)
            best.evicted.add(self._profile.restore(best.results, best.evicted))
