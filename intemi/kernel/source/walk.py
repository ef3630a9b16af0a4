"""The walk through a class that a user wrote, and through every helper, base and constant that it names."""

from __future__ import annotations

import inspect
import warnings
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, Self

from intemi.kernel import encoding
from intemi.kernel.errors import ChanceWarning, ConfigurationError
from intemi.kernel.source.encoder import Absent, Encoder, Way, pack
from intemi.kernel.source.holdings import INCIDENTAL, attributes_of, dataclass_of, relevant
from intemi.kernel.source.libraries import is_library
from intemi.kernel.source.names import member_of, names_in, rebound_by, rebound_by_methods, value_of
from intemi.kernel.source.refusal import Unknown, described, place_of, refusal
from intemi.kernel.source.syntax import codes_in, definition_of, encode_code, encode_tree
from intemi.kernel.source.watch import Watch


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


class _Findings(NamedTuple):
    """What a walk finds out about the code as a whole."""

    reads_docstrings: bool = False
    rebound: frozenset[tuple[int, str]] = frozenset()
    """Names that the code itself rebinds, such as a table that it loads when first used; each with its namespace."""


_NO_FINDINGS = _Findings()


class _Walk(Encoder):
    """Goes from node to node, and finds out on the way what the code as a whole does."""

    def __init__(self, known: _Findings = _NO_FINDINGS, outer: _Walk | None = None) -> None:
        super().__init__(outer)
        self._known = self.findings = known
        self.watch = Watch()

    def _inner(self) -> Self:
        return type(self)(self._known, self)

    def _join(self, inner: Self) -> None:
        super()._join(inner)
        self._learn(inner.findings)

    def digest(self, root: object) -> bytes:
        """The digest of a value and of everything of a user's own that it leads to."""
        refused: tuple[object, Unknown] | None = None
        parts = [self.encode(root)]
        for node in self._nodes:  # grows while it is read
            self._here = Way(node)
            try:
                parts.append(self._describe(node))
            except Unknown as unknown:  # unless it turns out that the code itself made it
                refused = refused or (node, unknown)
        if refused is not None and self.findings == self._known:
            user, why = refused
            if not isinstance(root, type):
                raise why
            raise ConfigurationError(refusal(root, self._user_of(user, why), why))
        return encoding.digest(*parts)

    def _describe(self, node: object) -> bytes:
        if isinstance(node, FunctionType):
            return self._function(node)
        if isinstance(node, type):
            head = self.encode([node.__name__, type(node), node.__bases__, dataclass_of(node), *self._docstring(node)])
            rebound = {*self._names_rebound_in(node), *rebound_by_methods(node)}
            attributes = {name: value for name, value in attributes_of(node).items() if name not in rebound}
            self.watch.add_class(node, attributes, rebound)
            return pack("class", head, self._mapping(attributes))
        if isinstance(node, ModuleType):
            rebound = self._names_rebound_in(vars(node))
            held = {name: value for name, value in relevant(vars(node)).items() if name not in rebound}
            return self._mapping({**held, **dict.fromkeys(self._docstring(node))})
        return pack("object", self.encode(type(node)), *self._parts(node))

    def _function(self, function: FunctionType) -> bytes:
        definition = definition_of(function)
        body = encode_code(function.__code__) if definition is None else encode_tree(definition)
        chains = names_in(function.__code__)
        reads_docstrings = any({"__doc__", "getdoc"} & set(code.co_names) for code in codes_in(function.__code__))
        self._learn(_Findings(reads_docstrings, frozenset(rebound_by(function, definition, chains))))
        names = {chain[0] for chain in chains if chain[0] in function.__globals__}
        self.watch.add_names(function.__globals__, names - self._names_rebound_in(function.__globals__))
        named = dict(self._resolve(chain, function) for chain in chains)
        held = [function.__defaults__, function.__kwdefaults__, *self._docstring(function)]
        return pack("function", body, self._mapping(named), self.encode(held), self._mapping(vars(function)))

    def _resolve(self, chain: tuple[str, ...], function: FunctionType) -> tuple[str, Any]:
        """The value of a name, followed through a user's modules; of a name that the code rebinds, the name alone."""
        name, used = chain[0], 1
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        rebound = self._names_rebound_in(cells.get(name, function.__globals__))
        value = Absent(name) if name in rebound else value_of(name, function)
        while used < len(chain) and isinstance(value, ModuleType) and not is_library(value):
            member, used = chain[used], used + 1
            is_by_name = member in INCIDENTAL or member in self._names_rebound_in(vars(value))
            value = Absent(member) if is_by_name else member_of(value, member)
        return ".".join(chain[:used]), value

    def _names_rebound_in(self, namespace: object) -> set[str]:
        return {name for place, name in self._known.rebound if place == id(namespace)}

    def _learn(self, more: _Findings) -> None:
        reads_docstrings, rebound = self.findings
        self.findings = _Findings(reads_docstrings or more.reads_docstrings, rebound | more.rebound)

    def _user_of(self, node: object, unknown: Unknown) -> object:
        """The function or class that names an object, instead of the object itself."""
        while not isinstance(node, FunctionType | type) and id(node) in self._numbers:
            way = self._ways[self._numbers[id(node)]]
            unknown.reached_by(way.name, way.value if way.name else node)
            node = way.node
        return node

    def warn_of_chance(self, root: type) -> None:
        """Warn of random generators that were met: their state does not count, so results depend on chance."""
        for way, generator in self._chances[:1]:
            unknown = Unknown(generator)
            unknown.reached_by(way.name, way.value if way.name else generator)
            place = place_of(self._user_of(way.node, unknown))
            text = (
                f"{root.__qualname__}: its results depend on chance, because {place} uses {described(unknown)} whose "
                "state does not count; take the argument `rng` in run, a generator whose seed counts, and draw from it"
            )
            warnings.warn(ChanceWarning(text), stacklevel=3)

    def _docstring(self, node: object) -> list[str]:
        """The docstring, where some function reads docstrings; without its indentation, which is layout."""
        return (
            [inspect.cleandoc(node.__doc__)] if self._known.reads_docstrings and isinstance(node.__doc__, str) else []
        )
