"""Classes on their way to a worker: by the module that defines them, or by value if that cannot be imported.

By value go classes of the main program, of a notebook, or defined in a function. What the source of a class is known by
travels with it.
"""

from __future__ import annotations

import enum
import importlib
import io
import pickle
import sys
from collections.abc import Iterable

from intemi.kernel import registry
from intemi.kernel.component import Component
from intemi.kernel.encoding import set_source, source_of
from intemi.kernel.errors import ConfigurationError, EncodingError
from intemi.kernel.workers.definitions import Pickler

_TABLES = {
    "C": registry.component,
    "O": registry.storable,
    "E": registry.enumeration,
    "Y": registry.port_type,
}


class CannotImport(ConfigurationError):
    """A worker lacks a module that a machine is defined in."""


def classes_named(names: Iterable[tuple[str, str]]) -> list[type]:
    """The classes that canonical bytes name."""
    return [_TABLES[tag](name) for tag, name in sorted(names)]


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


def check_known(encoded: bytes, again: bytes, kind: str) -> None:
    """Refuse a configuration that is another one here than at home."""
    if encoded != again:
        raise EncodingError(
            f"{kind} is another machine there: the source of its class, or of something that it uses, differs; bring "
            "the worker's copy up to date and start it again"
        )
