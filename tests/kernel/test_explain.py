from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import (
    Commentator,
    InfeasibleError,
    Input,
    Job,
    Machine,
    MachineFailed,
    Model,
    Output,
    Project,
    parameter,
)
from intemi.kernel.explain import Explanation, Verdict
from intemi.kernel.shipped import VERSION
from intemi.machines import Repeater
from tests.machines import (
    Add,
    Chain,
    Demand,
    Draw,
    Fail,
    Log,
    Number,
    Pass,
    Remainder,
    Scale,
    Split,
    cross_validation,
    gate,
)

MADE = f"on record, made by intemi {VERSION}"


def verdicts(explanation: Explanation) -> dict[str, str]:
    """What is said of each path."""
    return {each.path: each.verdict.value for each in explanation}


class Pick(Machine):
    """Asks for as many machines as a number says, which has to be there first."""

    number = Input(int)
    result = Output(int)

    async def run(self, job: Job, number: Any) -> Model:
        remainder = job.request(Remainder(4), number=number, name="how many")
        await remainder
        picked = [job.request(Number(index), name=f"{index}") for index in range(1 + job.load(remainder.result))]
        await job.all(*picked)
        return Model(result=picked[-1].result)


class Look(Machine):
    """Waits for whatever it has asked for."""

    async def run(self, job: Job) -> Model:
        job.request(Number(1), name="one")
        job.request(Number(2), name="two")
        await job.all(*job.children())
        job.request(Number(3), name="three")
        return Model(results={"Children": len(job.children())})


class Hasty(Machine):
    """Goes on with the first that is there."""

    async def run(self, job: Job) -> Model:
        await job.any(job.request(Number(1), name="one"), job.request(Number(2), name="two"), timeout=5)
        job.request(Number(3), name="three")
        return Model()


class Wrong(Machine):
    """Raises before anything else."""

    async def run(self, job: Job) -> Model:
        job.request(Number(1), name="one")
        raise KeyError("missing")


def test_what_was_never_run_would_run() -> None:
    with Project(workers=1) as project:
        explanation = project.explain(Number(1))
        assert explanation.verdict is Verdict.RUN
        assert explanation.reason == "never finished with this configuration, seed and inputs"
        assert (explanation.path, explanation.kind) == ("Number", "Number")


def test_what_is_on_record_would_be_reused() -> None:
    with Project(workers=1) as project:
        key = project.run(Number(1)).key
        explanation = project.explain(Number(1))
        assert (explanation.verdict, explanation.reason, explanation.key) == (Verdict.REUSE, MADE, key)


def test_what_is_on_record_in_a_folder_would_be_reused(tmp_path: Path) -> None:
    study = cross_validation(2, 3)
    with Project(tmp_path, workers=1) as project:
        project.run(study, data=project.given(3))
    with Project(tmp_path, workers=1) as project:
        explanation = project.explain(study, data=project.given(3))
        assert verdicts(explanation) == {"Repeater": "reuse"}


@pytest.mark.parametrize(("version", "said"), [("0.0.9", "on record, made by intemi 0.0.9"), (None, "on record")])
def test_the_version_that_made_a_result_is_named_where_it_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, said: str
) -> None:
    with monkeypatch.context() as patch, Project(tmp_path, workers=1) as project:
        patch.setattr("intemi.kernel.execution.VERSION", version)  # as another version, or one from before, would
        project.run(Number(1))
    with Project(tmp_path, workers=1) as project:
        project.run(Number(2))
        assert [project.explain(Number(value)).reason for value in (1, 2)] == [said, MADE]


def test_what_is_queued_or_running_would_be_joined() -> None:
    with Project(workers=1) as project:
        running = project.request(Pass("explained"), name="the first")
        assert gate("explained").reached.wait(30)
        queued = project.request(Number(1), name="the second")
        assert str(project.explain(Pass("explained"))) == "join  Pass: running already for the first"
        assert str(project.explain(Number(1))) == "join  Number: queued already for the second"
        gate("explained").opened.set()
        project.wait(running, queued)


def test_nothing_is_run_requested_or_put_on_record_by_a_dry_run() -> None:
    with Project(workers=1) as project:
        log = Log(project)
        three = project.given(3)
        for _ in range(2):
            assert project.explain(cross_validation(2, 2), data=three).verdict is Verdict.RUN
        assert not log.events
        assert not project.counts().logical


