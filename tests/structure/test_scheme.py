"""Schemes: drawn by hand, closed when used, run in the order of their wires."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from intemi.data import Data
from intemi.kernel import (
    BindingError,
    ConfigurationError,
    EventKind,
    InfeasibleError,
    Input,
    Machine,
    MachineFailed,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
    from_plain,
)
from intemi.machines import KNN, Scheme, Standardization
from tests.machines import Add, Draw, Fail, Fan, Log, Number, Ramp, Remainder, Scale, Shake, Split, Total


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=1) as opened:
        yield opened


def doubled_sum() -> Scheme:
    """(a + b) · 2"""
    scheme = Scheme(a=int, b=int)
    total = scheme.add(Add(), left=scheme.a, right=scheme.b)
    double = scheme.add(Scale(2), number=total.result, name="double")
    scheme.expose(result=double.result)
    return scheme


def value_of(project: Project, config: Machine, **inputs: Any) -> Any:
    bound = {name: project.given(value) for name, value in inputs.items()}
    return project.run(config, **bound).outputs["result"]


# Drawing


def test_a_scheme_computes_what_is_drawn(project: Project) -> None:
    assert value_of(project, doubled_sum(), a=3, b=4) == 14


def test_its_ports_are_those_it_declares_and_exposes() -> None:
    scheme = Scheme(one=int, two=Input(str), many=MultiInput(float), out=Output(list), outs=MultiOutput(dict))
    assert [port.declared for port in scheme.inputs.values()] == ["MultiInput(float)", "Input(int)", "Input(str)"]
    assert [str(port) for port in scheme.outputs.values()] == ["out (list)", "outs (many dict)"]
    assert repr(doubled_sum()) == (
        "Scheme(a=Input(int), b=Input(int), result=Output(int), add: Add(), double: Scale(factor=2))"
    )


def test_machines_are_called_after_their_class_unless_they_are_given_a_name() -> None:
    scheme = Scheme(number=int)
    names = [
        scheme.add(Scale(), number=scheme.number).name,
        scheme.add(Scale(3), number=scheme.number).name,
        scheme.add(Scale(4), number=scheme.number, name="my scale").name,
        scheme.add(Scale(5), number=scheme.number).name,
        scheme.add(type("ROCAnalysis", (Number,), {})()).name,
        scheme.add(type("Children", (Number,), {})()).name,
    ]
    assert names == ["scale", "scale 2", "my scale", "scale 3", "roc analysis", "children 2"]


@pytest.mark.parametrize("name", ["a/b", ".b", "a.", "a..b", "seed", "children", "exposed", "ports_in", "ports_out"])
def test_a_name_that_a_path_could_not_say_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"the name of a machine inside must be a text .* got '{name}'"):
        Scheme().add(Number(), name=name)


def test_a_name_can_be_given_once() -> None:
    scheme = Scheme()
    scheme.add(Number(), name="one")
    with pytest.raises(ConfigurationError, match="Scheme: a machine inside is called 'one' already"):
        scheme.add(Number(), name="one")
    assert scheme.part_names() == ["seed", "ports_in", "ports_out", "children", "exposed", "one"]


@pytest.mark.parametrize("name", ["results", "name", "seed", "config", "add", "children", "digest", "run", "outputs"])
def test_a_port_cannot_take_a_name_that_means_something_else(name: str) -> None:
    said = f"Scheme: a port cannot be called '{name}', the name is taken"
    if name != "seed":
        with pytest.raises(ConfigurationError, match=said):
            Scheme(**{name: int})  # type: ignore[arg-type]
    scheme = Scheme()
    number = scheme.add(Number())
    with pytest.raises(ConfigurationError, match=said):
        scheme.expose(**{name: number.result})


def test_inputs_may_be_bound_later_and_bound_again(project: Project) -> None:
    scheme = Scheme(a=int, b=int)
    add = scheme.add(Add())
    scheme.bind(add, left=scheme.a)
    scheme.bind("add", right=scheme.a)
    scheme.bind(add, right=scheme.b)
    scheme.expose(result=add.result)
    assert value_of(project, scheme, a=1, b=10) == 11


def test_an_output_may_be_an_input_that_passes_through(project: Project) -> None:
    scheme = Scheme(number=int)
    scheme.expose(result=scheme.number)
    assert scheme.missing() == []
    assert value_of(project, scheme, number=5) == 5


def test_only_machines_can_be_added() -> None:
    with pytest.raises(ConfigurationError, match="Scheme: only machines can be added, got 5"):
        Scheme().add(5)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="Scheme: only machines can be added, got <class"):
        Scheme().add(Number)  # type: ignore[arg-type]


# Wires


def test_a_wire_between_types_that_do_not_fit_is_refused_with_both_ports() -> None:
    scheme = Scheme(number=float)
    ramp = scheme.add(Ramp())
    with pytest.raises(BindingError, match=r"^Scale\.number takes int, but ramp\.result gives ndarray$"):
        scheme.add(Scale(), number=ramp.result)
    with pytest.raises(BindingError, match=r"^Scale\.number takes int, but the scheme's input\.number gives float$"):
        scheme.add(Scale(), number=scheme.number)
    assert [child.name for child in scheme.children] == ["ramp"]


def test_a_declared_output_takes_only_what_fits() -> None:
    scheme = Scheme(result=Output(str))
    number = scheme.add(Number())
    with pytest.raises(BindingError, match=r"^Scheme\.result takes str, but number\.result gives int$"):
        scheme.expose(result=number.result)


def test_what_is_not_there_cannot_be_bound() -> None:
    scheme = Scheme(number=int)
    scale = scheme.add(Scale())
    with pytest.raises(BindingError, match="Scale: no input is called 'nummer'; its inputs are number"):
        scheme.bind(scale, nummer=scheme.number)
    with pytest.raises(BindingError, match="Scale: no output is called 'results'; its outputs are result"):
        assert scale.results
    with pytest.raises(AttributeError, match="neither an input nor a method is called 'nummer'; its inputs are number"):
        assert scheme.nummer
    with pytest.raises(ConfigurationError, match="Scheme: no machine inside is called 'scales'; there are scale"):
        scheme.bind("scales", number=scheme.number)
    with pytest.raises(BindingError, match=r"Scale\.number must be bound to a port of this scheme, .* got 5"):
        scheme.bind(scale, number=5)


def test_a_wire_cannot_lead_to_another_scheme() -> None:
    one, other = Scheme(number=int), Scheme(number=int)
    one.add(Scale())
    there = other.add(Scale(), number=other.number)
    with pytest.raises(BindingError, match=r"^Scale\.number cannot be bound to <scale\.result in a scheme>, which bel"):
        one.add(Scale(), number=there.result)
    with pytest.raises(BindingError, match=r"^Scale\.number cannot be bound to <number in a scheme>, which bel"):
        one.add(Scale(), number=other.number)
    with pytest.raises(BindingError, match=r"^output result cannot be bound to .*, which belongs to another scheme$"):
        one.expose(result=there.result)
    with pytest.raises(BindingError, match="Scheme: scale is a machine in another scheme"):
        one.bind(there, number=one.number)


def test_many_wires_may_lead_to_a_multi_input(project: Project) -> None:
    scheme = Scheme(a=int, more=MultiInput(int))
    parts = scheme.add(Split(3), number=scheme.a)
    one = scheme.add(Number(100))
    total = scheme.add(Total(), numbers=[scheme.more, one.result, parts.parts, scheme.a])
    scheme.expose(result=total.result)
    more = [project.given(1000), project.given(2000)]
    done = project.run(scheme, a=project.given(7), more=more)
    assert done.outputs["result"] == 3000 + 100 + 7 + 7
    assert done.child("total").results["Count"] == 2 + 1 + 3 + 1


def test_an_empty_list_is_a_binding_of_a_multi_input(project: Project) -> None:
    scheme = Scheme()
    total = scheme.add(Total(), numbers=[])
    scheme.expose(result=total.result)
    assert value_of(project, scheme) == 0


def test_many_wires_or_a_collection_need_a_multi_input() -> None:
    scheme = Scheme(number=int)
    parts = scheme.add(Split(), number=scheme.number)
    with pytest.raises(BindingError, match=r"Scale\.number takes one int, got several"):
        scheme.add(Scale(), number=[scheme.number, scheme.number])
    with pytest.raises(BindingError, match=r"Scale\.number takes one int, but split\.parts gives many"):
        scheme.add(Scale(), number=parts.parts)


def test_a_collection_passes_through_a_scheme(project: Project) -> None:
    scheme = Scheme(number=int)
    fan = scheme.add(Fan(4), number=scheme.number)
    scheme.expose(multiples=fan.results_of)
    done = project.run(scheme, number=project.given(3))
    assert done.outputs["multiples"] == (0, 3, 6, 9)
    assert project.run(Scale(10), number=done.multiples[2]).outputs["result"] == 60


# Order


def test_a_cycle_is_refused_and_shown() -> None:
    scheme = Scheme()
    first, second, third = (scheme.add(Scale(), name=name) for name in ("first", "second", "third"))
    scheme.bind(second, number=first.result)
    scheme.bind(third, number=second.result)
    with pytest.raises(BindingError, match="Scheme: its machines wait for each other: first → second → third → first"):
        scheme.bind(first, number=third.result)
    with pytest.raises(BindingError, match="Scheme: its machines wait for each other: first → first"):
        scheme.bind(first, number=first.result)
    assert scheme.missing() == ["first: input number (int) is not bound"]


def test_machines_are_requested_after_what_they_are_bound_to_and_else_as_added(project: Project) -> None:
    scheme = Scheme(number=int)
    last, alone, middle, first = (scheme.add(Scale(n), name=name) for n, name in enumerate("dcba"))
    scheme.bind(first, number=scheme.number)
    scheme.bind(alone, number=scheme.number)
    scheme.bind(middle, number=first.result)
    scheme.bind(last, number=middle.result)
    log = Log(project)
    done = project.run(scheme, number=project.given(1))
    assert [event.name for event in log.of(EventKind.REQUESTED)] == ["Scheme", "c", "a", "b", "d"]
    assert [child.name for child in done.children] == ["c", "a", "b", "d"]


def test_a_long_chain_that_was_added_backwards_is_sorted(project: Project) -> None:
    scheme = Scheme(number=int)
    handles = [scheme.add(Remainder(1000 + index), name=str(index)) for index in range(60)]
    for before, after in zip(handles[1:], handles, strict=False):
        scheme.bind(after, number=before.result)
    scheme.bind(handles[-1], number=scheme.number)
    scheme.expose(result=handles[0].result)
    assert value_of(project, scheme, number=5) == 5


# A value


def test_a_scheme_that_is_used_can_no_longer_change(project: Project) -> None:
    uses = (
        lambda scheme: scheme.digest,
        lambda scheme: scheme == Scheme(),
        lambda scheme: {scheme},
        lambda scheme: Scheme().add(scheme),
        lambda scheme: project.request(scheme, a=project.given(1), b=project.given(2)),
    )
    for use in uses:
        scheme = doubled_sum()
        scheme.add(Number(), name="before")
        use(scheme)
        for change in (
            lambda scheme=scheme: scheme.add(Number()),
            lambda scheme=scheme: scheme.bind("add", left=scheme.b),
            lambda scheme=scheme: scheme.expose(other=scheme.a),
        ):
            with pytest.raises(ConfigurationError, match=r"it is in use already and can no longer change; replace\(\)"):
                change()


def test_what_was_asked_of_a_scheme_while_it_was_drawn_does_not_stick(project: Project) -> None:
    scheme = Scheme(number=int)
    assert (scheme.is_random, list(scheme.inputs), len(scheme.missing())) == (False, ["number"], 1)
    scheme.add(Scale(), number=scheme.number)
    with pytest.raises(BindingError, match="Scheme: not bound: number"):
        project.request(scheme)
    scheme.add(Draw())
    unbound = scheme.add(Scale())
    assert scheme.is_random
    with pytest.raises(InfeasibleError, match=r"this is missing:\n  scale 2: input number \(int\) is not bound"):
        project.request(scheme, number=project.given(1))
    scheme.bind(unbound, number=scheme.number)
    scheme.expose(result=unbound.result)
    assert value_of(project, scheme, number=4) == 8


def test_a_change_that_is_refused_leaves_the_scheme_as_it_was(project: Project) -> None:
    scheme = doubled_sum()
    twin = doubled_sum()
    for refused in (
        lambda: scheme.add(Scale(), nummer=scheme.a),
        lambda: scheme.add(Number(), name="double"),
        lambda: scheme.bind("add", left=scheme.double),
        lambda: scheme.expose(results=scheme.a),
    ):
        with pytest.raises((ConfigurationError, AttributeError)):
            refused()
    assert scheme == twin


def test_schemes_are_equal_when_they_were_drawn_the_same() -> None:
    assert doubled_sum() == doubled_sum()
    other = doubled_sum()
    other.add(Number())
    assert other != doubled_sum()
    crossed = Scheme(a=int, b=int)
    total = crossed.add(Add(), left=crossed.b, right=crossed.a)
    double = crossed.add(Scale(2), number=total.result, name="double")
    crossed.expose(result=double.result)
    assert crossed != doubled_sum()


def test_the_names_of_machines_are_part_of_the_scheme_but_not_of_the_machines(project: Project) -> None:
    def named(name: str) -> Scheme:
        scheme = Scheme(number=int)
        scale = scheme.add(Scale(3), number=scheme.number, name=name)
        scheme.expose(result=scale.result)
        return scheme

    assert named("a") != named("b")
    one = project.given(1)
    project.run(named("a"), number=one)
    project.run(named("b"), number=one)
    assert project.counts().physical == {"Scheme": 2, "Scale": 1}


def nested() -> Scheme:
    outer = Scheme(x=int)
    inner = outer.add(doubled_sum(), a=outer.x, b=outer.x, name="inner")
    last = outer.add(Scale(10), number=inner.result, name="last")
    outer.expose(result=last.result)
    return outer


def test_a_part_inside_is_found_and_exchanged(project: Project) -> None:
    scheme = nested()
    assert scheme.get("inner/double.factor") == 2
    assert scheme.get("inner/double") == Scale(2)
    changed = scheme.replace("inner/double.factor", 5).replace("last", Remainder(7))
    assert value_of(project, scheme, x=1) == 40
    assert value_of(project, changed, x=1) == 3
    assert scheme.get("inner/double.factor") == 2


def test_what_is_put_inside_must_fit_the_wires() -> None:
    with pytest.raises(BindingError, match="Number: no input is called 'number'"):
        nested().replace("last", Number())
    ramp = Scheme(a=int, b=int)
    ramp.expose(result=ramp.add(Ramp()).result)
    with pytest.raises(BindingError, match=r"Scale\.number takes int, but inner\.result gives ndarray"):
        nested().replace("inner", ramp)
    with pytest.raises(ConfigurationError, match="Scheme: last must be a Machine, got 5"):
        nested().replace("last", 5)
    with pytest.raises(ConfigurationError, match="Scheme: no machine inside is called 'lost'; there are inner, last"):
        nested().replace("lost", Number())


def test_a_changed_copy_can_be_drawn_on(project: Project) -> None:
    scheme = doubled_sum()
    assert scheme.digest
    copied = scheme.replace("double.factor", 3)
    extra = copied.add(Scale(10), number=copied.a)
    copied.expose(extra=extra.result)
    done = project.run(copied, a=project.given(1), b=project.given(2))
    assert dict(done.outputs) == {"result": 9, "extra": 10}


def test_a_scheme_goes_through_json_and_comes_back(project: Project) -> None:
    scheme = nested().replace("seed", 5)
    back = from_plain(json.loads(json.dumps(scheme.to_plain())))
    assert back == scheme
    assert back.seed == 5
    assert value_of(project, back, x=1) == 40


def wire(child: str, port: str) -> dict[str, str]:
    return {"type": "Wire", "child": child, "port": port}


def child(name: str) -> dict[str, Any]:
    return {"type": "SchemeChild", "name": name, "machine": {"type": "Scheme"}}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"bogus": 1}, "Scheme: no parameter is called 'bogus'; there are seed, ports_in, ports_out, children, expo"),
        ({"exposed": {"other": wire("add", "result")}}, "no output is called 'other'"),
        ({"exposed": {"result": wire("add", "x")}}, "output result is bound to 'add'.x, but Add gives result"),
        ({"exposed": {"result": wire("gone", "x")}}, "no machine inside is called 'gone'; there are add, double"),
        ({"children": []}, "no machine inside is called 'double'; there are none"),
        ({"ports_in": {}}, "is bound to an input 'a' of the scheme, but the scheme takes nothing"),
        ({"children": [child("a"), child("a")]}, "the names of its machines must differ, got a, a"),
        ({"children": [child("a/b")]}, "got 'a/b'"),
    ],
)
def test_plain_data_that_draw_nonsense_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        from_plain({**doubled_sum().to_plain(), **changes})


def test_a_machine_that_does_not_fit_its_place_is_named_with_its_place() -> None:
    scheme = Scheme(data=Data)
    prepared = scheme.add(Standardization(), data=scheme.data, name="prep 1.0")
    scheme.add(KNN(), data=prepared.transformed, name="learner")
    with pytest.raises(BindingError) as refused:
        scheme.replace("prep 1.0", KNN())
    said = "learner.data is bound to 'prep 1.0'.transformed, but KNN gives classifier (Classifier)"
    assert str(refused.value) == f"Scheme: {said}"


def test_copies_run_like_the_original(project: Project) -> None:
    for same in (copy.copy(nested()), copy.deepcopy(nested()), pickle.loads(pickle.dumps(nested()))):
        assert same == nested()
        assert value_of(project, same, x=1) == 40


# Running


def test_an_output_of_a_scheme_is_that_of_its_machine(project: Project) -> None:
    done = project.run(nested(), x=project.given(1))
    direct = done.child("inner/double")
    project.run(Scale(77), number=done.result)
    before = project.counts().physical["Scale"]
    project.run(Scale(77), number=done.child("last").result)
    project.run(Scale(10), number=direct.result)
    assert project.counts().physical["Scale"] == before


def test_the_machines_inside_are_found_by_their_path(project: Project) -> None:
    done = project.run(nested(), x=project.given(3), name="top")
    assert [child.path for child in done.children] == ["top/inner", "top/last"]
    assert done.child("inner/add").outputs["result"] == 6
    assert done.child("inner/add").results == {"Sum": 6}


def test_a_scheme_hands_its_seed_to_all_its_machines(project: Project) -> None:
    scheme = Scheme(number=int)
    first = scheme.add(Shake(), number=scheme.number, name="first")
    scheme.add(Shake(), number=scheme.number, name="second")
    inner = Scheme(number=int)
    inner.expose(result=inner.add(Shake(), number=inner.number).result)
    scheme.add(inner, number=scheme.number, name="third")
    scheme.expose(result=first.result)
    seeded = scheme.replace("seed", 4)
    done = project.run(seeded, number=project.given(0))
    values = [done.child(name).outputs["result"] for name in ("first", "second", "third")]
    assert values == [value_of(project, Shake(seed=4), number=0)] * 3
    assert project.counts().physical["Shake"] == 2  # one for the three, and one that says its seed itself
    assert value_of(project, scheme.replace("seed", 5), number=0) != values[0]


def test_a_seed_inside_is_stronger_than_that_of_the_scheme(project: Project) -> None:
    scheme = Scheme(seed=1)
    scheme.add(Draw(), name="inherits")
    scheme.add(Draw(seed=2), name="has its own")
    done = project.run(scheme)
    assert done.child("inherits").outputs["result"] == project.run(Draw(seed=1)).outputs["result"]
    assert done.child("has its own").outputs["result"] == project.run(Draw(seed=2)).outputs["result"]


def test_a_scheme_without_chance_inside_has_no_seed(project: Project) -> None:
    with Project(workers=1, seed=7) as other:
        keys = {each.run(doubled_sum(), a=each.given(1), b=each.given(2)).key for each in (project, other)}
    assert len(keys) == 1


def test_a_scheme_fails_with_the_first_cause_and_the_rest_goes_on(project: Project) -> None:
    scheme = Scheme()
    bad = scheme.add(Fail("because"), name="bad")
    scheme.add(Scale(), number=bad.result, name="after")
    scheme.add(Number(3), name="good")
    capsule = project.request(scheme)
    with pytest.raises(MachineFailed, match="Scheme/bad failed: ValueError: because"):
        capsule.wait()
    assert capsule.child("good").outputs["result"] == 3


def test_a_scheme_may_be_subclassed(project: Project) -> None:
    class Sum(Scheme):
        """A scheme with a name of its own."""

    scheme = Sum(a=int)
    scheme.expose(result=scheme.add(Add(), left=scheme.a, right=scheme.a).result)
    assert repr(scheme).startswith("Sum(a=Input(int)")
    assert from_plain(scheme.to_plain()) == scheme
    assert value_of(project, scheme, a=4) == 8


def test_a_machine_with_outputs_called_like_parts_of_a_handle_can_be_drawn(project: Project) -> None:
    class Odd(Machine):
        scheme = Output(int)
        wire = Output(int)

        def run(self) -> Model:
            return Model(scheme=1, wire=2)

    scheme = Scheme()
    odd = scheme.add(Odd())
    add = scheme.add(Add(), left=odd.scheme, right=odd.wire)
    scheme.expose(result=add.result)
    assert value_of(project, scheme) == 3
