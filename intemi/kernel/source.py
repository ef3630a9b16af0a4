"""The digest of code that a user wrote: a class outside the package with every helper, base and constant it names.

Uses the canonical encoding and the standard library. Promises one digest in every process for one behaviour: comments,
layout, docstrings and unrelated code do not change it; an edited body, helper or constant does.
"""

from __future__ import annotations

import ast
import builtins
import copyreg
import dis
import functools
import importlib.util
import inspect
import linecache
import os
import sys
import warnings
from collections import ChainMap, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType, NoneType
from typing import Any, NamedTuple

import numpy as np

from intemi.kernel import encoding

_PLAIN = (NoneType, bool, int, float, complex, str, bytes)
_CODE = (type, FunctionType, ModuleType)
_DUNDER_PLACES = frozenset("__name__ __qualname__ __module__ __package__ __file__ __path__ __spec__ __loader__".split())
_GLOBAL_LOADS = frozenset("LOAD_GLOBAL LOAD_NAME LOAD_FROM_DICT_OR_GLOBALS".split())
_CLOSURE_LOADS = frozenset("LOAD_DEREF LOAD_CLASSDEREF LOAD_FROM_DICT_OR_DEREF".split())
_KIND_OF_FUNCTION = 0x4 | 0x8 | 0x20 | 0x80 | 0x100 | 0x200  # *args, **kwargs, generators, coroutines
_HEAP_TYPE = 1 << 9  # a class made at run time, not one built into the interpreter

_Scope = Mapping[str, Any]
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def fingerprint(cls: type) -> bytes:
    """The 128-bit digest of a class that a user wrote and of everything that it names, however far away.

    Covered: the class, its bases, attributes and methods, and what these refer to by global name, closure, default
    value or `module.name`, from one helper to the next. A function counts by its syntax tree, checked against the code
    that is loaded, or by its byte code where there is no such source. Constants and arrays count by value; other objects
    by their class and by what they would pickle; random generators, and what cannot be pickled (an open file), by their
    class alone.

    Not covered: library code (the standard library, installed packages, this package) counts by name, not by version;
    what is looked up at run time (`getattr`, files, methods of the inputs) cannot be seen. Globals count as they stand
    at the call, so ask when all modules are imported, and keep caches in `functools.lru_cache`, not in a global.

    >>> def double(x): return 2 * x
    >>> class Doubler:
    ...     def run(self, x): return double(x)
    >>> before = fingerprint(Doubler)
    >>> def double(x): return x + x
    >>> len(before), fingerprint(Doubler) == before
    (16, False)
    """
    return _Walk().digest(cls)


class _Absent(NamedTuple):
    """In place of a value: the name is undefined, or that of a library which need not be loaded."""

    name: str


class _Walk:
    """Encodes values in place; a user's functions, classes, modules and objects become numbered nodes, each met once."""

    def __init__(self, open_ids: frozenset[int] = frozenset()) -> None:
        self._nodes: list[object] = []
        self._numbers: dict[int, int] = {}
        self._open_ids = set(open_ids)

    def digest(self, root: object) -> bytes:
        parts = [self.encode(root)]
        for node in self._nodes:  # grows while it is read
            parts.append(self._describe(node))
        return encoding.digest(*parts)

    def encode(self, value: Any) -> bytes:
        kind = type(value)
        if kind in _PLAIN or ((kind is np.ndarray or issubclass(kind, np.generic)) and not value.dtype.hasobject):
            return encoding.encode(value)
        if id(value) in self._open_ids:
            return _pack("cycle")
        if not _is_library(value):
            number = self._numbers.setdefault(id(value), len(self._nodes))
            if number == len(self._nodes):
                self._nodes.append(value)
            return _pack("node", encoding.encode(number))
        self._open_ids.add(id(value))
        parts = self._library_code(value) if issubclass(kind, _CODE) else [self.encode(kind), *self._parts(value)]
        self._open_ids.discard(id(value))
        return _pack("library", *parts)

    def _mapping(self, values: _Scope) -> bytes:
        return _pack("mapping", *(self.encode(part) for name in sorted(values) for part in (name, values[name])))

    def _parts(self, value: Any) -> Sequence[bytes]:
        kind = type(value)
        if kind in (list, tuple):
            return [self.encode(item) for item in value]
        if kind in (dict, MappingProxyType):
            return [self.encode(part) for item in value.items() for part in item]
        if issubclass(kind, set | frozenset):
            return sorted(_Walk(frozenset(self._open_ids)).digest(item) for item in value)
        if issubclass(kind, property | staticmethod | classmethod | MethodType):
            held = ("fget", "fset", "fdel", "__func__", "__self__")
            return [self.encode(getattr(value, name, None)) for name in held]
        return [self.encode(part) for part in _state(value)]

    def _library_code(self, value: Any) -> Sequence[bytes]:
        """The name; a library's wrapper around a user's function leads to that function as well."""
        if isinstance(value, ModuleType):
            return [value.__name__.encode()]
        if isinstance(value, type):
            return [f"{value.__module__}.{value.__qualname__}".encode()]
        name = f"{value.__globals__.get('__name__')}.{value.__code__.co_qualname}".encode()
        wrapped = inspect.unwrap(value)
        return [name] if isinstance(wrapped, _CODE) and _is_library(wrapped) else [name, self._mapping(vars(value))]

    def _describe(self, node: object) -> bytes:
        if isinstance(node, FunctionType):
            return self._function(node)
        if isinstance(node, type):
            code = [self.encode(each) for each in (node.__name__, type(node), *node.__bases__)]
            return _pack("class", *code, self._mapping(_attributes(node)))
        if isinstance(node, ModuleType):
            return self._mapping({name: value for name, value in vars(node).items() if not _is_dunder(name)})
        return _pack("object", self.encode(type(node)), *self._parts(node))

    def _function(self, function: FunctionType) -> bytes:
        definition = _definition(function)
        body = _encode_code(function.__code__) if definition is None else _encode_tree(definition)
        scope = _scope(function)
        named = dict(_resolve(chain, scope) for chain in _names(function.__code__))
        held = [function.__defaults__, function.__kwdefaults__]
        return _pack("function", body, self._mapping(named), self.encode(held), self._mapping(vars(function)))


