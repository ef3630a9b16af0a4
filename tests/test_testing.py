"""The conformance suites: what is good passes, each kind of mistake is caught with a sentence that says what it is."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from intemi import Processes
from intemi.kernel import (
    Component,
    ConfigurationError,
    Input,
    Job,
    Machine,
    MachineFailed,
    Model,
    MultiOutput,
    Output,
    Threads,
    storable,
)
from intemi.kernel.seeds import Seed
from intemi.kernel.workers.base import Call
from intemi.testing import check_machine, check_task_manager
from intemi.workers import TaskManager
from tests.machines import Add, Chain, Distribute, Draw, Fan, Number, Ramp, Shake, Split, Total, cross_validation

_serial = itertools.count()


# Good machines


@pytest.mark.parametrize(
    ("machine", "inputs"),
    [
        (Number, {}),
        (Number(7), {}),
        (Ramp, {}),
        (Draw, {}),
        (Add, {"left": 1, "right": 2}),
        (Shake(seed=3), {"number": 5}),
        (Total(), {"numbers": [1, 2, 3]}),
        (Total(), {"numbers": []}),
        (Split(3), {"number": 10}),
        (Chain(4), {"number": 1}),
        (Fan(2), {"number": 1}),
        (Distribute(3), {"data": 4}),
        (cross_validation(2, 2), {"data": 3}),
    ],
)
def test_a_good_machine_passes(machine: Machine | type[Machine], inputs: dict[str, Any]) -> None:
    check_machine(machine, **inputs)


# Bad machines


class Undelivered(Machine):
    """Forgets one of its outputs."""

    first = Output(int)
    second = Output(int)

    def run(self) -> Model:
        return Model(first=1)


class Surplus(Machine):
    """Delivers an output that it does not have."""

    def run(self) -> Model:
        return Model(result=1)


class Mistyped(Machine):
    """Delivers something else."""

    result = Output(int)

    def run(self) -> Model:
        return Model(result="1")


class Scalar(Machine):
    """Delivers one value instead of many."""

    results_of = MultiOutput(int)

    def run(self) -> Model:
        return Model(results_of=1)


class Numbered(Machine):
    version = 1

    def run(self) -> Model:
        return Model(results={"Grade": 1, 1: 2})  # type: ignore[dict-item]


class Bare(Machine):
    """Returns a value instead of a model."""

    result = Output(int)

    def run(self) -> Any:
        return 1


class Meddler(Machine):
    """Writes into its input."""

    values = Input(list)
    result = Output(int)

    def run(self, values: list[int]) -> Model:
        values.append(1)
        return Model(result=len(values))


class Scribbler(Machine):
    """Writes into its input, which is an array."""

    array = Input(np.ndarray)
    result = Output(float)

    def run(self, array: np.ndarray) -> Model:
        array[0] = 7.0
        return Model(result=float(array.sum()))


class Careless(Machine):
    """Makes an output out of whatever chance has to offer."""

    result = Output(float)

    def run(self) -> Model:
        return Model(result=random.random())


class CarelessResults(Machine):
    """Leaves results that are different every time."""

    version = 1

    def run(self) -> Model:
        return Model(results={"Serial": next(_serial)})


class Unseeded(Machine):
    """Takes a generator and uses another one."""

    result = Output(float)

    def run(self, rng: np.random.Generator) -> Model:
        return Model(result=float(np.random.default_rng().random()))


class Opaque:
    """A value that has no encoding."""


class Unstorable(Machine):
    """Makes something that no store can keep."""

    result = Output(Opaque)

    def run(self) -> Model:
        return Model(result=Opaque())


class OpaqueResults(Machine):
    """Leaves something as a result that is no plain value."""

    def run(self) -> Model:
        return Model(results={"Object": Opaque()})


@storable
@dataclass
class Rounded:
    """Loses something on the way to the disk and back."""

    number: float

    def __post_init__(self) -> None:
        self.number = self.number + 1


class Lossy(Machine):
    """Makes something that comes back from the store as something else."""

    result = Output(Rounded)

    def run(self) -> Model:
        return Model(result=Rounded(0.5))


class Blind(Machine):
    """Has an identity that ignores a parameter."""

    result = Output(int)
    count: int = 1

    @property
    def digest(self) -> bytes:
        return b"x" * 16

    def run(self) -> Model:
        return Model(result=self.count)


class Restless(Machine):
    """Changes its own configuration while it runs."""

    result = Output(int)
    count: int = 1

    def run(self) -> Model:
        self.__dict__["count"] = 2
        return Model(result=self.count)


class Forgetful(Component):
    """Comes back from plain data as something else."""

    size: int = 1

    def to_plain(self) -> Any:
        return Forgetful().plain()

    def plain(self) -> Any:
        return super().to_plain()


class Holder(Machine):
    """Has a part that does not survive plain data."""

    inner: Forgetful = Forgetful(5)

    def run(self) -> Model:
        return Model()


class Idle(Machine):
    """A composite that delivers a value of its own."""

    result = Output(int)

    async def run(self, job: Job) -> Model:
        return Model(result=3)


MISTAKES = [
    (Undelivered, {}, MachineFailed, "must deliver the outputs (first, second), got (first)"),
    (Surplus, {}, MachineFailed, "must deliver the outputs (), got (result)"),
    (Mistyped, {}, MachineFailed, "Mistyped.result must be int, got str"),
    (Scalar, {}, MachineFailed, "Scalar.results_of must be a list or tuple, got int"),
    (Bare, {}, MachineFailed, "Bare.run must return a Model, got 1"),
    (Numbered, {}, MachineFailed, "Numbered.run must label its results with text, got 1"),
    (Meddler, {"values": [1]}, AssertionError, "Meddler: running it must not change its input values"),
    (Scribbler, {"array": np.ones(3)}, (AssertionError, MachineFailed), "its input array|read-only"),
    (Careless, {}, AssertionError, "Careless: the same seed must give the same output result"),
    (CarelessResults, {}, AssertionError, "CarelessResults: the same seed must give the same results"),
    (Unseeded, {}, AssertionError, "Unseeded: the same seed must give the same output result"),
    (Unstorable, {}, AssertionError, "Unstorable.result cannot be kept on disk"),
    (OpaqueResults, {}, AssertionError, "OpaqueResults: results must be plain values or arrays"),
    (Lossy, {}, AssertionError, "Lossy.result does not survive being stored and loaded again"),
    (Blind, {}, AssertionError, "Blind: count changed, but not the identity"),
    (Restless, {}, AssertionError, "Restless: running it must not change its configuration"),
    (Holder, {}, AssertionError, "Holder: the configuration does not survive plain data"),
    (Idle, {}, MachineFailed, "a composite exhibits outputs of other machines"),
]


@pytest.mark.parametrize(("machine", "inputs", "error", "message"), MISTAKES)
def test_a_bad_machine_is_caught(
    machine: type[Machine], inputs: dict[str, Any], error: type[Exception], message: str
) -> None:
    pattern = message if "|" in message else re.escape(message)
    with pytest.raises(error, match=pattern):
        check_machine(machine, **inputs)


def test_an_output_that_is_not_meant_to_be_stored_may_be_what_it_likes() -> None:
    check_machine(Unstorable, stored=False)


def test_an_example_is_needed_for_every_input() -> None:
    with pytest.raises(ConfigurationError, match="give an example of the input right"):
        check_machine(Add, left=1)


def test_a_class_that_has_no_defaults_must_be_given_as_an_example() -> None:
    class Demanding(Machine):
        """Wants a parameter."""

        count: int

        def run(self) -> Model:
            return Model(results={"Count": self.count})

    with pytest.raises(ConfigurationError, match="pass an example"):
        check_machine(Demanding)
    check_machine(Demanding(3))


# Task managers


@pytest.mark.parametrize("make", [lambda: Threads(1), lambda: Threads(3), lambda: Processes(1), lambda: Processes(2)])
def test_our_task_managers_pass(make: Callable[[], TaskManager]) -> None:
    check_task_manager(make)


class Unlucky(Threads):
    """Uses seeds of its own."""

    def execute(self, call: Call) -> tuple[Model, float]:
        call.seed = Seed(99)
        return super().execute(call)


class Secretive(Threads):
    """Keeps to itself where something went wrong."""

    def execute(self, call: Call) -> tuple[Model, float]:
        try:
            return super().execute(call)
        except ValueError:
            pass
        raise RuntimeError("something went wrong")


class Optimist(Threads):
    """Takes every failure for a success."""

    def execute(self, call: Call) -> tuple[Model, float]:
        try:
            return super().execute(call)
        except ValueError:
            return Model(), 0.0


@pytest.mark.parametrize(
    ("manager", "message"),
    [
        (Unlucky, "must give what a single thread gives"),
        (Secretive, "a failure must keep its traceback"),
        (Optimist, "a machine that raises must fail"),
    ],
)
def test_a_bad_task_manager_is_caught(manager: type[TaskManager], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_task_manager(lambda: manager(2))
