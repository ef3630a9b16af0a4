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
import operator
import os
import sys
import threading
import warnings
from collections import ChainMap, Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType, NoneType
from typing import Any, ForwardRef, NamedTuple

import numpy as np

from intemi.errors import IntemiError
from intemi.kernel import encoding
from intemi.kernel.errors import ChanceWarning, ConfigurationError

_PLAIN = (NoneType, bool, int, float, complex, str, bytes)
_CODE = (type, FunctionType, ModuleType)
_INCIDENTAL = {  # says where and how something is written, or is covered otherwise
    *("__name__", "__qualname__", "__module__", "__package__", "__file__", "__path__", "__cached__", "__spec__"),
    *("__loader__", "__builtins__", "__doc__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__"),
    "__slotnames__",
    *("__dataclass_fields__", "__dataclass_params__"),
}
_GLOBAL_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_CLOSURE_LOADS = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
_KIND_OF_FUNCTION = 0x4 | 0x8 | 0x20 | 0x80 | 0x100 | 0x200  # *args, **kwargs, generators, coroutines
_HEAP_TYPE = 1 << 9  # a class made at run time, not one built into the interpreter
_IMMUTABLE_TYPE = 1 << 8  # a class made by compiled code

_Scope = Mapping[str, Any]
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def fingerprint(cls: type) -> bytes:
    """The 128-bit digest of a class that a user wrote and of everything that it names, however far away.

    Covered: the class, its bases, attributes and methods, and what these refer to by global name, closure, default
    value or `module.name`, from one helper to the next. A function counts by its syntax tree, checked against the code
    that is loaded, or by its byte code where there is no such source. Constants and arrays count by value; objects by
    their class and by what they would pickle, and by what a `__getstate__` of the user's own leaves out; random
    generators and locks by their class alone. Docstrings count if some function reads them (`__doc__`).

    Refused, with a ConfigurationError that names it: whatever has no known content, such as a generator, an iterator,
    an open file, a context variable, a weak reference or a function of C.

    Not covered: library code (the standard library, installed packages, this package) counts by name, not by version;
    what is looked up at run time (`getattr`, files, methods of the inputs) cannot be seen. Globals and class attributes
    count as they stand at the call, so ask when all modules are imported; names that the code itself rebinds (`global`,
    `nonlocal`, `module.name = …`, `cls._name = …`) count by name alone.

    >>> def double(x): return 2 * x
    >>> class Doubler:
    ...     def run(self, x): return double(x)
    >>> before = fingerprint(Doubler)
    >>> def double(x): return x + x
    >>> len(before), fingerprint(Doubler) == before
    (16, False)
    """
    return watched_fingerprint(cls)[0]


_BY_IDENTITY: Any = object.__eq__
_Held = tuple[_Scope, Callable[[_Scope], tuple[object, ...]], tuple[object, ...]]


class Watch:
    """The names that a fingerprint went through, and what they stood for: are they rebound, it may be another one."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[_Scope, set[str]]] = {}
        self._classes: list[tuple[type, int, frozenset[str], frozenset[str]]] = []
        self._code: list[_Held] = []
        self._constants: list[_Held] = []

    def __reduce__(self) -> Any:
        return Watch, ()  # a worker process gets the class as it is now

    def add_names(self, scope: _Scope, names: Iterable[str]) -> None:
        """Note what global names stand for."""
        self._names.setdefault(id(scope), (scope, set()))[1].update(names)

    def add_class(self, cls: type, names: Iterable[str], without: Iterable[str]) -> None:
        """Note what a class holds, without what its code sets."""
        self._classes.append((cls, len(vars(cls)), frozenset(names), frozenset(without)))
        self._names[id(cls)] = vars(cls), set(names)

    def start(self) -> None:
        """Hold on to what all names stand for; they are read in a few calls, because each request asks."""
        for scope, names in self._names.values():
            code = {name for name in names if type(scope[name]).__eq__ is _BY_IDENTITY}
            for held, chosen in (self._code, code), (self._constants, names - code):
                if chosen:
                    getter: Any = operator.itemgetter(min(chosen), *chosen)  # of one name, it would give no tuple
                    held.append((scope, getter, getter(scope)))

    @property
    def is_over(self) -> bool:
        """Whether a name was rebound: a helper or a constant defined anew, an attribute of a class set."""
        try:
            for scope, getter, values in self._code:
                if getter(scope) != values:  # much quicker than `is` for each
                    return True
            for scope, getter, values in self._constants:
                if not all(map(operator.is_, getter(scope), values)):  # 1 == 1.0 == True
                    return True
        except (KeyError, ValueError):  # a name is gone, or stands for an array
            return True
        for cls, size, names, without in self._classes:
            # Python adds attributes of its own, such as __slotnames__ when an instance is first pickled.
            if len(vars(cls)) != size and _attributes(cls).keys() - without != names:
                return True
        return False


def watched_fingerprint(cls: type) -> tuple[bytes, Watch]:
    """The fingerprint, and the names that it holds for."""
    findings = _NO_FINDINGS
    while True:
        walk = _Walk(findings)
        found = walk.digest(cls)
        if walk.findings == findings:
            walk.warn_of_chance(cls)
            walk.watch.start()
            return found, walk.watch
        findings = walk.findings  # they matter to what was encoded before they were made


def is_by_user(cls: type) -> bool:
    """Whether a class is a user's own, so that its source counts."""
    return not _is_library(cls)


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


