"""Bindings: what a request says about its inputs is checked before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from intemi.kernel import BindingError, ConfigurationError, InfeasibleError, Input, Machine, Model, Output, Project
from intemi.kernel.request import bind, check_feasible
from tests.machines import Add, Fan, Log, Number, Ramp, Scale, Split, Total


class Show(Machine):
    """The text of anything."""

    thing = Input(object)
    text = Output(str)

    def run(self, thing: Any) -> Model:
        return Model(text=str(thing))


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=1) as opened:
        yield opened


def refused(project: Project, config: Any, **bindings: Any) -> str:
    """Why a request is refused; nothing was even requested."""
    log = Log(project)
    with pytest.raises(ConfigurationError) as refusal:
        project.request(config, **bindings)
    assert log.events == []
    return str(refusal.value)


def test_sources_come_in_the_order_of_the_ports(project: Project) -> None:
    one, two = project.given(1), project.given(2)
    assert bind(Add(), {"right": two, "left": one}) == {"left": (one,), "right": (two,)}
    assert list(bind(Add(), {"right": two, "left": one})) == ["left", "right"]
    assert bind(Number(), {}) == {}


def test_an_input_takes_the_output_of_any_machine_ready_or_not(project: Project) -> None:
    number = project.request(Number(3))
    doubled = project.request(Scale(), number=number.result)
    assert project.run(Add(), left=doubled.result, right=project.given(1)).outputs["result"] == 7


def test_a_multi_input_takes_any_number_of_sources_in_order(project: Project) -> None:
    parts = project.run(Split(3), number=project.given(10))
    one = project.given(1)
    for bound, count, total in (
        (one, 1, 1),
        ([], 0, 0),
        ((one, one), 2, 2),
        (parts.parts, 3, 10),
        ([parts.parts, one, parts.parts[0]], 5, 14),
    ):
        done = project.run(Total(), numbers=bound)
        assert (done.results["Count"], done.outputs["result"]) == (count, total)


def test_an_item_of_a_multi_output_can_be_bound_once_it_is_there(project: Project) -> None:
    fan = project.run(Fan(3), number=project.given(5))
    assert project.run(Scale(), number=fan.results_of[2]).outputs["result"] == 20
    assert len(fan.results_of) == 3
    with pytest.raises(IndexError, match=re.escape("Fan.results_of has 3 items, not one with index 3")):
        fan.results_of[3]


def test_what_is_not_bound_is_named_with_everything_there_is(project: Project) -> None:
    assert refused(project, Add()) == "Add: not bound: left, right; its inputs are left (int), right (int)"
    assert refused(project, Add(), left=project.given(1)) == (
        "Add: not bound: right; its inputs are left (int), right (int)"
    )


def test_an_input_that_does_not_exist_is_named(project: Project) -> None:
    one = project.given(1)
    assert refused(project, Add(), left=one, right=one, top=one) == (
        "Add: no input is called 'top'; its inputs are left (int), right (int)"
    )
    assert refused(project, Number(), top=one) == "Number: no input is called 'top'; its inputs are none"
    text = project.given("a text")
    assert refused(project, Add(), left=text, top=one) == (
        "Add: no input is called 'top'; its inputs are left (int), right (int)"
    ), "names come before types"


def test_types_are_checked_when_bound_and_both_ports_are_named(project: Project) -> None:
    ramp = project.request(Ramp())
    assert refused(project, Scale(), number=ramp.result) == "Scale.number takes int, but Ramp.result gives ndarray"
    assert refused(project, Total(), numbers=[project.given(1), project.given(1.5)]) == (
        "Total.numbers takes int, but Given.value gives float"
    )


def test_several_sources_need_a_multi_input(project: Project) -> None:
    one, parts = project.given(1), project.request(Split(), number=project.given(4))
    assert refused(project, Scale(), number=[one, one]) == "Scale.number takes one int, got 2 sources"
    assert refused(project, Scale(), number=parts.parts) == (
        "Scale.number takes one int, but Split.parts gives many; bind one of its items, parts[i]"
    )


@pytest.mark.parametrize("value", [5, "text", None, Number()], ids=repr)
def test_a_value_is_not_a_source_but_can_be_made_one(project: Project, value: Any) -> None:
    assert refused(project, Show(), thing=value) == (
        f"Show.thing must be bound to an output, such as capsule.thing, got {value!r}; "
        "project.given(value) makes an output of a value"
    )
    if not isinstance(value, Machine):
        assert project.run(Show(), thing=project.given(value)).outputs["text"] == str(value)


def test_a_capsule_is_not_an_output(project: Project) -> None:
    number = project.run(Number(3))
    assert refused(project, Scale(), number=number).startswith(
        "Scale.number must be bound to an output, such as capsule.number, got <Capsule Number: finished>"
    )
    with pytest.raises(BindingError, match="Number: no output is called 'number'; its outputs are result"):
        assert number.number


def test_only_machines_can_be_requested(project: Project) -> None:
    assert refused(project, 5) == "only machines can be requested, got 5"
    assert refused(project, Number) == (
        "only machines can be requested, got <class 'tests.machines.Number'>, the class itself; write Number(...)"
    )


def test_a_machine_without_a_process_is_not_feasible(project: Project) -> None:
    class Family(Machine):
        result = Output(int)

    class Holder(Machine):
        members: tuple[Machine, ...] = ()

        def run(self) -> Model:
            return Model()

    with pytest.raises(InfeasibleError, match=r"this is missing:\n  it has no process, write its run$"):
        project.request(Family())
    with pytest.raises(InfeasibleError, match=r"this is missing:\n  members.1: it has no process, write its run$"):
        check_feasible(Holder([Number(), Family()]))  # type: ignore[arg-type]
