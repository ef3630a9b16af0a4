from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError, EventKind, Input, Job, Machine, Model, MultiOutput, Output, Project, Seed
from intemi.machines import Scheme
from tests.machines import Draw, Fail, Log, Number, Shake, cross_validation

seeds = st.builds(Seed, st.integers(0, 2**70), st.lists(st.integers(0, 2**31), max_size=4).map(tuple))


def drawn(machine: Machine, seed: int = 0, workers: int = 2) -> Any:
    with Project(workers=workers, seed=seed) as project:
        return project.run(machine).outputs["result"]


# The tree


@given(seeds)
def test_a_seed_gives_the_same_numbers_every_time(seed: Seed) -> None:
    assert (seed.generator().integers(2**60, size=3) == seed.generator().integers(2**60, size=3)).all()


@given(seeds, seeds)
def test_different_seeds_have_different_encodings(one: Seed, other: Seed) -> None:
    assert (one == other) == (one.encoded() == other.encoded())


def test_branches_are_those_that_numpy_spawns() -> None:
    spawned = np.random.SeedSequence(7).spawn(4)[3].spawn(2)[1]
    assert Seed(7).branch(3).branch(1).generator().random() == np.random.default_rng(spawned).random()


def test_several_branches_at_once_are_one_after_the_other() -> None:
    assert Seed(7).branch(3, 1) == Seed(7).branch(3).branch(1)


@given(seeds, st.integers(0, 100))
def test_a_branch_differs_from_its_root_and_from_its_siblings(seed: Seed, index: int) -> None:
    numbers = {s.generator().integers(2**60) for s in (seed, seed.branch(index), seed.branch(index + 1))}
    assert len(numbers) == 3


# Where the seed of a machine comes from


def test_a_random_machine_draws_from_the_seed_of_the_project() -> None:
    assert drawn(Draw(), seed=3) == Seed(3).generator(Draw.registered_name).integers(1_000_000)
    assert drawn(Draw(), seed=3) != drawn(Draw(), seed=4)


def test_a_fixed_seed_is_stronger_than_that_of_the_project() -> None:
    assert (
        drawn(Draw(seed=5), seed=3)
        == drawn(Draw(seed=5), seed=4)
        == Seed(5).generator(Draw.registered_name).integers(1_000_000)
    )


def test_a_machine_that_is_not_random_is_the_same_in_projects_with_different_seeds() -> None:
    with Project(seed=1) as one, Project(seed=2) as two:
        assert one.run(Number(3)).key == two.run(Number(3)).key
        assert one.run(Draw()).key != two.run(Draw()).key


def test_the_same_draw_is_one_machine_however_often_it_is_requested() -> None:
    with Project(workers=2) as project:
        capsules = [project.request(Draw()) for _ in range(5)]
        project.wait(*capsules)
        assert project.counts().physical["Draw"] == 1


def scheme_of_two(first: Machine, second: Machine, seed: int | None = None) -> Scheme:
    scheme = Scheme(seed=seed)
    one, two = scheme.add(first), scheme.add(second)
    scheme.expose(one=one.result, two=two.result)
    return scheme


def test_a_scheme_hands_its_seed_to_all_its_children() -> None:
    with Project(seed=3) as project:
        pair = project.run(scheme_of_two(Draw(), Draw()))
        assert pair.outputs["one"] == pair.outputs["two"] == Seed(3).generator(Draw.registered_name).integers(1_000_000)


def test_a_fixed_seed_of_a_scheme_is_that_of_its_children_unless_they_have_one() -> None:
    with Project(seed=3) as project:
        pair = project.run(scheme_of_two(Draw(), Draw(seed=8), seed=5))
        assert pair.outputs["one"] == Seed(5).generator(Draw.registered_name).integers(1_000_000)
        assert pair.outputs["two"] == Seed(8).generator(Draw.registered_name).integers(1_000_000)


class Repeat(Machine):
    """A machine, as often as asked."""

    drawn = MultiOutput(int)
    machine: Machine
    count: int = 3

    async def run(self, job: Job) -> Model:
        capsules = [job.request(self.machine, branch=(index,)) for index in range(self.count)]
        await job.all(*capsules)
        return Model(drawn=[capsule.result for capsule in capsules], results={"Seed": repr(job.seed)})


def test_repetitions_differ_and_are_the_same_in_every_project() -> None:
    with Project(seed=3, workers=1) as one, Project(seed=3, workers=4) as two:
        first, second = (project.run(Repeat(Draw(), count)) for project, count in ((one, 3), (two, 5)))
        assert len(set(second.outputs["drawn"])) == 5
        assert first.outputs["drawn"] == second.outputs["drawn"][:3]
        assert second.outputs["drawn"][1] == Seed(3).branch(1).generator(Draw.registered_name).integers(1_000_000)