_parsing = threading.Lock()


def _parsed(text: str) -> ast.Module:
    """The syntax tree of a file. Python 3.11 loses count of its depth when several threads parse at the same time."""
    for _ in range(20):
        with _parsing:
            try:
                return ast.parse(text)
            except SystemError:
                continue
    return ast.parse(text)


class _Absent(NamedTuple):
    """In place of a value: the name is undefined, or that of a library which need not be loaded."""

    name: str


class _Way(NamedTuple):
    """How something was reached: the node that led to it, the name that it has there, and what the name stands for."""

    node: object
    name: str = ""
    value: object = None


class _Findings(NamedTuple):
    """What a walk finds out about the code as a whole."""

    reads_docstrings: bool = False
    rebound: frozenset[tuple[int, str]] = frozenset()
    """Names that the code itself rebinds, such as a table that it loads when first used; each with its namespace."""


_NO_FINDINGS = _Findings()
_MAX_IN_PLACE = 8192
"""Bytes of a value that is encoded in place; of a longer one the digest is, or shared parts would add up."""
_MAX_VISITS = 1000
"""How often one object may be followed, because it lies in several that refer to each other."""


class _Walk:
    """Encodes values in place; a user's functions, classes, modules and objects become numbered nodes, each once."""

    def __init__(self, known: _Findings = _NO_FINDINGS, outer: _Walk | None = None) -> None:
        self._nodes: list[object] = []
        self._numbers: dict[int, int] = {}
        self._ways: list[_Way] = []
        """What led to each node."""
        self._here = _Way(None)
        self._open_ids: dict[int, int] = dict(outer._open_ids) if outer is not None else {}
        """What is being encoded, from the outside to the inside, and how deep each lies."""
        self._outermost = len(self._open_ids)
        """How deep the outermost of these lies that was met again inside."""
        self._encoded: dict[int, tuple[object, bytes]] = {}
        """What was encoded and does not refer to what it lies in; it is held, or its id would be used again."""
        self._items: dict[int, tuple[object, bytes]] = outer._items if outer is not None else {}
        """The digests of items of sets that lead to no cycle: others depend on what they are reached through."""
        self._has_cycles = False
        self._visits: Counter[int] = outer._visits if outer is not None else Counter()
        self._known = self.findings = known
        self.watch = Watch()
        self._chances: list[tuple[_Way, object]] = []
        """The random generators that were met, and where."""

    def digest(self, root: object) -> bytes:
        refused: tuple[object, _Unknown] | None = None
        parts = [self.encode(root)]
        for node in self._nodes:  # grows while it is read
            self._here = _Way(node)
            try:
                parts.append(self._describe(node))
            except _Unknown as unknown:  # unless it turns out that the code itself made it
                refused = refused or (node, unknown)
        if refused is not None and self.findings == self._known:
            user, why = refused
            if not isinstance(root, type):
                raise why
            raise ConfigurationError(_refusal(root, self._user_of(user, why), why))
        return encoding.digest(*parts)

    def encode(self, value: Any) -> bytes:
        kind = type(value)
        if kind in _PLAIN or (_is_array(kind) and not value.dtype.hasobject):
            return encoding.encode(value)
        if id(value) in self._open_ids:
            depth = self._open_ids[id(value)]
            self._outermost = min(self._outermost, depth)
            self._has_cycles = True
            return _pack("cycle", encoding.encode(len(self._open_ids) - depth))
        if value is sys.stdout or value is sys.stderr or value is sys.__stdout__ or value is sys.__stderr__:
            return _pack("library", b"a standard stream")  # wherever it leads to
        if value is os.environ:
            return _pack("library", b"os.environ")  # another shell is no other machine
        if _is_shared_by_compiled(kind):
            return _pack("library", _compiled_name(value))
        if _is_source_of_chance(value):
            self._chances.append((self._here, value))
        if not _is_library(value):
            number = self._numbers.setdefault(id(value), len(self._nodes))
            if number == len(self._nodes):
                self._nodes.append(value)
                self._ways.append(self._here)
            return _pack("node", encoding.encode(number))
        if issubclass(kind, _CODE):
            return _pack("library", *self._inside(value, self._library_code))
        if id(value) not in self._encoded:
            self._visit(value)
            outermost, self._outermost = self._outermost, len(self._open_ids)
            parts = self._inside(value, lambda each: [self.encode(kind), *self._parts(each)])
            found = _pack("library", *parts)
            if len(found) > _MAX_IN_PLACE:
                found = _pack("digest", encoding.digest(found))
            is_closed = self._outermost >= len(self._open_ids)
            self._outermost = min(outermost, self._outermost)
            if not is_closed:
                return found
            self._encoded[id(value)] = value, found
        return self._encoded[id(value)][1]

    def _inside(self, value: object, parts: Callable[[Any], Sequence[bytes]]) -> Sequence[bytes]:
        self._open_ids[id(value)] = len(self._open_ids)
        try:
            return parts(value)
        finally:
            del self._open_ids[id(value)]

    def _visit(self, value: object) -> None:
        """Refuse objects that refer to each other in so many ways that it would take forever to follow all of them."""
        self._visits[id(value)] += 1
        if self._visits[id(value)] > _MAX_VISITS:
            raise _Unknown(value)

    def _mapping(self, values: _Scope) -> bytes:
        parts = []
        refused: _Unknown | None = None
        for name in sorted(values):
            self._here = _Way(self._here.node, name, values[name])
            try:
                parts += [self.encode(name), self.encode(values[name])]
            except _Unknown as unknown:
                unknown.reached_by(name, values[name])
                refused = refused or unknown
        if refused is not None:
            raise refused
        return _pack("mapping", *parts)

    def _parts(self, value: Any) -> Sequence[bytes]:
        kind = type(value)
        if kind in (list, tuple):
            return [self.encode(item) for item in value]
        if kind in (dict, MappingProxyType):
            return [self.encode(part) for item in value.items() for part in item]
        if issubclass(kind, set | frozenset):
            return sorted(self._digest_of_item(item, value) for item in value)
        if issubclass(kind, property | staticmethod | classmethod | MethodType):
            held = ("fget", "fset", "fdel", "__func__", "__self__")
            return [self.encode(getattr(value, name, None)) for name in held]
        if kind is ForwardRef:  # an annotation that a NamedTuple keeps as text
            return [self.encode(value.__forward_arg__)]
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
            head = self.encode([node.__name__, type(node), node.__bases__, _dataclass(node), *self._docstring(node)])
            rebound = {*self._names_rebound_in(node), *_rebound_by_methods(node)}
            attributes = {name: value for name, value in _attributes(node).items() if name not in rebound}
            self.watch.add_class(node, attributes, rebound)
            return _pack("class", head, self._mapping(attributes))
        if isinstance(node, ModuleType):
            rebound = self._names_rebound_in(vars(node))
            held = {name: value for name, value in _relevant(vars(node)).items() if name not in rebound}
            return self._mapping({**held, **dict.fromkeys(self._docstring(node))})
        return _pack("object", self.encode(type(node)), *self._parts(node))

    def _function(self, function: FunctionType) -> bytes:
        definition = _definition(function)
        body = _encode_code(function.__code__) if definition is None else _encode_tree(definition)
        chains = _names(function.__code__)
        reads_docstrings = any({"__doc__", "getdoc"} & set(code.co_names) for code in _codes(function.__code__))
        self._learn(_Findings(reads_docstrings, frozenset(_rebound(function, definition, chains))))
        names = {chain[0] for chain in chains if chain[0] in function.__globals__}
        self.watch.add_names(function.__globals__, names - self._names_rebound_in(function.__globals__))
        named = dict(self._resolve(chain, function) for chain in chains)
        held = [function.__defaults__, function.__kwdefaults__, *self._docstring(function)]
        return _pack("function", body, self._mapping(named), self.encode(held), self._mapping(vars(function)))

    def _resolve(self, chain: tuple[str, ...], function: FunctionType) -> tuple[str, Any]:
        """The value of a name, followed through a user's modules; of a name that the code rebinds, the name alone."""
        name, used = chain[0], 1
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        rebound = self._names_rebound_in(cells.get(name, function.__globals__))
        value = _Absent(name) if name in rebound else _value_of(name, function)
        while used < len(chain) and isinstance(value, ModuleType) and not _is_library(value):
            member, used = chain[used], used + 1
            is_by_name = member in _INCIDENTAL or member in self._names_rebound_in(vars(value))
            value = _Absent(member) if is_by_name else _member(value, member)
        return ".".join(chain[:used]), value

    def _names_rebound_in(self, namespace: object) -> set[str]:
        return {name for place, name in self._known.rebound if place == id(namespace)}

    def _learn(self, more: _Findings) -> None:
        reads_docstrings, rebound = self.findings
        self.findings = _Findings(reads_docstrings or more.reads_docstrings, rebound | more.rebound)

    def _digest_of_item(self, item: object, owner: object) -> bytes:
        if id(item) in self._items:
            return self._items[id(item)][1]
        self._visit(item)
        walk = _Walk(self._known, self)
        walk._open_ids.setdefault(id(owner), len(walk._open_ids))
        walk._outermost = len(walk._open_ids)
        found = walk.digest(item)
        self._learn(walk.findings)
        self._outermost = min(self._outermost, walk._outermost)
        self._has_cycles = self._has_cycles or walk._has_cycles
        if not walk._has_cycles:
            self._items[id(item)] = item, found
        return found

    def _user_of(self, node: object, unknown: _Unknown) -> object:
        """The function or class that names an object, instead of the object itself."""
        while not isinstance(node, FunctionType | type) and id(node) in self._numbers:
            way = self._ways[self._numbers[id(node)]]
            unknown.reached_by(way.name, way.value if way.name else node)
            node = way.node
        return node

    def warn_of_chance(self, root: type) -> None:
        """Warn of random generators that were met: their state does not count, so results depend on chance."""
        for way, generator in self._chances[:1]:
            unknown = _Unknown(generator)
            unknown.reached_by(way.name, way.value if way.name else generator)
            place = _place(self._user_of(way.node, unknown))
            text = (
                f"{root.__qualname__}: its results depend on chance, because {place} uses {_described(unknown)} whose "
                "state does not count; take the argument `rng` in run, a generator whose seed counts, and draw from it"
            )
            warnings.warn(ChanceWarning(text), stacklevel=3)

    def _docstring(self, node: object) -> list[str]:
        """The docstring, where some function reads docstrings; without its indentation, which is layout."""
        return (
            [inspect.cleandoc(node.__doc__)] if self._known.reads_docstrings and isinstance(node.__doc__, str) else []
        )


