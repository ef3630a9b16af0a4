"""The repeater: the same test on every suit of every repetition, with chance that branches where it is meant to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from intemi.kernel import (
    BindingError,
    Capsule,
    ConfigurationError,
    Event,
    EventKind,
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
from intemi.machines import Repeater, Scheme
from tests.machines import Distribute, Draw, Judge, Learn, Log, Number, Shake, cross_validation


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=1) as opened:
        yield opened


class Suits(Machine):
    """Collections of given lengths, out of nothing."""

    training = MultiOutput(int)
    test = MultiOutput(int)
    lengths: tuple[int, int] = (2, 2)

    def run(self) -> Model:
        return Model(training=list(range(self.lengths[0])), test=list(range(100, 100 + self.lengths[1])))


class Compare(Machine):
    """A test: how much is drawn, and what came in."""

    training = Input(int)
    test = Input(int)

    def run(self, training: int, test: int, rng: np.random.Generator) -> Model:
        return Model(results={"Training": training, "Test": test, "Drawn": int(rng.integers(10**9))})


def run(project: Project, config: Machine) -> Capsule:
    bound = {name: project.given(7) for name in config.inputs}
    return project.run(config, **bound)


def folds_of(capsule: Capsule) -> list[Capsule]:
    return [child for child in capsule.children if child.name == "test"]


def drawn(capsule: Capsule) -> dict[tuple[int, int], int]:
    """What each test drew, by repetition and fold."""
    return {
        (child.comments["Repetition"], child.comments["Fold"]): child.results["Drawn"] for child in folds_of(capsule)
    }


# What it runs


def test_every_suit_of_every_repetition_gets_its_test(project: Project) -> None:
    done = run(project, Repeater(Suits((3, 3)), Compare(), repetitions=2))
    assert [child.name for child in done.children] == ["distributor", "test", "test", "test"] * 2
    assert [(each.results["Training"], each.results["Test"]) for each in folds_of(done)] == [
        (0, 100),
        (1, 101),
        (2, 102),
    ] * 2


def test_its_inputs_are_those_of_its_distributor() -> None:
    assert list(cross_validation().inputs) == ["data"]
    assert list(Repeater(Suits(), Compare()).inputs) == []
    assert list(cross_validation().outputs) == []


def test_children_are_commented_with_repetition_and_fold(project: Project) -> None:
    done = run(project, Repeater(Suits(), Compare(), repetitions=2))
    assert [child.comments for child in done.children] == [
        {"Repetition": 1},
        {"Repetition": 1, "Fold": 1},
        {"Repetition": 1, "Fold": 2},
        {"Repetition": 2},
        {"Repetition": 2, "Fold": 1},
        {"Repetition": 2, "Fold": 2},
    ]


def test_comments_belong_to_the_parent_and_not_to_the_shared_machine(project: Project) -> None:
    class Plain(Machine):
        training = Input(int)
        result = Output(int)

        def run(self, training: int) -> Model:
            return Model(result=training)

    done = run(project, Repeater(Suits((1, 1)), Plain(), repetitions=3))
    assert project.counts().physical["Plain"] == 1
    assert [child.comments["Repetition"] for child in folds_of(done)] == [1, 2, 3]


def test_comments_are_there_when_the_repeater_comes_from_the_record(project: Project) -> None:
    first, again = (run(project, Repeater(Suits(), Compare(), repetitions=2, seed=1)) for _ in range(2))
    assert [child.comments for child in again.children] == [child.comments for child in first.children]
    assert drawn(again) == drawn(first)
    assert project.counts().physical["Repeater"] == 1


def test_a_test_may_take_some_of_what_the_distributor_gives(project: Project) -> None:
    class Half(Machine):
        test = Input(int)

        def run(self, test: int) -> Model:
            return Model(results={"Test": test})

    done = run(project, Repeater(Suits((5, 2)), Half()))
    assert [child.results["Test"] for child in folds_of(done)] == [100, 101]


def test_a_distributor_may_give_nothing_at_all(project: Project) -> None:
    assert folds_of(run(project, Repeater(Suits((0, 0)), Compare(), repetitions=2))) == []


# Chance


def test_repetitions_and_folds_draw_differently(project: Project) -> None:
    done = run(project, Repeater(Suits((3, 3)), Compare(), repetitions=4, seed=1))
    assert len(drawn(done)) == 12
    assert len(set(drawn(done).values())) == 12


def test_repetitions_distribute_differently(project: Project) -> None:
    done = run(project, cross_validation(3, 4))
    folds = [child.outputs["training"] for child in done.children if child.name == "distributor"]
    assert len(set(folds)) == 3


def test_a_repetition_is_the_same_however_many_there_are_and_wherever_it_is_run(project: Project) -> None:
    def outcome(opened: Project, repetitions: int) -> list[Any]:
        keys: dict[Any, bytes] = {}

        def note(event: Event) -> None:
            if event.kind is EventKind.REQUESTED and event.name == "test":
                keys[tuple(event.comments.values())] = event.key  # type: ignore[union-attr]

        forget = opened.listen(note)
        done = run(opened, cross_validation(repetitions, 3))
        forget()
        folds = [child for child in folds_of(done) if child.comments["Repetition"] <= 2]
        return [(child.comments, keys[tuple(child.comments.values())], child.child("kt").results) for child in folds]

    expected = outcome(project, 2)
    assert len(expected) == 6
    assert outcome(project, 5) == expected
    for seed in (0, 99):  # the seed of the repeater is its own, whatever that of the project
        with Project(workers=2, seed=seed, unification=0) as other:
            assert outcome(other, 3) == expected


def test_a_fold_has_the_key_with_which_it_was_requested(project: Project) -> None:
    log = Log(project)
    done = run(project, Repeater(Suits(), Compare(), repetitions=2, seed=1))
    under_it = [event.key for event in log.of(EventKind.REQUESTED) if event.parent == done.context.number]
    assert [child.key for child in done.children] == under_it


def test_more_repetitions_run_only_what_is_new(project: Project) -> None:
    run(project, cross_validation(2, 3))
    before = project.counts().physical
    run(project, cross_validation(5, 3))
    new = project.counts().physical - before
    assert new == {"Repeater": 1, "distributor scheme": 3, "test scheme": 9, "Distribute": 3, "Learn": 18, "Judge": 18}


def test_the_seed_decides(project: Project) -> None:
    config = Repeater(Suits(), Compare(), repetitions=2)
    one, other = drawn(run(project, config.replace("seed", 1))), drawn(run(project, config.replace("seed", 2)))
    assert set(one.values()).isdisjoint(other.values())
    with Project(workers=1, seed=1) as inherited:
        assert drawn(run(inherited, config)) == one


def test_a_seed_of_the_test_holds_in_every_fold(project: Project) -> None:
    done = run(project, Repeater(Suits(), Compare(seed=5), repetitions=2, seed=1))
    assert len(set(drawn(done).values())) == 1


def test_all_machines_in_a_test_scheme_draw_from_the_seed_of_their_fold(project: Project) -> None:
    test = Scheme(training=int)
    test.add(Draw(), name="one")
    test.add(Shake(), number=test.training, name="two")
    inner = Scheme()
    inner.add(Draw(), name="deep")
    test.add(inner, name="three")
    done = run(project, Repeater(Suits((3, 3)), test, repetitions=2, seed=1))
    for child in folds_of(done):
        one = child.child("one").outputs["result"]
        assert child.child("three/deep").outputs["result"] == one
        training = [0, 1, 2][child.comments["Fold"] - 1]
        assert child.child("two").outputs["result"] != training + one, "machines of another kind draw independently"
    assert len({child.child("one").outputs["result"] for child in folds_of(done)}) == 6
    assert project.counts().physical["Draw"] == 6


def test_a_repeater_inside_a_repeater_branches_further(project: Project) -> None:
    inner = Repeater(Suits(), Compare(), repetitions=2)
    test = Scheme(training=int)
    test.add(inner, name="inner")
    test.add(inner, name="the same")
    done = run(project, Repeater(Suits(), test, repetitions=2, seed=1))
    found = [drawn(child.child("inner")) for child in folds_of(done)]
    assert len({value for each in found for value in each.values()}) == 16
    assert [drawn(child.child("the same")) for child in folds_of(done)] == found
    assert project.counts().physical["Compare"] == 16


def test_without_chance_repetitions_are_one(project: Project) -> None:
    config = Repeater(Suits((2, 2)), Scheme(training=int).filled_with(Learn()), repetitions=10)
    assert not config.is_random
    run(project, config)
    assert project.counts().physical["Suits"] == 1
    assert project.counts().physical["Learn"] == 2


# What does not fit


def test_suits_of_different_lengths_are_an_error_that_counts_them(project: Project) -> None:
    with pytest.raises(
        MachineFailed, match=r"Repeater: the outputs of distributor must have one length, got 3 of training, 2 of test"
    ):
        run(project, Repeater(Suits((3, 2)), Compare()))


class Other(Machine):
    """Gives what nobody takes."""

    training = MultiOutput(str)
    test = Output(int)

    def run(self) -> Model:
        return Model(training=[], test=1)


class Greedy(Machine):
    training = MultiInput(int)

    def run(self, training: tuple[int, ...]) -> Model:
        return Model(results={"Count": len(training)})


@pytest.mark.parametrize(
    ("distributor", "test", "said"),
    [
        (Suits(), Judge(), r"test takes data \(int\), but distributor gives training \(many int\), test \(many int\)"),
        (Other(), Compare(), r"test\.training takes int, but distributor\.training gives str"),
        (Other(), Scheme(test=int).filled_with(Scheme(test=int)), r"distributor\.test must be a collection"),
        (Greedy(), Compare(), r"test takes training \(int\), but distributor gives nothing"),
        (Suits(), Number(), r"test takes nothing, so there is nothing to run it on"),
    ],
)
def test_ports_that_do_not_fit_are_refused_when_it_is_configured(distributor: Any, test: Any, said: str) -> None:
    for make in (
        lambda: Repeater(distributor, test),
        lambda: Repeater().fill(distributor=distributor, test=test),
    ):
        with pytest.raises(BindingError, match=said):
            make()


def test_a_test_that_takes_a_collection_gets_one_item(project: Project) -> None:
    done = run(project, Repeater(Suits(), Greedy()))
    assert [child.results["Count"] for child in folds_of(done)] == [1, 1]


def test_there_must_be_a_repetition() -> None:
    with pytest.raises(ConfigurationError, match="Repeater: repetitions must be at least 1, got 0"):
        Repeater(Suits(), Compare(), repetitions=0)


def test_a_test_that_fails_fails_the_repeater_and_leaves_the_others(project: Project) -> None:
    class Fussy(Machine):
        training = Input(int)
        result = Output(int)

        def run(self, training: int) -> Model:
            if training == 1:
                raise ValueError("not this one")
            return Model(result=training)

    capsule = project.request(Repeater(Suits((3, 3)), Fussy()))
    with pytest.raises(MachineFailed, match="Repeater/test failed: ValueError: not this one"):
        capsule.wait()
    assert [child.error is None for child in folds_of(capsule)] == [True, False, True]


# A value


def test_its_parts_are_found_and_exchanged() -> None:
    config = cross_validation()
    assert config.get("test/k.k") == 1
    assert config.get("distributor/cv.folds") == 10
    changed = config.replace("test/k.k", 9).replace("distributor/cv.folds", 3).replace("repetitions", 2)
    assert (changed.get("test/k"), changed.get("distributor/cv"), changed.repetitions) == (Learn(9), Distribute(3), 2)
    assert config == cross_validation()


def test_it_goes_through_json_and_comes_back() -> None:
    config = cross_validation(3, 4, seed=8)
    assert from_plain(json.loads(json.dumps(config.to_plain()))) == config
