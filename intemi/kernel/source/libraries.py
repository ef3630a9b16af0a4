"""A library's code, or a user's: libraries (the standard library, installed packages, this package) count by name."""

from __future__ import annotations

import functools
import os
import sys
from types import FunctionType, ModuleType
from typing import Any

from intemi.kernel.source.refusal import Unknown

_HEAP_TYPE = 1 << 9  # a class made at run time, not one built into the interpreter
_IMMUTABLE_TYPE = 1 << 8  # a class made by compiled code


def is_by_user(cls: type) -> bool:
    """Whether a class is a user's own, so that its source counts."""
    return not is_library(cls)


def release_of(cls: type) -> str:
    """The release of the installed package that a class comes from; nothing for a class of the user's own files."""
    if is_by_user(cls):
        return ""
    from importlib.metadata import PackageNotFoundError, packages_distributions, version

    package = cls.__module__.partition(".")[0]
    try:
        return ", ".join(f"{name} {version(name)}" for name in sorted(set(packages_distributions().get(package, ()))))
    except PackageNotFoundError:
        return package


def is_library(value: Any) -> bool:
    """Whether a function, a module or a class is a library's; of any other value, whether its class is."""
    kind = type(value)
    if issubclass(kind, FunctionType):
        return is_library_file(value.__code__.co_filename)
    if issubclass(kind, ModuleType):
        file = getattr(value, "__file__", None) or next(iter(getattr(value, "__path__", ())), None)
        return value.__spec__ is not None if file is None else is_library_file(file)
    cls = value if issubclass(kind, type) else kind
    if not cls.__flags__ & _HEAP_TYPE or not isinstance(cls.__module__, str):
        return True
    if is_shared_by_compiled(cls):
        return True
    found: Any = sys.modules.get(cls.__module__)
    if found is None or not is_library(found):
        return False
    for part in cls.__qualname__.split("."):  # what exec or a library's factory made may only claim to belong there
        if part == "<locals>":
            return found is not None
        found = getattr(found, part, None)
    return found is cls


def is_shared_by_compiled(cls: type) -> bool:
    """Whether a class is one that compiled modules share, such as Cython's functions: it has no module of its own."""
    if not cls.__flags__ & _HEAP_TYPE or not cls.__flags__ & _IMMUTABLE_TYPE:
        return False
    module = sys.modules.get(cls.__module__)
    return getattr(module, "__file__", None) is None and getattr(module, "__spec__", None) is None


def compiled_name(function: Any) -> bytes:
    """The name of a library's compiled function, whatever it was compiled with; others are refused."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    found = sys.modules.get(module) if isinstance(module, str) else None
    if found is None or not is_library(found) or not isinstance(name, str) or "<locals>" in name:
        raise Unknown(function)
    return f"{module}.{name}".encode()


@functools.lru_cache(maxsize=1024)
def is_library_file(path: str) -> bool:
    """Whether a file belongs to a library; what comes from no file is a user's, unless it was frozen into Python."""
    if path.startswith("<"):
        return path.startswith("<frozen")
    parts = os.path.abspath(path).split(os.sep)
    return "site-packages" in parts or "dist-packages" in parts or os.path.abspath(path).startswith(_library_roots())


@functools.cache
def _library_roots() -> tuple[str, ...]:
    import sysconfig

    paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths.append(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))  # this package
    return tuple(os.path.join(form(path), "") for path in paths for form in (os.path.abspath, os.path.realpath))
