"""The code of the README and the documentation runs as a reader would type it, and so do the examples."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import intemi

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs_and_prints_what_its_comments_say(page: Path, tmp_path: Path) -> None:
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE))
    program = tmp_path / "program.py"
    program.write_text(code)
    done = subprocess.run([sys.executable, "-W", "error", program.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for promised in re.findall(r"^\s*print\(.*\)  # (.*)$", code, re.MULTILINE):
        assert promised in done.stdout.splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_examples_in_docstrings_run() -> None:
    failed = 0
    for module in pkgutil.walk_packages(intemi.__path__, "intemi."):
        failed += doctest.testmod(importlib.import_module(module.name)).failed
    assert failed == 0


def test_the_demonstration_runs() -> None:
    done = subprocess.run([sys.executable, ROOT / "examples" / "demo.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "622 machines, 622 of them run" in done.stdout
    assert "622 machines, 0 of them run" in done.stdout
