"""Every example of the gallery runs in seconds and draws its picture; the page has all of them as they are."""

from __future__ import annotations

import importlib
import os
import re
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from intemi.cli.main import command
from scripts.gallery import PAGE, PICTURES, Example, examples, page

EXAMPLES = examples()
MAX_SECONDS = 20.0
MAX_LINES = 50


def drawn(example: Example, folder: Path) -> str:
    """Run an example in a folder; its picture."""
    if example.file.suffix == ".py":
        importlib.import_module(f"examples.{example.name}")
    else:
        for _, _, _, *arguments in example.commands:
            done = CliRunner().invoke(command, arguments)
            assert done.exit_code == 0, done.output
    return (folder / f"{example.name}.svg").read_text("utf-8")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.name)
def test_an_example_runs_in_seconds_and_draws_its_picture(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begun, cpu = time.perf_counter(), sum(os.times()[:4])
    picture = drawn(example, tmp_path)
    taken = min(time.perf_counter() - begun, sum(os.times()[:4]) - cpu)
    assert taken < MAX_SECONDS
    root = ElementTree.fromstring(picture)
    assert root.tag.endswith("svg")
    assert len(list(root.iter())) > 20, "there is something to see"


def test_there_are_twelve_and_those_that_newcomers_look_for() -> None:
    assert len(EXAMPLES) >= 12
    assert {"from_weka_experimenter", "from_grid_search_cv", "from_mlr3"} <= {each.name for each in EXAMPLES}
    for each in EXAMPLES:
        assert 5 <= len(each.code.splitlines()) <= MAX_LINES, each.name
        assert each.text, each.name


def test_the_page_has_every_example_as_it_is_with_its_picture() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m scripts.gallery writes it"
    shown = re.findall(r"\(images/gallery/(.*?)\.svg\)", page())
    assert shown == [each.name for each in EXAMPLES]
    assert {file.stem for file in PICTURES.glob("*.svg")} == set(shown)
