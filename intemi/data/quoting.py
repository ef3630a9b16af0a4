"""Quotes and escapes of ARFF: how a quoted value is read, and when and how one is written."""

from __future__ import annotations

import re
from typing import NamedTuple

from intemi.data.errors import DataError, shown

QUOTED = r"""[ \t]*+(?:'([^'\\]*+(?:\\.[^'\\]*+)*+)'|"([^"\\]*+(?:\\.[^"\\]*+)*+)")[ \t]*+"""
"""A quoted value and the blanks around it; the first or the second group is what is between the quotes."""
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_LETTERS = {meaning: letter for letter, meaning in _ESCAPED.items()}
_PLAIN = re.compile(r"[^\s,{}%'\"\\@][^\s,{}%'\"\\]*")


class Value(NamedTuple):
    """One of several values on a line."""

    content: str
    is_quoted: bool
    stop: str
    """The character after it, empty at the end of the line."""
    next: int
    """Where the line goes on after that character."""


def pattern(stops: str) -> re.Pattern[str]:
    """A value, quoted or up to one of the characters that stop it."""
    return re.compile(rf"{QUOTED}|([^{re.escape(stops)}]*+)", re.DOTALL)


def value_at(expression: re.Pattern[str], text: str, at: int, file: str, line: int) -> Value:
    """The value that begins at a position."""
    match = expression.match(text, at)
    assert match is not None
    stop = text[match.end() : match.end() + 1]
    if match[3] is None:
        return Value(between_quotes(match, file, line), True, stop, match.end() + 1)
    content = match[3].strip(" \t")
    if content.startswith(("'", '"')):
        raise DataError(file, line, shown(content), f"a closing {content[0]}")
    return Value(content, False, stop, match.end() + 1)


def between_quotes(match: re.Match[str], file: str, line: int) -> str:
    """What a match of `QUOTED` says, without its escapes."""
    text = match[1] if match[1] is not None else match[2]
    if "\\" not in text:
        return text

    def plain(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) == 5:
            return chr(int(escape[1:], 16))
        if escape.isalnum() and escape not in _ESCAPED:
            raise DataError(file, line, f"the escape {shown(match[0])}", r"one of \n, \r, \t, \', \", \\, \%, \u0000")
        return _ESCAPED.get(escape, escape)

    return _ESCAPE.sub(plain, text)


def quoted(text: str) -> str:
    """A name or a value as it is written: in quotes where it needs them."""
    if _PLAIN.fullmatch(text) and text.isprintable() and text != "?":
        return text
    return "'" + "".join(map(_escaped, text)) + "'"


def _escaped(character: str) -> str:
    if character in "'\\":
        return "\\" + character
    if character in _LETTERS:
        return "\\" + _LETTERS[character]
    return character if character.isprintable() or character > "\uffff" else f"\\u{ord(character):04x}"
