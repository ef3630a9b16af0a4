"""Machines: components with ports and a process.

A leaf is `def run(self, **inputs) -> Model`: pure, so it may run on a thread, in another process, on another computer.
A composite is `async def run(self, job, **inputs) -> Model`: it requests other machines and waits for them without
occupying a thread. The signature tells them apart, and a leaf that takes `rng` is random; nothing else needs saying.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from intemi.kernel.component import Component
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.parameters import parameter
from intemi.kernel.ports import Input, Output, Port
from intemi.kernel.seeds import seed_from_time

RESERVED = frozenset(
    # the arguments of a request and of run, and what a capsule answers by itself
    "abort branch child children comments context done error job key limits name path priority results rng seed self "
    "state wait".split()
)


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

    seed: int | Literal["time"] | None = parameter(None, keyword=True)
    """Fixed (a number), drawn anew for every request ("time"), or the parent's (None)."""

    run: ClassVar[Any]

    is_composite: ClassVar[bool] = False
    takes_rng: ClassVar[bool] = False
    _inputs: ClassVar[Mapping[str, Input]] = {}
    _outputs: ClassVar[Mapping[str, Output]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        ports = {
            name: value
            for base in reversed(cls.__mro__)
            for name, value in vars(base).items()
            if isinstance(value, Port)
        }
        for name in ports:
            if name in RESERVED or name in cls.parameter_names() or hasattr(Machine, name):
                raise ConfigurationError(f"{cls.__qualname__}: a port cannot be called {name!r}, the name is taken")
        cls._inputs = {name: port for name, port in ports.items() if isinstance(port, Input)}
        cls._outputs = {name: port for name, port in ports.items() if isinstance(port, Output)}
        if "run" in cls.__dict__:
            cls._read_signature()

    @classmethod
    def _read_signature(cls) -> None:
        arguments = inspect.signature(cls.run).parameters
        cls.is_composite = inspect.iscoroutinefunction(cls.run)
        cls.takes_rng = "rng" in arguments
        if cls.takes_rng and "random" not in cls.__dict__:
            cls.random = True
        if any(argument.kind is argument.VAR_KEYWORD for argument in arguments.values()):
            return
        expected = {"self", *cls._inputs} | ({"rng"} & set(arguments)) | ({"job"} if cls.is_composite else set())
        if set(arguments) != expected:
            raise ConfigurationError(
                f"{cls.__qualname__}: run takes ({', '.join(arguments)}), "
                f"but its inputs ask for ({', '.join(sorted(expected, key=lambda name: name != 'self'))})"
            )

    @property
    def inputs(self) -> Mapping[str, Input]:
        """The input ports by name."""
        return self._inputs

    @property
    def outputs(self) -> Mapping[str, Output]:
        """The output ports by name."""
        return self._outputs

    def missing(self) -> list[str]:
        """What must still be filled in before this configuration can be requested, each as a sentence with a path."""
        return [
            f"{name}/{each}"
            for name, part in self.parameters().items()
            if isinstance(part, Machine)
            for each in part.missing()
        ]

    def fill(self, parts: Mapping[str, Machine] | None = None, /, **named: Machine) -> Any:
        """A copy with placeholders filled by machines, by name (or path) of the placeholder."""
        filled: Any = self
        for path, machine in {**(parts or {}), **named}.items():
            placeholder = filled.get(path)
            if not hasattr(placeholder, "filled_with"):
                raise ConfigurationError(f"{self.kind}: {path} is not a placeholder but {placeholder!r}")
            filled = filled.replace(path, placeholder.filled_with(machine))
        return filled


def draw_time_seeds(config: Machine) -> Machine:
    """The configuration with every seed "time" replaced by a number, so that what ran can be repeated."""
    if b"time" not in config.encoding:
        return config
    changed: Any = config
    for name in config.part_names():
        part = config.part(name)
        if isinstance(part, Machine):
            changed = changed.with_part(name, draw_time_seeds(part))
    return changed.with_part("seed", seed_from_time()) if config.seed == "time" else changed

