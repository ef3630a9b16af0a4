"""The chain: the same step again and again, each bound to what the one before it gave, as in boosting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intemi.kernel import Input, Job, Machine, Model, MultiOutput, Output, parameter
from intemi.kernel.errors import BindingError
from intemi.kernel.ports import check_fit, listed
from intemi.machines.structure.scheme import Scheme


class Chain(Machine):
    """Run a step, and again with what it gave, as often as asked, or until a step says that it is the last.

    `carry` names inputs of the step, and for each an output of the step: the first step gets what the chain is bound
    to, each other one what the step before it gave. All other inputs are the same for every step. The chain gives a
    collection for each output of the step, an item for each step.

    With `until`, the name of an output that is True or False, a step that gives True is the last. Steps differ in their
    random choices; the first steps of a longer chain are those of a shorter one.

    >>> from intemi.kernel import Project
    >>> class Halve(Machine):
    ...     number = Input(int)
    ...     half = Output(int)
    ...     is_odd = Output(bool)
    ...     def run(self, number):
    ...         return Model(half=number // 2, is_odd=number // 2 % 2 == 1)
    >>> halves = Chain(Halve(), length=10, carry={"number": "half"}, until="is_odd")
    >>> with Project() as project:
    ...     project.run(halves, number=project.given(40)).outputs["half"]
    (20, 10, 5)
    """

    step: Machine = Scheme()
    length: int = parameter(default=10, at_least=1)
    carry: Mapping[str, str] = {}
    until: str | None = None

    @property
    def inputs(self) -> Mapping[str, Input]:
        return self.step.inputs

    @property
    def outputs(self) -> Mapping[str, Output]:
        known: Mapping[str, Output] | None = self.__dict__.get("_collections")
        if known is None:
            known = {name: MultiOutput(port.accepted).called(name) for name, port in self.step.outputs.items()}
            self.__dict__["_collections"] = known
        return known

    def check(self) -> None:
        inputs, outputs = self.step.inputs, self.step.outputs
        if not inputs and not outputs:
            return  # a placeholder that does not say yet what goes in and out
        takes, gives = listed(inputs), listed(outputs)
        for name, port in outputs.items():
            if port.multi:
                raise BindingError(f"{self.kind}: step.{name} must be one value, not a collection")
        for name, output in self.carry.items():
            if name not in inputs or output not in outputs:
                raise BindingError(
                    f"{self.kind}: carry must lead from outputs of step to its inputs, got {output!r} for {name!r}; "
                    f"step takes {takes} and gives {gives}"
                )
            check_fit(outputs[output], "step", inputs[name], "step", single=True)
        if self.until is not None and (self.until not in outputs or outputs[self.until].accepted is not bool):
            raise BindingError(
                f"{self.kind}: until must name an output of step that is a bool, got {self.until!r}; step gives {gives}"
            )

    async def run(self, job: Job, **inputs: Any) -> Model:
        steps = []
        for number in range(self.length):
            step = job.request(self.step, name="step", branch=(number,), comments={"Step": number + 1}, **inputs)
            steps.append(step)
            if self.until is not None:
                await step
                if job.load(getattr(step, self.until)):
                    break
            inputs = {**inputs, **{name: getattr(step, output) for name, output in self.carry.items()}}
        collected: dict[str, Any] = {name: [getattr(step, name) for step in steps] for name in self.step.outputs}
        return Model(**collected)
