"""Machines and components from the values of an experiment file, guided by the types of their parameters.

A component is a mapping with a `type`, the registered name, and parameters: `{type: KNN, k: 3}`. Where a parameter can
be nothing else, the name alone will do for one with default parameters (`kernel: LinearKernel`), and the `type` is left
out where there is only one.
"""

from __future__ import annotations

import enum
import re
import types
import typing
from collections.abc import Mapping, Sequence, Set
from typing import Any, Literal, Union

from intemi.experiments import catalogue
from intemi.experiments.catalogue import Entry
from intemi.experiments.document import Node
from intemi.experiments.errors import MOST_NAMES, ExperimentError, near
from intemi.experiments.estimators import build_estimator, is_of_sklearn
from intemi.kernel.component import Component
from intemi.kernel.errors import IntemiError
from intemi.kernel.machine import Machine
from intemi.machines.classifiers import Estimator
from intemi.machines.roles import is_role
from intemi.machines.structure.scheme import Scheme

SCHEME_KEYS = ("takes", "machines", "gives")


def build(node: Node, expected: type = Component, what: str = "") -> Component:
    """The component that a value stands for.

    >>> from intemi.experiments.document import parse
    >>> build(parse("{type: SVM, C: 2, kernel: LinearKernel}", "example.yaml"))
    SVM(C=2.0, kernel=LinearKernel(), tolerance=0.001)
    """
    if not node.is_text and not node.is_mapping:
        what = what or _called(expected)
        raise node.wrong(f"must be {what}: its name, or a mapping with a type and parameters; got {node.shown}")
    if node.is_text:
        node = Node({"type": node}, node.file, node.line, node.path, {"type": node.line})
    if is_of_sklearn(node.get("type")):
        return build_estimator(node, expected)
    entry = _entry(node, expected)
    if entry.gives is Scheme and any(key in node.value for key in SCHEME_KEYS):
        from intemi.experiments.schemes import build_scheme

        return build_scheme(node)
    made = _made(entry, node)
    if not isinstance(made, expected) and not (is_role(expected) and isinstance(made, Machine)):
        names = catalogue.fitting(expected)
        raise node.wrong_key("type", f"must be {_called(expected)}, got {entry.name}; {near(entry.name, names)}")
    return made


def build_value(node: Node, hint: Any) -> Any:
    """The value of a parameter of some type."""
    if node.is_mapping:
        return _from_mapping(node, hint)
    if node.is_list:
        items = _item_hints(hint, len(node.value))
        return tuple(build_value(each, item) for each, item in zip(node.value, items, strict=True))
    expected = _component_in(hint)
    if node.is_text and expected is not None and not _takes_text(hint):
        return build(node, expected)
    return node.value


def machine(node: Node, role: type[Machine] = Machine) -> Machine:
    """The machine that a value stands for, which must fit a role if one is given."""
    made = build(node, role)
    assert isinstance(made, Machine)
    if is_role(role):
        try:
            role.demand(made, "it")
        except IntemiError as error:
            raise node.wrong(f"{str(error).removeprefix('it ')}; {near('', catalogue.fitting(role))}") from None
    return made


def _entry(node: Node, expected: type) -> Entry:
    known = catalogue.entries()
    name = node.get("type")
    if name is None:
        names = catalogue.fitting(expected)
        if len(names) == 1:
            return known[names[0]]
        raise node.wrong(f"a type is missing; {_missing_type(node, names)}")
    if not name.is_text:
        raise name.wrong(f"must be the name of a machine or component, got {name.shown}")
    called = catalogue.full_name(name.value, known)
    if called not in known:
        what = "machine" if issubclass(expected, Machine) else "machine or component"
        fitting = catalogue.fitting(expected)
        made = [each.name for each in known.values() if not each.is_abstract]
        raise name.wrong(f"no {what} is called {name.value!r}; {_remedy(name.value, fitting, made)}")
    entry = known[called]
    if entry.is_abstract:
        names = [each for each in catalogue.fitting(entry.gives) if each != entry.name]
        kinds = "machines" if entry.is_machine else "components"
        raise name.wrong(f"{entry.name} is a kind of {kinds}, not one of them; {near('', names)}")
    return entry


