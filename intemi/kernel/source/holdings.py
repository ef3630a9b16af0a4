"""What objects and classes hold: the parts by which they count."""

from __future__ import annotations

import copyreg
import inspect
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from intemi.kernel.source.libraries import is_library
from intemi.kernel.source.refusal import Unknown

INCIDENTAL = {  # says where and how something is written, or is covered otherwise
    *("__name__", "__qualname__", "__module__", "__package__", "__file__", "__path__", "__cached__", "__spec__"),
    *("__loader__", "__builtins__", "__doc__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__"),
    "__slotnames__",
    *("__dataclass_fields__", "__dataclass_params__"),
}


def relevant(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes without those that say where and how something is written."""
    return {name: value for name, value in attributes.items() if name not in INCIDENTAL}


def _package(cls: type) -> str:
    return str(cls.__module__).partition(".")[0]


def state_of(value: Any) -> Sequence[object]:
    """What an object would pickle; nothing of a random generator or a lock. What cannot be known is refused."""
    kind = type(value)
    if isinstance(value, np.random.SeedSequence):
        return (value.state,)
    if is_source_of_chance(value) or kind in _WITHOUT_CONTENT:
        return ()
    if is_library(kind) and (isinstance(value, Iterator) or (isinstance(value, np.ufunc) and not _is_named(value))):
        raise Unknown(value)
    try:
        attributes = getattr(value, "__dict__", {}) if is_library(kind) else {}
        for name in ("__wrapped__", "py_func"):  # functools.lru_cache, numba.njit
            if name in attributes:
                return attributes[name], attributes.get("targetoptions")
        reduce = copyreg.dispatch_table.get(kind)
        reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
        if isinstance(reduced, str):
            return getattr(value, "__module__", None), reduced
        maker, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        state = relevant(state) if isinstance(state, dict) else state
        return maker, arguments, state, list(items or ()), list(pairs or ()), *_hidden(value)
    except Exception:  # whatever an object that cannot be pickled raises
        raise Unknown(value) from None


def is_source_of_chance(value: object) -> bool:
    """Whether a value is a random generator, or a part of one."""
    module = type(value).__module__
    if isinstance(value, np.random.SeedSequence | type) or not isinstance(module, str):
        return False
    return module == "random" or module.startswith("numpy.random")


def _hidden(value: Any) -> Sequence[object]:
    """All that an object holds, if the user has written what it pickles: that may be less."""
    ways = ("__getstate__", "__reduce__", "__reduce_ex__")
    owner = next(base for base in type(value).__mro__ if any(way in vars(base) for way in ways))
    if is_library(owner):
        return ()
    whole = object.__getstate__(value)
    return (relevant(whole) if isinstance(whole, dict) else whole,)


_WITHOUT_CONTENT = frozenset((type(threading.Lock()), type(threading.RLock()), type(vars(Iterator)["_abc_impl"])))
"""Locks, and what Python remembers of abstract classes."""


def _is_named(function: np.ufunc) -> bool:
    """Whether a function for arrays is a library's, under its name; others are made of a user's function."""
    name = function.__name__
    if getattr(np, name, None) is function:
        return True
    modules = [module for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
    return any(vars(module).get(name) is function and is_library(module) for module in modules)


def attributes_of(cls: type) -> dict[str, Any]:
    """What the class itself holds, without what `dataclass` generates and what this package keeps in it.

    Private data of this package's classes are the engine's own; their private methods are there to be replaced.
    """
    ours = [base for base in cls.__mro__ if _package(base) == __name__.partition(".")[0] and is_library(base)]
    kept = {
        name
        for base in ours
        for name, value in vars(base).items()
        if name.startswith("_") and not name.startswith("__") and not callable(value) and not hasattr(value, "__get__")
    }

    def counts(name: str, value: Any) -> bool:
        function = inspect.unwrap(value) if isinstance(value, FunctionType) else None
        if isinstance(function, FunctionType):
            generated = function.__code__.co_qualname.startswith("__create_fn__.")
            return not generated and function.__globals__.get("__name__") != "dataclasses"
        return name not in kept

    return {name: value for name, value in relevant(vars(cls)).items() if counts(name, value)}


def dataclass_of(cls: type) -> list[object]:
    """The options of a dataclass, and the fields that it adds to those of its bases."""
    options = vars(cls).get("__dataclass_params__")
    own, *bases = ([*vars(base).get("__dataclass_fields__", {}).values()] for base in cls.__mro__)
    inherited = {id(field) for fields in bases for field in fields}
    return [
        [getattr(options, name, None) for name in ("init", "repr", "eq", "order", "unsafe_hash", "frozen")],
        *(
            [field.name, field.default, field.default_factory, field.init, field.compare, field.kw_only, field.metadata]
            for field in own
            if id(field) not in inherited
        ),
    ]
