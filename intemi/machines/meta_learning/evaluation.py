"""Evaluation: what a machine with everything under it will take, before it is run.

Structure is followed exactly: a scheme takes what its machines take, a repeater its test as often as it is run. What
single machines take is predicted by what was measured of their kind (`calibration`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from intemi.kernel import Machine
from intemi.machines.meta_learning.calibration import Calibration

SECONDS_A_MACHINE = 2e-4
"""What the engine itself takes for each machine."""


@dataclass(frozen=True)
class Evaluated:
    """What a machine takes, and descriptions of what it gives."""

    seconds: float
    memory: float = 0.0
    outputs: Mapping[str, Any] = field(default_factory=dict)


Inputs = Mapping[str, Any]
"""Descriptions of what a machine gets, by the names of its ports."""
Evaluator = Callable[[Any, Inputs, Calibration], Evaluated]
_evaluators: dict[type, Evaluator] = {}


def evaluates(*kinds: type[Machine]) -> Callable[[Evaluator], Evaluator]:
    """Say what machines of some kinds, and of kinds that extend them, take."""

    def register(evaluator: Evaluator) -> Evaluator:
        for kind in kinds:
            _evaluators[kind] = evaluator
        return evaluator

    return register


@cache
def _known_evaluators() -> Mapping[type, Evaluator]:
    """All that are registered; those of the package are, once their module is imported."""
    import_module("intemi.machines.meta_learning.evaluators")
    return _evaluators


def evaluate(machine: Machine, inputs: Inputs, calibration: Calibration) -> Evaluated:
    """What a machine takes with such inputs, in universal seconds and bytes."""
    known = _known_evaluators()
    for kind in type(machine).__mro__:
        if kind in known:
            found = known[kind](machine, inputs, calibration)
            return Evaluated(found.seconds + SECONDS_A_MACHINE, found.memory, found.outputs)
    raise AssertionError("every machine has an evaluator")