def test_repetitions_of_a_machine_with_a_fixed_seed_are_one_machine() -> None:
    with Project(workers=1) as project:
        repeated = project.run(Repeat(Draw(seed=5), 3))
        assert len(set(repeated.outputs["drawn"])) == 1
        assert project.counts().physical["Draw"] == 1


def test_a_composite_knows_its_seed_if_there_is_something_random_in_it() -> None:
    with Project(seed=3) as project:
        assert project.run(Repeat(Draw())).results == {"Seed": repr(Seed(3))}
        assert project.run(Repeat(Number(1))).results == {"Seed": "None"}


class DrawsItself(Machine):
    """A composite that makes random choices of its own."""

    result = Output(int)

    async def run(self, job: Job, rng: np.random.Generator) -> Model:
        return Model(result=(await job.request(Number(int(rng.integers(1_000_000))))).result)


def test_a_composite_can_draw_by_itself() -> None:
    assert drawn(DrawsItself(), seed=3) == Seed(3).generator(DrawsItself.registered_name).integers(1_000_000)


def test_repetitions_of_a_cross_validation_differ_and_share_nothing_but_their_data() -> None:
    with Project(workers=2) as project:
        repeater = project.run(cross_validation(2, 3), data=project.given(0))
        distributors = [child for child in repeater.children if child.name == "distributor"]
        folds = [value for distributor in distributors for value in distributor.outputs["training"]]
        assert len(set(folds)) == 6


def test_a_longer_cross_validation_begins_with_the_shorter_one() -> None:
    with Project(workers=2) as project:
        project.run(cross_validation(2, 3), data=project.given(0))
        log = Log(project)
        longer = project.run(cross_validation(3, 3), data=project.given(0))
        repetitions = {context.comments["Repetition"] for context in log_children(log, longer.path)}
        assert repetitions == {3}


def log_children(log: Log, path: str) -> list[Any]:
    return [event for event in log.of(EventKind.STARTED) if event.path.rpartition("/")[0] == path]


# Seeds from time


def test_a_seed_from_time_is_drawn_anew_for_every_request() -> None:
    with Project(workers=1) as project:
        one, two = (project.run(Draw(limit=2**60, seed="time")) for _ in range(2))
        assert one.outputs["result"] != two.outputs["result"]


def test_what_ran_with_a_seed_from_time_can_be_repeated() -> None:
    with Project(workers=1) as project:
        original = project.run(Draw(seed="time"))
        assert isinstance(original.config.seed, int)
    assert drawn(original.config) == original.outputs["result"]


def test_a_seed_from_time_is_drawn_at_any_depth() -> None:
    with Project(workers=1) as project:
        pair = project.run(scheme_of_two(Draw(2**60, seed="time"), Draw(2**60)))
        again = project.run(scheme_of_two(Draw(2**60, seed="time"), Draw(2**60)))
        assert pair.outputs["one"] != again.outputs["one"]
        assert pair.outputs["two"] == again.outputs["two"]


def test_a_machine_with_the_word_time_in_it_keeps_its_identity() -> None:
    with Project(workers=1) as project:
        capsule = project.request(Fail("time"))
        assert capsule.config == Fail("time")


@pytest.mark.parametrize("seed", ["now", 1.5, True, (1,)])
def test_a_seed_is_a_number_time_or_nothing(seed: Any) -> None:
    with pytest.raises(ConfigurationError, match="Draw: seed must be"):
        Draw(seed=seed)


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(ConfigurationError, match=r"Draw: seed must be .*, got -1"):
        Draw(seed=-1)


@pytest.mark.parametrize("seed", [-1, 1.5, "time", None])
def test_the_seed_of_a_project_is_a_number(seed: Any) -> None:
    with pytest.raises(ConfigurationError, match="Project: seed must be"):
        Project(seed=seed)


# What a random machine is handed


class DrawsTwice(Machine):
    """Draws from the generator it is handed."""

    number = Input(int)
    result = Output(int)

    def run(self, number: int, rng: np.random.Generator) -> Model:
        return Model(result=number + int(rng.integers(10**6)) + int(rng.integers(10**6)))


def test_every_run_begins_with_a_fresh_generator() -> None:
    rng = Seed(3).generator(DrawsTwice.registered_name)
    expected = int(rng.integers(10**6)) + int(rng.integers(10**6))
    with Project(seed=3, workers=1) as project:
        results = [project.run(DrawsTwice(), number=project.given(number)).outputs["result"] for number in (0, 10)]
    assert results == [expected, expected + 10]


def test_random_machines_with_different_inputs_draw_the_same() -> None:
    with Project(seed=3, workers=1) as project:
        one, two = (project.run(Shake(), number=project.given(number)).outputs["result"] for number in (0, 1))
        assert two - one == 1
