"""The code of the README and the documentation runs as a reader would type it."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import intemi
from intemi.experiments import parse_experiment
from tests.pages import blocks, program, promised
from tests.programs import run_python

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def name(page: Path) -> str:
    """What a page is called in the repository."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=name)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(program(page), "utf-8")
    done = run_python("program.py", cwd=tmp_path, strict=True, timeout=280)
    assert done.returncode == 0, done.stderr
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    for each in promised(page):
        assert each in (printed if "\n" in each else printed.splitlines())


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_experiment_files_of_a_page_can_be_read(page: Path) -> None:
    for block in blocks(page):
        if block.language == "yaml" and block.title is None:
            parse_experiment(block.text, page.name)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


class Links(HTMLParser):
    """What a page of the site links to, what it is made of, and where one can link to in it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {value for name, value in given.items() if name in ("id", "name")}
        self.links += [value for name, value in given.items() if name in ("href", "src")]
        self.parts += [value for name, value in given.items() if name == "src" or (tag, name) == ("link", "href")]


@pytest.mark.full
@pytest.mark.needs("docs")
def test_the_site_is_built_without_a_warning_and_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {page: Links(page) for page in tmp_path.rglob("*.html") if page.name != "404.html"}
    assert tmp_path / "index.html" in pages
    for page, found in pages.items():
        assert not [part for part in found.parts if urlsplit(part).netloc], f"{page.name} is not complete"
        for link in map(urlsplit, found.links):
            if link.scheme or link.netloc:
                continue
            target = (page.parent / unquote(link.path)).resolve() if link.path else page
            assert target.exists(), f"{page.name} links to {link.path}"
            if link.fragment and target in pages and not link.fragment.startswith("__"):
                assert link.fragment in pages[target].anchors, f"{page.name} links to {link.path}#{link.fragment}"


PACKAGES = sorted({file.parent for file in Path(intemi.__file__).parent.rglob("*.py")})


@pytest.mark.parametrize("package", PACKAGES, ids=name)
def test_the_examples_in_the_docstrings_of_a_package_run(package: Path) -> None:
    files = sorted(package.glob("*.py"))
    modules = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    failed = [name for name in modules if doctest.testmod(importlib.import_module(name)).failed]
    assert failed == []