class _Unknown(IntemiError):
    """A value whose content cannot be known, and the names that led to it."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.names: list[str] = []
        self.first = value
        """What the first of the names stands for: the value, or something that holds it."""

    def reached_by(self, name: str, value: object) -> None:
        """Add a name in front of the others, and what it stands for."""
        self.names[:0] = [name] if name else []
        self.first = value


def _refusal(root: type, node: object, unknown: _Unknown) -> str:
    return (
        f"{root.__qualname__}: it cannot be known whether its code has changed, because {_place(node)} uses "
        f"{_described(unknown)} whose content cannot be known; use a constant (a number, a tuple, an array), make it "
        f"inside the function, or write `version = 1` in {root.__qualname__} and raise it whenever results change"
    )


def _described(unknown: _Unknown) -> str:
    """The names that led to a value, and its type."""
    kind, first = type(unknown.value), type(unknown.first)
    used = ".".join(unknown.names) or "what it holds"
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{used}, of the type {name}," if first is kind else f"{used} ({first.__qualname__}), which holds a {name}"


def _place(node: object) -> str:
    return getattr(node, "__qualname__", None) or getattr(node, "__name__", None) or type(node).__qualname__


def _pack(tag: str, *parts: bytes) -> bytes:
    return encoding.encode((tag, *parts))


def _is_array(kind: type) -> bool:
    return kind is np.ndarray or (issubclass(kind, np.generic) and _is_library(kind))


# A library's code, or a user's


def _is_library(value: Any) -> bool:
    kind = type(value)
    if issubclass(kind, FunctionType):
        return _is_library_file(value.__code__.co_filename)
    if issubclass(kind, ModuleType):
        file = getattr(value, "__file__", None) or next(iter(getattr(value, "__path__", ())), None)
        return value.__spec__ is not None if file is None else _is_library_file(file)
    cls = value if issubclass(kind, type) else kind
    if not cls.__flags__ & _HEAP_TYPE or not isinstance(cls.__module__, str):
        return True
    if _is_shared_by_compiled(cls):
        return True
    found: Any = sys.modules.get(cls.__module__)
    if found is None or not _is_library(found):
        return False
    for part in cls.__qualname__.split("."):  # what exec or a library's factory made may only claim to belong there
        if part == "<locals>":
            return found is not None
        found = getattr(found, part, None)
    return found is cls


def _is_shared_by_compiled(cls: type) -> bool:
    """Whether a class is one that compiled modules share, such as Cython's functions: it has no module of its own."""
    if not cls.__flags__ & _HEAP_TYPE or not cls.__flags__ & _IMMUTABLE_TYPE:
        return False
    module = sys.modules.get(cls.__module__)
    return getattr(module, "__file__", None) is None and getattr(module, "__spec__", None) is None


