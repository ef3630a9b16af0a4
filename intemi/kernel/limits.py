"""Limits on a request. They belong to the request, not to the identity: a machine that finished within any limit is the
same machine, and one that was stopped is not kept.
"""

from __future__ import annotations

from intemi.kernel.component import Component
from intemi.kernel.parameters import parameter


class Limits(Component):
    """How much a requested machine, with everything under it, may use.

    Wall time counts from the start of the machine. CPU time and memory are watched by a process manager, which ends the
    process that goes over them; a thread cannot be ended, so after its wall time it is merely no longer waited for.

    >>> Limits(wall=2.5)
    Limits(wall=2.5, cpu=None, memory=None)
    """

    wall: float | None = parameter(default=None, above=0)
    """Seconds from start to finish."""
    cpu: float | None = parameter(default=None, above=0)
    """Seconds of processor time; of a composite, the sum over its leaves."""
    memory: int | None = parameter(default=None, above=0)
    """Bytes that the process of a leaf may occupy."""

    @property
    def need_process(self) -> bool:
        """Whether only a process manager can enforce them."""
        return self.cpu is not None or self.memory is not None
