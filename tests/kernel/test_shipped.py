"""The version stands in one place, from which everything else has it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import intemi
from intemi.kernel import shipped

ROOT = Path(__file__).parents[2]


def test_the_version_is_written_in_one_place() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in pyproject["project"]
    assert ROOT / pyproject["tool"]["hatch"]["version"]["path"] == Path(shipped.__file__)
    assert intemi.__version__ == shipped.VERSION


def test_the_changelog_begins_with_the_entry_of_this_version() -> None:
    entries = re.findall(r"^## \[(.+?)\](?: - (\S+))?$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert entries[0] == ("Unreleased", "")
    version, date = entries[1]
    assert version == shipped.VERSION
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", date)
