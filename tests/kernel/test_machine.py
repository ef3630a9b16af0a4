"""Machines: what a declaration must look like, and what a run must deliver."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from intemi.kernel import (
    Capsule,
    Component,
    ConfigurationError,
    Input,
    Job,
    Machine,
    MachineFailed,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
)
from intemi.kernel.machine import draw_time_seeds
from tests.machines import Add, Chain, Draw, Number, Scale


def declare(run: Any, **attributes: Any) -> type[Machine]:
    """A machine class with these ports and this process."""
    return type("Sample", (Machine,), {"__module__": __name__, "__qualname__": "Sample", "run": run, **attributes})


# Declarations


def test_ports_and_parameters_come_in_the_order_in_which_they_are_declared() -> None:
    assert list(Add().inputs) == ["left", "right"]
    assert list(Add().outputs) == ["result"]
    assert Number.parameter_names() == ("seed", "value")
    assert repr(Number(3)) == "Number(value=3)"
    assert repr(Number(3, seed=1)) == "Number(seed=1, value=3)"


def test_the_signature_tells_leaves_from_composites_and_who_is_random() -> None:
    assert (Add.is_composite, Add.takes_rng, Add().is_random) == (False, False, False)
    assert (Chain.is_composite, Chain.takes_rng, Chain().is_random) == (True, False, False)
    assert (Draw.is_composite, Draw.takes_rng, Draw().is_random) == (False, True, True)


WRONG: dict[str, tuple[Callable[..., Any], str]] = {
    "an input is missing": (lambda self, a: None, "(self, a)"),
    "one is too many": (lambda self, a, b, c: None, "(self, a, b, c)"),
    "one is called otherwise": (lambda self, a, c: None, "(self, a, c)"),
    "they cannot be given by name": (lambda self, a, b, /: None, "(self, a, b)"),
    "they are not named": (lambda self, *inputs: None, "(self, inputs)"),
    "self is missing": (lambda a, b: None, "(a, b)"),
    "a job without async": (lambda self, job, a, b: None, "(self, job, a, b)"),
    "a parameter": (lambda self, a, b, size: None, "(self, a, b, size)"),
}

HINTS = {
    "a job without async": "; what takes a job is written `async def run`",
    "a parameter": "; size is a parameter: use self.size, or declare an input by `size = Input(...)`",
}


@pytest.mark.parametrize("what", WRONG)
def test_a_process_that_does_not_take_the_inputs_is_refused_when_declared(what: str) -> None:
    run, takes = WRONG[what]
    with pytest.raises(ConfigurationError) as refused:
        declare(run, a=Input(int), b=Input(int), size=1, __annotations__={"size": int})
    assert str(refused.value) == (
        f"Sample: run takes {takes}, but its inputs ask for (self, a, b), by name{HINTS.get(what, '')}"
    )


def test_a_composite_takes_a_job() -> None:
    async def run(self: Any, a: Any) -> Model:
        return Model()

    with pytest.raises(ConfigurationError, match=r"run takes \(self, a\), but its inputs ask for \(self, job, a\)"):
        declare(run, a=Input(int))


def test_inputs_may_be_taken_together_by_name() -> None:
    ports = {"a": Input(int), "b": Input(int), "result": Output(int)}
    sample = declare(lambda self, **inputs: Model(result=sum(inputs.values())), **ports)
    with Project(workers=1) as project:
        done = project.run(sample(), a=project.given(1), b=project.given(2))
        assert done.outputs["result"] == 3


def test_a_leaf_that_takes_a_generator_cannot_call_itself_not_random() -> None:
    with pytest.raises(ConfigurationError, match="Sample: run takes rng, so it cannot say `random = False`"):
        declare(lambda self, rng: Model(), random=False)


TAKEN = {
    *(name for name in dir(Capsule) if not name.startswith("_")),
    *(name for name in dir(Machine) if not name.startswith("_")),
    *("job", "limits", "priority", "rng", "self", "branch", "context"),
}


@pytest.mark.parametrize("name", sorted(TAKEN))
def test_a_port_cannot_be_called_like_anything_that_is_found_where_ports_are(name: str) -> None:
    for port in (Input(int), MultiOutput(int)):
        with pytest.raises(ConfigurationError, match=f"^Sample: a port cannot be called '{name}', the name is taken$"):
            declare(lambda self, **inputs: Model(), **{name: port})


def test_ports_and_parameters_cannot_take_each_others_place() -> None:
    with pytest.raises(ConfigurationError, match="size is a parameter of a base class"):

        class First(Family):
            size = Input(int)  # type: ignore[assignment]

    with pytest.raises(ConfigurationError, match="'data' cannot be a parameter, the name is taken"):

        class Second(Family):
            data: int = 1  # type: ignore[assignment]


def test_a_port_may_be_annotated_with_its_kind() -> None:
    class Sample(Machine):
        data: Input = Input(int)
        result: Output = Output(int)
        size: int = 2

        def run(self, data: int) -> Model:
            return Model(result=data * self.size)

    assert Sample.parameter_names() == ("seed", "size")
    assert (list(Sample().inputs), list(Sample().outputs)) == (["data"], ["result"])


def test_one_port_assigned_to_several_names_is_several_ports() -> None:
    class Sample(Machine):
        first = second = MultiOutput(int)

        def run(self) -> Model:
            return Model(first=[1], second=[2, 3])

    assert [port.name for port in Sample().outputs.values()] == ["first", "second"]
    with Project(workers=1) as project:
        outputs = project.run(Sample()).outputs
        assert (outputs["first"], outputs["second"]) == ((1,), (2, 3))


# Families


class Family(Machine):
    """Ports and parameters that several machines share."""

    data = Input(int)
    result = Output(int)
    size: int = 2

    def scaled(self, number: int) -> int:
        return self.size * number


class Member(Family):
    shift: int = 1

    def run(self, data: int) -> Model:
        return Model(result=self.scaled(data) + self.shift)


class Wider(Member):
    more = MultiInput(int)

    def run(self, data: int, more: tuple[int, ...]) -> Model:
        return Model(result=super().run(data).outputs["result"] + sum(more))


def test_ports_and_parameters_are_inherited() -> None:
    assert Member.parameter_names() == ("seed", "size", "shift")
    assert list(Wider().inputs) == ["data", "more"]
    with Project(workers=1) as project:
        one = project.given(1)
        assert project.run(Member(3), data=one).outputs["result"] == 4
        assert project.run(Wider(3, 5), data=one, more=[one, one]).outputs["result"] == 10


def test_a_subclass_that_adds_an_input_must_take_it() -> None:
    with pytest.raises(ConfigurationError, match=r"run takes \(self, data\), but its inputs ask for \(self, data, b\)"):

        class Sample(Member):
            b = Input(int)


def test_a_subclass_may_turn_a_port_into_something_else() -> None:
    class Sample(Wider):
        more = None  # type: ignore[assignment]

        def run(self, data: int) -> Model:  # type: ignore[override]
            return Model(result=data)

    assert list(Sample().inputs) == ["data"]


def test_a_subclass_may_become_random_or_composite_and_back() -> None:
    class Rolling(Member):
        def run(self, data: int, rng: np.random.Generator) -> Model:  # type: ignore[override]
            return Model(result=int(rng.integers(10)))

    class Asking(Rolling):
        async def run(self, job: Job, data: Any) -> Model:  # type: ignore[override]
            return Model(result=data)

    assert (Member.takes_rng, Rolling.takes_rng, Asking.takes_rng) == (False, True, False)
    assert (Member.is_composite, Rolling.is_composite, Asking.is_composite) == (False, False, True)
    assert Rolling().is_random
    assert not Member().is_random


# Models


def failure(run: Any, **outputs: Any) -> str:
    with Project(workers=1) as project, pytest.raises(MachineFailed) as failed:
        project.run(declare(run, version=1, **outputs)())
    return failed.value.message


def test_a_model_holds_outputs_and_results() -> None:
    model = Model(total=3, results={"Size": 2})
    assert (model.outputs, model.results) == ({"total": 3}, {"Size": 2})
    assert repr(model) == "Model(outputs=['total'], results={'Size': 2})"


def test_what_run_returns_must_be_a_model() -> None:
    assert failure(lambda self: 5) == "Sample failed: TypeError: Sample.run must return a Model, got 5"
    assert failure(lambda self: None) == "Sample failed: TypeError: Sample.run must return a Model, got None"


def test_a_model_must_deliver_every_output_and_no_other() -> None:
    said = "Sample failed: TypeError: Sample.run must deliver the outputs (a, b), got "
    ports = {"a": Output(int), "b": Output(int)}
    assert failure(lambda self: Model(a=1), **ports) == said + "(a)"
    assert failure(lambda self: Model(), **ports) == said + "()"
    assert failure(lambda self: Model(a=1, b=2, c=3), **ports) == said + "(a, b, c)"


@pytest.mark.parametrize(
    ("port", "value", "said"),
    [
        (Output(int), "1", "must be int, got str"),
        (Output(int), None, "must be int, got NoneType"),
        (Output(float), "1", "must be float, got str"),
        (Output(np.ndarray), [1], "must be ndarray, got list"),
        (MultiOutput(int), 1, "must be a list or tuple, got int"),
        (MultiOutput(int), [1, "2"], "must be int, got str"),
        (MultiOutput(int), iter([1]), "must be a list or tuple, got list_iterator"),
    ],
)
def test_an_output_must_be_of_the_type_of_its_port(port: Output, value: Any, said: str) -> None:
    assert failure(lambda self: Model(a=value), a=port) == f"Sample failed: TypeError: Sample.a {said}"


def test_an_int_will_do_for_a_float_and_a_subclass_for_its_base() -> None:
    sample = declare(lambda self: Model(a=1, b=True), a=Output(float), b=Output(object))
    with Project(workers=1) as project:
        assert dict(project.run(sample()).outputs) == {"a": 1, "b": True}


def test_a_composite_gives_outputs_of_others_and_no_values() -> None:
    async def run(self: Any, job: Job) -> Model:
        return Model(a=5)

    assert failure(run, a=Output(int)) == (
        "Sample failed: TypeError: Sample.a: a composite exhibits outputs of other machines, such as child.a, got 5; "
        "compute values in a leaf"
    )


def test_a_composite_waits_for_capsules_and_for_nothing_else() -> None:
    async def run(self: Any, job: Job) -> Model:
        await asyncio.sleep(0)
        return Model()

    assert "Sample.run can await job.all, job.any and capsules, got None" in failure(run)


def test_a_composite_must_say_that_it_is_random_if_what_it_asks_for_is() -> None:
    async def run(self: Any, job: Job) -> Model:
        return Model(a=(await job.request(Draw())).result)

    assert "Sample: requests the random machine Draw, so it must declare `random = True`" in failure(run, a=Output(int))
    said = declare(run, a=Output(int), random=True)
    with Project(workers=1) as project:
        assert project.run(said(seed=1)).outputs["a"] == project.run(Draw(seed=1)).outputs["result"]


# Seeds


@pytest.mark.parametrize("seed", [-1, 1.5, True, "clock"])
def test_a_seed_is_a_number_or_time(seed: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^Draw: seed must be .*at least 0, got "):
        Draw(seed=seed)


class Holder(Machine):
    """Machines in every place where a parameter may have them."""

    one: Machine = Draw()
    many: tuple[Any, ...] = ()
    named: dict[str, Any] = {}  # noqa: RUF012
    text: str = "time"

    def run(self) -> Model:
        return Model()


class Clock(Component):
    """Has a seed of its own that is none of the engine's business, and a machine."""

    seed: str = "time"
    machine: Machine = Draw(seed="time")


