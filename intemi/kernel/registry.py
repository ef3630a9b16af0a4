"""Names for classes: what plain data and stored bytes say instead of importing anything.

Nothing read from a file is ever imported or executed; a name that no loaded class has registered is unknown.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from intemi.kernel.errors import ConfigurationError, EncodingError

_T = TypeVar("_T", bound=type)

_components: dict[str, type] = {}
_storables: dict[str, type] = {}
_port_types: dict[str, type] = {}
_enumerations: dict[str, type[enum.Enum]] = {}


def qualified_name(cls: type) -> str:
    """The name by which a class is known: bare for the package's own, else with its module.

    >>> qualified_name(int)
    'builtins.int'
    """
    module = cls.__module__
    if module == "intemi" or module.startswith("intemi."):
        return cls.__qualname__
    return f"{module}.{cls.__qualname__}"


def register_component(name: str, cls: type) -> None:
    """Let plain data call this class by its name. Defining a class again (a notebook cell) replaces the old one."""
    _register(_components, name, cls)


def component(name: str) -> Any:
    """The machine or component class of that registered name."""
    return _look_up(_components, name, "machine or component")


def components() -> dict[str, type]:
    """Every registered machine and component by its name."""
    return dict(_components)


def register_storable(cls: type) -> None:
    """Let stored bytes call this class of values by its name."""
    _register(_storables, qualified_name(cls), cls)


def storable(name: str) -> Any:
    """The class of values of that registered name."""
    return _look_up(_storables, name, "type of values")


def is_storable(cls: type) -> bool:
    """Whether exactly this class was registered."""
    return _storables.get(qualified_name(cls)) is cls


def register_enumeration(cls: type[enum.Enum]) -> str:
    """Note that this is the enumeration in use under its name, which comes back."""
    name = qualified_name(cls)
    _enumerations[name] = cls
    return name


def enumeration(name: str) -> type[enum.Enum]:
    """The enumeration of that name: the one in use, or any that is loaded."""
    if name not in _enumerations:
        pending: list[type[enum.Enum]] = [enum.Enum]
        while pending:
            found = pending.pop().__subclasses__()
            for each in found:
                _enumerations.setdefault(qualified_name(each), each)
            pending += found
    return _look_up(_enumerations, name, "enumeration")


def register_port_type(cls: type) -> None:
    """Let plain data call the type of a port by its name."""
    _port_types[qualified_name(cls)] = cls


def port_type(name: str) -> type:
    """The type of that name, if any loaded machine has a port of it."""
    return _look_up(_port_types, name, "port type")


def _register(table: dict[str, type], name: str, cls: type) -> None:
    known = table.get(name)
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ConfigurationError(
            f"{cls.__module__}.{cls.__qualname__}: the name {name!r} belongs to "
            f"{known.__module__}.{known.__qualname__}; give one of them another `registered_name`"
        )
    table[name] = cls


for _type in (object, bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, np.ndarray):
    register_port_type(_type)


def _look_up(table: Mapping[str, _T], name: str, what: str) -> _T:
    try:
        return table[name]
    except KeyError:
        from difflib import get_close_matches

        near = get_close_matches(name, table, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "; import the module that defines it first"
        raise EncodingError(f"no {what} is called {name!r}{hint}") from None