def test_what_depends_on_something_that_is_not_there_may_run() -> None:
    with Project(workers=1) as project:
        source = project.request(Pass("not there"), name="source")
        explanation = project.explain(Scale(), number=source.result)
        assert explanation.verdict is Verdict.MAYBE
        assert explanation.reason == "runs unless source gives what was given before"
        gate("not there").opened.set()
        source.wait(30)
        assert project.explain(Scale(), number=source.result).verdict is Verdict.RUN


def test_equal_contents_that_came_by_another_way_are_recognised() -> None:
    for unification, expected in ((2, Verdict.REUSE), (1, Verdict.RUN)):
        with Project(workers=1, unification=unification) as project:
            three, thirteen = (project.run(Remainder(), number=project.given(number)) for number in (3, 13))
            project.run(Scale(), number=three.result)
            assert project.explain(Scale(), number=thirteen.result).verdict is expected


def test_without_unification_everything_runs() -> None:
    with Project(workers=1, unification=0) as project:
        project.run(Number(1))
        explanation = project.explain(Number(1))
        assert (explanation.verdict, explanation.reason) == (Verdict.RUN, "unification is off")


def test_the_seed_makes_a_difference() -> None:
    with Project(workers=1, seed=1) as project:
        project.run(Draw())
        assert project.explain(Draw()).verdict is Verdict.REUSE
        assert project.explain(Draw(seed=2)).verdict is Verdict.RUN
        assert project.explain(Draw(seed="time")).verdict is Verdict.RUN


# Composites


def test_a_composite_is_explored_down_to_its_leaves() -> None:
    with Project(workers=1) as project:
        project.run(Number(1))
        explanation = project.explain(Chain(3), number=project.given(5))
        assert verdicts(explanation) == {
            "Chain": "run",
            "Chain/one": "reuse",
            "Chain/step 0": "run",
            "Chain/step 1": "maybe",
            "Chain/step 2": "maybe",
        }
        assert explanation.is_open, "it waits for what is not there"


def test_what_is_asked_for_twice_in_a_branch_is_joined_the_second_time() -> None:
    class Twins(Machine):
        """Asks for the same twice."""

        async def run(self, job: Job) -> Model:
            for name in ("first", "second"):
                job.request(Number(1), name=name)
            return Model()

    with Project(workers=1) as project:
        explanation = project.explain(Twins())
        assert verdicts(explanation) == {"Twins": "run", "Twins/first": "run", "Twins/second": "join"}
        assert explanation.children[1].reason == "the same as Twins/first"
        assert not explanation.is_open


def test_a_wait_is_passed_if_everything_waited_for_is_on_record() -> None:
    with Project(workers=1) as project:
        six = project.given(6)
        explanation = project.explain(Pick(), number=six)
        assert verdicts(explanation) == {"Pick": "run", "Pick/how many": "run"}
        assert explanation.is_open
        project.run(Remainder(4), number=six)
        explanation = project.explain(Pick(), number=six)
        names = ["how many", "0", "1", "2"]
        assert [each.path for each in explanation.children] == [f"Pick/{name}" for name in names]
        assert explanation.children[0].verdict is Verdict.REUSE
        assert explanation.count(Verdict.RUN) == 4
        project.run(Number(0))
        project.run(Number(1))
        project.run(Number(2))
        explanation = project.explain(Pick(), number=six)
        assert (explanation.count(Verdict.REUSE), explanation.is_open) == (4, False)


def test_a_composite_can_ask_for_its_children() -> None:
    with Project(workers=1) as project:
        assert verdicts(project.explain(Look())) == {"Look": "run", "Look/one": "run", "Look/two": "run"}
        for value in (1, 2):
            project.run(Number(value))
        explanation = project.explain(Look())
        assert verdicts(explanation)["Look/three"] == "run"
        assert project.run(Look()).results == {"Children": 3}


def test_a_composite_that_waits_for_any_is_followed_as_far_as_is_certain() -> None:
    with Project(workers=1) as project:
        assert project.explain(Hasty()).is_open
        for value in (1, 2):
            project.run(Number(value))
        assert "Hasty/three" in verdicts(project.explain(Hasty()))