def _compiled_name(function: Any) -> bytes:
    """The name of a library's compiled function, whatever it was compiled with; others are refused."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    found = sys.modules.get(module) if isinstance(module, str) else None
    if found is None or not _is_library(found) or not isinstance(name, str) or "<locals>" in name:
        raise _Unknown(function)
    return f"{module}.{name}".encode()


@functools.lru_cache(maxsize=1024)
def _is_library_file(path: str) -> bool:
    if path.startswith("<"):
        return path.startswith("<frozen")
    parts = os.path.abspath(path).split(os.sep)
    return "site-packages" in parts or "dist-packages" in parts or os.path.abspath(path).startswith(_library_roots())


@functools.cache
def _library_roots() -> tuple[str, ...]:
    import sysconfig

    paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths.append(os.path.dirname(os.path.dirname(__file__)))  # this package
    return tuple(os.path.join(form(path), "") for path in paths for form in (os.path.abspath, os.path.realpath))


# What objects, classes and functions hold


def _relevant(attributes: _Scope) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name not in _INCIDENTAL}


def _package(cls: type) -> str:
    return str(cls.__module__).partition(".")[0]


def _state(value: Any) -> Sequence[object]:
    """What an object would pickle; nothing of a random generator or a lock. What cannot be known is refused."""
    kind = type(value)
    if isinstance(value, np.random.SeedSequence):
        return (value.state,)
    if _is_source_of_chance(value) or kind in _WITHOUT_CONTENT:
        return ()
    if _is_library(kind) and (isinstance(value, Iterator) or (isinstance(value, np.ufunc) and not _is_named(value))):
        raise _Unknown(value)
    try:
        attributes = getattr(value, "__dict__", {}) if _is_library(kind) else {}
        for name in ("__wrapped__", "py_func"):  # functools.lru_cache, numba.njit
            if name in attributes:
                return attributes[name], attributes.get("targetoptions")
        reduce = copyreg.dispatch_table.get(kind)
        reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
        if isinstance(reduced, str):
            return getattr(value, "__module__", None), reduced
        maker, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        state = _relevant(state) if isinstance(state, dict) else state
        return maker, arguments, state, list(items or ()), list(pairs or ()), *_hidden(value)
    except Exception:  # whatever an object that cannot be pickled raises
        raise _Unknown(value) from None


def _is_source_of_chance(value: object) -> bool:
    """Whether a value is a random generator, or a part of one."""
    module = type(value).__module__
    if isinstance(value, np.random.SeedSequence | type) or not isinstance(module, str):
        return False
    return module == "random" or module.startswith("numpy.random")


def _hidden(value: Any) -> Sequence[object]:
    """All that an object holds, if the user has written what it pickles: that may be less."""
    ways = ("__getstate__", "__reduce__", "__reduce_ex__")
    owner = next(base for base in type(value).__mro__ if any(way in vars(base) for way in ways))
    if _is_library(owner):
        return ()
    whole = object.__getstate__(value)
    return (_relevant(whole) if isinstance(whole, dict) else whole,)


_WITHOUT_CONTENT = frozenset((type(threading.Lock()), type(threading.RLock()), type(vars(Iterator)["_abc_impl"])))
"""Locks, and what Python remembers of abstract classes."""


def _is_named(function: np.ufunc) -> bool:
    """Whether a function for arrays is a library's, under its name; others are made of a user's function."""
    name = function.__name__
    if getattr(np, name, None) is function:
        return True
    modules = [module for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
    return any(vars(module).get(name) is function and _is_library(module) for module in modules)


def _attributes(cls: type) -> dict[str, Any]:
    """What the class itself holds, without what `dataclass` generates and what this package keeps in it.

    Private data of this package's classes are the engine's own; their private methods are there to be replaced.
    """
    ours = [base for base in cls.__mro__ if _package(base) == _package(_Walk) and _is_library(base)]
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

    return {name: value for name, value in _relevant(vars(cls)).items() if counts(name, value)}


def _dataclass(cls: type) -> list[object]:
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
    return {tuple(chain) for chain in found if chain[0] not in _INCIDENTAL}


def _value_of(name: str, function: FunctionType) -> object:
    scope = _scope(function)
    if name.startswith("import "):
        return _import(name[7:], scope.get("__package__"))
    return scope.get(name, _Absent(name))


def _rebound(
    function: FunctionType, definition: _Definition | None, chains: Iterable[tuple[str, ...]]
) -> Iterator[tuple[int, str]]:
    """The names outside of a function that it rebinds, each with the id of the namespace or the cell that holds it.

    Globals, variables of a closure and attributes of a user's modules; of attributes of classes the private ones alone:
    a public one is set by methods that configure the class as well.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for code in _codes(function.__code__):
        for step in dis.get_instructions(code):
            if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                yield id(function.__globals__), step.argval
            elif step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in cells:
                yield id(cells[step.argval]), step.argval
    loaded = {chain[0] for chain in chains}
    for target in ast.walk(definition) if definition is not None else ():
        if isinstance(target, ast.Attribute) and not isinstance(target.ctx, ast.Load):
            owner = target.value
            held = _value_of(owner.id, function) if isinstance(owner, ast.Name) and owner.id in loaded else None
            if isinstance(held, ModuleType) and not _is_library(held):
                yield id(vars(held)), target.attr
            elif isinstance(held, type) and _is_private(target.attr):
                yield id(held), target.attr


