"""The names that code uses: what each stands for, and which of them the code itself rebinds."""

from __future__ import annotations

import ast
import builtins
import dis
import importlib.util
import inspect
import os
import sys
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

from intemi.kernel.source.encoder import Absent
from intemi.kernel.source.holdings import INCIDENTAL
from intemi.kernel.source.libraries import is_library, is_library_file
from intemi.kernel.source.syntax import Definition, codes_in, definition_of

_GLOBAL_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_CLOSURE_LOADS = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}


def names_in(code: CodeType) -> set[tuple[str, ...]]:
    """Globals and closure variables with the attributes taken from them, and imports: `("helpers", "scale")`."""
    found: list[list[str]] = []
    for part in codes_in(code):
        chain: list[str] | None = None
        steps = [step for step in dis.get_instructions(part) if step.opname != "EXTENDED_ARG"]
        for position, step in enumerate(steps):
            if step.opname in _GLOBAL_LOADS or (step.opname in _CLOSURE_LOADS and step.argval in code.co_freevars):
                found.append(chain := [step.argval])
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain is not None:
                chain.append(step.argval)
            else:
                chain = None
            if step.opname == "IMPORT_NAME":
                level, members = (before.argval for before in steps[position - 2 : position])
                module = f"import {'.' * level}{step.argval}"
                found += [[module, member] for member in members] if members else [[module]]
    return {tuple(chain) for chain in found if chain[0] not in INCIDENTAL}


def value_of(name: str, function: FunctionType) -> object:
    """What a name stands for in a function."""
    scope = _scope(function)
    if name.startswith("import "):
        return _import(name[7:], scope.get("__package__"))
    return scope.get(name, Absent(name))


def rebound_by(
    function: FunctionType, definition: Definition | None, chains: Iterable[tuple[str, ...]]
) -> Iterator[tuple[int, str]]:
    """The names outside of a function that it rebinds, each with the id of the namespace or the cell that holds it.

    Globals, variables of a closure and attributes of a user's modules; of attributes of classes the private ones alone:
    a public one is set by methods that configure the class as well.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for code in codes_in(function.__code__):
        for step in dis.get_instructions(code):
            if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                yield id(function.__globals__), step.argval
            elif step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in cells:
                yield id(cells[step.argval]), step.argval
    loaded = {chain[0] for chain in chains}
    for target in ast.walk(definition) if definition is not None else ():
        if isinstance(target, ast.Attribute) and not isinstance(target.ctx, ast.Load):
            owner = target.value
            held = value_of(owner.id, function) if isinstance(owner, ast.Name) and owner.id in loaded else None
            if isinstance(held, ModuleType) and not is_library(held):
                yield id(vars(held)), target.attr
            elif isinstance(held, type) and _is_private(target.attr):
                yield id(held), target.attr


def rebound_by_methods(cls: type) -> Iterator[str]:
    """The private attributes that methods of a class set on the class itself: `cls._table`, `type(self)._table`."""
    for value in [value for base in cls.__mro__ if not is_library(base) for value in vars(base).values()]:
        function = inspect.unwrap(getattr(value, "__func__", getattr(value, "fget", value)))
        definition = definition_of(function) if isinstance(function, FunctionType) else None
        if definition is None:
            continue
        arguments = [*definition.args.posonlyargs, *definition.args.args]
        takes_class = isinstance(value, classmethod) or function.__name__ == "__new__"
        own = arguments[0].arg if arguments and takes_class else None
        for target in ast.walk(definition):
            if isinstance(target, ast.Attribute) and not isinstance(target.ctx, ast.Load) and _is_private(target.attr):
                match target.value:
                    case ast.Name(name) if name == own:
                        yield target.attr
                    case ast.Call(ast.Name("type"), [_]) | ast.Attribute(_, "__class__"):
                        yield target.attr
                    case ast.Name("__class__"):
                        yield target.attr


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def member_of(module: ModuleType, name: str) -> object:
    """What a name stands for in a user's module; it may be a module that is not loaded yet."""
    try:
        return getattr(module, name)
    except Exception:
        return _import(f"{module.__name__}.{name}")


def _import(name: str, package: str | None = None) -> object:
    """A user's module, loaded if need be; a library is not, for its name is enough."""
    try:
        name = importlib.util.resolve_name(name, package)
        spec = None if name in sys.modules else importlib.util.find_spec(name.partition(".")[0])
        place = spec and (spec.origin or next(iter(spec.submodule_search_locations or ()), None))
        if place and os.path.exists(place) and not is_library_file(place):
            importlib.import_module(name)
        if name in sys.modules and not is_library(sys.modules[name]):
            return sys.modules[name]
    except Exception:
        pass
    return Absent(name)


def _scope(function: FunctionType) -> Mapping[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    closure = {name: cell.cell_contents for name, cell in cells if cell != type(cell)()}  # an empty one has no contents
    return ChainMap(closure, function.__globals__, vars(builtins))