def test_a_seed_from_time_is_drawn_wherever_it_is_and_nothing_else_changes() -> None:
    config = Holder(Draw(seed="time"), (1, (Draw(seed="time"), Draw())), {"a": [Clock()], "b": Draw(seed=3)})
    drawn, again = draw_time_seeds(config), draw_time_seeds(config)
    paths = ["one", "many.1.0", "named.a.0.machine"]
    seeds = [seeded.get(f"{path}.seed") for path in paths for seeded in (drawn, again)]
    assert len({seed for seed in seeds if isinstance(seed, int)}) == 6
    back: Any = drawn
    for path in paths:
        back = back.replace(f"{path}.seed", "time")
    assert back == config
    assert draw_time_seeds(Holder()) == Holder()


def test_a_machine_with_a_seed_from_time_is_another_one_each_time() -> None:
    with Project(workers=1) as project:
        results = {project.run(Draw(seed="time", limit=10**9)).outputs["result"] for _ in range(5)}
        assert len(results) == 5
        again = project.run(Draw(seed="time", limit=10**9))
        assert project.run(again.config).outputs["result"] == again.outputs["result"]


# Where classes come from


def test_a_machine_may_be_defined_anywhere() -> None:
    def define(factor: int) -> Machine:
        class Local(Machine):
            number = Input(int)
            result = Output(int)

            def run(self, number: int) -> Model:
                return Model(result=factor * number)

        return Local()

    with Project(workers=1) as project:
        three = project.given(3)
        assert project.run(define(2), number=three).outputs["result"] == 6
        assert project.run(define(5), number=three).outputs["result"] == 15
        assert project.run(Scale(2), number=three).outputs["result"] == 6
        assert project.counts().physical == {"Local": 2, "Scale": 1}
        project.run(define(2), number=three)
        assert project.counts().physical == {"Local": 2, "Scale": 1}