def _missing_type(node: Node, fitting: list[str]) -> str:
    """What was probably meant by a mapping without a type: what it, or one of its keys, is called."""
    called = node.path.rpartition(".")[2]
    for key in (*node.value, called):
        if key in fitting:
            return f"did you mean {{type: {key}, ...}}?"
        if key.startswith("type:"):
            return f"did you mean `type: {key[5:]}`, with a space?"
    return (
        near("", fitting)
        if len(fitting) <= MOST_NAMES
        else "write {type: KNN}, for example; `intemi machines` lists all"
    )


def _remedy(name: str, fitting: list[str], known: list[str]) -> str:
    """What fits and has a similar name is the best guess, then what has a similar name."""
    before, bracket, _ = name.partition("(")
    if bracket and before in known:
        return f"parameters are written like this: {{type: {before}, name: value}}"
    for names in (fitting, known):
        if (found := near(name, names)).startswith("did"):
            return found
    listed = "; a machine of your own is known after `imports:` names its module"
    if "SklearnClassifier" in fitting:
        listed += ", one of scikit-learn by its path, {type: sklearn.svm.SVC, C: 10}"
    return (near(name, fitting) if 0 < len(fitting) <= MOST_NAMES else "`intemi machines` lists all") + listed


def _made(entry: Entry, node: Node) -> Component:
    declared = entry.parameters()
    given: dict[str, Any] = {}
    for key, value in node.items():
        if key == "type":
            continue
        if key not in declared:
            raise node.wrong_key(key, f"{entry.name} has no such parameter; {near(key, declared)}")
        given[key] = build_value(value, declared[key].expected)
    for name, parameter in declared.items():
        if parameter.is_required and name not in given:
            raise node.wrong(f"{entry.name} needs its parameter {name}")
    try:
        return entry.make(given)
    except (IntemiError, TypeError, ValueError) as error:
        raise refused(node, error) from None


def refused(node: Node, error: Exception) -> ExperimentError:
    """The error of a component, said of the parameter that it is about."""
    if isinstance(error, ExperimentError):
        return error
    message = " ".join(str(error).split())
    about = re.match(r"\w+: (\w+) (must .*)", message)
    if about and node.is_mapping and about[1] in node.value:
        value = typing.cast(Node, node.value[about[1]])
        several = value.is_list and re.match("must be (an int|a float|a number|one of)", about[2])
        return value.wrong(about[2] + ("; `vary` is for several values" if several else ""))
    return node.wrong(message)


def _from_mapping(node: Node, hint: Any) -> Any:
    expected = _component_in(hint)
    if is_of_sklearn(node.get("type")):
        return build(node, expected or Estimator)
    if "type" in node.value or any(key in node.value for key in SCHEME_KEYS):
        return build(node, expected or Component)
    item = _mapping_hint(hint)
    if expected is not None and item is None:
        return build(node, expected)
    return {key: build_value(value, Any if item is None else item) for key, value in node.items()}


def _members(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (Union, types.UnionType) else (hint,)


def _component_in(hint: Any) -> type[Component] | None:
    """The class of components that a parameter can be, if there is one."""
    for each in _members(hint):
        if isinstance(each, type) and issubclass(each, Component):
            return each
    return None


def _takes_text(hint: Any) -> bool:
    return any(
        each in (str, Any, object)
        or typing.get_origin(each) is Literal
        or (isinstance(each, type) and issubclass(each, enum.Enum))
        for each in _members(hint)
    )


def _item_hints(hint: Any, count: int) -> list[Any]:
    for each in _members(hint):
        arguments = typing.get_args(each)
        if typing.get_origin(each) is tuple and arguments and arguments[-1] is not Ellipsis:
            return [*arguments[:count], *[Any] * (count - len(arguments))]
        if typing.get_origin(each) in (tuple, list, Sequence, set, frozenset, Set) and arguments:
            return [arguments[0]] * count
    return [Any] * count


def _mapping_hint(hint: Any) -> Any:
    for each in _members(hint):
        if typing.get_origin(each) in (dict, Mapping):
            return typing.get_args(each)[1]
        if each in (dict, Mapping, Any, object):
            return Any
    return None


def _called(expected: type) -> str:
    plain = expected in (Component, Machine) or is_role(expected)
    name = expected.__name__.lower() if plain else expected.__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
