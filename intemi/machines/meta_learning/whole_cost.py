"""What a test takes as a whole: the CPU time of all its leaves, whichever request they were run for.

What a request was charged for is less, if others have run parts of it before: the test of a committee whose members
were tested before costs next to nothing.
"""

from __future__ import annotations

from intemi.kernel import registry
from intemi.kernel.repository.query import Query
from intemi.series import Series

PARTS = Query("**", "cpu", labels=("kind",))
"""Everything below a test, with its CPU seconds."""


def cpu_of_leaves(parts: Series) -> float:
    """CPU seconds of the leaves among parts, that is, without composites, which count what is below them.

    >>> cpu_of_leaves(Series({"cpu": [0.5, 0.25, 0.25], "kind": ["Scheme", "KNN", "ClassificationTest"]}))
    0.5
    """
    known = registry.components().values()
    composites = {each.__name__ for each in known if getattr(each, "is_composite", False)}
    spent = zip(parts["cpu"], parts["kind"], strict=True)
    return float(sum(cpu for cpu, kind in spent if cpu is not None and kind not in composites))
