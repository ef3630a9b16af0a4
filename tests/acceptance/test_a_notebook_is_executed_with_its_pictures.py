"""The notebook of the examples runs from top to bottom; every cell shows something, and a browser renders all of it."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from tests.browser import shown

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "first_look.ipynb"
PICTURES = 5

Cell = dict[str, Any]


def code(notebook: Path) -> list[Cell]:
    return [cell for cell in json.loads(notebook.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


def forms(cell: Cell) -> list[list[str]]:
    return [sorted(output.get("data", {output.get("name"): ""})) for output in cell["outputs"]]


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Cell]:
    """The cells as they were executed just now, in an empty folder."""
    folder = tmp_path_factory.mktemp("notebook")
    command = [sys.executable, "-m", "scripts.notebook", str(NOTEBOOK), str(folder / "executed.ipynb")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return code(folder / "executed.ipynb")


def test_every_cell_runs_and_shows_something(cells: list[Cell]) -> None:
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell["outputs"] for cell in cells[1:])
    shown_forms = [form for cell in cells for output in forms(cell) for form in output]
    assert shown_forms.count("image/png") == PICTURES
    assert shown_forms.count("text/html") >= 8


def test_pictures_are_pictures(cells: list[Cell]) -> None:
    outputs = [output.get("data", {}) for cell in cells for output in cell["outputs"]]
    for picture in (b64decode(data["image/png"]) for data in outputs if "image/png" in data):
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 3000


def test_what_is_kept_in_the_notebook_is_what_it_shows(cells: list[Cell]) -> None:
    kept = code(NOTEBOOK)
    assert [forms(cell) for cell in kept] == [forms(cell) for cell in cells], "python -m scripts.notebook renews it"
    assert [cell["source"] for cell in kept] == [cell["source"] for cell in cells]
    for before, now in zip(kept[:-1], cells[:-1], strict=True):  # the last shows the time
        assert told(before) == told(now)


def told(cell: Cell) -> list[str]:
    return ["".join(output.get("data", {}).get("text/html", output.get("text", ""))) for output in cell["outputs"]]


@pytest.mark.needs("browser")
@pytest.mark.parametrize("dark", [False, True])
def test_a_browser_renders_all_outputs(cells: list[Cell], dark: bool, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{''.join(map(rendered, cells))}", "utf-8")
    ask = """{
        pictures: [...document.images].map(each => each.naturalWidth),
        drawings: [...document.querySelectorAll("svg")].map(each => each.getBoundingClientRect().width),
        heights: [...document.querySelectorAll("article")].map(each => each.getBoundingClientRect().height),
    }"""
    seen = shown(page, ask, dark=dark)
    assert seen["errors"] == []
    assert len(seen["found"]["pictures"]) == PICTURES
    assert min(seen["found"]["pictures"]) > 100
    assert len(seen["found"]["drawings"]) >= 2
    assert min(seen["found"]["heights"][1:]) > 10


def rendered(cell: Cell) -> str:
    """The richest form of what a cell shows, as a notebook would choose it."""
    parts = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data:
            parts.append("".join(data["text/html"]))
        elif "image/png" in data:
            parts.append(f'<img src="data:image/png;base64,{data["image/png"]}">')
        else:
            parts.append(f"<pre>{''.join(output.get('text', ''))}</pre>")
    return f"<article>{''.join(parts)}</article>"
