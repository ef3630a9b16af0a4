"""Transformation chain: transformations one after the other, as one transformation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError, Job, Machine, Model, MultiInput, Output, storable
from intemi.machines.decoded import expect
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Transformation
from intemi.machines.roles import Transformer

_STRENGTH = (Reads.NOTHING, Reads.FEATURES, Reads.TARGETS)


@storable
@dataclass(frozen=True, eq=False)
class Chained(Transformation):
    """Transforms rows by one transformation after the other."""

    columns: tuple[Column, ...]
    steps: tuple[Transformation, ...]

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(type(self.steps) is tuple and len(self.steps) > 0, "a chain has steps")
        expect(all(isinstance(each, Transformation) for each in self.steps), "the steps are transformations")
        expect(self.steps[0].columns == self.columns, "the first step fits")

    def _transform(self, data: Data) -> Data:
        for step in self.steps:
            data = step.transform(data)
        return data


class TransformationChain(Transformer):
    """Learn transformations one after the other, each from what the one before it gives; together they are one.

    >>> from intemi.machines import Imputation, NominalToIndicators, Standardization
    >>> TransformationChain((Imputation(), NominalToIndicators(), Standardization())).reads
    <Reads.FEATURES: 'features'>
    """

    steps: tuple[Machine, ...]

    def check(self) -> None:
        if not self.steps:
            raise ConfigurationError(f"{self.kind}: steps must be at least one transformation, got none")
        for index, step in enumerate(self.steps):
            Transformer.demand(step, f"{self.kind}: steps.{index}")

    @property
    def reads(self) -> Reads:  # type: ignore[override]
        """What the strongest of its steps learns from; one that does not say it is taken to learn from targets."""
        return max((getattr(step, "reads", Reads.TARGETS) for step in self.steps), key=_STRENGTH.index)

    @property
    def keeps_rows(self) -> bool:  # type: ignore[override]
        """Whether all its steps keep rows."""
        return all(getattr(step, "keeps_rows", False) for step in self.steps)

    async def run(self, job: Job, data: Any) -> Model:
        learned = []
        for number, step in enumerate(self.steps, 1):
            made = job.request(step, name=f"step {number}", data=data)
            learned.append(made.transformation)
            data = made.transformed
        chained = job.request(ChainedTransformation(), name="chained", steps=learned)
        return Model(transformed=data, transformation=chained.transformation)


class ChainedTransformation(Machine):
    """Make one transformation of several; what a transformation chain leaves to a leaf."""

    reads = Reads.NOTHING

    steps = MultiInput(Transformation)
    transformation = Output(Transformation)

    def run(self, steps: list[Transformation]) -> Model:
        return Model(transformation=Chained(steps[0].columns, tuple(steps)))
