"""A YAML file as values that know where they stand, so that a refusal can name the line and the path.

Plain data only: no tags, so nothing in a file can be executed. Numbers and truth values are those of YAML 1.2, where
`1e-3` is a number and `no` is a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from intemi.experiments.errors import ExperimentError, near

MAX_CHARACTERS = 2**22
MAX_VALUES = 100_000
MAX_REPEATED = 10_000
"""Values that aliases repeat: a few lines of aliases can stand for billions."""
MAX_DEPTH = 100
"""Lists and mappings inside each other."""
MAX_KEY = 1000
"""Characters of a key."""
MAX_INTEGER = 2**128
"""Seeds may be that large; nothing else is."""
_TAG = "tag:yaml.org,2002:"
_SCALARS = (
    ("null", re.compile(r"(?:~|null|Null|NULL|)$"), "~nN\0"),
    ("bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"),
    ("int", re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"), "-+0123456789"),
    (
        "float",
        re.compile(
            r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
            r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
        ),
        "-+.0123456789",
    ),
)


@dataclass(frozen=True, eq=False)
class Node:
    """One value of a file: None, a truth value, number or text, a list of nodes, or nodes by their keys."""

    value: Any
    file: str
    line: int
    path: str = ""
    key_lines: dict[str, int] = field(default_factory=dict)
    """Of a mapping, the line of each key."""

    def wrong(self, message: str) -> ExperimentError:
        """The error that says so of this value."""
        return ExperimentError(self.file, self.line, self.path, message)

    def wrong_key(self, key: str, message: str) -> ExperimentError:
        """The error that says so of one of its keys."""
        path = f"{self.path}.{key}" if self.path else key
        return ExperimentError(self.file, self.key_lines.get(key, self.line), path, message)

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)

    def get(self, key: str) -> Node | None:
        """The value of a key of a mapping, if it is there and not null."""
        found = self.value.get(key) if self.is_mapping else None
        return None if found is None or found.value is None else found

    def items(self) -> Iterator[tuple[str, Node]]:
        """The keys and values of a mapping."""
        yield from self.value.items()

    def check_keys(self, *known: str) -> None:
        """Refuse keys that mean nothing here."""
        for key in self.value:
            if key not in known:
                raise self.wrong_key(key, f"there is no such key; {near(key, known)}")

    def without(self, *keys: str) -> Node:
        """A mapping without some keys."""
        return self.with_value({key: each for key, each in self.value.items() if key not in keys})

    def with_value(self, value: Any) -> Node:
        """Another value in the same place."""
        return Node(value, self.file, self.line, self.path, self.key_lines)

    @property
    def shown(self) -> str:
        """The value as an error shows it."""
        if self.is_mapping:
            return "a mapping"
        if self.is_list:
            return "a list"
        return "nothing" if self.value is None else repr(self.value)

    def plain(self) -> Any:
        """The value without places."""
        if self.is_mapping:
            return {key: each.plain() for key, each in self.value.items()}
        return [each.plain() for each in self.value] if self.is_list else self.value


def parse(text: str, file: str) -> Node:
    """The value that the text of a file stands for.

    >>> node = parse("a: {b: [1, 1e-3, no]}", "example.yaml")
    >>> node.plain()
    {'a': {'b': [1, 0.001, 'no']}}
    >>> node.get("a").get("b").value[1].path
    'a.b.1'
    """
    if len(text) > MAX_CHARACTERS:
        raise ExperimentError(file, 1, "", f"a file has at most {MAX_CHARACTERS:,} characters, got {len(text):,}")
    try:
        root = yaml.compose(text, _loader())
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(error, file) from None
    except yaml.YAMLError as error:
        raise ExperimentError(file, 1, "", f"this is not YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise _too_deep(1, file, "") from None
    if root is None:
        raise ExperimentError(file, 1, "", "the file is empty; `intemi init` writes one to start from")
    return _Converter(file).node(root, "", ())


def _not_yaml(error: yaml.MarkedYAMLError, file: str) -> ExperimentError:
    """What is wrong, and where it begins: what is never closed is found at the end of the file only."""
    problem = error.problem or error.context or "it cannot be read"
    mark = error.problem_mark or error.context_mark
    hint = ""
    if "'<stream end>'" in problem and error.context_mark is not None:
        mark, problem = error.context_mark, "a bracket or brace that begins here is never closed"
    elif "'\\t'" in problem:
        hint = "; indent with spaces"
    elif "but got ':'" in problem or "mapping values are not allowed" in problem:
        hint = "; a comma or a line break is missing, a line is indented too far, or a text with ': ' needs quotes"
    return ExperimentError(file, 1 if mark is None else mark.line + 1, "", f"this is not YAML: {problem}{hint}")


def _too_deep(line: int, file: str, path: str) -> ExperimentError:
    return ExperimentError(file, line, path, f"it is nested too deeply, {MAX_DEPTH} levels are possible")


def _loader() -> type[yaml.SafeLoader]:
    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012 - declared so by PyYAML
        depth = 0

        def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
            self.depth += 1
            if self.depth > MAX_DEPTH:  # PyYAML takes seconds for thousands of levels
                raise RecursionError
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    for name, pattern, first in _SCALARS:
        letters = ["" if each == "\0" else each for each in first]
        Loader.add_implicit_resolver(_TAG + name, pattern, letters)
    return Loader


class _Converter:
    def __init__(self, file: str) -> None:
        self._file = file
        self._count = 0
        self._repeated = 0
        self._seen: set[int] = set()

    def node(self, found: yaml.Node, path: str, above: tuple[int, ...]) -> Node:
        line = found.start_mark.line + 1
        self._count += 1
        self._repeated += id(found) in self._seen
        self._seen.add(id(found))
        if self._count > MAX_VALUES or self._repeated > MAX_REPEATED:
            message = f"a file has at most {MAX_VALUES:,} values, and aliases repeat at most {MAX_REPEATED:,} of them"
            raise ExperimentError(self._file, line, path, message)
        if len(above) > MAX_DEPTH:
            raise _too_deep(line, self._file, path)
        if id(found) in above:
            raise ExperimentError(self._file, line, path, "this alias stands for something that it is a part of")
        inside = (*above, id(found))
        if isinstance(found, yaml.MappingNode):
            return self._mapping(found, path, line, inside)
        if isinstance(found, yaml.SequenceNode):
            self._check_tag(found.tag, "seq", line, path)
            items = [self.node(each, _joined(path, index), inside) for index, each in enumerate(found.value)]
            return Node(items, self._file, line, path)
        return Node(self._scalar(found, line, path), self._file, line, path)

    def _mapping(self, found: yaml.MappingNode, path: str, line: int, above: tuple[int, ...]) -> Node:
        self._check_tag(found.tag, "map", line, path)
        values: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in found.value:
            key_line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                message = "a key must be a text, got a list or a mapping; a text that begins with [ or { needs quotes"
                raise ExperimentError(self._file, key_line, path, message)
            name = str(key.value)
            if len(name) > MAX_KEY:
                message = f"a key has at most {MAX_KEY:,} characters, got {len(name):,}"
                raise ExperimentError(self._file, key_line, path, message)
            if name in values:
                message = f"the key is there twice, first in line {lines[name]}"
                raise ExperimentError(self._file, key_line, _joined(path, name), message)
            lines[name] = key_line
            values[name] = self.node(value, _joined(path, name), above)
        return Node(values, self._file, line, path, lines)

    def _scalar(self, found: yaml.Node, line: int, path: str) -> Any:
        text, kind = str(found.value), found.tag.removeprefix(_TAG)
        if kind == "str":
            return text
        if kind == "null":
            return None
        try:
            if kind == "bool":
                return text.lower() == "true"
            if kind == "int":
                whole = int(text, 0 if text[:2] in ("0o", "0x") else 10)
                if abs(whole) >= MAX_INTEGER:
                    raise ValueError
                return whole
            if kind == "float":
                return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        except ValueError:
            raise ExperimentError(self._file, line, path, f"{text!r} is not a number that can be read") from None
        raise self._unknown_tag(found.tag, line, path)

    def _check_tag(self, tag: str, kind: str, line: int, path: str) -> None:
        if tag != _TAG + kind:
            raise self._unknown_tag(tag, line, path)

    def _unknown_tag(self, tag: str, line: int, path: str) -> ExperimentError:
        short = tag.replace(_TAG, "!!")
        return ExperimentError(self._file, line, path, f"tags such as {short} mean nothing here; write the value alone")


def _joined(path: str, step: object) -> str:
    return f"{path}.{step}" if path else str(step)