def _rebound_by_methods(cls: type) -> Iterator[str]:
    """The private attributes that methods of a class set on the class itself: `cls._table`, `type(self)._table`."""
    for value in [value for base in cls.__mro__ if not _is_library(base) for value in vars(base).values()]:
        function = inspect.unwrap(getattr(value, "__func__", getattr(value, "fget", value)))
        definition = _definition(function) if isinstance(function, FunctionType) else None
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


def _member(module: ModuleType, name: str) -> object:
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
        if place and os.path.exists(place) and not _is_library_file(place):
            importlib.import_module(name)
        if name in sys.modules and not _is_library(sys.modules[name]):
            return sys.modules[name]
    except Exception:
        pass
    return _Absent(name)


# Source, and code where there is none


def _definition(function: FunctionType) -> _Definition | None:
    """The syntax tree of a function, if there is just one that can be it and the file still holds what is loaded."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    trees, codes = _parse(text).get((code.co_name, code.co_firstlineno), ([], []))
    loaded = _encode_code(code) in map(_encode_code, codes)
    return trees[0] if loaded and len({_encode_tree(tree) for tree in trees}) == 1 else None


@functools.lru_cache(maxsize=32)
def _parse(text: str) -> Mapping[tuple[str, int], tuple[list[_Definition], list[CodeType]]]:
    """The functions of a file by name and first line: their syntax trees, and the code that these compile to."""
    found: defaultdict[tuple[str, int], tuple[list[_Definition], list[CodeType]]] = defaultdict(lambda: ([], []))
    with warnings.catch_warnings(action="ignore"):
        try:
            tree = _parsed(text)
            module = compile(tree, "", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return {}
    for node in ast.walk(tree):
        if isinstance(node, _Definition):
            line = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
            found[getattr(node, "name", "<lambda>"), line][0].append(node)
    for code in _codes(module):
        found[code.co_name, code.co_firstlineno][1].append(code)
    return found


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


def encoded_syntax(text: str) -> bytes:
    """The syntax of a file without comments, docstrings and layout, the same in every version of Python."""
    return _encode_tree(_parsed(text))


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
    steps = [(step.opname, argument(step)) for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    return encoding.encode((code.co_name, *counts, code.co_varnames, code.co_exceptiontable, steps))