def _pack(tag: str, *parts: bytes) -> bytes:
    return encoding.encode((tag, *parts))


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


# A library's code, or a user's


def _is_library(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return _is_library_module(value)
    if isinstance(value, FunctionType):
        return _in_package(value.__globals__.get("__name__")) or _is_library_file(value.__code__.co_filename)
    if not isinstance(value, type):
        return _is_library(type(value))
    if not value.__flags__ & _HEAP_TYPE:
        return True
    found: Any = sys.modules.get(value.__module__)
    if found is None or not _is_library_module(found):
        return False
    for part in value.__qualname__.split("."):  # what exec or a library's factory made may only claim to belong there
        if part == "<locals>":
            return found is not None
        found = getattr(found, part, None)
    return found is value


def _is_library_module(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    known = module.__spec__ is not None if file is None else _is_library_file(file)
    return known or _in_package(module.__name__)


def _in_package(module: object) -> bool:
    return str(module).partition(".")[0] == __name__.partition(".")[0]


def _is_library_file(path: str) -> bool:
    if path.startswith("<"):
        return path.startswith("<frozen")
    path = os.path.abspath(path)
    return path.startswith(_library_roots()) or not {"site-packages", "dist-packages"}.isdisjoint(path.split(os.sep))


@functools.cache
def _library_roots() -> tuple[str, ...]:
    import sysconfig

    paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return tuple(os.path.join(form(path), "") for path in paths for form in (os.path.abspath, os.path.realpath))


# What objects, classes and functions hold


def _state(value: Any) -> Sequence[object]:
    """What an object would pickle; nothing if it cannot be pickled or is a random generator."""
    kind, attributes = type(value), getattr(value, "__dict__", {})
    for name in ("__wrapped__", "py_func"):
        if name in attributes:
            return attributes[name], attributes.get("targetoptions")
    if kind.__module__ == "random" or kind.__module__.startswith("numpy.random"):
        return ()
    try:
        reduced = copyreg.dispatch_table.get(kind, lambda each: each.__reduce_ex__(4))(value)
        if isinstance(reduced, str):
            return getattr(value, "__module__", None), reduced
        return [*reduced[:3], *(list(items or ()) for items in reduced[3:5])]
    except Exception:
        return ()


def _attributes(cls: type) -> dict[str, Any]:
    """What the class holds itself, without generated methods and what a library's base class keeps in it."""
    kept = {name for base in cls.__mro__ if _is_library(base) for name in vars(base) if name.startswith("_")}

    def counts(name: str, value: Any) -> bool:
        function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if isinstance(function, FunctionType):
            code = inspect.unwrap(function).__code__
            written = not code.co_filename.startswith("<") or code.co_qualname == f"{cls.__qualname__}.{code.co_name}"
            return written or not _is_dunder(name)
        return name in ("__annotations__", "__dataclass_fields__") or name not in kept and not _is_dunder(name)

    return {name: value for name, value in vars(cls).items() if counts(name, value)}


def _scope(function: FunctionType) -> _Scope:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    closure = {name: cell.cell_contents for name, cell in cells if cell != type(cell)()}  # an empty one has no contents
    return ChainMap(closure, function.__globals__, vars(builtins))


# Names, and what they stand for


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType) -> set[tuple[str, ...]]:
    """Globals and closure variables with the attributes taken from them, and imports: `("helpers", "scale")`."""
    found: list[list[str]] = []
    for part in _codes(code):
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
    return {tuple(chain) for chain in found if chain[0] not in _DUNDER_PLACES}


def _resolve(chain: tuple[str, ...], scope: _Scope) -> tuple[str, Any]:
    """The value of a name, followed through a user's modules."""
    name, used = chain[0], 1
    value = _import(name[7:], scope) if name.startswith("import ") else scope.get(name, _Absent(name))
    while used < len(chain) and isinstance(value, ModuleType) and not _is_library(value):
        member, used = chain[used], used + 1
        value = getattr(value, member) if hasattr(value, member) else _import(f"{value.__name__}.{member}", scope)
    return ".".join(chain[:used]), value


def _import(name: str, scope: _Scope) -> object:
    """A user's module; a library is not loaded for its name."""
    try:
        name = importlib.util.resolve_name(name, scope.get("__package__"))
        spec = importlib.util.find_spec(top := name.partition(".")[0])
        place = spec and (spec.origin or next(iter(spec.submodule_search_locations or ()), None))
        if place and os.path.exists(place) and not _is_library_file(place) and not _in_package(top):
            return importlib.import_module(name)
    except Exception:
        pass
    return _Absent(name)


# Source, and code where there is none


def _definition(function: FunctionType) -> _Definition | None:
    """The syntax tree of a function, if there is just one that can be it and the file still holds what is loaded."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    place = (code.co_name, code.co_firstlineno)
    trees, codes = (found.get(place, []) for found in _parse(text))
    loaded = any(_encode_code(each) == _encode_code(code) for each in codes)
    return trees[0] if loaded and len({_encode_tree(tree) for tree in trees}) == 1 else None


_Place = tuple[str, int]


@functools.lru_cache(maxsize=32)
def _parse(text: str) -> tuple[dict[_Place, list[_Definition]], dict[_Place, list[CodeType]]]:
    """The functions of a file by name and first line: their syntax trees, and the code that these compile to."""
    trees, codes = defaultdict(list), defaultdict(list)
    with warnings.catch_warnings(action="ignore"):
        try:
            tree = ast.parse(text)
            module = compile(tree, "", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return {}, {}
    for node in ast.walk(tree):
        if isinstance(node, _Definition):
            line = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
            trees[getattr(node, "name", "<lambda>"), line].append(node)
    for code in _codes(module):
        codes[code.co_name, code.co_firstlineno].append(code)
    return trees, codes


def _encode_tree(root: ast.AST) -> bytes:
    """A syntax tree without positions, docstrings and other statements that do nothing, in prefix order."""
    parts: list[object] = []
    pending: list[Any] = [root]
    while pending:
        item = pending.pop()
        if isinstance(item, ast.Constant):
            parts += ["constant", _Walk().encode(item.value)]
        elif isinstance(item, ast.AST):
            fields = [(name, value) for name, value in ast.iter_fields(item) if name not in ("ctx", "type_comment")]
            fields = [(name, value) for name, value in fields if value is not None and value != []]
            parts += [type(item).__name__, len(fields)]
            pending += [part for field in reversed(fields) for part in reversed(field)]
        elif isinstance(item, list):
            kept = [each for each in item if not _does_nothing(each)]
            parts.append(len(kept))
            pending += reversed(kept)
        else:
            parts.append(item)
    return encoding.encode(parts)


def _does_nothing(node: object) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return text or isinstance(node, ast.Pass)


def _encode_code(code: CodeType) -> bytes:
    """Byte code with its constants and names in place, so that docstrings, lines and files do not matter."""

    def argument(step: dis.Instruction) -> object:
        if isinstance(step.argval, CodeType):
            return _encode_code(step.argval)
        if step.opcode in dis.hasconst:
            return _Walk().encode(step.argval)
        return step.argval if isinstance(step.argval, str) else step.arg

    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _KIND_OF_FUNCTION)
    names = code.co_varnames[: sum(counts[::2]) + bool(code.co_flags & 4) + bool(code.co_flags & 8)]
    steps = [(step.opname, argument(step)) for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    return encoding.encode((code.co_name, *counts, names, code.co_exceptiontable, steps))
