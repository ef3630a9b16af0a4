"""Components: configurable parts as immutable values, and what makes a configuration an identity.

A subclass declares parameters as typed class attributes and nothing else; construction validates them. Two components
are equal exactly when their canonical encodings are: registered name, version (or source), parameters, sub-components.
"""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, dataclass_transform

from intemi.kernel import encoding, registry
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.parameters import Check, Refused, check_of, freeze, parameter


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(parameter,))
class Component:
    """A configurable part that is not scheduled by itself.

    >>> class Leaf(Component):
    ...     size: int = parameter(1, at_least=1)
    >>> class Tree(Component):
    ...     leaf: Leaf = Leaf()
    >>> Tree().replace("leaf.size", 5)
    Tree(leaf=Leaf(size=5))
    >>> Tree(leaf=Leaf(size=1)) == Tree()
    True
    """

    registered_name: ClassVar[str]
    version: ClassVar[int | str | None] = None
    """Set it to say yourself when results change; without it, a class outside the package is known by its source."""
    random: ClassVar[bool] = False
    """Whether this part makes random choices by itself. A configuration is random if any of its parts is."""

    _checks: ClassVar[dict[str, Check] | None] = None
    _header: ClassVar[bytes | None] = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in cls.__dict__.get("__annotations__", {}):
            if isinstance(default := cls.__dict__.get(name), list | dict | set):
                setattr(cls, name, freeze(default))
        try:
            dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"{cls.__qualname__}: {error}") from None
        if "type" in cls.parameter_names():
            raise ConfigurationError(f"{cls.__qualname__}: a parameter cannot be called 'type', plain data need the word")
        cls._checks = None
        cls._header = None
        if "registered_name" not in cls.__dict__:
            cls.registered_name = registry.qualified_name(cls)
        registry.register_component(cls.registered_name, cls)

    def __post_init__(self) -> None:
        checks = type(self)._checks
        if checks is None:
            checks = type(self)._prepare()
        values = self.__dict__
        for name, check in checks.items():
            value = values[name]
            try:
                values[name] = check(value)
            except Refused as allowed:
                raise ConfigurationError(f"{self.kind}: {name} must be {allowed}, got {value!r}") from None
        self.check()

    def check(self) -> None:
        """Refuse combinations of parameters that make no sense; each by itself has been checked before."""

    @classmethod
    def _prepare(cls) -> dict[str, Check]:
        try:
            hints = typing.get_type_hints(cls)
            checks = {field.name: check_of(field, hints[field.name]) for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        except (NameError, TypeError) as error:
            raise ConfigurationError(f"{cls.__qualname__}: the type of a parameter {error}") from None
        cls._checks = checks
        return checks

    @property
    def kind(self) -> str:
        """The name of its class."""
        return type(self).__name__

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
            known = (type(self)._header or type(self)._make_header()) + encoding.encode(self.parameters())
            self.__dict__["_encoding"] = known
        return known

    @property
    def digest(self) -> bytes:
        """The 128-bit identity: the same in every process, on every machine, today and next year."""
        known: bytes | None = self.__dict__.get("_digest")
        if known is None:
            known = encoding.digest(self.encoding)
            self.__dict__["_digest"] = known
        return known

    @classmethod
    def _make_header(cls) -> bytes:
        package = cls.__module__.split(".")[0] == "intemi"
        if package or cls.version is not None:
            identity: tuple[str, Any] = ("version", 1 if cls.version is None else cls.version)
        else:
            from intemi.kernel.source import fingerprint

            identity = ("source", fingerprint(cls))
        cls._header = b"C" + encoding.encode(cls.registered_name) + encoding.encode(identity)
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
        shown = [
            f"{field.name}={self.__dict__[field.name]!r}"
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
            if not (field.kw_only and self.__dict__[field.name] == field.default)
        ]
        return f"{self.kind}({', '.join(shown)})"

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
        for value in self.parameters().values():
            yield from _components_in(value)

    @property
    def is_random(self) -> bool:
        """Whether anything in this configuration makes random choices."""
        known: bool | None = self.__dict__.get("_is_random")
        if known is None:
            known = self.random or any(part.is_random for part in self.components())
            self.__dict__["_is_random"] = known
        return known

    def get(self, path: str) -> Any:
        """The part at a path such as `"test/svm.kernel.sigma"`."""
        value: Any = self
        for step in _steps(path):
            value = _part_of(value, step, path)
        return value

    def replace(self, path: str, value: Any) -> Self:
        """A copy with the part at a path exchanged, at any depth."""
        changed: Self = _replaced(self, _steps(path), value, path)
        return changed

    # Plain data

    def to_plain(self) -> dict[str, Any]:
        """The configuration as plain data, ready for JSON or YAML."""
        return {"type": type(self).registered_name, **{name: _plain(value) for name, value in self.parameters().items()}}

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """The component with these parameters; unknown names are refused."""
        unknown = [name for name in parameters if name not in cls.parameter_names()]
        if unknown:
            raise ConfigurationError(
                f"{cls.__name__}: no parameter is called {unknown[0]!r}; there are {_listed(cls.parameter_names())}"
            )
        try:
            return cls(**parameters)
        except TypeError as error:
            raise ConfigurationError(f"{cls.__name__}: {str(error).replace('__init__() ', '')}") from None


def from_plain(plain: Any) -> Any:
    """The component that plain data describe, classes by their registered names.

    >>> class Grid(Component):
    ...     steps: tuple[int, ...] = (1, 2)
    >>> from_plain(Grid().to_plain()) == Grid()
    True
    """
    if isinstance(plain, Mapping):
        parts = {key: from_plain(value) for key, value in plain.items() if key != "type"}
        return registry.component(plain["type"]).from_parameters(parts) if "type" in plain else parts
    if isinstance(plain, list | tuple):
        return tuple(from_plain(item) for item in plain)
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, Component):
        return value.to_plain()
    if isinstance(value, Mapping):
        if "type" in value:
            raise ConfigurationError("a mapping with the key 'type' cannot be written as plain data")
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
    if isinstance(value, bytes):
        raise ConfigurationError("bytes cannot be written as plain data")
    return value


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"


def _steps(path: str) -> list[str]:
    steps = path.replace("/", ".").split(".")
    if not all(steps):
        raise ConfigurationError(f"the path {path!r} has an empty step; write it like 'test/svm.kernel.sigma'")
    return steps


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
        if isinstance(value, tuple):
            return value[int(step)]
    except ConfigurationError as error:
        raise ConfigurationError(f"{error} (in the path {path!r})") from None
    except (KeyError, IndexError, ValueError):
        pass
    raise ConfigurationError(f"{step!r} (in the path {path!r}) is not a part of {value!r}")


def _replaced(owner: Any, steps: list[str], value: Any, path: str) -> Any:
    step, *rest = steps
    inner = _part_of(owner, step, path)
    new = _replaced(inner, rest, value, path) if rest else value
    if isinstance(owner, Component):
        return owner.with_part(step, new)
    if isinstance(owner, tuple):
        position = int(step)
        return (*owner[:position], new, *owner[position + 1 :])
    return freeze({**owner, step: new})
