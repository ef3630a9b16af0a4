"""Evaluation: what a machine with everything under it will take, before it is run.

Structure is followed exactly: a scheme takes what its machines take, a repeater its test as often as it is run, and a
machine that is requested several times for the same data runs once. What single machines take is predicted by what was
measured of their kind (`calibration`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from itertools import count
from typing import Any

from intemi.kernel import Machine
from intemi.machines.meta_learning.calibration import Calibration, Stage
from intemi.machines.meta_learning.descriptions import Collection, Description

SECONDS_A_MACHINE = 2e-5
"""What any machine takes, whatever it does."""


@dataclass(frozen=True)
class Evaluated:
    """What a machine takes, and descriptions of what it gives."""

    seconds: float
    memory: float = 0.0
    outputs: Mapping[str, Any] = field(default_factory=dict)


Inputs = Mapping[str, Any]
"""Descriptions of what a machine gets, by the names of its ports."""


class Estimation:
    """One estimate on its way: what was measured of machines, and which of them are counted already."""

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._counted: dict[tuple[Any, ...], Evaluated] = {}
        self._origins = count()

    def seconds(self, kind: str, stage: Stage, inputs: Sequence[float]) -> float:
        """What a machine of a kind takes by itself, by what was measured."""
        return self._calibration.seconds(kind, stage, inputs)

    def told_apart(self, described: Mapping[str, Any]) -> dict[str, Any]:
        """Descriptions of values, each new one with an origin of its own."""
        return {name: self._with_origin(each) for name, each in described.items()}

    def _with_origin(self, described: Any) -> Any:
        if isinstance(described, Collection):
            return replace(described, item=self._with_origin(described.item))
        is_new = isinstance(described, Description) and described.origin is None
        return replace(described, origin=next(self._origins)) if is_new else described

    def evaluate(self, machine: Machine, inputs: Inputs) -> Evaluated:
        """What a machine takes, nothing if it was counted for the same values before."""
        key = (machine.digest, *sorted((name, _origin(each)) for name, each in inputs.items()))
        known = self._counted.get(key)
        if known is not None:
            return Evaluated(0.0, 0.0, known.outputs)
        found = _evaluator_of(machine)(machine, inputs, self)
        seconds = found.seconds + SECONDS_A_MACHINE
        self._counted[key] = Evaluated(seconds, found.memory, self.told_apart(found.outputs))
        return self._counted[key]


def _origin(described: Any) -> int:
    origin = described.item.origin if isinstance(described, Collection) else described.origin
    assert origin is not None
    return int(origin)


Evaluator = Callable[[Any, Inputs, Estimation], Evaluated]
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


def _evaluator_of(machine: Machine) -> Evaluator:
    known = _known_evaluators()
    return next(known[kind] for kind in type(machine).__mro__ if kind in known)


def evaluate(machine: Machine, inputs: Inputs, given: Calibration | Estimation) -> Evaluated:
    """What a machine takes with such inputs, in universal seconds and bytes.

    An evaluator passes on the estimation that it is given, for the machines inside.
    """
    if isinstance(given, Estimation):
        return given.evaluate(machine, given.told_apart(inputs))
    estimation = Estimation(given)
    return estimation.evaluate(machine, estimation.told_apart(inputs))
