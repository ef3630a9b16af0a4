"""Commentators speak of machines that have finished: once for each machine, with values that come back or are gone."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi.kernel import Commentator, ConfigurationError, Input, Machine, Model, Output, Project, StoreWarning
from intemi.kernel.repository.commentators import Finished
from intemi.query import Named
from tests.kernel.repository.machines import Breaks, Grade, Twig
from tests.machines import Add, Judge, Number, Total, cross_validation


class Tells(Commentator):
    """What it sees of a machine with inputs."""

    def applies_to(self, config: Machine) -> bool:
        return bool(config.inputs) or isinstance(config, Grade)

    def comments(self, machine: Finished) -> Mapping[str, Any]:
        return {
            "Inputs": str(dict(machine.inputs)),
            "Outputs": str(dict(machine.outputs)),
            "Vector": np.arange(2),
            "Results": len(machine.results),
        }


class Large(Machine):
    """An array that is kept apart from the record."""

    version = 1
    result = Output(np.ndarray)

    def run(self) -> Model:
        return Model(result=np.zeros(100_000))


class Sum(Machine):
    """The sum of an array."""

    version = 1
    array = Input(np.ndarray)

    def run(self, array: np.ndarray) -> Model:
        return Model(results={"Sum": float(array.sum())})


def test_a_commentator_sees_inputs_outputs_and_results() -> None:
    with Project(workers=1) as project:
        one, two = project.run(Number(1)), project.run(Number(2))
        added = project.run(Add(), left=one.result, right=two.result)
        total = project.run(Total(), numbers=[one.result, two.result])
        assert project.comment(Tells()) == {"commented": 2, "gone": 0}
        found = project.query(added, labels=["Inputs", "Outputs", "Vector", "Results"]).row(0)
        assert found["Inputs"] == "{'left': 1, 'right': 2}"
        assert found["Outputs"] == "{'result': 3}"
        assert found["Vector"].tolist() == [0, 1]
        assert project.query(total, labels="Inputs").values[0] == "{'numbers': (1, 2)}"


def test_a_shared_machine_is_spoken_of_once_and_says_it_everywhere(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        done = project.run(Twig((Grade(1), Grade(1), Grade(2))), name="shared")
        assert project.comment(Tells(), done, Named("part 1")) == {"commented": 1, "gone": 0}
        said = project.query(done, type=Grade, labels=["Outputs", "Place"])
        assert list(said["Outputs"]) == ["{'result': 1}", "{'result': 1}", None]
        assert list(said["Place"]) == [None, 1, None], "which leaves the parents' comments alone"
    with Project.open(tmp_path, workers=1) as project:
        assert len(project.query("shared", lambda item: "Outputs" in item.comments)) == 2


def test_failed_machines_count_as_gone_and_the_others_are_spoken_of() -> None:
    with Project(workers=1) as project:
        capsule = project.request(Breaks((Grade(1),)))
        project._engine.wait_for([capsule.context])

        class Everything(Tells):
            def applies_to(self, config: Machine) -> bool:
                return True

        assert project.comment(Everything(), capsule) == {"commented": 1, "gone": 1}


def test_values_that_were_lost_are_made_again_or_reported_gone(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        project.run(Sum(), array=project.run(Large()).result)
        project.run(Sum(), array=project.given(np.ones(100_000)))
    shutil.rmtree(tmp_path / "contents")
    with Project(tmp_path, workers=1) as project:
        with pytest.warns(StoreWarning, match="Sum: no comment, its values are gone"):
            assert project.comment(Tells()) == {"commented": 1, "gone": 1}
        assert not project.counts().logical, "nothing of it is a request"
        assert project.counts().physical == {"Large": 1}, "which has run once more"
        gc.collect()


def test_what_was_said_before_an_error_is_kept() -> None:
    class Stumbles(Tells):
        def comments(self, machine: Finished) -> Mapping[str, Any]:
            if machine.results["Grade"] == 2:
                raise ZeroDivisionError
            return {"Said": True}

    with Project(workers=1) as project:
        done = project.run(Twig(tuple(map(Grade, range(4)))))
        with pytest.raises(ZeroDivisionError):
            project.comment(Stumbles(), done)
        assert list(project.query(done, type=Grade, labels="Said").values) == [True, True, None, None]


def test_saying_it_again_replaces_it() -> None:
    class Counts(Commentator):
        number: int

        def applies_to(self, config: Machine) -> bool:
            return isinstance(config, Judge)

        def comments(self, machine: Finished) -> Mapping[str, Any]:
            return {"Number": self.number}

    with Project(workers=1) as project:
        done = project.run(cross_validation(1, 2), data=project.given(1))
        for number in (1, 2):
            assert project.comment(Counts(number), done)["commented"] == 4
        assert list(project.query(done, type=Judge, labels="Number").values) == [2, 2, 2, 2]


def test_what_is_no_commentator_is_refused() -> None:
    with Project(workers=1) as project, pytest.raises(ConfigurationError, match="takes a commentator, got 3"):
        project.comment(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("said", [5, None, ["Label"], {1: 2}])
def test_what_is_no_mapping_of_labels_is_refused(said: Any) -> None:
    class Odd(Commentator):
        """Says something odd."""

        def applies_to(self, config: Machine) -> bool:
            return True

        def comments(self, machine: Finished) -> Any:
            return said

    with Project(workers=1) as project:
        project.run(Number(1))
        with pytest.raises(ConfigurationError, match=r"Odd\.comments must return a mapping from labels .* of Number$"):
            project.comment(Odd())
