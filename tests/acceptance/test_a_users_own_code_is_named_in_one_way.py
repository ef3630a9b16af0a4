"""A folder whose experiment uses code of its user can be looked at without it; files name that code in one way."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.programs import run_python

OWN = '''
from intemi.analysis import Transformation, hypothesis_test
from intemi.machines import Majority
from intemi.series import Series


class Stump(Majority):
    """A learner of the user."""


@hypothesis_test
class RangeTest(Transformation):
    """Different if the ranges do not meet."""

    def __call__(self, first, second):
        apart = min(first.values) > max(second.values) or min(second.values) > max(first.values)
        return Series({"p": [0.01 if apart else 1.0], "variant": ["by ranges"]}, main="p")
'''
FILE = """
imports: own.py
name: e
data: [iris]
learners: {stump: {type: Stump}, same: {type: own.Stump}, bayes: NaiveBayes, plain: Majority}
protocol: {distributor: {type: CVDistributor, folds: 3}}
comparison: {test: RangeTest}
"""


def said(folder: Path, *words: str, code: int = 0) -> str:
    """What the command says, in a process of its own: what one imports must not help another."""
    done = run_python("-m", "intemi.cli", *words, cwd=folder)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.py").write_text(OWN, "utf-8")
    (folder / "e.yaml").write_text(FILE, "utf-8")
    said(folder, "run", "e.yaml")
    return folder


NOTE = "own.Stump, RangeTest are not known here and shown as written; --import FILE"


@pytest.fixture
def alone(there: Path, tmp_path: Path) -> Path:
    """A place with the folder of the project and nothing else."""
    shutil.copytree(there / "e", tmp_path / "e")
    return tmp_path


def test_a_folder_with_a_test_of_its_user_is_shown_without_its_code(alone: Path) -> None:
    assert NOTE in said(alone, "graph", "e")
    compared = said(alone, "compare", "e")
    assert NOTE in compared
    assert "bayes" in compared
    assert "the test RangeTest is not known here; --import FILE" in compared
    assert NOTE in said(alone, "report", "e")


def test_with_its_code_the_test_is_computed(there: Path) -> None:
    compared = said(there, "compare", "e", "--import", "own.py", "--json")
    assert json.loads(compared)["wins"] is not None
    assert "not known" not in compared


def test_the_schema_is_open_for_tests_of_the_user_and_lists_them(there: Path) -> None:
    full = FILE.replace("type: Stump", "type: own.Stump")
    for words in ([], ["--import", "own.py"]):
        schema = json.loads(said(there, "schema", *words))
        validator = jsonschema.Draft202012Validator(schema)
        assert validator.is_valid(yaml.safe_load(full))
        assert validator.is_valid(yaml.safe_load(FILE)) == bool(words)
        listed = schema["properties"]["comparison"]["properties"]["test"]["anyOf"][0]["enum"]
        assert ("RangeTest" in listed) == bool(words)


def test_machines_and_tests_of_the_user_are_found_by_the_names_of_their_classes(there: Path) -> None:
    found = said(there, "query", "e", "--type", "Stump", "--import", "own.py", "--json", "-l", "kind")
    assert json.loads(found) == [{"kind": "Stump"}] * 6  # three folds of two learners
    assert "A learner of the user." in said(there, "machines", "Stump", "--import", "own.py")
    assert "Different if the ranges do not meet." in said(there, "machines", "RangeTest", "--import", "own.py")
    listed = said(there, "machines", "--import", "own.py")
    assert all(name in listed for name in ("own.Stump", "RangeTest", "Wilcoxon", "ranks"))


def test_a_type_that_is_not_known_is_refused_with_what_helps(there: Path) -> None:
    assert "--import FILE" in said(there, "query", "e", "--type", "own.Stump", code=2)
