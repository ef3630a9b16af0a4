"""Classes on their way to other processes: by the module that defines them, or by value if that cannot be imported.

By value go the classes of the main program, of a notebook, or defined in a function. `Pickler` defines each of them
once in a process. `packed`, `modules_of` and `unpack` are for processes that load nothing else by pickle; the digest of
the source of a class travels with it.
"""

from __future__ import annotations

import contextlib
import enum
import importlib
import io
import pickle
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any
from uuid import uuid4

import cloudpickle

from intemi.kernel import registry
from intemi.kernel.component import Component
from intemi.kernel.encoding import set_source, source_of
from intemi.kernel.errors import ConfigurationError

LARGE = 1 << 16
"""Buffers of at least so many bytes travel beside the pickle, not in it, and are not copied on their way."""

_classes: dict[str, type] = {}
names_of_classes: dict[type, str] = {}
_unfinished: set[type] = set()
_lookups = {
    "C": registry.component,
    "O": registry.storable,
    "E": registry.enumeration,
    "Y": registry.port_type,
}
"""Classes by the tag and the name that canonical bytes have of them."""


class CannotImport(ConfigurationError):
    """A worker lacks a module that a machine is defined in."""


class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles what cannot be imported by value, but every class only once, and once for all.

    On its own, cloudpickle would define a class anew in every message. The answer of a worker would even replace the
    methods of the project's own class by copies.
    """

    def __init__(self, stream: io.BytesIO, views: list[memoryview], known: dict[type, str]) -> None:
        super().__init__(stream, protocol=5, buffer_callback=partial(_set_aside, views))
        self._known = known
        self._new: list[type] = []

    def dump(self, value: object) -> None:
        try:
            super().dump(value)
        except BaseException:
            for cls in self._new:
                del self._known[cls]
            raise

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, type):
            return super().reducer_override(value)
        name = self._known.get(value)
        if name is not None:
            return known_class, (name,)
        reduced = super().reducer_override(value)
        by_value = isinstance(reduced, tuple) and len(reduced) == 6
        return self._definition(value, *reduced) if by_value else reduced

    def _definition(self, cls: type, make: Any, arguments: Any, state: Any, _: None, __: None, set_state: Any) -> Any:
        name = names_of_classes.setdefault(cls, uuid4().hex)
        _classes[name] = cls
        self._known[cls] = name
        self._new.append(cls)
        if issubclass(cls, Component) and cls._checks is None:
            # The other end's main module lacks what the annotations name, so they are evaluated here.
            with contextlib.suppress(ConfigurationError):
                cls._prepare()
        if not issubclass(cls, enum.Enum):
            metaclass, plain_name, bases, namespace, *rest = arguments
            arguments = (metaclass, plain_name, bases, namespace | _naming(cls), *rest)
        content = (set_state, state, registry.is_storable(cls))
        return define_class, (name, make, arguments), content, None, None, fill_class


def _naming(cls: type) -> dict[str, str]:
    """What a class needs from the start: cloudpickle forgets one, and a component is registered while it is empty."""
    names = {"__qualname__": cls.__qualname__}
    return {**names, "registered_name": cls.registered_name} if issubclass(cls, Component) else names


def _set_aside(views: list[memoryview], buffer: pickle.PickleBuffer) -> bool:
    view = buffer.raw()
    if view.nbytes < LARGE:
        return True
    views.append(view)
    return False


def known_class(name: str) -> type:
    """The class that the other end calls by this name."""
    return _classes[name]


def define_class(name: str, make: Any, arguments: Any) -> type:
    """The class of that name, still empty if it was not known here."""
    cls = _classes.get(name)
    if cls is None:
        cls = _classes[name] = make(*arguments)
        names_of_classes[cls] = name
        _unfinished.add(cls)
    return cls


def fill_class(cls: type, content: tuple[Any, Any, bool]) -> None:
    """Fill a class that was just defined; one that was known before stays as it is."""
    if cls in _unfinished:
        _unfinished.discard(cls)
        set_state, state, storable = content
        set_state(cls, state)
        if storable:
            registry.register_storable(cls)


def classes_named(names: Iterable[tuple[str, str]]) -> list[type]:
    """The classes that canonical bytes name."""
    return [_lookups[tag](name) for tag, name in sorted(names)]


def is_importable(cls: type) -> bool:
    """Whether another process finds the class under its name, if it has the module."""
    if cls.__module__ == "__main__" or "<locals>" in cls.__qualname__:
        return False
    found: object = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def packed(classes: Iterable[type]) -> bytes:
    """Classes that cannot be imported, as bytes; nothing if there are none."""
    chosen = [(cls, registry.is_storable(cls), source_of(cls)) for cls in classes if not is_importable(cls)]
    if not chosen:
        return b""
    stream = io.BytesIO()
    Pickler(stream, [], {}).dump(chosen)
    return stream.getvalue()


def modules_of(classes: Iterable[type]) -> tuple[str, ...]:
    """Where the others are defined."""
    return tuple(sorted({cls.__module__ for cls in classes if is_importable(cls)} - {"builtins"}))


def unpack(modules: Iterable[str], pickled: bytes) -> None:
    """Have all classes known here; CannotImport if a module is not there."""
    for name in modules:
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except ImportError as error:
                raise CannotImport(
                    f"the module {name!r} cannot be imported there ({error}): install it on the worker, add its folder "
                    "to the worker's PYTHONPATH, or define the machine in the main program, so that it travels by value"
                ) from error
    if pickled:
        for cls, is_storable, source in pickle.loads(pickled):
            if issubclass(cls, Component):
                registry.register_component(cls.registered_name, cls)
                continue
            set_source(cls, source)
            if is_storable:
                registry.register_storable(cls)
            elif issubclass(cls, enum.Enum):
                registry.register_enumeration(cls)
            else:
                registry.register_port_type(cls)
