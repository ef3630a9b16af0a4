"""The repeater: the same test again and again on what a distributor gives out, as in repeated cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from intemi.kernel import Component, Input, Job, Machine, Model, parameter
from intemi.kernel.errors import BindingError
from intemi.kernel.lineage import Examination
from intemi.kernel.ports import check_fit
from intemi.machines.fairness.leaks import refuse_spoilt_data
from intemi.machines.roles import Distributor, FairTest
from intemi.machines.structure.scheme import Scheme


class Repeater(Machine):
    """Run a distributor and, for each suit of items it gives out, a test; all of it as often as asked.

    The distributor's outputs are collections of one length; their items at one place are a suit, bound by name to the
    inputs of one test. Repetitions, and the tests within one, differ in their random choices, and are the same ones
    wherever they are repeated with the same seed.

    >>> Repeater().missing()
    ['distributor: an empty placeholder that takes nothing and gives nothing', \
'test: an empty placeholder that takes nothing and gives nothing']
    """

    distributor: Machine = parameter(default=Scheme(), role=Distributor)
    test: Machine = Scheme()
    repetitions: int = parameter(default=1, at_least=1)

    @property
    def inputs(self) -> Mapping[str, Input]:
        return self.distributor.inputs

    def check(self) -> None:
        if _is_open(self.distributor) or _is_open(self.test):
            return
        given = self.distributor.outputs
        if not self.test.inputs:
            raise BindingError("Repeater: test takes nothing, so there is nothing to run it on")
        for name, port in self.test.inputs.items():
            if name not in given:
                outputs = ", ".join(map(str, given.values())) or "nothing"
                raise BindingError(f"Repeater: test takes {port}, but distributor gives {outputs}")
            check_fit(given[name], "distributor", port, "test", single=True)
            if not given[name].multi:
                raise BindingError(f"Repeater: distributor.{name} must be a collection, one item for each test")

    def examine(self, examination: Examination) -> Mapping[str, str]:
        """Refuse spoilt data before anything is trained on them, rather than in each test."""
        if any(isinstance(each, FairTest) and not each.allows_leaks for each in _machines_in(self.test)):
            refuse_spoilt_data(examination)
        return {}

    async def run(self, job: Job, **inputs: Any) -> Model:
        for repetition in range(self.repetitions):
            comments: dict[str, Any] = {"Repetition": repetition + 1}
            distributor = job.request(
                _as_scheme(self.distributor), name="distributor", branch=(repetition,), comments=comments, **inputs
            )
            await distributor
            given = {name: getattr(distributor, name) for name in self.test.inputs}
            for fold in range(_count_suits(given)):
                job.request(
                    self.test,
                    name="test",
                    branch=(repetition, fold),
                    comments={**comments, "Fold": fold + 1},
                    **{name: each[fold] for name, each in given.items()},
                )
        return Model()


def _count_suits(given: Mapping[str, Any]) -> int:
    """How many tests there are: one for each item of the collections that the distributor gives."""
    counts = {name: len(each) for name, each in given.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{count} of {name}" for name, count in counts.items())
        raise BindingError(f"Repeater: the outputs of distributor must have one length, got {listed}")
    return next(iter(counts.values()), 0)


@lru_cache(maxsize=256)
def _as_scheme(distributor: Machine) -> Scheme:
    """The distributor, in a scheme of its own unless it is one."""
    if isinstance(distributor, Scheme):
        return distributor
    scheme = Scheme(**dict[str, Any](distributor.inputs))
    child = scheme.add(distributor, **{name: getattr(scheme, name) for name in distributor.inputs})
    scheme.expose(**{name: getattr(child, name) for name in distributor.outputs})
    return scheme


@lru_cache(maxsize=256)
def _machines_in(machine: Machine) -> tuple[Machine, ...]:
    """A machine and all machines inside it."""
    found: list[Machine] = []
    pending: list[Component] = [machine]
    while pending:
        part = pending.pop()
        pending += part.components()
        if isinstance(part, Machine):
            found.append(part)
    return tuple(found)


def _is_open(machine: Machine) -> bool:
    """Whether it is a placeholder that does not even say what goes in and out."""
    return isinstance(machine, Scheme) and not machine.inputs and not machine.outputs and not machine.children
