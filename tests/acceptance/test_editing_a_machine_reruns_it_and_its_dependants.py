"""A user edits a program between two runs on one project folder: what the edit touches runs again, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.programs import run_python

MACHINES = '''
"""A diamond of machines with a tail: source, then left and right, then join, then after; and a loner beside them."""

from __future__ import annotations

import tools
from intemi import Component, Input, Machine, Model, Output
from tools import half

STEP = 10


class Offset(Component):
    amount: int = 1

    def of(self, number: int) -> int:
        return number + self.amount


def double(number: int) -> int:
    return 2 * number


def unused(number: int) -> int:
    return number


class Source(Machine):
    result = Output(int)
    value: int = 7

    def run(self) -> Model:
        return Model(result=self.value)


class Left(Machine):
    number = Input(int)
    result = Output(int)

    def run(self, number: int) -> Model:
        # Twice as much.
        return Model(result=double(number))


class Right(Machine):
    number = Input(int)
    result = Output(int)
    offset: Offset = Offset()

    def run(self, number: int) -> Model:
        return Model(result=self.offset.of(number) + STEP)


class Join(Machine):
    left = Input(int)
    right = Input(int)
    result = Output(int)
    version = 1

    def run(self, left: int, right: int) -> Model:
        return Model(result=tools.blend(left, right))


class After(Machine):
    number = Input(int)
    result = Output(int)

    def run(self, number: int) -> Model:
        return Model(result=number + half(3))


class Loner(Machine):
    result = Output(int)

    def run(self) -> Model:
        return Model(result=STEP)
'''

TOOLS = """
WEIGHT = 100


def blend(left: int, right: int) -> int:
    return WEIGHT * left + right


def half(number: int) -> int:
    return halve(number)


def halve(number: int) -> int:
    return number // 2
"""

RUN = """
import json
import sys

from machines import After, Join, Left, Loner, Right, Source
from intemi import EventKind, Project
from intemi.machines import Scheme

unification, drawn = int(sys.argv[1]), sys.argv[2] == "scheme"
started = []
with Project("project", workers=1, unification=unification) as project:
    project.listen(lambda event: started.append(event.config.kind) if event.kind is EventKind.STARTED else None)
    if drawn:
        scheme = Scheme()
        source = scheme.add(Source())
        left = scheme.add(Left(), number=source.result)
        right = scheme.add(Right(), number=source.result)
        join = scheme.add(Join(), left=left.result, right=right.result)
        after = scheme.add(After(), number=join.result)
        scheme.add(Loner())
        scheme.expose(result=after.result)
        last = project.run(scheme)
    else:
        source = project.request(Source())
        left = project.request(Left(), number=source.result)
        right = project.request(Right(), number=source.result)
        join = project.request(Join(), left=left.result, right=right.result)
        last = project.request(After(), number=join.result)
        project.wait(last, project.request(Loner()))
    print(json.dumps({"started": sorted(started), "result": last.outputs["result"]}))
"""

ALL = ["After", "Join", "Left", "Loner", "Right", "Source"]


class Place:
    """A user's folder: a program in three files, and its project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def run(self, way: str = "machines", unification: int = 2) -> Any:
        """What a run in a new process started, and what came out."""
        # Without compiled files: an edit within the second that leaves the length as it was would not be seen.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = run_python("run.py", str(unification), way, cwd=self.folder, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The place after one run at each level and in each way, to be copied."""
    folder = tmp_path_factory.mktemp("finished")
    for name, text in (("machines.py", MACHINES), ("tools.py", TOOLS), ("run.py", RUN)):
        (folder / name).write_text(text)
    place = Place(folder)
    assert place.run() == {"started": ALL, "result": 1419}
    assert place.run(unification=1)["result"] == 1419
    assert place.run("scheme") == {"started": ["Scheme"], "result": 1419}
    return folder


@pytest.fixture
def place(finished: Path, tmp_path: Path) -> Place:
    shutil.copytree(finished, tmp_path / "place")
    return Place(tmp_path / "place")


def test_without_an_edit_nothing_runs_again(place: Place) -> None:
    for way in ("machines", "scheme"):
        for unification in (1, 2):
            assert place.run(way, unification) == {"started": [], "result": 1419}


VALUE = """value: int = 7

    def run(self) -> Model:
        return Model(result=self.value)"""

# What the edit is, where, from what to what, and what runs again because of it.
CHANGING = {
    "a machine": ("machines.py", "result=double(number)", "result=double(number) + 1", "Left Join After"),
    "a helper": ("machines.py", "return 2 * number", "return 3 * number", "Left Join After"),
    "a constant": ("machines.py", "STEP = 10", "STEP = 20", "Right Join After Loner"),
    "a component": ("machines.py", "number + self.amount", "number - self.amount", "Right Join After"),
    "the default of a component": ("machines.py", "amount: int = 1", "amount: int = 2", "Right Join After"),
    "the default of a machine": ("machines.py", "value: int = 7", "value: int = 8", "Source Left Right Join After"),
    "the last machine": ("machines.py", "number + half(3)", "number + half(5)", "After"),
    "a helper of a helper in another module": ("tools.py", "number // 2", "number // 2 + 1", "After"),
}

