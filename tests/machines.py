"""Small machines that tests run: arithmetic, chance, failure, waiting; and a way to see what a project did.

They live in a module of their own so that worker processes and other programs can import them by name.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import numpy as np

from intemi.kernel import (
    Event,
    EventKind,
    Input,
    Job,
    Machine,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
    parameter,
)
from intemi.machines import Repeater, Scheme


class Number(Machine):
    """A number out of nothing."""

    result = Output(int)
    value: int = 0

    def run(self) -> Model:
        return Model(result=self.value)


class Add(Machine):
    """The sum of two numbers, as output and as result."""

    left = Input(int)
    right = Input(int)
    result = Output(int)

    def run(self, left: int, right: int) -> Model:
        return Model(result=left + right, results={"Sum": left + right})


class Scale(Machine):
    """A multiple of a number."""

    number = Input(int)
    result = Output(int)
    factor: int = 2

    def run(self, number: int) -> Model:
        return Model(result=self.factor * number)


class Remainder(Machine):
    """What a division leaves: different numbers come to the same one."""

    number = Input(int)
    result = Output(int)
    divisor: int = parameter(default=10, at_least=1)

    def run(self, number: int) -> Model:
        return Model(result=number % self.divisor)


class Total(Machine):
    """The sum of any number of numbers."""

    numbers = MultiInput(int)
    result = Output(int)

    def run(self, numbers: tuple[int, ...]) -> Model:
        return Model(result=sum(numbers), results={"Count": len(numbers)})


class Split(Machine):
    """A number in parts that differ by one at most."""

    number = Input(int)
    parts = MultiOutput(int)
    count: int = parameter(default=2, at_least=1)

    def run(self, number: int) -> Model:
        return Model(parts=[(number + index) // self.count for index in range(self.count)])


class Draw(Machine):
    """A random number."""

    result = Output(int)
    limit: int = parameter(default=1_000_000, at_least=1)

    def run(self, rng: np.random.Generator) -> Model:
        return Model(result=int(rng.integers(self.limit)))


class Shake(Machine):
    """A number with a random one added."""

    number = Input(int)
    result = Output(int)
    limit: int = parameter(default=1_000_000, at_least=1)

    def run(self, number: int, rng: np.random.Generator) -> Model:
        return Model(result=number + int(rng.integers(self.limit)))


class Ramp(Machine):
    """An array: 0, 1, 2, ... times a step."""

    result = Output(np.ndarray)
    size: int = 1000
    step: float = 1.0

    def run(self) -> Model:
        return Model(result=self.step * np.arange(self.size))


class Fail(Machine):
    """Never finishes, with a message."""

    result = Output(int)
    message: str = "no"

    def run(self) -> Model:
        raise ValueError(self.message)


class Demand(Machine):
    """Passes a number on if it is a multiple of another one, and fails if it is not."""

    number = Input(int)
    result = Output(int)
    divisor: int = parameter(default=2, at_least=1)

    def run(self, number: int) -> Model:
        if number % self.divisor:
            raise ValueError(f"{number} is not a multiple of {self.divisor}")
        return Model(result=number)


class Sleep(Machine):
    """A number after some time."""

    result = Output(int)
    seconds: float = 0.01
    value: int = 0

    def run(self) -> Model:
        time.sleep(self.seconds)
        return Model(result=self.value)


class Gate:
    """A place where a machine waits until the test lets it through."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.reached = threading.Event()
        self.opened = threading.Event()


_gates: dict[str, Gate] = {}


def gate(name: str) -> Gate:
    """The gate of that name, in this process."""
    return _gates.setdefault(name, Gate(name))


class Pass(Machine):
    """A number, once a gate is open; only on threads."""

    result = Output(int)
    version = 1
    gate: str
    value: int = 0

    def run(self) -> Model:
        place = gate(self.gate)
        place.reached.set()
        if not place.opened.wait(30):
            raise TimeoutError(f"nobody opened the gate {self.gate}")
        return Model(result=self.value)


class Chain(Machine):
    """Add one to a number, as often as asked; each step is a machine bound to the one before."""

    number = Input(int)
    result = Output(int)
    length: int = parameter(default=3, at_least=1)

    async def run(self, job: Job, number: Any) -> Model:
        one = job.request(Number(1), name="one")
        for index in range(self.length):
            step = job.request(Add(), left=number, right=one.result, name=f"step {index}", comments={"Step": index})
            number = step.result
        await step
        return Model(result=step.result, results={"Steps": self.length})


class Fan(Machine):
    """Multiples of a number, side by side."""

    number = Input(int)
    results_of = MultiOutput(int)
    width: int = parameter(default=3, at_least=1)

    async def run(self, job: Job, number: Any) -> Model:
        scaled = [job.request(Scale(factor), number=number, name=f"times {factor}") for factor in range(self.width)]
        await job.all(*scaled)
        return Model(results_of=[each.result for each in scaled])


class Distribute(Machine):
    """Pairs of random numbers in place of the folds of a cross-validation."""

    data = Input(int)
    training = MultiOutput(int)
    test = MultiOutput(int)
    folds: int = parameter(default=10, at_least=1)

    def run(self, data: int, rng: np.random.Generator) -> Model:
        drawn = [data + int(number) for number in rng.integers(1_000_000, size=self.folds)]
        return Model(training=drawn, test=[number + 1 for number in drawn])


class Learn(Machine):
    """A number in place of a classifier."""

    data = Input(int)
    classifier = Output(int)
    k: int = 1

    def run(self, data: int) -> Model:
        return Model(classifier=self.k * data)


class Judge(Machine):
    """An accuracy of sorts."""

    data = Input(int)
    classifier = Input(int)

    def run(self, data: int, classifier: int) -> Model:
        return Model(results={"Accuracy": data * classifier % 97 / 97})


def cross_validation(repetitions: int = 10, folds: int = 10, seed: int | None = 1) -> Repeater:
    """The repeater of section 4.2.3.3: a distributor scheme, and a test scheme with two learners and two tests."""
    distributor = Scheme(data=int)
    cv = distributor.add(Distribute(folds), name="cv", data=distributor.data)
    distributor.expose(training=cv.training, test=cv.test)
    test = Scheme(training=int, test=int)
    k = test.add(Learn(1), name="k", data=test.training)
    s = test.add(Learn(2), name="s", data=test.training)
    test.add(Judge(), name="kt", data=test.test, classifier=k.classifier)
    test.add(Judge(), name="st", data=test.test, classifier=s.classifier)
    return Repeater(distributor=distributor, test=test, repetitions=repetitions, seed=seed)


class Log:
    """Everything that happened in a project since this began to listen."""

    def __init__(self, project: Project) -> None:
        self.events: list[Event] = []
        project.listen(self.events.append)

    def of(self, kind: EventKind) -> list[Event]:
        """The events of a kind, in order."""
        return [event for event in self.events if event.kind is kind]

    @property
    def started(self) -> list[str]:
        """The paths of what ran, in order."""
        return [event.path for event in self.of(EventKind.STARTED)]

    @property
    def runs(self) -> Counter[bytes]:
        """How often each key was run."""
        return Counter(event.key for event in self.of(EventKind.STARTED))
