"""Tables for documents: Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from intemi.series.columns import Column, cells_of
from intemi.series.display import is_numeric, one_line, shown_cells

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}


def markdown_table(columns: Mapping[str, Column], digits: int) -> str:
    """A table of Markdown, numbers to the right."""
    rule = ["---:" if is_numeric(values) else "---" for values in columns.values()]
    heads, *rows = _texts(columns, digits, _markdown)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [heads, rule, *rows])


def latex_table(columns: Mapping[str, Column], digits: int) -> str:
    """A tabular of LaTeX with the rules of the package booktabs, numbers to the right."""
    alignment = "".join("r" if is_numeric(values) else "l" for values in columns.values())
    heads, *rows = _texts(columns, digits, latex_text)
    return tabular(alignment, [heads], rows)


def tabular(alignment: str, *parts: Iterable[Sequence[str]]) -> str:
    """A tabular with the rules of the package booktabs; its parts are rows of cells, with a rule between parts."""
    lines = ["".join(f"{' & '.join(cells)} \\\\\n" for cells in rows) for rows in parts]
    body = "\\midrule\n".join(lines)
    return f"\\begin{{tabular}}{{{alignment}}}\n\\toprule\n{body}\\bottomrule\n\\end{{tabular}}\n"


def _texts(columns: Mapping[str, Column], digits: int, escape: Callable[[str], str]) -> Iterator[list[str]]:
    """The labels, then the cells of each row."""
    yield [escape(one_line(label)) for label in columns]
    cells = [shown_cells(cells_of(values), digits) for values in columns.values()]
    for row in zip(*cells, strict=True):
        yield [escape(one_line(text)) for text in row]


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|~&$])", r"\\\1", text)


def latex_text(text: str) -> str:
    """Text as LaTeX shows it.

    >>> latex_text("5 % of k_nn")
    '5 \\\\% of k\\\\_nn'
    """
    return "".join(_LATEX.get(each, each) for each in text)
