"""Machines and components described in words, from their declarations."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import textwrap
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union

from intemi.experiments.catalogue import NOT_GIVEN, Entry, Parameter, entries, fitting
from intemi.kernel.component import Component
from intemi.machines.roles import Role, is_role, known_roles
from intemi.machines.search.steps import Steps
from intemi.machines.structure.scheme import Scheme


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
    notes, searched = _notes(entry) | (_OF_A_SCHEME if entry.gives is Scheme else {}), search_values(entry)
    return {
        "name": entry.name,
        "is": "algorithm" if entry.is_algorithm else "machine" if entry.is_machine else "component",
        "kind": kinds_of(entry)[0],
        "roles": [role.kind for role in entry.roles],
        "description": entry.description,
        "takes": [str(port) for port in entry.ports[0].values()],
        "gives": [str(port) for port in entry.ports[1].values()],
        "parameters": [
            {
                "name": each.name,
                "type": type_text(each.hint),
                "range": range_text(each),
                "default": None if each.is_required else default_text(each),
                "required": each.is_required,
                "search": _value_text(searched[each.name]) if each.name in searched else None,
                "description": notes.get(each.name, ""),
            }
            for each in _parameters_in_a_file(entry)
        ],
    }


_OF_A_SCHEME = {
    "takes": "Its inputs and their types: {training: Data}.",
    "machines": "The machines inside by name, each with what its inputs are bound to: "
    "{knn: {type: KNN, bind: {data: training}}}.",
    "gives": "Its outputs, each bound to that of a machine inside: {classifier: knn.classifier}.",
}


def _parameters_in_a_file(entry: Entry) -> list[Parameter]:
    """What an experiment file says of it: of a scheme, the drawing instead of the lists that it is kept as."""
    declared = entry.parameters()
    if entry.gives is not Scheme:
        return list(declared.values())
    drawn = [Parameter(name, Mapping[str, Any], NOT_GIVEN if name == "machines" else {}) for name in _OF_A_SCHEME]
    return [*drawn, declared["seed"]]


def search_values(entry: Entry) -> dict[str, tuple[Any, ...]]:
    """The values that a search tries for parameters, as their class suggests.

    >>> search_values(entries()["MaxLeaves"]), search_values(entries()["KNN"])["k"][:3]
    ({'leaves': (2, 4, 8, 16, 32, 64)}, (1, 3, 5))
    """
    if entry.is_algorithm or entry.is_abstract:
        return {}
    declared = {field.name: field.metadata.get("search") for field in dataclasses.fields(entry.gives)}  # type: ignore[arg-type]
    found = {name: values for name, values in declared.items() if values is not None}
    if hasattr(entry.gives, "default_scenario") and not entry.needs:
        scenario = entry.gives.default_scenario(entry.make({}))
        found |= {scenario.path: scenario.values()} if isinstance(scenario, Steps) else {}
    return found


def kinds_of(entry: Entry) -> list[str]:
    """What an entry is listed under: a machine under each of its roles, a component under what it is a kind of.

    >>> kinds_of(entries()["DecisionTree"]), kinds_of(entries()["Gini"])
    (['Learners', 'Rankers'], ['SplitQuality'])
    """
    if entry.is_machine:
        return [role.heading() for role in entry.roles] or ["Other machines"]
    bases = [base for base in entry.gives.__mro__[1:] if issubclass(base, Component) and base is not Component]
    return [bases[-1].__name__ if bases else "Other components" if not entry.is_abstract else entry.name]


def of_kind(entry: Entry) -> list[str]:
    """The names of what has a role, whatever its parameters, or is a kind of a component.

    >>> "CVDistributor" in of_kind(entries()["Distributor"]), "Gini" in of_kind(entries()["SplitQuality"])
    (True, True)
    """
    if issubclass(entry.gives, Role) and is_role(entry.gives):
        return [each.name for each in by_kind().get(entry.gives.heading(), [])]
    return fitting(entry.gives)


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


def other_names() -> dict[str, dict[str, str]]:
    """What files and commands can name beside machines and components, by kind: a sentence for each name.

    >>> "SignTest" in other_names()["Tests"], "ranks" in other_names()["Pictures"]
    (True, True)
    """
    from intemi.analysis.hypothesis_test import TESTS
    from intemi.experiments.pictures import PICTURES

    tests = {name: inspect.cleandoc(test.__doc__ or "").partition("\n\n")[0] for name, test in TESTS.items()}
    return {
        "Tests": {name: text.replace("\n", " ") for name, text in tests.items()},
        "Pictures": {name: each.shows for name, each in PICTURES.items()},
    }


def by_kind() -> dict[str, list[Entry]]:
    """Everything that can be made, by kind: the roles of machines first."""
    found: dict[str, list[Entry]] = {}
    for entry in entries().values():
        if not entry.is_abstract:
            for kind in kinds_of(entry):
                found.setdefault(kind, []).append(entry)
    order = [*(role.heading() for role in known_roles()), "Other machines"]
    return {kind: found[kind] for kind in [*order, *sorted(set(found) - set(order))] if kind in found}
