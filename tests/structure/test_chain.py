"""The chain: steps that are bound to what the one before them gave."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.kernel import BindingError, Input, Machine, MachineFailed, Model, MultiOutput, Output, Project
from intemi.machines import Chain, Scheme


class Add(Machine):
    """Add a number, and say whether the sum is large."""

    number = Input(int)
    more = Input(int)
    total = Output(int)
    is_large = Output(bool)

    limit: int = 10

    def run(self, number: int, more: int) -> Model:
        return Model(total=number + more, is_large=number + more >= self.limit)


class Wander(Machine):
    """Add a number drawn by chance."""

    number = Input(int)
    there = Output(int)

    def run(self, number: int, rng: np.random.Generator) -> Model:
        return Model(there=number + int(rng.integers(1_000_000)))


class Fail(Machine):
    """Fail at a number."""

    number = Input(int)
    half = Output(int)

    def run(self, number: int) -> Model:
        if number == 2:
            raise ValueError("two is too little")
        return Model(half=number // 2)


class Several(Machine):
    """Give a collection."""

    number = Input(int)
    numbers = MultiOutput(int)

    def run(self, number: int) -> Model:
        return Model(numbers=[number])


def test_steps_get_what_the_one_before_gave_and_all_else_stays() -> None:
    with Project() as project:
        one, two = project.given(1), project.given(2)
        found = project.run(Chain(Add(), length=4, carry={"number": "total"}), number=one, more=two)
    assert found.outputs["total"] == (3, 5, 7, 9)


def test_a_step_may_say_that_it_is_the_last() -> None:
    chain = Chain(Add(limit=6), length=10, carry={"number": "total"}, until="is_large")
    with Project() as project:
        found = project.run(chain, number=project.given(1), more=project.given(2))
        assert found.outputs["total"] == (3, 5, 7)
        assert project.counts().physical["Add"] == 3


def test_a_longer_chain_goes_on_where_a_shorter_one_ended() -> None:
    with Project() as project:
        start = project.given(0)
        short = project.run(Chain(Wander(), length=3, carry={"number": "there"}, seed=1), number=start)
        long = project.run(Chain(Wander(), length=5, carry={"number": "there"}, seed=1), number=start)
        assert project.counts().physical["Wander"] == 5
    assert long.outputs["there"][:3] == short.outputs["there"]
    steps = np.diff((0, *long.outputs["there"]))
    assert len(set(steps.tolist())) == 5, "steps draw differently"


def test_a_scheme_may_be_the_step() -> None:
    step = Scheme(number=int)
    first = step.add(Add(), number=step.number, more=step.number)
    step.expose(doubled=first.total)
    with Project() as project:
        found = project.run(Chain(step, length=3, carry={"number": "doubled"}), number=project.given(1))
    assert found.outputs["doubled"] == (2, 4, 8)


def test_a_step_that_fails_is_named() -> None:
    with Project() as project, pytest.raises(MachineFailed, match="two is too little"):
        project.run(Chain(Fail(), length=5, carry={"number": "half"}), number=project.given(8))


def test_raw_it_is_a_template() -> None:
    assert len(Chain().missing()) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"step": Add(), "carry": {"number": "sum"}}, "carry must lead from outputs of step to its inputs, got 'sum'"),
        ({"step": Add(), "carry": {"sum": "total"}}, "got 'total' for 'sum'"),
        ({"step": Add(), "carry": {"number": "total"}, "until": "total"}, "until must name an output .* got 'total'"),
        ({"step": Several()}, r"step\.numbers must be one value, not a collection"),
    ],
)
def test_what_cannot_be_chained_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(BindingError, match=message):
        Chain(**parameters)  # type: ignore[arg-type]
