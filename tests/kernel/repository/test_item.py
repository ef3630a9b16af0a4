"""The reader: what is not known in this process is told, or left out, and never stands in the way of the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import IntemiError, Project, StoreWarning
from tests.kernel.repository.machines import Grade, Twig
from tests.machines import Judge, cross_validation

PROGRAM = """
import dataclasses, sys
from intemi.kernel import Machine, Model, Project, storable

@storable
@dataclasses.dataclass(frozen=True)
class Shape:
    sides: int

class Judge(Machine):
    version = 1
    def run(self):
        return Model(results={"Accuracy": 0.25, "Shape": Shape(4)})

class Holder(Machine):
    version = 1
    depth: int = 3
    async def run(self, job):
        job.request(Judge(), comments={"Fold": 1})
        return Model(results={"Count": 1})

with Project(sys.argv[1], workers=1) as project:
    project.run(Holder(), name="held")
    if sys.argv[2:]:
        print(project.query("held", type=Judge, labels="Shape").values[0])
"""


def run(folder: Path, *more: str) -> str:
    """Run a program whose machines and types of values nobody else knows."""
    command = [sys.executable, "-c", PROGRAM, str(folder), *more]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.filterwarnings("ignore:Shape of Judge cannot be read here")
def test_classes_that_are_not_known_here_are_found_by_name_and_kind(tmp_path: Path) -> None:
    run(tmp_path)
    with Project.open(tmp_path, workers=1) as project:
        found = project.query("held", name="Judge", labels=["Fold", "Count", "kind"])
        assert found.row(0) == {"Fold": 1, "Count": 1, "kind": "Judge"}
        assert len(project.query("held", lambda item: item.config is None)) == 2


def test_values_of_a_type_that_is_not_known_here_are_missing_and_not_lost(tmp_path: Path) -> None:
    run(tmp_path)
    warned = pytest.warns(StoreWarning, match=r"Shape of Judge cannot be read here: .* '__main__.Shape'; import")
    with Project.open(tmp_path, workers=1) as project, warned:
        found = project.query("held")
        assert list(found["machine"]) == ["held", "Judge"]
        assert found["Accuracy"][1] == 0.25, "only what cannot be read is missing"
    assert run(tmp_path, "ask").strip() == "Shape(sides=4)", "who knows the type gets the value, whoever read it first"


def test_classes_of_one_name_are_told_apart_by_their_configuration(tmp_path: Path) -> None:
    run(tmp_path)
    with Project(tmp_path, workers=1) as project:
        done = project.run(cross_validation(1, 2), data=project.given(1))
        assert len(project.query(done, type=Judge)) == 4


def test_an_item_knows_where_it_is(tmp_path: Path) -> None:
    with Project(tmp_path, workers=1) as project:
        done = project.run(Twig((Grade(1), Twig((Grade(2),)))), name="root")
        items = []

        def looks(item: Any) -> bool:
            if item.name != "part 0" or item.above.name == "root":
                return False
            assert (item.path, item.names) == ("root/part 1/part 0", ("part 1", "part 0"))
            assert (item.kind, item.config, item.results["Grade"]) == ("Grade", Grade(2), 2)
            assert [each.name for each in item.ancestors()] == ["part 0", "part 1", "root"]
            assert item.above.comments == {"Place": 1}
            assert item.label("Place") == 1
            assert repr(item.label("nothing")) == "MISSING"
            items.append(item)
            return True

        assert len(project.query(done, looks)) == 1
        with pytest.raises(IntemiError, match="after the query that it belongs to was answered"):
            items[0].measured("wall")
