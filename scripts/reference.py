"""How docstrings become the reference: examples as code, and the ports and parameters of machines and components.

An extension of griffe, which reads the package for mkdocstrings; `mkdocs.yml` names this file.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

from intemi.experiments.catalogue import Entry, entries
from intemi.experiments.describing import plain_description

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)
"""From a prompt to the next empty line."""
_FOR_THE_ENGINE = ("run", "check", "with_part", "from_parameters", "is_random")
"""Methods of machines and components that nobody else calls."""


class Docstrings(griffe.Extension):
    """Completes docstrings once the package has been read."""

    def __init__(self) -> None:
        self._entries = entries()

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one module, class, function or attribute."""
        if obj.docstring is None:
            return
        obj.docstring.value = _EXAMPLE.sub(lambda found: f"```python\n{found[0]}\n```", obj.docstring.value)
        entry = self._entries.get(obj.name)
        if entry is not None and entry.made_by.__module__ == obj.module.path and isinstance(obj, griffe.Class):
            for name in (*entry.parameters(), *_FOR_THE_ENGINE):
                obj.members.pop(name, None)
            if entry.name != "Scheme":  # it is drawn, by its methods
                obj.docstring.value += declaration(entry)


def declaration(entry: Entry) -> str:
    """The ports and parameters of a machine or component, in Markdown."""
    told = plain_description(entry)
    lines = [
        f"{word} {', '.join(told[what])}." for word, what in (("Takes", "takes"), ("Gives", "gives")) if told[what]
    ]
    rows = [
        f"| `{each['name']}` | {_cell(each['type'])} | {_cell(each['range'])} "
        f"| {'required' if each['required'] else _code(each['default'])} | {_cell(each['description'])} |"
        for each in told["parameters"]
        if each["name"] != "seed"  # every machine has one
    ]
    parts = [" ".join(lines)] if lines else []
    if rows:
        parts.append("\n".join(["| parameter | type | range | default | |", "| --- | --- | --- | --- | --- |", *rows]))
    return "\n\n".join(["", *parts])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""
