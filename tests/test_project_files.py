"""What a stranger meets first is true: metadata, citation, templates, hooks and the workflow."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import EXTRAS

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def read_yaml(place: str) -> Any:
    """A YAML file of the repository."""
    return yaml.safe_load((ROOT / place).read_text("utf-8"))


def extras_in(extra: str) -> set[str]:
    """The extras of this package that an extra is made of, at any depth."""
    named = {each for line in PROJECT["optional-dependencies"][extra] for each in re.findall(r"^intemi\[(.*)\]", line)}
    direct = {each for names in named for each in names.split(",")}
    return direct.union(*map(extras_in, direct))


def pythons() -> list[str]:
    """The versions of Python that the package says it runs with."""
    return [found[1] for each in PROJECT["classifiers"] if (found := re.fullmatch(r".*Python :: (3\.\d+)", each))]


def test_the_metadata_are_complete() -> None:
    assert (ROOT / PROJECT["readme"]).is_file()
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])
    assert {"name", "description", "authors", "keywords", "license", "scripts"} <= PROJECT.keys()
    assert "Operating System :: POSIX" in PROJECT["classifiers"]
    assert not [each for each in PROJECT["classifiers"] if "Windows" in each or "OS Independent" in each]
    assert PROJECT["requires-python"] == f">={pythons()[0]}"


def test_the_slim_extra_leaves_out_what_tests_can_do_without() -> None:
    assert extras_in("test").isdisjoint(EXTRAS)
    assert extras_in("test-all") == set(PROJECT["optional-dependencies"]) - {"test-all", "peers"}, (
        "no test needs the peers"
    )


def test_the_citation_has_what_its_format_requires() -> None:
    citation = read_yaml("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= citation.keys()
    assert "version" not in citation, "the version is written in one place"
    assert citation["license"] == PROJECT["license"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]
    (book,) = citation["references"]
    assert {"type", "title", "authors"} <= book.keys()
    assert f"*{book['title']}* ({book['publisher']['name']}, {book['year']})" in (ROOT / "README.md").read_text("utf-8")


def test_the_workflow_tests_every_version_of_python_on_both_systems() -> None:
    jobs = read_yaml(".github/workflows/test.yml")["jobs"].values()
    matrices = [(job["runs-on"], job["strategy"]["matrix"]) for job in jobs if "strategy" in job]
    tested = {(system.partition("-")[0], each) for system, matrix in matrices for each in matrix.get("python", [])}
    assert tested == {(system, each) for system in ("ubuntu", "macos") for each in pythons()}


def test_what_the_workflow_makes_can_be_made() -> None:
    text = (ROOT / ".github/workflows/test.yml").read_text("utf-8")
    made = set(re.findall(r"run: make ([\w-]+)", text)) | set(re.findall(r"target: ([\w-]+)", text))
    assert made == {"test", "test-all", "test-lowest", "test-newest"}
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert made <= set(phony.split())


def test_the_readme_and_the_automatic_run_have_one_command_for_all_tests() -> None:
    assert re.search(r"^make test ", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert (ROOT / ".ci" / "run").read_text("utf-8").splitlines()[-1] == "make test"
    assert re.search(r"^EXTRA \?= test-all$", MAKEFILE, re.MULTILINE), "nothing is skipped"
    assert re.search(r"^test: \$\(VENV\)/\.\$\(EXTRA\)$", MAKEFILE, re.MULTILINE)


def test_the_hooks_use_what_is_installed_and_fetch_nothing() -> None:
    repositories = read_yaml(".pre-commit-config.yaml")["repos"]
    assert [each["repo"] for each in repositories] == ["local"]
    hooks = {hook["id"]: hook for hook in repositories[0]["hooks"]}
    assert list(hooks) == ["ruff", "ruff-format", "mypy"]
    for hook in hooks.values():
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/python -m ")


@pytest.mark.parametrize("kind", ["bug", "wrong_result", "idea"])
def test_a_form_for_issues_asks_questions_with_ids_of_their_own(kind: str) -> None:
    form = read_yaml(f".github/ISSUE_TEMPLATE/{kind}.yml")
    assert form["name"]
    assert form["description"]
    ids = [question["id"] for question in form["body"]]
    assert len(ids) == len(set(ids)) >= 3
    assert all(question["attributes"]["label"] for question in form["body"])
    assert form["body"][0]["validations"]["required"]
