"""Machines and components described in words, from their declarations."""

from __future__ import annotations

import ast
import enum
import inspect
import textwrap
import types
import typing
from typing import Any, Literal, Union

from intemi.experiments.catalogue import Entry, Parameter, entries
from intemi.kernel.component import Component
from intemi.kernel.ports import Port


def type_text(hint: Any) -> str:
    """A type as it is read aloud.

    >>> type_text(int | None), type_text(tuple[str, ...]), type_text(Literal["a", "b"])
    ('int or none', 'list of text', 'a | b')
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return " | ".join(str(each) for each in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(type_text(each) for each in arguments)
    if hint in _WORDS:
        return _WORDS[hint]
    if origin in (tuple, list, set, frozenset) or str(origin).endswith(("Sequence'>", "Set'>")):
        items = [each for each in arguments if each is not Ellipsis]
        if origin is tuple and Ellipsis not in arguments and items:
            return f"[{', '.join(map(type_text, items))}]"
        return f"list of {type_text(items[0])}" if items else "list"
    if str(origin).endswith(("Mapping'>", "dict'>")):
        return f"mapping to {type_text(arguments[1])}"
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return " | ".join(hint.__members__)
    return getattr(hint, "__name__", str(hint))


_WORDS: dict[Any, str] = {str: "text", type(None): "none", None: "none", bool: "true or false", Any: "anything"}


def range_text(parameter: Parameter) -> str:
    """The limits of a parameter in words."""
    words = [f"{word} {bound:g}" for word, bound in parameter.limits.items()]
    if parameter.choices is not None:
        words.append("one of " + ", ".join(map(str, parameter.choices)))
    return " and ".join(words)


def default_text(parameter: Parameter) -> str:
    """The default of a parameter as an experiment file would say it."""
    value = parameter.default
    return "" if parameter.is_required else _value_text(value)


def _value_text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, tuple | frozenset):
        return f"[{', '.join(map(_value_text, value))}]"
    return repr(value) if isinstance(value, Component) else f"{value:g}" if isinstance(value, float) else str(value)


def plain_description(entry: Entry) -> dict[str, Any]:
    """Everything that is known of an entry, ready for JSON."""
    notes = _notes(entry)
    return {
        "name": entry.name,
        "is": "algorithm" if entry.is_algorithm else "machine" if entry.is_machine else "component",
        "kind": kind_of(entry),
        "description": entry.description,
        "takes": [str(port) for port in ports_of(entry)[0]],
        "gives": [str(port) for port in ports_of(entry)[1]],
        "parameters": [
            {
                "name": each.name,
                "type": type_text(each.hint),
                "range": range_text(each),
                "default": None if each.is_required else default_text(each),
                "required": each.is_required,
                "description": notes.get(each.name, ""),
            }
            for each in entry.parameters().values()
        ],
    }


def ports_of(entry: Entry) -> tuple[list[Port], list[Port]]:
    """The inputs and outputs of a machine; those of a template are known when it is filled."""
    if not entry.is_machine:
        return [], []
    try:
        made: Any = entry.make({})
    except Exception:  # it needs parameters: then its class has to tell
        made = entry.gives
        return list(made._inputs.values()), list(made._outputs.values())
    return list(made.inputs.values()), list(made.outputs.values())


def kind_of(entry: Entry) -> str:
    """What an entry is listed under: of machines what they are for, of components what they are a kind of."""
    if entry.is_machine:
        takes, gives = ({port.name for port in ports} for ports in ports_of(entry))
        for kind, is_one in _KINDS:
            if is_one(takes, gives):
                return kind
        return "Other machines"
    bases = [base for base in entry.gives.__mro__[1:] if issubclass(base, Component) and base is not Component]
    return bases[-1].__name__ if bases else "Other components" if not entry.is_abstract else entry.name


_KINDS: list[tuple[str, Any]] = [
    ("Learners", lambda takes, gives: takes == {"data"} and "classifier" in gives),
    ("Loaders", lambda takes, gives: not takes and gives == {"data"}),
    ("Distributors", lambda takes, gives: takes == {"data"} and {"training", "test"} <= gives),
    ("Transformations", lambda takes, gives: "transformation" in takes | gives and "classifier" not in gives),
    ("Rankings", lambda takes, gives: gives == {"ranking"}),
    ("Tests", lambda takes, gives: takes == {"data", "classifier"} and not gives),
]


def _notes(entry: Entry) -> dict[str, str]:
    """What stands below the parameters of a class, in its own source and in that of its bases."""
    if entry.is_algorithm:
        return {}
    found: dict[str, str] = {}
    for cls in reversed(entry.gives.__mro__):
        if issubclass(cls, Component) and cls not in (Component,):
            found |= _notes_in(cls)
    return found


def _notes_in(cls: type) -> dict[str, str]:
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    assert isinstance(body, ast.ClassDef)
    found = {}
    for statement, after in zip(body.body, body.body[1:], strict=False):
        match statement, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(note))):
                found[name] = inspect.cleandoc(note).replace("\n", " ")
    return found


def by_kind() -> dict[str, list[Entry]]:
    """Everything that can be made, by kind; learners first."""
    found: dict[str, list[Entry]] = {}
    for entry in entries().values():
        if not entry.is_abstract:
            found.setdefault(kind_of(entry), []).append(entry)
    order = [kind for kind, _ in _KINDS] + ["Other machines"]
    return {kind: found[kind] for kind in [*order, *sorted(set(found) - set(order))] if kind in found}
