"""Commentators: what somebody says of machines that he has not run, while they finish or long after.

A comment belongs to the machine. The values that a commentator looks at come from memory or from the store, or are made
again; if they are gone for good, that is reported, and the machine stays without a comment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intemi.kernel.component import Component
from intemi.kernel.machine import Machine


@dataclass(frozen=True)
class Finished:
    """What a commentator gets to see of a machine."""

    config: Machine
    inputs: Mapping[str, Any]
    """The values of its inputs; a tuple of them where the port takes many."""
    outputs: Mapping[str, Any]
    results: Mapping[str, Any]


class Commentator(Component):
    """Says something of machines: labels and values, which queries find like results.

    >>> class Doubled(Commentator):
    ...     '''Twice the accuracy.'''
    ...     def applies_to(self, config):
    ...         return config.kind == "ClassificationTest"
    ...     def comments(self, machine):
    ...         return {"Doubled": 2 * machine.results["Accuracy"]}
    """

    def applies_to(self, config: Machine) -> bool:
        """Whether it has something to say of such a machine."""
        raise NotImplementedError(f"{self.kind}: write its method applies_to")

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        """What it says of a finished machine."""
        raise NotImplementedError(f"{self.kind}: write its method comments")
