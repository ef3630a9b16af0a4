"""The maps that a newcomer reads first are true: what they name is there, and what is there is named."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import intemi

PACKAGE = Path(intemi.__file__).parent
ARCHITECTURE = PACKAGE.parent / "docs" / "architecture.md"
DECISIONS = PACKAGE.parent / "docs" / "decisions.md"
CONTRIBUTING = PACKAGE.parent / "CONTRIBUTING.md"


def map_of(package: str) -> str:
    """What the docstring of a package says."""
    tree = ast.parse((PACKAGE / package / "__init__.py").read_text("utf-8"))
    return ast.get_docstring(tree) or ""


def modules_in(package: str) -> set[str]:
    """The modules and packages in a folder of the package."""
    folder = PACKAGE / package
    files = {path.stem for path in folder.glob("*.py") if path.stem != "__init__"}
    return files | {path.parent.name for path in folder.glob("*/__init__.py")}


@pytest.mark.parametrize("package", ["kernel", "kernel/disk", "kernel/repository", "kernel/source", "kernel/workers"])
def test_a_map_of_the_kernel_names_every_file_and_nothing_else(package: str) -> None:
    named = re.findall(r"`(\w+)`", map_of(package))
    assert modules_in(package) - set(named) == set(), "files that the docstring of the package does not name"
    assert set(named) - modules_in(package) == set(), "names of the docstring that are no files"
    assert len(named) == len(set(named)), "a file has one place"


def test_the_kernel_is_told_in_the_order_in_which_a_request_travels() -> None:
    stages = re.findall(r"^(\d)\. (\w+)\.", map_of("kernel"), re.MULTILINE)
    assert [int(number) for number, _ in stages] == list(range(1, len(stages) + 1))
    order = [
        map_of("kernel").index(f"`{name}`") for name in ("machine", "project", "request", "scheduler", "execution")
    ]
    assert order == sorted(order)


def test_every_file_that_the_architecture_names_exists() -> None:
    text = ARCHITECTURE.read_text("utf-8") + DECISIONS.read_text("utf-8")
    named = set(re.findall(r"[a-z_]+(?:/[a-z_]+)*\.py", text)) | set(re.findall(r"\b[a-z_]+(?:/[a-z_]+)*/(?=\W)", text))
    assert len(named) > 20
    missing = {name for name in named if not any((root / name).exists() for root in (PACKAGE, PACKAGE / "kernel"))}
    assert missing == set()


def test_every_file_that_the_guide_for_contributors_names_exists() -> None:
    named = set(re.findall(r"`([\w.]+/[\w./]*|\w+\.(?:md|py|toml))`", CONTRIBUTING.read_text("utf-8")))
    assert len(named) > 40
    assert {name for name in named if not (PACKAGE.parent / name).exists()} == set()


def test_the_guide_for_contributors_says_of_everything_where_code_lists_and_tests_are() -> None:
    rows = re.findall(r"^\| (an? .+?) \| (.+?) \| (.+?) \| (.+?) \|$", CONTRIBUTING.read_text("utf-8"), re.MULTILINE)
    assert [row[0] for row in rows] == [
        "a learner",
        "a combiner of learners",
        "a transformation",
        "a measure",
        "a split criterion",
        "a decision rule of committees, a variant of boosting",
        "a statistical test",
        "an effect size",
        "a picture",
        "an example",
        "a command",
        "a data format",
        "a task manager",
        "a change of the disk format",
    ]
    for _, written, listed, tested in rows:
        assert re.search(r"`(intemi|examples)/", written)
        assert "`docs/" in listed
        assert "`tests/" in tested
