"""What inputs inside a scheme can be bound to: items of collections, outputs of machines outside; and dots in names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import (
    BindingError,
    ConfigurationError,
    Machine,
    MachineAborted,
    MachineFailed,
    Model,
    MultiInput,
    MultiOutput,
    Project,
    from_plain,
)
from intemi.kernel.explain import Verdict
from intemi.machines import Repeater, Scheme
from tests.machines import Add, Fail, Number, Pass, Scale, Total, gate


class Ramp(Machine):
    """The numbers 0, 1, 2, ..."""

    numbers = MultiOutput(int)
    size: int = 2

    def run(self) -> Model:
        return Model(numbers=list(range(self.size)))


class Starts(Machine):
    """The numbers 0 and 1, one for each test of a repeater."""

    number = MultiOutput(int)

    def run(self) -> Model:
        return Model(number=[0, 1])


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=1) as opened:
        yield opened


def back(config: Machine) -> Any:
    """A configuration that has been plain data."""
    return from_plain(json.loads(json.dumps(config.to_plain())))


# Items


def sum_of_two(first: int = 1, second: int = 3) -> Scheme:
    """The sum of two numbers of a ramp 0, 1, 2, 3."""
    scheme = Scheme()
    ramp = scheme.add(Ramp(4))
    total = scheme.add(Add(), left=ramp.numbers[first], right=ramp.numbers[second])
    scheme.expose(total=total.result, last=ramp.numbers[3])
    return scheme


def test_an_item_of_a_collection_can_be_bound_and_exposed(project: Project) -> None:
    done = project.run(sum_of_two())
    assert dict(done.outputs) == {"total": 4, "last": 3}
    assert not sum_of_two().outputs["last"].multi


def test_items_are_part_of_the_identity_and_survive_plain_data() -> None:
    assert sum_of_two() != sum_of_two(2) != sum_of_two(2, 1)
    assert back(sum_of_two()) == sum_of_two() == sum_of_two().replace("ramp", Ramp(4))


def test_several_items_can_be_bound_to_one_input(project: Project) -> None:
    scheme = Scheme()
    ramp = scheme.add(Ramp(4))
    total = scheme.add(Total(), numbers=[ramp.numbers[1], ramp.numbers[2], ramp.numbers])
    scheme.expose(total=total.result)
    assert project.run(scheme).outputs["total"] == 1 + 2 + 6


def test_an_item_of_what_is_bound_to_a_multi_input_can_be_bound(project: Project) -> None:
    scheme = Scheme(numbers=MultiInput(int))
    double = scheme.add(Scale(2), number=scheme.numbers[2])
    scheme.expose(result=double.result)
    ramp = project.run(Ramp(2))
    given = [project.given(7), ramp.numbers]  # 7, 0, 1
    assert project.run(scheme, numbers=given).outputs["result"] == 2


def test_an_item_that_is_not_there_is_named(project: Project) -> None:
    with pytest.raises(MachineFailed, match=r"there is no ramp\.numbers\[4\], there are 4 items"):
        project.run(sum_of_two(second=4))


def test_what_has_no_items_says_so() -> None:
    scheme = Scheme(number=int)
    with pytest.raises(BindingError, match="<number in a scheme> is one int, it has no items"):
        scheme.number[0]
    ramp = scheme.add(Ramp(4))
    with pytest.raises(ConfigurationError, match="chosen by a number from 0, got -1"):
        ramp.numbers[-1]
    with pytest.raises(BindingError, match="how many items there are is known when it runs"):
        list(ramp.numbers)
    with pytest.raises(BindingError, match=r"ramp\.numbers is one value, it has no item 1"):
        sum_of_two().replace("ramp", one_number())


def one_number() -> Scheme:
    """Gives one number under a name that is that of many elsewhere."""
    scheme = Scheme()
    number = scheme.add(Number(5))
    scheme.expose(numbers=number.result)
    return scheme


# Outputs of machines outside


def added_to(source: Any) -> Scheme:
    scheme = Scheme(number=int)
    total = scheme.add(Add(), left=scheme.number, right=source)
    scheme.expose(result=total.result)
    return scheme


OUTSIDE: dict[str, tuple[Callable[[Project], Any], int]] = {
    "an output": (lambda project: project.run(Number(5)).result, 5),
    "a value that was given": (lambda project: project.given(6), 6),
    "an item": (lambda project: project.run(Ramp(4)).numbers[3], 3),
    "an output of a scheme": (lambda project: project.run(sum_of_two()).total, 4),
}


@pytest.mark.parametrize("kind", OUTSIDE)
def test_a_machine_inside_can_take_what_exists_outside(kind: str, project: Project) -> None:
    make, value = OUTSIDE[kind]
    scheme = added_to(make(project))
    assert project.run(scheme, number=project.given(10)).outputs["result"] == 10 + value
    assert project.run(back(scheme), number=project.given(20)).outputs["result"] == 20 + value


def test_what_it_would_run_is_explained(project: Project, tmp_path: Path) -> None:
    scheme = added_to(project.run(Number(5)).result)
    explanation = project.explain(scheme, number=project.given(3))
    assert [each.path for each in explanation] == ["Scheme", "Scheme/add"]
    assert all(each.verdict is Verdict.RUN for each in explanation)
    with Project(tmp_path / "other") as other:
        reason = other.explain(scheme, number=other.given(3)).reason
        assert "then it raises NoSuchMachine: Scheme (Scheme) is bound to the output result (int)" in reason


def test_a_whole_collection_outside_can_be_taken(project: Project) -> None:
    scheme = Scheme()
    total = scheme.add(Total(), numbers=project.run(Ramp(4)).numbers)
    scheme.expose(result=total.result)
    assert project.run(scheme).outputs["result"] == 6


def test_a_whole_collection_outside_is_told_from_an_input_of_the_scheme(project: Project) -> None:
    with pytest.raises(BindingError, match=r"one int, but the finished machine \w{8}\.numbers gives many"):
        added_to(project.run(Ramp(4)).numbers)


def test_what_it_comes_from_is_part_of_the_identity(project: Project) -> None:
    five, six = (added_to(project.run(Number(value)).result) for value in (5, 6))
    assert five != six
    assert five == added_to(project.run(Number(5)).result)
    inside = [Repeater(Starts(), test) for test in (five, six)]
    assert inside[0].digest != inside[1].digest
    totals = [[child.outputs["result"] for child in project.run(each).children[1:]] for each in inside]
    assert totals == [[5, 6], [6, 7]]


def test_what_is_not_there_yet_or_will_never_be_is_refused(project: Project) -> None:
    place = gate("wires")
    later = project.request(Pass("wires", value=1))
    with pytest.raises(BindingError, match=r"Add\.right cannot be bound to Pass\.result, which is not there yet: wait"):
        added_to(later.result)
    place.opened.set()
    assert project.run(added_to(later.wait().result), number=project.given(1)).outputs["result"] == 2
    failed = project.request(Fail())
    with pytest.raises(MachineFailed):
        failed.wait()
    with pytest.raises(BindingError, match=r"Add\.right cannot be bound to Fail\.result: Fail failed: ValueError: no"):
        added_to(failed.result)


def test_another_process_finds_it_and_another_project_says_that_it_is_not_there(tmp_path: Path) -> None:
    with Project(tmp_path / "one") as first:
        scheme = added_to(first.run(Number(5)).result)
        first.run(scheme, number=first.given(1))
    with Project(tmp_path / "one") as again:
        assert again.run(back(scheme), number=again.given(2)).outputs["result"] == 7
    with Project(tmp_path / "two") as other:
        said = r"^Scheme \(Scheme\) is bound to the output result \(int\) of a machine outside, which is not on record"
        for kind in (BindingError, MachineAborted):
            with pytest.raises(kind, match=said):
                other.run(scheme, number=other.given(1))
        other.run(Number(5))
        assert other.run(scheme, number=other.given(1)).outputs["result"] == 6  # nothing is held against it


# Sub-schemes


def test_the_inputs_of_a_scheme_inside_are_bound_by_name(project: Project) -> None:
    inner = Scheme(left=int, right=int)
    difference = inner.add(Add(), left=inner.left, right=inner.right)
    inner.expose(result=difference.result)
    outer = Scheme(a=int, b=int)
    sub = outer.add(inner, name="inner", right=outer.b)
    outer.bind(sub, left=outer.a)
    outer.expose(result=sub.result)
    assert project.run(outer, a=project.given(1), b=project.given(2)).outputs["result"] == 3
    with pytest.raises(BindingError, match="Scheme: no input is called 'middle'; its inputs are left, right"):
        outer.add(inner, middle=outer.a)


# Names with dots


def factors() -> Scheme:
    """Two machines whose names begin alike, one of them a scheme with a machine called 5."""
    inside = Scheme(number=int)
    inside.add(Scale(50), number=inside.number, name="5")
    scheme = Scheme(number=int)
    scheme.add(inside, number=scheme.number, name="k 0")
    scheme.add(Scale(2), number=scheme.number, name="k 0.5")
    scheme.add(Scale(3), number=scheme.number, name="k 0.5.1")
    return scheme


@pytest.mark.parametrize(
    ("path", "factor"),
    [("k 0.5.factor", 2), ("k 0.5/factor", 2), ("k 0.5.1.factor", 3), ("k 0/5.factor", 50), ("k 0/5/factor", 50)],
)
def test_the_longest_name_that_fits_is_meant(path: str, factor: int) -> None:
    assert factors().get(path) == factor
    changed = factors().replace(path, 7)
    assert changed.get(path) == 7
    assert sum(changed.get(each) == 7 for each in ("k 0.5.factor", "k 0.5.1.factor", "k 0/5.factor")) == 1


def test_names_with_dots_are_found_in_queries_and_below_capsules(project: Project) -> None:
    outer = Scheme(number=int)
    outer.add(factors(), number=outer.number, name="all")
    done = project.run(outer, number=project.given(10))
    assert done.child("all/k 0.5").outputs["result"] == 20
    assert done.child("all/k 0/5").outputs["result"] == 500
    assert project.query(done, path="all/k 0.5", labels=["factor"]).values.tolist() == [2]


@pytest.mark.parametrize("path", ["", ".", "k 0.5.", "k 0.5..factor", "/k 0.5", "k 0.5.nothing", "k 0.6"])
def test_a_path_that_leads_nowhere_is_refused(path: str) -> None:
    with pytest.raises(ConfigurationError):
        factors().get(path)
    with pytest.raises(ConfigurationError):
        factors().replace(path, 7)
