from __future__ import annotations

import tomllib
from pathlib import Path

import intemi
from intemi.kernel.shipped import VERSION


def test_the_version_is_that_of_the_distribution() -> None:
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == VERSION == intemi.__version__