WITHOUT_EFFECT = {
    "a machine": ("machines.py", "result=double(number)", "result=double(number) + 0", "Left"),
    "a helper": ("machines.py", "return 2 * number", "return number + number", "Left"),
    "a helper of a helper in another module": ("tools.py", "number // 2", "number >> 1", "After"),
    "the name of a parameter": ("machines.py", VALUE, VALUE.replace("value", "number"), "Source"),
    "a default that is written out": ("machines.py", "Offset = Offset()", "Offset = Offset(amount=1)", ""),
    "a version": ("machines.py", "version = 1", "version = 2", "Join"),
    "a version that is taken back": ("machines.py", "    version = 1\n", "", "Join"),
}

NO_CHANGE = {
    "a comment": ("machines.py", "# Twice as much.", "# Two times, that is."),
    "the layout": ("machines.py", "(result=double(number))", "(\n            result=double(number)\n        )"),
    "a docstring": ("machines.py", "class Left(Machine):", 'class Left(Machine):\n    """Twice."""\n'),
    "lines above": ("machines.py", "STEP = 10", "STEP = 10\n\n\n# There is more below.\n\n"),
    "a function that nobody uses": ("machines.py", "    return number\n", "    return -number\n"),
    "another machine": ("machines.py", "class Left(", "class New(Machine):\n    pass\n\n\nclass Left("),
    "an import": ("machines.py", "import tools\n", "import math\n\nimport tools\n"),
    "a helper behind an explicit version": ("tools.py", "WEIGHT * left + right", "right"),
    "a constant behind an explicit version": ("tools.py", "WEIGHT = 100", "WEIGHT = 1"),
}


@pytest.mark.parametrize("edited", CHANGING)
def test_an_edit_reruns_what_it_touches_and_what_depends_on_it(place: Place, edited: str) -> None:
    file, old, new, expected = CHANGING[edited]
    place.edit(file, old, new)
    answer = place.run()
    assert answer["started"] == sorted(expected.split())
    assert (answer["result"] == 1419) == ("After" not in expected)
    assert place.run()["started"] == []


@pytest.mark.parametrize("edited", WITHOUT_EFFECT)
def test_an_edit_that_leaves_an_output_as_it_was_reruns_nothing_beyond_it(place: Place, edited: str) -> None:
    file, old, new, expected = WITHOUT_EFFECT[edited]
    place.edit(file, old, new)
    assert place.run() == {"started": expected.split(), "result": 1419}


def test_where_contents_do_not_count_dependants_run_again_even_if_the_output_is_the_same(place: Place) -> None:
    place.edit("machines.py", "result=double(number)", "result=double(number) + 0")
    assert place.run(unification=1) == {"started": ["After", "Join", "Left"], "result": 1419}


@pytest.mark.parametrize("edited", NO_CHANGE)
def test_an_edit_that_changes_no_behaviour_reruns_nothing(place: Place, edited: str) -> None:
    place.edit(*NO_CHANGE[edited])
    assert place.run() == {"started": [], "result": 1419}


def test_machines_inside_a_scheme_run_again_with_the_scheme_and_nothing_else(place: Place) -> None:
    place.edit("machines.py", "return 2 * number", "return 3 * number")
    assert place.run("scheme") == {"started": ["After", "Join", "Left", "Scheme"], "result": 2119}
    assert place.run("scheme")["started"] == []
    assert place.run("machines")["started"] == []


def test_a_new_version_takes_the_helpers_as_they_are_by_then(place: Place) -> None:
    place.edit("tools.py", "WEIGHT = 100", "WEIGHT = 1")
    assert place.run()["result"] == 1419
    place.edit("machines.py", "version = 1", "version = 2")
    assert place.run() == {"started": ["After", "Join"], "result": 33}


def test_an_edit_that_is_undone_finds_everything_as_it_was(place: Place) -> None:
    place.edit("machines.py", "return 2 * number", "return 3 * number")
    assert place.run()["started"] == ["After", "Join", "Left"]
    place.edit("machines.py", "return 3 * number", "return 2 * number")
    assert place.run() == {"started": [], "result": 1419}


def test_machines_in_the_program_itself_are_known_by_their_source_as_well(tmp_path: Path) -> None:
    own = MACHINES.replace("from __future__ import annotations\n", "")
    (tmp_path / "tools.py").write_text(TOOLS)
    imported = "from machines import After, Join, Left, Loner, Right, Source\n"
    assert imported in RUN
    (tmp_path / "run.py").write_text(own + RUN.replace(imported, ""))
    place = Place(tmp_path)
    assert place.run()["started"] == ALL
    assert place.run()["started"] == []
    place.edit("run.py", "return 2 * number", "return 3 * number")
    assert place.run() == {"started": ["After", "Join", "Left"], "result": 2119}
