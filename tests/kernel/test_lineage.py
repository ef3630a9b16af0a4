"""Machines that examine their lineage before they run: they refuse, or stamp their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from intemi import Input, Job, Machine, MachineFailed, Model, Output, Project
from intemi.kernel.lineage import Examination
from intemi.kernel.privacy import keep_private
from intemi.machines import Scheme


class Number(Machine):
    """A number."""

    version = 1
    number = Output(int)
    value: int = 1
    name: str = ""

    def run(self) -> Model:
        return Model(number=self.value)


class Careful(Machine):
    """Refuses odd makers, and says of dear ones that they are."""

    version = 1
    number = Input(int)
    doubled = Output(int)

    def examine(self, examination: Examination) -> Mapping[str, str]:
        (source,) = examination.sources["number"]
        name = source.context.config.name
        if name == "odd":
            raise ValueError(f"{examination.path} takes nothing odd")
        return {"Warning": name} if name == "dear" else {}

    def run(self, number: int) -> Model:
        return Model(doubled=2 * number, results={"Doubled": 2 * number})


@pytest.mark.parametrize("level", [0, 1, 2])
def test_equal_inputs_that_came_about_in_another_way_are_told_apart(level: int) -> None:
    with Project(unification=level, workers=1) as project:
        plain, dear = (
            project.run(Careful(), number=project.request(Number(3, name)).number) for name in ("plain", "dear")
        )
        assert plain.results == {"Doubled": 6}
        assert dear.results == {"Doubled": 6, "Warning": "dear"}
        again = project.run(Careful(), number=project.request(Number(3, "cheap")).number)
        assert again.results == {"Doubled": 6}
        if level == 2:
            assert project.counts().physical["Careful"] == 2  # plain and cheap are one machine


def test_what_is_refused_fails_with_the_reason_and_does_not_run() -> None:
    with Project(workers=1) as project:
        odd = project.request(Number(3, "odd"))
        with pytest.raises(MachineFailed, match="Careful failed: ValueError: Careful takes nothing odd"):
            project.run(Careful(), number=odd.number)
        assert project.counts().physical["Careful"] == 0


def test_stamps_are_on_record_and_explained(tmp_path: object) -> None:
    with Project(tmp_path) as project:
        project.run(Careful(), number=project.request(Number(3, "dear")).number)
    with Project(tmp_path) as project:
        dear = project.run(Number(3, "dear"))
        assert str(project.explain(Careful(), number=dear.number)).startswith("reuse")
        assert project.run(Careful(), number=dear.number).results["Warning"] == "dear"
        assert project.counts().physical["Careful"] == 0


class Looking(Machine):
    """Says whether it was requested by a private machine, directly or not."""

    version = 1
    number = Input(int)

    def examine(self, examination: Examination) -> Mapping[str, str]:
        return {"Inside": str(examination.enclosing() is not None)}

    def run(self, number: int) -> Model:
        return Model()


keep_private(lambda config: config.kind == "Outer")


class Outer(Machine):
    """Requests a scheme in which a machine looks."""

    version = 1
    number = Input(int)

    async def run(self, job: Job, number: Any) -> Model:
        scheme = Scheme(number=int)
        scheme.add(Looking(), number=scheme.number)
        job.request(scheme, number=number)
        return Model()


def test_a_machine_knows_what_encloses_it() -> None:
    with Project(workers=1) as project:
        number = project.request(Number(1))
        assert project.run(Looking(), number=number.number).results == {"Inside": "False"}
    with Project(workers=1) as project:
        done = project.run(Outer(), number=project.request(Number(1)).number)
        assert project.query(done, type=Looking, labels=["Inside"])["Inside"] == ("True",)
