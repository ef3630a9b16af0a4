"""Components: configurable parts as immutable values, and what makes a configuration an identity.

A subclass declares parameters as typed class attributes and nothing else; construction validates them. Two components
are equal exactly when their canonical encodings are: registered name, version (or source), parameters, sub-components.
"""

from __future__ import annotations

import dataclasses
import enum
import os
import sys
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

from intemi.kernel import encoding, registry
from intemi.kernel.annotations import is_class_variable, local_types, own_annotations, type_of
from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.kernel.parameters import Check, Refused, check_of, freeze, is_plain, parameter
from intemi.kernel.shipped import source_in_working_copy

if TYPE_CHECKING:
    from intemi.kernel.source import Watch

_NONE = encoding.encode(None)
CALLS_PER_LEVEL = 8
"""Calls inside each other that a walk through a configuration takes for a machine inside another, at the most."""


MAX_SHOWN = 160
"""Letters up to which a component is shown with all that is in it."""
MAX_SHOWN_PART = 40
"""Letters up to which its parts are, if it is longer than that."""


@singledispatch
def to_html(value: object) -> str:
    """What a notebook shows of a value: `notebook` registers a function for each class."""
    raise IntemiError(f"nothing shows a {type(value).__name__} as HTML")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(parameter,))
class Component:
    """A configurable part that is not scheduled by itself.

    >>> class Leaf(Component):
    ...     size: int = parameter(default=1, at_least=1)
    >>> class Tree(Component):
    ...     leaf: Leaf = Leaf()
    >>> Tree().replace("leaf.size", 5)
    Tree(leaf=Leaf(size=5))
    >>> Tree(leaf=Leaf(size=1)) == Tree()
    True
    """

    __component__ = True

    registered_name: ClassVar[str]
    kind: ClassVar[str] = "Component"
    """The name of its class."""
    version: ClassVar[int | str | None] = None
    """Set it to say yourself when results change; without it, a class outside the package is known by its source."""
    random: ClassVar[bool] = False
    """Whether this part makes random choices by itself. A configuration is random if any of its parts is."""
    looks_at_clock: ClassVar[bool] = False
    """Whether what this part gives depends on when and how fast it is run; then it is never used again."""

    former_names: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Parameters with their names in an earlier version and now: what is read from a folder may use either."""

    _is_abstract: ClassVar[bool] = True
    _unwritten: ClassVar[tuple[str, ...]] = ()
    """What it leaves to its subclasses: methods and properties that are marked as abstract."""
    _checks: ClassVar[dict[str, Check] | None] = None
    _header: ClassVar[bytes | None] = None
    _watch: ClassVar[Watch | None] = None
    """Tells whether the source that the header is made of was changed since, in this process."""
    _encoded_names: ClassVar[tuple[tuple[str, bytes], ...]] = ()
    _holds_components: ClassVar[bool] = False
    _may_be_none: ClassVar[frozenset[str]] = frozenset()
    _writes_init: ClassVar[bool] = False
    _local_types: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, *, abstract: bool = False, **options: Any) -> None:
        """`abstract=True` says that a class is there to be extended only, although it leaves no method unwritten."""
        super().__init_subclass__(**options)
        unwritten = (name for base in cls.__bases__ for name in getattr(base, "_unwritten", ()))
        left = dict.fromkeys([*unwritten, *vars(cls)])
        cls._unwritten = tuple(name for name in left if getattr(getattr(cls, name), "__isabstractmethod__", False))
        cls._is_abstract = abstract or bool(cls._unwritten)
        bases = [base for base in cls.__mro__[1:] if dataclasses.is_dataclass(base)]
        inherited = {field.name for base in bases for field in dataclasses.fields(base)}
        declared = {name: each for name, each in own_annotations(cls).items() if not is_class_variable(each)}
        for name in declared:
            if isinstance(default := cls.__dict__.get(name), list | dict | set):
                setattr(cls, name, freeze(default))
        for name in inherited:
            if name in cls.__dict__ and name not in declared:
                raise ConfigurationError(
                    f"{cls.__qualname__}: {name} is a parameter of a base class; "
                    f"write its type as well to declare it again, `{name}: ... = ...`"
                )
        cls._writes_init = "__init__" in cls.__dict__ or cls._writes_init
        try:
            dataclasses.dataclass(init=not cls._writes_init, frozen=True, eq=False, repr=False)(cls)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"{cls.__qualname__}: {error}") from None
        for name in cls.parameter_names():
            if name not in inherited:
                cls._check_name(name)
        cls.kind = cls.__name__
        cls._checks = None
        cls._header = cls._watch = None
        cls._encoded_names, cls._may_be_none, cls._holds_components = (), frozenset(), False
        cls._local_types = local_types(cls, declared)
        cls._check_search(declared)
        if "registered_name" not in cls.__dict__:
            cls.registered_name = registry.qualified_name(cls)
        registry.register_component(cls.registered_name, cls)

    def __post_init__(self) -> None:
        checks = type(self)._checks
        if checks is None:
            type(self)._refuse_if_abstract()
            checks = type(self)._prepare()
        values = self.__dict__
        for name, check in checks.items():
            value = values[name]
            if value is None and name in type(self)._may_be_none:
                continue
            try:
                values[name] = check(value)
            except Refused as allowed:
                raise ConfigurationError(f"{self.kind}: {name} must be {allowed}, got {_shown(value)}") from None
        self.check()

    def check(self) -> None:
        """Refuse combinations of parameters that make no sense; each by itself has been checked before."""

    @classmethod
    def _check_name(cls, name: str) -> None:
        """Refuse a parameter that would hide something every component has, or get lost in plain data."""
        if name == "type" or name.startswith("_") or any(hasattr(base, name) for base in cls.__mro__[1:]):
            why = "the name is taken"
            if name.startswith("_"):
                why = "its name begins with an underscore"
            elif name in ("version", "random"):
                why += f"; write `{name} = ...` without a type"
            raise ConfigurationError(f"{cls.__qualname__}: {name!r} cannot be a parameter, {why}")

    @classmethod
    def _check_search(cls, declared: Iterable[str]) -> None:
        """Refuse values to search among that a parameter cannot have."""
        for field in dataclasses.fields(cls):  # type: ignore[arg-type]
            if field.name not in declared or not (values := field.metadata.get("search")):
                continue
            try:
                check = check_of(field, type_of(cls, field))
            except (NameError, TypeError):  # a type that is defined later, or wrong: the first use tells
                continue
            for value in values:
                try:
                    check(value)
                except Refused as allowed:
                    raise ConfigurationError(
                        f"{cls.__qualname__}: search of {field.name} must be values that {field.name} can have: "
                        f"{allowed}, got {value!r}"
                    ) from None

    @classmethod
    def _prepare(cls) -> dict[str, Check]:
        checks = {}
        hints = {}
        for field in dataclasses.fields(cls):  # type: ignore[arg-type]
            try:
                hints[field.name] = type_of(cls, field)
                checks[field.name] = check_of(field, hints[field.name])
            except (NameError, TypeError) as error:
                raise ConfigurationError(
                    f"{cls.__qualname__}: the type of {field.name}, {field.type!r}, cannot be used: {error}"
                ) from None
        cls._checks = None if cls._is_abstract else checks
        cls._may_be_none = frozenset(
            field.name
            for field in dataclasses.fields(cls)  # type: ignore[arg-type]
            if type(None) in typing.get_args(hints[field.name]) and field.metadata.get("one_of") is None
        )
        cls._holds_components = not all(is_plain(hint) for name, hint in hints.items() if name in checks)
        return checks

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether it only says what others have in common: none can be made of it alone."""
        return cls._is_abstract

    @classmethod
    def _refuse_if_abstract(cls) -> None:
        if cls._is_abstract:
            missing = ", ".join(cls._unwritten)
            what = f"a subclass must define {missing}" if missing else "use one of its subclasses"
            raise ConfigurationError(f"{cls.__qualname__}: it is abstract, {what}")

    @classmethod
    def holds_components(cls) -> bool:
        """Whether a parameter can be, or contain, a component, as its declared type says."""
        if cls._checks is None:  # it was unpickled, and none of its class was constructed in this process
            cls._prepare()
        return cls._holds_components

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """The declared parameters, in order."""
        return tuple(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]

    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value."""
        values = self.__dict__
        return {name: values[name] for name in type(self)._checks or type(self)._prepare()}

    # Identity

    @property
    def encoding(self) -> bytes:
        """The canonical bytes: the whole configuration, and nothing but it."""
        known: bytes | None = self.__dict__.get("_encoding")
        if known is None:
            values = self.__dict__
            watch = type(self)._watch
            header = None if watch is not None and watch.is_over else type(self)._header
            parts = [header or type(self)._make_header()]
            for name, encoded_name in type(self)._encoded_names:
                value = values[name]
                encoded = _NONE if value is None else encoding.encode(value)
                parts += encoded_name, encoded
            known = b"".join(parts)
            values["_encoding"] = known
        return known

    @property
    def digest(self) -> bytes:
        """The 128-bit identity: the same in every process, on every machine, today and next year."""
        known: bytes | None = self.__dict__.get("_digest")
        if known is None:
            known = encoding.digest(self.encoding)
            self.__dict__["_digest"] = known
        return known

    def notice_changes(self) -> None:
        """Have the identity worked out anew, if something that the source of its class names was rebound."""
        cls, known = type(self), self.__dict__.get("_encoding")
        if known is None or cls._watch is None:
            return
        header = cls._make_header() if cls._watch.is_over or cls._header is None else cls._header
        if not known.startswith(header):
            for name in ("_encoding", "_digest"):
                self.__dict__.pop(name, None)

    @classmethod
    def _make_header(cls) -> bytes:
        # A version speaks for the class that states it: what a subclass adds is known by its source.
        version = cls.__dict__.get("version")
        identity: tuple[Any, ...]
        if version is None and not _is_ours(cls):
            from intemi.kernel.source import release_of, watched_fingerprint

            source, cls._watch = watched_fingerprint(cls)
            ours = [base for base in cls.__mro__[1:] if _is_ours(base)]
            stated = [base for base in ours if vars(base).get("version") is not None]
            identity = (
                "source",
                source,
                release_of(cls),
                *((base.__qualname__, vars(base)["version"]) for base in stated),
                *filter(None, map(source_in_working_copy, ours)),
            )
        else:
            identity = ("version", 1 if version is None else version)
            if source := source_in_working_copy(cls):
                identity += (source,)
            if cls.__module__ == "__main__" and cls.registered_name == registry.qualified_name(cls):
                identity += (_program(),)
        names = sorted(cls.parameter_names())  # the order in which they are declared does not matter
        cls._encoded_names = tuple((name, encoding.encode(name)) for name in names)
        mapping = encoding.head_of_mapping(len(names))  # of the parameters, which follow
        cls._header = b"C" + encoding.encode(cls.registered_name) + encoding.encode(identity) + mapping
        return cls._header

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Component):
            return NotImplemented
        return type(self) is type(other) and self.encoding == other.encoding

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        try:
            parts = list(self._shown_parts())
        except RecursionError:
            return f"{self.kind}(…)"
        if sum(len(text) for text, _ in parts) > MAX_SHOWN:
            parts = [(text if len(text) <= MAX_SHOWN_PART else brief, brief) for text, brief in parts]
        return f"{self.kind}({', '.join(text for text, _ in parts)})"

    def _repr_html_(self) -> str:
        return to_html(self)

    def _shown_parts(self) -> Iterator[tuple[str, str]]:
        """Its parts as text, and in brief."""
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = self.__dict__[field.name]
            if not field.kw_only or value != field.default:
                text = _ordered(value) if isinstance(value, frozenset) else repr(value)
                yield f"{field.name}={text}", f"{field.name}={brief(value)}"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # Parts

    def part(self, name: str) -> Any:
        """The parameter (or, in a machine that holds machines, the child) of that name."""
        if name not in self.parameters():
            raise ConfigurationError(f"{self.kind}: no part is called {name!r}; there are {_listed(self.part_names())}")
        return self.__dict__[name]

    def part_names(self) -> Sequence[str]:
        """What `part` accepts."""
        return type(self).parameter_names()

    def with_part(self, name: str, value: Any) -> Self:
        """A copy with one part exchanged."""
        self.part(name)
        return type(self).from_parameters({**self.parameters(), name: value})

    def components(self) -> Iterator[Component]:
        """The components directly inside this one."""
        if not self.holds_components():
            return
        for value in self.parameters().values():
            yield from _components_in(value)

    @property
    def is_random(self) -> bool:
        """Whether anything in this configuration makes random choices."""
        if not self.holds_components():
            return self.random
        known: bool | None = self.__dict__.get("_is_random")
        if known is None:
            known = self.random or any(part.is_random for part in self.components())
            self.__dict__["_is_random"] = known
        return known

    @property
    def depends_on_clock(self) -> bool:
        """Whether anything in this configuration looks at the clock: each request for it is a machine of its own."""
        if not self.holds_components():
            return self.looks_at_clock
        known: bool | None = self.__dict__.get("_depends_on_clock")
        if known is None:
            known = False
            pending: list[Component] = [self]
            while pending and not known:  # without recursion: hundreds of machines may be inside each other
                part = pending.pop()
                known = part.looks_at_clock
                pending += part.components()
            self.__dict__["_depends_on_clock"] = known
        return known

    def get(self, path: str) -> Any:
        """The part at a path such as `"test/svm.kernel.sigma"`."""
        return _part_of(*self.owner_of(path), path)

    def owner_of(self, path: str) -> tuple[Any, str]:
        """What holds the part at a path, and the part's name in it.

        Steps are separated by "." or "/". A name may have dots itself: of several that fit, the longest is meant.
        """
        value: Any = self
        step, rest = _first_step(value, path, path)
        while rest:
            value = _part_of(value, step, path)
            step, rest = _first_step(value, rest, path)
        return value, step

    def replace(self, path: str, value: Any) -> Self:
        """A copy with the part at a path exchanged, at any depth."""
        changed: Self = _replaced(self, path, value, path)
        return changed

    # Plain data

    def to_plain(self) -> dict[str, Any]:
        """The configuration as plain data, ready for JSON or YAML; `from_plain` makes the same one of them."""
        try:
            plain = {name: _plain(value) for name, value in self.parameters().items()}
        except RecursionError:
            raise too_deep(self.kind, "to be written as plain data") from None
        for name, check in (type(self)._checks or {}).items():
            value = self.__dict__[name]
            if isinstance(value, tuple | frozenset | Mapping | enum.Enum | type | bytes):
                self._check_plain(name, value, plain[name], check)
        return {"type": type(self).registered_name, **plain}

    def _check_plain(self, name: str, value: Any, plain: Any, check: Check) -> None:
        """Plain data know no sets, enums and types: whether they come back depends on the type that was declared."""
        try:
            back = check(from_plain(plain))
        except RecursionError:
            raise too_deep(self.kind, "to be written as plain data") from None
        except (Refused, IntemiError):
            back = None
        if encoding.encode(back) != encoding.encode(value):
            raise ConfigurationError(
                f"{self.kind}: {name} cannot be written as plain data, got {_shown(value)}; "
                "numbers, text, tuples, mappings without a key 'type' and what the type of the parameter names can"
            )

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """The component with these parameters; unknown names are refused."""
        cls.check_names(parameters)
        for field in dataclasses.fields(cls):  # type: ignore[arg-type]
            if field.default is dataclasses.MISSING and field.name not in parameters:
                raise ConfigurationError(f"{cls.__name__}: {field.name} must be given")
        return cls(**parameters)

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        """The component of parameters that were kept: plain data or bytes that someone else may have written.

        A class that looks at files when it is constructed overrides this, and looks at none.
        """
        now = dict(cls.former_names)
        return cls.from_parameters({now.get(name, name): value for name, value in parameters.items()})

    @classmethod
    def check_names(cls, parameters: Iterable[str]) -> None:
        """Refuse names that are not those of parameters."""
        unknown = [name for name in parameters if name not in cls.parameter_names()]
        if unknown:
            raise ConfigurationError(
                f"{cls.__name__}: no parameter is called {unknown[0]!r}; there are {_listed(cls.parameter_names())}"
            )


def from_plain(plain: Any) -> Any:
    """The component that plain data describe, classes by their registered names.

    >>> class Lattice(Component):
    ...     steps: tuple[int, ...] = (1, 2)
    >>> from_plain(Lattice().to_plain()) == Lattice()
    True
    """
    try:
        return _from_plain(plain)
    except RecursionError:
        raise too_deep("plain data", "to be read") from None


def _from_plain(plain: Any) -> Any:
    if isinstance(plain, Mapping):
        if not isinstance(plain.get("type", ""), str):
            raise ConfigurationError(f"the type of a component in plain data must be its name, got {plain['type']!r}")
        parts = {key: _from_plain(value) for key, value in plain.items() if key != "type"}
        return registry.component(plain["type"]).restored(parts) if "type" in plain else parts
    if isinstance(plain, list | tuple):
        return tuple(_from_plain(item) for item in plain)
    return plain


def too_deep(what: str, why: str) -> ConfigurationError:
    """What is said where parts are nested deeper than Python follows."""
    return ConfigurationError(
        f"{what}: nested too deep {why}: Python follows {sys.getrecursionlimit()} calls, about "
        f"{sys.getrecursionlimit() // CALLS_PER_LEVEL} machines inside each other; sys.setrecursionlimit allows more"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Component):
        return value.to_plain()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted((_plain(item) for item in value), key=encoding.encode)
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, type):
        registry.register_port_type(value)
        return registry.qualified_name(value)
    return None if isinstance(value, bytes) else value  # bytes do not come back, which is noticed


def _program() -> str:
    """The file that is run as a program: all programs call their module `__main__`."""
    return os.path.basename(getattr(sys.modules["__main__"], "__file__", None) or "")


def _is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"


def brief(value: Any) -> str:
    """What stands for a value that is too long to be shown."""
    return f"{value.kind}(…)" if isinstance(value, Component) else "…"


def _ordered(values: frozenset[Any]) -> str:
    """The repr of a set, in an order that does not depend on the process."""
    return f"frozenset({{{', '.join(sorted(map(repr, values)))}}})" if values else "frozenset()"


def _first_step(owner: Any, rest: str, path: str) -> tuple[str, str]:
    """The first step of what is left of a path, and what is left after it."""
    names = owner.part_names() if isinstance(owner, Component) else owner if isinstance(owner, Mapping) else ()
    step = rest.replace("/", ".").partition(".")[0]
    for name in names:
        if len(name) > len(step) and "." in name and (rest == name or rest.startswith((f"{name}.", f"{name}/"))):
            step = name
    after = rest[len(step) :]
    if not step or len(after) == 1:
        raise ConfigurationError(f"the path {path!r} has an empty step; write it like 'test/svm.kernel.sigma'")
    return step, after[1:]


def _components_in(value: Any) -> Iterator[Component]:
    if isinstance(value, Component):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _components_in(item)
    elif isinstance(value, tuple | frozenset):
        for item in value:
            yield from _components_in(item)


def _part_of(value: Any, step: str, path: str) -> Any:
    try:
        if isinstance(value, Component):
            return value.part(step)
        if isinstance(value, Mapping):
            return value[step]
        if isinstance(value, tuple) and step.isdecimal():
            return value[int(step)]
    except ConfigurationError as error:
        raise ConfigurationError(f"{error} (in the path {path!r})") from None
    except (KeyError, IndexError, ValueError):
        pass
    raise ConfigurationError(f"{step!r} (in the path {path!r}) is not a part of {_shown(value)}")


def _replaced(owner: Any, rest: str, value: Any, path: str) -> Any:
    step, rest = _first_step(owner, rest, path)
    inner = _part_of(owner, step, path)
    new = _replaced(inner, rest, value, path) if rest else value
    if isinstance(owner, Component):
        return owner.with_part(step, new)
    if isinstance(owner, tuple):
        position = int(step)
        return (*owner[:position], new, *owner[position + 1 :])
    return freeze({**owner, step: new})
