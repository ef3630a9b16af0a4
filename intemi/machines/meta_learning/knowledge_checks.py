"""Checks of a knowledge base before it is used: what would make rankings wrong without a sign of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from intemi.data.errors import listed
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase

MOSTLY_MISSING = 0.5
"""A configuration that was tested on a smaller share of the data sets is hardly comparable."""
MAX_SPREAD_RATIO = 1e-9


@dataclass(frozen=True)
class KnowledgeReport:
    """What is wrong with a knowledge base."""

    constant: tuple[str, ...] = ()
    """Data sets on which the results of the best configuration do not vary: differences from it have no unit."""
    duplicated: tuple[tuple[str, str], ...] = ()
    """Pairs of data sets with the same results: one of them would tell the answer for the other."""
    empty: tuple[str, ...] = ()
    """Data sets of which nothing is known."""
    incomplete: tuple[str, ...] = ()
    """Configurations that were tested on less than half of the data sets."""
    gaps: float = 0.0
    """The share of results that are not known."""

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to repair; single gaps are none."""
        return not (self.constant or self.duplicated or self.empty or self.incomplete)

    def __str__(self) -> str:
        pairs = [" = ".join(pair) for pair in self.duplicated]
        found = [
            (self.empty, "nothing is known of {}", self.empty),
            (self.constant, "the best does not vary on {}: leave out of differences", self.constant),
            (self.duplicated, "the same results: {}: keep one of each", pairs),
            (self.incomplete, "tested on less than half of the data sets: {}", self.incomplete),
        ]
        lines = [text.format(listed(names)) for problem, text, names in found if problem]
        if self.gaps:
            lines.append(f"{self.gaps:.1%} of results are not known")
        return "\n".join(lines) or "nothing is wrong"


def check_knowledge(base: KnowledgeBase) -> KnowledgeReport:
    """Look for data sets that are constant, duplicated or empty, and for configurations that were hardly tested.

    >>> base = KnowledgeBase(("a", "b", "c"), ("x", "y"), [[[0.5, 0.6], [0.4, 0.4]]] * 2 + [[[1.0, 1.0], [0.3, 0.5]]])
    >>> print(check_knowledge(base))
    the best does not vary on c: leave out of differences
    the same results: a = b: keep one of each
    """
    known = ~np.isnan(base.results)
    is_empty = ~known.any(axis=(1, 2))
    rest = base.select(~is_empty)
    is_constant = ~(rest.best_deviations > MAX_SPREAD_RATIO * np.maximum(np.abs(rest.best_accuracies), 1e-12))
    is_tested = known.any(axis=2)
    shares = is_tested[~is_empty].mean(axis=0) if len(rest.data_sets) else np.ones(len(base.configurations))
    return KnowledgeReport(
        constant=tuple(np.array(rest.data_sets, dtype=object)[is_constant]),
        duplicated=tuple(_duplicates(rest)),
        empty=tuple(np.array(base.data_sets, dtype=object)[is_empty]),
        incomplete=tuple(
            str(each) for each, share in zip(base.configurations, shares, strict=True) if share < MOSTLY_MISSING
        ),
        gaps=float((~known).mean()) if known.size else 0.0,
    )


def without_problems(base: KnowledgeBase) -> KnowledgeBase:
    """The data sets that are neither empty nor constant, and of equal ones the first."""
    report = check_knowledge(base)
    left_out = {*report.empty, *report.constant, *(second for _, second in report.duplicated)}
    return base.select([row for row, name in enumerate(base.data_sets) if name not in left_out])


def _duplicates(base: KnowledgeBase) -> list[tuple[str, str]]:
    """Pairs of data sets whose results are equal wherever both are known, and are for at least two configurations."""
    found = []
    for first in range(len(base.data_sets)):
        for second in range(first + 1, len(base.data_sets)):
            one, other = base.results[first], base.results[second]
            both = ~np.isnan(one) & ~np.isnan(other)
            if (both.any(axis=1).sum() >= 2) and np.array_equal(one[both], other[both]):
                found.append((base.data_sets[first], base.data_sets[second]))
    return found
