"""Everything that an experiment file can name: machines, components and published algorithms, told by the code itself.

A class is known by its registered name. A published algorithm (`C45`) is a function that gives a machine; it is named
and parametrised like a class.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from intemi.kernel import registry
from intemi.kernel.annotations import type_of
from intemi.kernel.component import Component
from intemi.kernel.machine import Machine
from intemi.kernel.ports import Input, Output
from intemi.machines.roles import Role, is_role, known_roles

NOT_GIVEN = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """One parameter as it is declared."""

    name: str
    hint: Any
    default: Any = NOT_GIVEN
    limits: Mapping[str, float] = dataclasses.field(default_factory=dict)
    choices: tuple[Any, ...] | None = None
    role: type[Role] | None = None
    """What the machines have in common that are offered for it."""

    @property
    def expected(self) -> Any:
        """What stands there: something of a type or, more narrowly, of a role."""
        if self.role is None:
            return self.hint
        return tuple[self.role, ...] if typing.get_origin(self.hint) is tuple else self.role  # type: ignore[name-defined]

    @property
    def is_required(self) -> bool:
        return self.default is NOT_GIVEN


@dataclass(frozen=True)
class Entry:
    """A class of machines or components, or an algorithm, under its name."""

    name: str
    made_by: Callable[..., Component]
    gives: type[Component]
    """The class of what is made: the class itself, or the machine that an algorithm is a setting of."""

    @property
    def is_algorithm(self) -> bool:
        return not isinstance(self.made_by, type)

    @property
    def is_machine(self) -> bool:
        return issubclass(self.gives, Machine)

    @property
    def is_abstract(self) -> bool:
        """Whether it only says what others have in common: nothing can be made of it alone."""
        return not self.is_algorithm and self.gives.is_abstract()

    @property
    def summary(self) -> str:
        """The first sentence of its description."""
        return self.description.partition("\n\n")[0].replace("\n", " ")

    @property
    def description(self) -> str:
        """What its documentation says, without the examples."""
        text = inspect.cleandoc(self.made_by.__doc__ or "")
        return text.partition(">>>")[0].strip()

    def parameters(self) -> dict[str, Parameter]:
        """Its parameters by name, in the order of their declaration."""
        return _parameters_of_function(self.made_by) if self.is_algorithm else _parameters_of_class(self.gives)

    @property
    def needs(self) -> list[str]:
        """The parameters without a default."""
        return [name for name, each in self.parameters().items() if each.is_required]

    @property
    def ports(self) -> tuple[Mapping[str, Input], Mapping[str, Output]]:
        """The inputs and outputs of a machine; those of a template are known when it is filled."""
        made = self._made if self.is_machine else None
        if made is not None:
            return made.inputs, made.outputs
        return (self.gives._inputs, self.gives._outputs) if issubclass(self.gives, Machine) else ({}, {})

    @property
    def roles(self) -> list[type[Role]]:
        """The roles that a machine has, whatever its parameters. One that gives nothing must be declared."""
        inputs, outputs = self.ports
        told = [role for role in known_roles() if role._outputs or issubclass(self.gives, role)]
        return [role for role in told if self.is_machine and not role.misfit(inputs, outputs)]

    def may_have(self, role: type[Role]) -> bool:
        """Whether a machine has a role, or has it with the right parameters, as a scheme with the right ports does."""
        if role in self.roles:
            return True
        cls = self.gives
        if self.is_abstract:
            return False
        if not issubclass(cls, Machine) or cls.outputs is Machine.outputs or not (self.needs or self._made.missing()):
            return False
        return not role.misfit(cls._inputs if cls.inputs is Machine.inputs else role._inputs, role._outputs)

    @cached_property
    def _made(self) -> Any:
        """One with default parameters, if it has them all."""
        return None if self.needs or self.is_abstract else self.make({})

    def make(self, parameters: Mapping[str, Any]) -> Component:
        """One of it."""
        return self.made_by(**parameters) if self.is_algorithm else self.gives.from_parameters(parameters)


def entries() -> dict[str, Entry]:
    """Everything that can be named, by name.

    >>> entries()["KNN"].is_machine, entries()["C45"].gives.__name__, entries()["Gini"].is_machine
    (True, 'Learner', False)
    """
    known = {name: Entry(name, cls, cls) for name, cls in _classes().items()}
    for name, function in _algorithms().items():
        known.setdefault(name, Entry(name, function, _given_by(function)))
    return dict(sorted(known.items(), key=lambda item: item[0].lower()))


def full_name(name: str, known: Collection[str]) -> str:
    """The registered name that the name of a class stands for, if there is one such class; else the name as it is.

    >>> full_name("Halves", ["KNN", "own.Halves"]), full_name("Same", ["a.Same", "b.Same"])
    ('own.Halves', 'Same')
    """
    ending = [each for each in known if each.rpartition(".")[2] == name]
    return ending[0] if name not in known and len(ending) == 1 else name


def fitting(expected: type) -> list[str]:
    """The names of everything that can stand where a class, or a role, is expected.

    >>> from intemi.machines import Distributor
    >>> "CVDistributor" in fitting(Distributor), "KNN" in fitting(Distributor)
    (True, False)
    """
    known = [entry for entry in entries().values() if not entry.is_abstract]
    if is_role(expected):
        return [entry.name for entry in known if entry.may_have(expected)]
    return [entry.name for entry in known if issubclass(entry.gives, expected)]


def _classes() -> dict[str, type[Component]]:
    load()
    return {name: cls for name, cls in registry.components().items() if _is_public(cls)}


@cache
def load() -> None:
    """Import what there is, so that it is registered."""
    import intemi.machines
    import intemi.machines.trees  # noqa: F401


@cache
def _algorithms() -> dict[str, Callable[..., Component]]:
    from intemi.machines import committees, trees

    found: dict[str, Callable[..., Component]] = {}
    for package in (trees, committees):
        for name in package.__all__:
            function = getattr(package, name)
            if inspect.isfunction(function) and issubclass(_given_by(function), Component):
                found[name] = function
    return found


def _given_by(function: Callable[..., Any]) -> type:
    """The class of what a function says that it gives; of several, the one that they have in common."""
    hint = typing.get_type_hints(function).get("return", object)
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    classes = [each for each in (typing.get_args(hint) if union else (hint,)) if isinstance(each, type)]
    if not classes:
        return object
    return next(base for base in classes[0].__mro__ if all(issubclass(each, base) for each in classes))


def _is_public(cls: type) -> bool:
    if cls in (Machine, Component) or cls.__name__.startswith("_") or "<locals>" in cls.__qualname__:
        return False
    return not cls.__module__.startswith("intemi.") or cls in _exported()


@cache
def _exported() -> frozenset[object]:
    """What the package offers by name; machines and components that are parts of others are not among them."""
    from intemi import kernel, machines
    from intemi.kernel import repository
    from intemi.machines import trees

    namespaces = (kernel, repository, machines, trees)
    return frozenset(vars(module)[name] for module in namespaces for name in module.__all__)


def _parameters_of_class(cls: type[Component]) -> dict[str, Parameter]:
    found = {}
    for each in dataclasses.fields(cls):  # type: ignore[arg-type]
        default = NOT_GIVEN if each.default is dataclasses.MISSING else each.default
        found[each.name] = Parameter(
            each.name,
            type_of(cls, each),
            default,
            each.metadata.get("limits") or {},
            each.metadata.get("one_of"),
            each.metadata.get("role"),
        )
    return found


def _parameters_of_function(function: Callable[..., Any]) -> dict[str, Parameter]:
    hints = typing.get_type_hints(function)
    return {
        name: Parameter(name, hints.get(name, Any), each.default)
        for name, each in inspect.signature(function).parameters.items()
    }
