"""CSV: a line of labels and a line for each row, as other programs write and read it; and yet nothing is lost.

What a cell is follows from its text:

- nothing is None; true and false are bools;
- an int is digits without a point, a float has a point or an exponent or is nan, inf or -inf;
- what begins with " or { is JSON, as in JSON files: `"5"` is a text, `{"int": [1, 2]}` a vector;
- everything else is text.

So a text needs the quotes of JSON only where it would be read as something else. The main label is the first one, or
the one that is followed by *. The quotes of CSV itself carry no meaning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from intemi.series.cells import Cell
from intemi.series.columns import Column, cells_of
from intemi.series.display import counted
from intemi.series.errors import SeriesError, listed, shown
from intemi.series.json import from_plain, parsed, plain

_FIELD = re.compile(r'(?:"((?:[^"]|"")*+)"|([^",\r\n][^,\r\n]*+|))(,|\r\n|\r|\n|\Z)')
_BREAK = re.compile(r"\r\n|\r|\n")
_EMPTY_FIELD = '""'
"""The line of a single field that is empty; without it the line would be empty and left out."""
_WORDS = {"": None, "true": True, "false": False}
_INT = re.compile(r"-?(?:0|[1-9][0-9]{0,4299})")
_FLOAT = re.compile(
    r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?|nan|[+-]?inf", re.ASCII | re.IGNORECASE
)


def csv_text(columns: Mapping[str, Column], main: str) -> str:
    """Columns as CSV."""
    first = next(iter(columns))
    lines = [[_written_label(label, label == main != first) for label in columns]]
    lines += map(list, zip(*([written(cell) for cell in cells_of(each)] for each in columns.values()), strict=True))
    return "".join(f"{','.join(map(_quoted, fields)) or _EMPTY_FIELD}\n" for fields in lines)


def read_csv(text: str, file: str) -> tuple[dict[str, list[Cell]], str | None]:
    """The columns of a CSV text and its main label, if it is marked; `file` is what errors call it."""
    lines = _lines(text, file)
    _, heads = next(lines, (1, []))
    labels = []
    main = None
    for head in heads:
        is_main = head.endswith("*") and len(head) > 1
        label = _read_label(head[:-1] if is_main else head, file)
        if label in labels or (is_main and main is not None):
            raise SeriesError(f"{file}:1: found {shown(head)}, expected labels that differ, one of them marked with *")
        labels.append(label)
        main = label if is_main else main
    if not labels:
        raise SeriesError(f"{file}:1: found nothing, expected a line of labels")
    rows = []
    for line, fields in lines:
        if len(fields) != len(labels):
            raise SeriesError(
                f"{file}:{line}: found {counted(len(fields), 'cell')}, expected {len(labels)}: {listed(labels)}"
            )
        where = f"{file}:{line}"
        rows.append([read(field, where) for field in fields])
    columns: list[list[Cell]] = [[row[index] for row in rows] for index in range(len(labels))]
    return dict(zip(labels, columns, strict=True)), main


def written(cell: Cell) -> str:
    """A cell as CSV has it, without the quotes of CSV.

    >>> written(5.0), written(5), written("5"), written("five"), written(None)
    ('5.0', '5', '"5"', 'five', '')
    """
    if isinstance(cell, str):
        return cell if _is_plain(cell) and type(_word_or_number(cell)) is str else json.dumps(cell)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        return repr(cell)
    return "" if cell is None else json.dumps(plain(cell))


def read(text: str, where: str) -> Cell:
    """The cell that `written` made a text of."""
    if text.startswith(('"', "{")):
        return from_plain(parsed(text, where), where)
    return _word_or_number(text)


def _word_or_number(text: str) -> Cell:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _is_plain(text: str) -> bool:
    """Whether a text can stand as it is: some programs drop blanks around it, some break lines at odd characters."""
    return text.isprintable() and text == text.strip() and not text.startswith(('"', "{"))


def _written_label(label: str, is_marked: bool) -> str:
    text = label if _is_plain(label) and not label.endswith("*") else json.dumps(label)
    return f"{text}*" if is_marked else text


def _read_label(text: str, file: str) -> str:
    label = parsed(text, f"{file}:1") if text.startswith('"') else text
    if not isinstance(label, str) or not label:
        raise SeriesError(f"{file}:1: found {shown(text)}, expected a label")
    return label


def _quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if any(each in field for each in ',"\r\n') else field


def _lines(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line and its number; empty lines are left out."""
    at, line = 0, 1
    while at < len(text):
        started, fields, is_empty = line, [], False
        while True:
            match = _FIELD.match(text, at)
            if match is None:
                raise SeriesError(
                    f"{file}:{line}: found {shown(text[at : at + 40])}, expected a field in closed quotes"
                )
            quoted, bare, end = match.groups()
            fields.append(bare if quoted is None else quoted.replace('""', '"'))
            is_empty = not bare and quoted is None and len(fields) == 1 and end != ","
            at = match.end()
            line += len(_BREAK.findall(quoted or "")) + (end not in (",", ""))
            if end != ",":
                break
        if not is_empty:
            yield started, fields