def test_a_composite_that_raises_says_so() -> None:
    with Project(workers=1) as project:
        explanation = project.explain(Wrong())
        assert explanation.reason.endswith("then it raises KeyError: 'missing'")
        assert verdicts(explanation) == {"Wrong": "run", "Wrong/one": "run"}


def test_a_repeater_is_explained_as_it_grows() -> None:
    study = cross_validation(2, 2)
    with Project(workers=1) as project:
        data = project.given(3)
        assert project.explain(study, data=data).is_open
        project.run(study.replace("repetitions", 1), data=data)
        explanation = project.explain(study, data=data)
        assert explanation.verdict is Verdict.RUN
        assert [each.verdict for each in explanation.children[:3]] == [Verdict.REUSE] * 3
        assert explanation.children[3].verdict is Verdict.RUN, "the distributor of the second repetition"
        project.run(study, data=data)
        assert verdicts(project.explain(study, data=data)) == {"Repeater": "reuse"}


def test_a_dry_run_keeps_its_word() -> None:
    """What it says would run is what runs, where nothing is left open."""
    with Project(workers=1) as project:
        six = project.given(6)
        for value in (0, 2):
            project.run(Number(value))
        project.run(Remainder(4), number=six)
        explanation = project.explain(Pick(), number=six)
        log = Log(project)
        project.run(Pick(), number=six)
        assert log.started == [each.path for each in explanation if each.verdict is Verdict.RUN]


def test_an_output_of_a_reused_composite_can_be_bound() -> None:
    with Project(workers=1) as project:
        chain = project.run(Chain(2), number=project.given(1))
        assert project.explain(Split(), number=chain.result).verdict is Verdict.RUN


# Failures


@pytest.mark.parametrize(("failures", "verdict"), [("reuse", Verdict.REUSE), ("retry", Verdict.RUN)])
def test_a_failure_on_record_counts_as_the_mode_has_it(tmp_path: Path, failures: str, verdict: Verdict) -> None:
    with Project(tmp_path, workers=1) as project, pytest.raises(MachineFailed):
        project.run(Fail("so it is"))
    with Project(tmp_path, workers=1, failures=failures) as project:
        explanation = project.explain(Fail("so it is"))
        assert explanation.verdict is verdict
        if failures == "reuse":
            assert explanation.reason == f"its failure is {MADE}: Fail failed: ValueError: so it is"


def test_a_dry_run_goes_no_further_than_a_failure() -> None:
    class Strict(Machine):
        """Asks for more if a demand is met."""

        number = Input(int)
        divisor: int = parameter(default=2, at_least=1)

        async def run(self, job: Job, number: Any) -> Model:
            await job.request(Demand(self.divisor), number=number, name="demand")
            job.request(Number(1), name="more")
            return Model()

    with Project(workers=1) as project:
        three = project.given(3)
        with pytest.raises(MachineFailed):
            project.run(Demand(2), number=three)
        explanation = project.explain(Strict(), number=three)
        assert verdicts(explanation) == {"Strict": "run", "Strict/demand": "reuse"}


def test_what_cannot_be_requested_cannot_be_explained() -> None:
    with Project(workers=1) as project:
        with pytest.raises(InfeasibleError, match="this is missing"):
            project.explain(Repeater())
        with pytest.raises(ValueError, match=re.escape("Add: not bound: left, right")):
            project.explain(Add())


def test_an_explanation_reads_like_a_tree() -> None:
    with Project(workers=1) as project:
        project.run(Number(1))
        assert str(project.explain(Chain(1), number=project.given(5))) == (
            "run   Chain: never finished with this configuration, seed and inputs"
            "; then more, depending on what comes out\n"
            f"  reuse one: {MADE}\n"
            "  run   step 0: never finished with this configuration, seed and inputs"
        )


class Quiet(Commentator):
    """Says nothing."""

    def applies_to(self, config: Machine) -> bool:
        return True

    def comments(self, machine: Any) -> dict[str, Any]:
        return {}


def test_a_composite_that_attaches_commentators_is_explained() -> None:
    class Commented(Machine):
        """Has a child that is spoken of."""

        async def run(self, job: Job) -> Model:
            await job.request(Number(1), name="one", commentators=[Quiet()])
            return Model()

    with Project(workers=1) as project:
        assert verdicts(project.explain(Commented())) == {"Commented": "run", "Commented/one": "run"}
