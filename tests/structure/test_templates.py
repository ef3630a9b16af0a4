"""Templates: configurations with placeholders. What is missing is told at once; filling makes them feasible."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from intemi.kernel import (
    BindingError,
    ConfigurationError,
    InfeasibleError,
    Input,
    Job,
    Machine,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
    from_plain,
)
from intemi.machines import (
    KNN,
    Learner,
    Normalization,
    Repeater,
    Role,
    Scheme,
    Standardization,
    Transformer,
    sequence,
)
from tests.machines import Add, Distribute, Judge, Learn, Log, Number, Ramp, Scale, Split, Total


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=1) as opened:
        yield opened


def learner() -> Scheme:
    """A place for a machine that makes a classifier of data."""
    return Scheme(training=int, classifier=Output(int))


def template() -> Scheme:
    """Learn and judge, whatever the learner."""
    scheme = Scheme(training=int, test=int)
    place = scheme.add(learner(), training=scheme.training, name="learner")
    scheme.add(Judge(), data=scheme.test, classifier=place.classifier, name="judge")
    return scheme


class Ensemble(Machine):
    """Holds learners in every place where a parameter may have them."""

    data = Input(int)
    total = Output(int)
    first: Machine = learner()
    members: tuple[Machine, ...] = ()
    named: dict[str, Machine] = {}  # noqa: RUF012

    async def run(self, job: Job, data: Any) -> Model:
        machines = [self.first, *self.members, *self.named.values()]
        asked = [job.request(machine, training=data) for machine in machines]
        total = await job.request(Total(), numbers=[each.classifier for each in asked])
        return Model(total=total.result)


def missing(config: Any, **bindings: Any) -> list[str]:
    """What the error of a request lists."""
    with Project(workers=1) as project:
        log = Log(project)
        with pytest.raises(InfeasibleError) as refused:
            project.request(config, **{name: project.given(value) for name, value in bindings.items()})
        assert log.events == []
    head, *listed = str(refused.value).split("\n  ")
    assert head == f"{config.kind} cannot be requested yet, this is missing:"
    return listed


# What is missing

EMPTY = "an empty placeholder that takes training (int) and gives classifier (int)"


def test_a_placeholder_says_what_it_takes_and_gives() -> None:
    assert missing(learner()) == [EMPTY]
    assert missing(Scheme()) == ["an empty placeholder that takes nothing and gives nothing"]
    assert missing(Scheme(many=MultiInput(str), parts=MultiOutput(float))) == [
        "an empty placeholder that takes many (many str) and gives parts (many float)"
    ]


def test_everything_that_is_missing_is_listed_with_its_path() -> None:
    inner = template()
    inner.add(Scale(), name="loose")
    outer = Scheme(data=int, result=Output(int), other=Output(str))
    outer.add(inner, training=outer.data, name="inner")
    outer.add(Add(), left=outer.data)
    outer.add(Ensemble(members=[Number(), learner()], named={"a": learner(), "b": Learn()}), data=outer.data)
    assert missing(outer, data=1) == [
        "output other (str) is not bound",
        "output result (int) is not bound",
        "inner: input test (int) is not bound",
        f"inner/learner: {EMPTY}",
        "inner/loose: input number (int) is not bound",
        "add: input right (int) is not bound",
        f"ensemble/first: {EMPTY}",
        f"ensemble/members.1: {EMPTY}",
        f"ensemble/named.a: {EMPTY}",
    ]


def test_a_raw_repeater_is_a_template() -> None:
    nothing = "an empty placeholder that takes nothing and gives nothing"
    assert missing(Repeater()) == [f"distributor: {nothing}", f"test: {nothing}"]
    assert missing(Repeater(test=template())) == [f"distributor: {nothing}", f"test/learner: {EMPTY}"]


def test_what_is_missing_can_be_asked_without_requesting() -> None:
    assert template().missing() == [f"learner: {EMPTY}"]
    assert template().fill(learner=Learn()).missing() == []
    assert Number().missing() == []


# Filling


def test_a_filled_template_runs(project: Project) -> None:
    filled = template().fill(learner=Learn(3))
    done = project.run(filled, training=project.given(5), test=project.given(2))
    assert done.child("judge").results == {"Accuracy": 30 % 97 / 97}
    assert done.child("learner/learn").outputs["classifier"] == 15


def test_filling_leaves_the_template_as_it_was() -> None:
    raw = template()
    one, other = raw.fill(learner=Learn(1)), raw.fill(learner=Learn(2))
    assert one != other
    assert raw == template()
    assert raw.missing() == [f"learner: {EMPTY}"]


def test_a_filled_place_is_a_scheme_with_the_machine_in_it() -> None:
    by_hand = learner()
    by_hand.expose(classifier=by_hand.add(Learn(3), data=by_hand.training).classifier)
    assert template().fill(learner=Learn(3)).get("learner") == by_hand
    assert template().fill(learner=Learn(3)).replace("learner/learn.k", 4) == template().fill(learner=Learn(4))


def test_places_are_filled_by_path_wherever_they_are(project: Project) -> None:
    raw = Scheme(data=int)
    ensemble = raw.add(
        Ensemble(members=[learner(), learner()], named={"a": learner()}), data=raw.data, name="all of them"
    )
    raw.expose(total=ensemble.total)
    filled = raw.fill(
        {
            "all of them/first": Learn(1),
            "all of them/members.0": Learn(10),
            "all of them.members.1": Learn(100),
            "all of them/named.a": Learn(1000),
        }
    )
    assert filled.missing() == []
    assert project.run(filled, data=project.given(3)).outputs["total"] == 3333


def test_places_may_be_filled_one_after_the_other_and_with_templates() -> None:
    repeater = Repeater().fill(distributor=Distribute(3))
    assert [each.partition(":")[0] for each in repeater.missing()] == ["test"]
    repeater = repeater.fill(test=template())
    assert [each.partition(":")[0] for each in repeater.missing()] == ["test/learner"]
    repeater = repeater.fill({"test/learner": Learn(2)})
    assert repeater.missing() == []
    assert repeater == Repeater(Distribute(3), template().fill(learner=Learn(2)))


def test_a_place_without_ports_takes_the_machine_as_it_is() -> None:
    assert Repeater().fill(distributor=Distribute(), test=template()).get("distributor") == Distribute()


def test_ports_meet_by_name_before_they_meet_by_type(project: Project) -> None:
    class Subtract(Machine):
        b = Input(int)
        a = Input(int)
        other = Output(int)
        result = Output(int)

        def run(self, a: int, b: int) -> Model:
            return Model(result=a - b, other=0)

    place = Scheme(a=int, b=int, result=Output(int))
    filled = place.filled_with(Subtract())
    assert project.run(filled, a=project.given(5), b=project.given(3)).outputs["result"] == 2


def test_ports_with_other_names_meet_by_type_where_there_is_one_choice(project: Project) -> None:
    class Lengthen(Machine):
        words = Input(str)
        times = Input(int)
        longer = Output(str)

        def run(self, words: str, times: int) -> Model:
            return Model(longer=words * times)

    filled = Scheme(text=str, count=int, result=Output(str)).filled_with(Lengthen())
    assert project.run(filled, text=project.given("ab"), count=project.given(2)).outputs["result"] == "abab"


def test_a_filled_template_goes_through_json_and_comes_back() -> None:
    for config in (template(), template().fill(learner=Learn(3)), Repeater(), Ensemble(named={"a": learner()})):
        back = from_plain(json.loads(json.dumps(config.to_plain())))
        assert back == config
        assert back.missing() == config.missing()


# What does not fit


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        (
            Ramp(),
            r"Ramp cannot fill the placeholder: classifier \(int\) goes with none of the ports result \(ndarray\)",
        ),
        (
            Split(),
            r"Split cannot fill the placeholder: classifier \(int\) goes with none of the ports parts \(many int\)",
        ),
        (
            Total(),
            r"Total cannot fill the placeholder: numbers \(many int\) goes with none of the ports training \(int\)",
        ),
        (Judge(), r"Judge cannot fill the placeholder: classifier \(int\) goes with none of the ports none"),
    ],
)
def test_a_machine_whose_ports_do_not_fit_is_refused(machine: Machine, said: str) -> None:
    with pytest.raises(BindingError, match=said):
        template().fill(learner=machine)


def test_a_machine_that_fits_in_several_ways_is_refused() -> None:
    place = Scheme(one=int, two=int, result=Output(int))
    with pytest.raises(BindingError, match=r"number \(int\) goes with several of the ports one \(int\), two \(int\)"):
        place.filled_with(Scale())


def test_a_machine_that_asks_for_more_than_the_place_promises_is_refused() -> None:
    class Data:
        pass

    class Table(Data):
        pass

    class Special(Machine):
        data = Input(Table)
        result = Output(int)

        def run(self, data: Table) -> Model:
            return Model(result=1)

    place = Scheme(data=Data, result=Output(int))
    with pytest.raises(BindingError, match=r"Special\.data takes Table, but the scheme's input\.data gives Data"):
        place.filled_with(Special())


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("judge", r"Scheme: judge is not a placeholder but Judge\(\)"),
        ("seed", r"Scheme: seed is not a placeholder but None"),
        ("lerner", "no machine inside is called 'lerner'; there are learner, judge"),
        ("learner/learn", "no machine inside is called 'learn'; there are none"),
    ],
)
def test_only_places_can_be_filled(path: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        template().fill({path: Learn()})


def test_a_place_that_is_filled_cannot_be_filled_again() -> None:
    with pytest.raises(ConfigurationError, match="only an empty scheme is a placeholder that can be filled"):
        template().fill(learner=Learn()).fill(learner=Learn(2))


@pytest.mark.parametrize("machine", [5, None, Learn], ids=repr)
def test_only_machines_fill_a_place(machine: Any) -> None:
    with pytest.raises(ConfigurationError, match="only machines can be added, got "):
        template().fill(learner=machine)
    with pytest.raises(ConfigurationError, match="Repeater: distributor must be a Machine, got "):
        Repeater().fill(distributor=machine)


# Sequences


def two_steps(*machines: Machine) -> Machine:
    """Two numbers in, one classifier out, made by several machines in sequence."""
    return Scheme(training=int, classifier=Output(int)).filled_with(machines)


class Double(Machine):
    training = Input(int)
    doubled = Output(int)

    def run(self, training: int) -> Model:
        return Model(doubled=2 * training)


class Both(Machine):
    """Gives two numbers, so by its type alone neither is the one that is meant."""

    training = Input(int)
    one = Output(int)
    two = Output(int)

    def run(self, training: int) -> Model:
        return Model(one=training, two=training)


def test_each_machine_of_a_sequence_gets_what_the_one_before_it_gives(project: Project) -> None:
    once, twice = template().fill(learner=[Double(), Learn()]), template().fill(learner=(Double(), Double(), Learn()))
    assert once.missing() == twice.missing() == []
    learned = Learn().run(data=3 * 2).outputs["classifier"]
    assert project.run(two_steps(Double(), Learn()), training=project.given(3)).outputs["classifier"] == learned
    learned = Learn().run(data=3 * 4).outputs["classifier"]
    thrice = two_steps(Double(), Double(), Learn())
    assert project.run(thrice, training=project.given(3)).outputs["classifier"] == learned


def test_a_sequence_of_one_is_that_machine() -> None:
    assert template().fill(learner=[Learn()]) == template().fill(learner=Learn())


def test_outputs_come_from_the_last_machine_that_has_them(project: Project) -> None:
    found = project.run(two_steps(Learn(), Double()), training=project.given(3))
    assert found.outputs["classifier"] == 2 * Learn().run(data=3).outputs["classifier"]


def test_a_sequence_may_hold_templates() -> None:
    filled = template().fill(learner=[learner(), Learn()])
    assert filled.missing() == [
        "learner/scheme: an empty placeholder that takes training (int) and gives classifier (int)"
    ]


@pytest.mark.parametrize(
    ("machines", "said"),
    [
        (
            (Both(), Learn()),
            r"Learn cannot fill the placeholder: data \(int\) goes with several of the ports one .*two",
        ),
        ((Learn(), Both()), r"Both cannot fill the placeholder: classifier \(int\) goes with several of the ports one"),
        (
            (Total(), Learn()),
            r"Total cannot fill the placeholder: numbers \(many int\) goes with none of the ports training",
        ),
        ((), "Scheme: a placeholder must be filled by at least one machine, got none"),
        ((Learn(), 5), "only machines can be added, got 5"),
    ],
)
def test_a_sequence_that_does_not_fit_is_refused(machines: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        template().fill(learner=machines)


def test_a_place_without_ports_takes_no_sequence() -> None:
    with pytest.raises(BindingError, match="a placeholder without ports cannot be filled by several machines"):
        Scheme().filled_with([Learn(), Learn()])


@pytest.mark.parametrize(("role", "last"), [(Learner, KNN()), (Transformer, Normalization())], ids=repr)
def test_a_transformation_that_other_data_would_not_get_is_refused(role: type[Role], last: Machine) -> None:
    said = "Standardization changes the data that machines after it get, but nothing takes its transformation"
    with pytest.raises(BindingError, match=said):
        sequence(role, Standardization(), last)
