"""How series and groups look: a table of text, or of HTML in notebooks."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from intemi.series.cells import Cell
from intemi.series.columns import Column, cells_of

_MOST_ROWS = 20
_MOST_CHARACTERS = 50
_DIGITS = 4


def text_table(columns: Mapping[str, Column], main: str) -> str:
    """An aligned table of text; numbers to the right, the main label with a *, the middle of many rows left out."""
    size = len(next(iter(columns.values())))
    headings = [_cut(label) + ("*" if label == main else "") for label in columns]
    blocks = []
    for heading, values in zip(headings, columns.values(), strict=True):
        cells = list(map(_cut, _excerpt(values)))
        width = max(map(len, [heading, *cells]))
        to_right = is_numeric(values)
        blocks.append([text.rjust(width) if to_right else text.ljust(width) for text in [heading, *cells]])
    lines = ["  ".join(parts).rstrip() for parts in zip(*blocks, strict=True)]
    return "\n".join([*lines, counted(size, "row")])


def html_table(columns: Mapping[str, Column], main: str) -> str:
    """A table of HTML, all texts escaped; the main label is strong."""
    size = len(next(iter(columns.values())))
    escaped = {label: html.escape(label) for label in columns}
    heads = [f"<strong>{text}</strong>" if label == main else text for label, text in escaped.items()]
    styles = [' style="text-align: right"' if is_numeric(values) else "" for values in columns.values()]
    lines = ["<table>", f"<caption>{counted(size, 'row')}</caption>"]
    lines.append(f"<thead><tr>{_html_cells('th', heads, styles)}</tr></thead>")
    lines.append("<tbody>")
    for row in zip(*map(_excerpt, columns.values()), strict=True):
        lines.append(f"<tr>{_html_cells('td', [html.escape(_cut(text)) for text in row], styles)}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])


def groups_text(labels: Sequence[str], sizes: Sequence[tuple[Sequence[Cell], int]]) -> str:
    """The keys of groups and how many rows each has."""
    lines = [f"Groups by {_cut(', '.join(labels))}"]
    for key, size in sizes[:_MOST_ROWS]:
        cells = ", ".join(shown_cells([cell])[0] for cell in key)
        lines.append(f"  {_cut(cells)}: {counted(size, 'row')}")
    if len(sizes) > _MOST_ROWS:
        lines.append(f"  … {len(sizes)} groups")
    return "\n".join(lines)


def groups_html(labels: Sequence[str], sizes: Sequence[tuple[Sequence[Cell], int]]) -> str:
    """The same as HTML."""
    return f"<pre>{html.escape(groups_text(labels, sizes))}</pre>"


def shown_cells(cells: Iterable[Any], digits: int = _DIGITS) -> list[str]:
    """The cells of a column as text: floats with as many digits after the point as they need, at most `digits`.

    >>> shown_cells([0.5, 0.25, 16.0]), shown_cells([1 / 3, 1e-9]), shown_cells([True, None, "a"])
    (['0.50', '0.25', '16.00'], ['0.3333', '1.000e-09'], ['True', '', 'a'])
    """
    every = list(cells)
    finite = [cell for cell in every if isinstance(cell, float) and math.isfinite(cell)]
    needed = next((n for n in range(1, digits) if all(round(number, n) == number for number in finite)), digits)
    return [_shown(cell, needed, digits) for cell in every]


def is_numeric(column: Column) -> bool:
    """Whether a column holds numbers, and so is aligned to the right."""
    if isinstance(column, np.ndarray):
        return column.dtype.kind in "if"
    return all(isinstance(cell, int | float) or cell is None for cell in column)


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def one_line(text: str) -> str:
    """A text with nothing that would break a line.

    >>> one_line("a\\nb")
    'a\\\\nb'
    """
    return text if text.isprintable() else "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that a terminal follows instead of showing them, but for ends of lines and tabs."""


def printable(text: str) -> str:
    """A text in which control characters are escaped: names in files may contain sequences for a terminal.

    >>> printable("a\\x1b]0;title\\x07\\nb")
    'a\\\\x1b]0;title\\\\x07\\nb'
    """
    return CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def _cut(text: str) -> str:
    """A text on one line, and not the whole of a long one."""
    text = one_line(text)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"


def _excerpt(column: Column) -> list[str]:
    """The first and the last cells of a column, as text."""
    if len(column) <= _MOST_ROWS:
        return shown_cells(cells_of(column))
    half = _MOST_ROWS // 2
    texts = shown_cells([*cells_of(column[:half]), *cells_of(column[-half:])])
    return [*texts[:half], "…", *texts[half:]]


def _shown(cell: Any, needed: int, digits: int) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, float):
        tiny_or_huge = cell != 0 and not 10.0**-digits <= abs(cell) < 1e15
        return f"{cell:.{max(digits - 1, 0)}e}" if tiny_or_huge and math.isfinite(cell) else f"{cell:.{needed}f}"
    if isinstance(cell, np.ndarray):
        inside = ", ".join(shown_cells(cell.tolist(), digits)) if cell.ndim == 1 else " × ".join(map(str, cell.shape))
        return f"[{inside}]"
    return str(cell)


def short_names(paths: Iterable[str]) -> list[str]:
    """The last parts of paths; of several that would be the same, all of each.

    >>> short_names(["test/learner.kernel.sigma", "test/learner.C"]), short_names(["a.C", "b.C"])
    (['sigma', 'C'], ['a.C', 'b.C'])
    """
    every = list(map(str, paths))
    last = [re.split(r"[./]", path)[-1] for path in every]
    return [name if last.count(name) == 1 else path for path, name in zip(every, last, strict=True)]


def _html_cells(tag: str, texts: Iterable[str], styles: Sequence[str]) -> str:
    return "".join(f"<{tag}{style}>{text}</{tag}>" for text, style in zip(texts, styles, strict=True))
