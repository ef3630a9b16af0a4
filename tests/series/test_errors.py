from __future__ import annotations

import ast
from pathlib import Path

import intemi.series
from intemi.series.errors import listed, shown


def test_long_lists_and_values_are_cut() -> None:
    assert listed(map(str, range(12))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"
    assert listed(["a\nb"]) == "'a\\nb'"
    assert len(shown("x" * 1000)) == 61


def test_series_stand_on_nothing_else_of_the_package() -> None:
    for file in Path(intemi.series.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            allowed = ("intemi.series", "intemi.errors", "intemi.whole_files")
            assert all(not name.startswith("intemi") or name.startswith(allowed) for name in names), file.name
