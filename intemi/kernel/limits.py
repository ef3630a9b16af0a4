"""Limits on a request. They belong to the request, not to the identity: a machine that finished within any limit is the
same machine, and one that was stopped is not kept.
"""

from __future__ import annotations

from intemi.kernel.component import Component
from intemi.kernel.parameters import parameter


class Limits(Component):
    """How much a requested machine, with everything under it, may use.

    Wall time counts from the start of the machine, a deadline stands whenever that is. A process manager ends the
    process that goes over its CPU time or memory. A thread cannot be ended: over its wall or CPU time it is merely no
    longer waited for, and goes on beside others until it returns; a request for the same machine meanwhile joins it.

    >>> Limits(wall=2.5)
    Limits(wall=2.5, cpu=None, memory=None, deadline=None)
    """

    wall: float | None = parameter(default=None, above=0)
    """Seconds from start to finish."""
    cpu: float | None = parameter(default=None, above=0)
    """Seconds of processor time; of a composite, the sum over its leaves."""
    memory: int | None = parameter(default=None, above=0)
    """Bytes that the process of a leaf may occupy."""

    deadline: float | None = parameter(default=None, above=0)
    """When it must be done, as `time.time()` counts."""

    @property
    def on_usage(self) -> bool:
        """Whether leaves have to be watched while they run; a process manager can end them at any moment."""
        return self.cpu is not None or self.memory is not None
