"""Machines: components with ports and a process.

A leaf is `def run(self, **inputs) -> Model`: pure, so it may run on a thread, in another process, on another computer.
A composite is `async def run(self, job: Job, **inputs) -> Model`: it requests other machines and waits for them without
occupying a thread. The signature tells them apart, and a leaf that takes `rng` is random; nothing else needs saying.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from intemi.kernel.component import Component
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.parameters import parameter
from intemi.kernel.ports import Input, Output, Port
from intemi.kernel.seeds import Seed, seed_from_time

Best = Literal["highest", "lowest"] | None
"""Which values of a number are best; None if that cannot be said."""

RESERVED = frozenset(
    {
        *("branch", "commentators", "comments", "job", "limits", "name", "priority", "results", "rng", "seed", "self"),
        *("abort", "child", "children", "config", "context", "cpu", "done", "end_early", "error", "key", "path"),
        *("progress", "state", "wait"),
    }
)
"""Names that no port can have: the arguments of a request, of `run` and of `Model`, and what a capsule has itself."""


class Model:
    """What a finished machine leaves: outputs by the names of its ports, and results by their labels.

    >>> Model(total=3, results={"Size": 2}).outputs
    {'total': 3}
    """

    __slots__ = ("outputs", "results")

    def __init__(self, *, results: Mapping[str, Any] | None = None, **outputs: Any) -> None:
        self.outputs = outputs
        self.results = dict(results or {})

    def __repr__(self) -> str:
        return f"Model(outputs={list(self.outputs)}, results={self.results})"


class Machine(Component):
    """A process that can be configured, bound and run. Subclass it, declare ports and parameters, write `run`.

    >>> class Add(Machine):
    ...     left = Input(int)
    ...     right = Input(int)
    ...     total = Output(int)
    ...     bonus: int = 0
    ...     def run(self, left, right):
    ...         return Model(total=left + right + self.bonus)
    >>> Add(bonus=1)
    Add(bonus=1)
    >>> list(Add().inputs), list(Add().outputs)
    (['left', 'right'], ['total'])
    """

    seed: int | Literal["time"] | None = parameter(default=None, at_least=0, kw_only=True)
    """Fixed (a number), drawn anew for every request ("time"), or the parent's (None)."""

    run: ClassVar[Any]
    examine: ClassVar[Any] = None
    """A method that looks at its lineage before it runs: it takes an `Examination` and returns stamps, or raises."""

    has_process: ClassVar[bool] = False
    counts_by_name: ClassVar[bool] = False
    """Whether machines of this class are so different that they are counted by their names."""
    measured: ClassVar[frozenset[str]] = frozenset()
    """Labels of results that say what its run took: they alone may differ from run to run."""
    former_ports: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Outputs with their names in an earlier version and now: a scheme that is read from a folder may use either."""
    is_composite: ClassVar[bool] = False
    takes_rng: ClassVar[bool] = False
    _inputs: ClassVar[Mapping[str, Input]] = {}
    _outputs: ClassVar[Mapping[str, Output]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        for name in [name for name, value in vars(cls).items() if isinstance(value, Port)]:
            if name in RESERVED or hasattr(Machine, name):
                raise ConfigurationError(f"{cls.__qualname__}: a port cannot be called {name!r}, the name is taken")
            vars(cls).get("__annotations__", {}).pop(name, None)  # `data: Input = Input(Data)` is no parameter
        super().__init_subclass__(**options)
        attributes = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
        ports = {name: value.called(name) for name, value in attributes.items() if isinstance(value, Port)}
        cls._inputs = {name: port for name, port in ports.items() if isinstance(port, Input)}
        cls._outputs = {name: port for name, port in ports.items() if isinstance(port, Output)}
        if hasattr(cls, "run"):
            cls._read_signature()

    @classmethod
    def _read_signature(cls) -> None:
        arguments = inspect.signature(cls.run).parameters
        cls.has_process = True
        cls.is_composite = inspect.iscoroutinefunction(cls.run)
        cls.takes_rng = "rng" in arguments
        if cls.takes_rng:
            if vars(cls).get("random") is False:
                raise ConfigurationError(f"{cls.__qualname__}: run takes rng, so it cannot say `random = False`")
            cls.random = True
        kinds = {argument.kind for argument in arguments.values()}
        if inspect.Parameter.VAR_KEYWORD in kinds:
            return
        expected = ["self", *(["job"] if cls.is_composite else []), *cls._inputs, *(["rng"] if cls.takes_rng else [])]
        if set(arguments) != set(expected) or inspect.Parameter.POSITIONAL_ONLY in kinds:
            raise ConfigurationError(
                f"{cls.__qualname__}: run takes ({', '.join(arguments)}), "
                f"but its inputs ask for ({', '.join(expected)}), by name{cls._hint(arguments)}"
            )

    @classmethod
    def _hint(cls, arguments: Collection[str]) -> str:
        if "job" in arguments and not cls.is_composite:
            return "; what takes a job is written `async def run`"
        for name in cls.parameter_names():
            if name in arguments:
                return f"; {name} is a parameter: use self.{name}, or declare an input by `{name} = Input(...)`"
        return ""

    @classmethod
    def is_abstract(cls) -> bool:
        return super().is_abstract() or not cls.has_process

    @property
    def inputs(self) -> Mapping[str, Input]:
        """The input ports by name."""
        return self._inputs

    @property
    def outputs(self) -> Mapping[str, Output]:
        """The output ports by name."""
        return self._outputs

    @property
    def reports(self) -> Mapping[str, Best]:
        """The numbers among its results that tables and searches may ask for, and which values are best.

        A class declares them by `reports = {"Leaves": "lowest"}`.
        """
        return {}

    def generator(self, seed: Seed) -> np.random.Generator:
        """Where its random choices come from: `run` gets it as `rng`. Machines of two classes draw independently."""
        return seed.generator(self.registered_name)

    def missing(self) -> list[str]:
        """What must still be filled in before this configuration can be requested, each as a sentence with a path."""
        return [each.removeprefix(": ") for each in self._lacking()]

    def _lacking(self) -> list[str]:
        """The same; a sentence that begins with a colon is about the machine itself, and takes any path before it."""
        found = [] if self.has_process else [": it has no process, write its run"]
        if self.holds_components():
            found += [each for name, value in self.parameters().items() for each in missing_in(value, name)]
        return found

    def fill(
        self,
        parts: Mapping[str, Machine | Sequence[Machine]] | None = None,
        /,
        **named: Machine | Sequence[Machine],
    ) -> Self:
        """A copy with placeholders filled by machines, by name (or path) of the placeholder.

        Several machines fill a place in sequence: each gets what those before it give.
        """
        filled = self
        for path, machines in {**(parts or {}), **named}.items():
            placeholder = filled.get(path)
            if not hasattr(placeholder, "filled_with"):
                raise ConfigurationError(f"{self.kind}: {path} is not a placeholder but {placeholder!r}")
            filled = filled.replace(path, placeholder.filled_with(machines))
        return filled


def missing_in(value: Any, path: str) -> Iterator[str]:
    """What machines anywhere in a value are missing, with its path in front."""
    if isinstance(value, Machine):
        known = value.__dict__.get("_missing")
        if known is None:
            known = value.__dict__["_missing"] = value._lacking()
        yield from (f"{path}{each}" if each.startswith(":") else f"{path}/{each}" for each in known)
    elif isinstance(value, Component):
        for name, inner in value.parameters().items():
            yield from missing_in(inner, f"{path}.{name}")
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from missing_in(inner, f"{path}.{name}")
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from missing_in(inner, f"{path}.{index}")


def draw_time_seeds(config: Machine) -> Machine:
    """The configuration with every seed "time" replaced by a number, so that what ran can be repeated."""
    if (config.seed is None and not config.holds_components()) or b"time" not in config.encoding:
        return config  # a quick look avoids the search in nearly all cases
    drawn: Machine = _with_drawn_seeds(config)
    return drawn


def _with_drawn_seeds(value: Any) -> Any:
    if isinstance(value, Component):
        changed = value
        for name, part in value.parameters().items():
            drawn = _with_drawn_seeds(part)
            changed = changed if drawn is part else changed.with_part(name, drawn)
        drawing = isinstance(value, Machine) and value.seed == "time"
        return changed.with_part("seed", seed_from_time()) if drawing else changed
    if isinstance(value, Mapping):
        mapped = {name: _with_drawn_seeds(part) for name, part in value.items()}
        return value if all(mapped[name] is value[name] for name in value) else mapped
    if isinstance(value, tuple | frozenset):
        parts = [_with_drawn_seeds(part) for part in value]
        return value if all(new is old for new, old in zip(parts, value, strict=True)) else type(value)(parts)
    return value
