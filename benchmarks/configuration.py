"""The cost of a configuration as a value (constructed, hashed, compared, changed), and of importing the package.

Beside attrs and a frozen dataclass with the same validation. Their digest is blake3 of a pickle, the quickest thing at
hand, though no identity: equal values may have different pickles, and classes are known by name only.
"""

from __future__ import annotations

import dataclasses
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import attrs
from attrs import validators
from blake3 import blake3

from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from benchmarks.start import IMPORT, measure_start
from intemi import Component, parameter


@dataclass(frozen=True)
class Sizes:
    """How often each operation is done, and how often that is measured."""

    repetitions: int
    rounds: int


FULL = Sizes(repetitions=5_000, rounds=5)
QUICK = Sizes(repetitions=500, rounds=3)


class Kernel(Component):
    version = 1
    sigma: float = parameter(default=1.0, above=0)
    name: str = parameter(default="gaussian", one_of=("gaussian", "linear"))


class Learner(Component):
    version = 1
    cost: float = parameter(default=1.0, above=0)
    steps: int = parameter(default=100, at_least=1)
    shrink: bool = True
    kernel: Kernel = Kernel()


class KnownBySource(Component):
    """Without a version, its source and that of the helpers it names is its identity."""

    steps: int = 100


_positive = [validators.instance_of(float), validators.gt(0)]


@attrs.frozen
class AttrsKernel:
    sigma: float = attrs.field(default=1.0, validator=_positive)
    name: str = attrs.field(default="gaussian", validator=validators.in_(("gaussian", "linear")))


@attrs.frozen
class AttrsLearner:
    cost: float = attrs.field(default=1.0, validator=_positive)
    steps: int = attrs.field(default=100, validator=[validators.instance_of(int), validators.ge(1)])
    shrink: bool = attrs.field(default=True, validator=validators.instance_of(bool))
    kernel: AttrsKernel = attrs.field(default=AttrsKernel(), validator=validators.instance_of(AttrsKernel))


def _check(allowed: bool, owner: object, name: str) -> None:
    if not allowed:
        raise ValueError(f"{type(owner).__name__}: {name} is wrong, got {getattr(owner, name)!r}")


@dataclass(frozen=True)
class PlainKernel:
    sigma: float = 1.0
    name: str = "gaussian"

    def __post_init__(self) -> None:
        _check(isinstance(self.sigma, float) and self.sigma > 0, self, "sigma")
        _check(self.name in ("gaussian", "linear"), self, "name")


@dataclass(frozen=True)
class PlainLearner:
    cost: float = 1.0
    steps: int = 100
    shrink: bool = True
    kernel: PlainKernel = PlainKernel()

    def __post_init__(self) -> None:
        _check(isinstance(self.cost, float) and self.cost > 0, self, "cost")
        _check(isinstance(self.steps, int) and self.steps >= 1, self, "steps")
        _check(isinstance(self.shrink, bool), self, "shrink")
        _check(isinstance(self.kernel, PlainKernel), self, "kernel")


@dataclass(frozen=True)
class Style:
    """How the same things are said in one library."""

    learner: Callable[..., Any]
    kernel: Callable[..., Any]
    digest: Callable[[Any], bytes]
    replace_sigma: Callable[[Any, float], Any]

    def fresh(self, number: int) -> Any:
        """A configuration that nobody has hashed yet."""
        return self.learner(cost=number + 0.5, steps=number + 1, shrink=True, kernel=self.kernel(sigma=number + 0.5))


STYLES = {
    "intemi": Style(
        Learner,
        Kernel,
        lambda config: config.digest,
        lambda config, sigma: config.replace("kernel.sigma", sigma),
    ),
    "attrs": Style(
        AttrsLearner,
        AttrsKernel,
        lambda config: blake3(pickle.dumps(config)).digest(16),
        lambda config, sigma: attrs.evolve(config, kernel=attrs.evolve(config.kernel, sigma=sigma)),
    ),
    "dataclass": Style(
        PlainLearner,
        PlainKernel,
        lambda config: blake3(pickle.dumps(config)).digest(16),
        lambda config, sigma: dataclasses.replace(config, kernel=dataclasses.replace(config.kernel, sigma=sigma)),
    ),
}


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    note_progress("configuration")
    rounds = [{name: _costs(style, sizes.repetitions) for name, style in STYLES.items()} for _ in range(sizes.rounds)]
    rows: list[list[str | float | None]] = [
        [what, *(median(each[name][what] for each in rounds) for name in STYLES)] for what in rounds[0]["intemi"]
    ]
    print_table(f"Configuration: µs per operation, median of {sizes.rounds} rounds", ["", *STYLES], rows)
    starts = [in_new_process(measure_start) for _ in range(sizes.rounds)]
    medians = {what: median(each[what] for each in starts) for what in starts[0]}
    print_table(
        f"Start: ms of CPU time, median of {sizes.rounds} processes",
        ["", "ms"],
        [[what, seconds * 1e3] for what, seconds in medians.items()],
    )
    targets = [Target("import intemi beyond import numpy", medians[IMPORT], 0.3, " s")]
    print_targets(targets)
    return targets


def _costs(style: Style, repetitions: int) -> dict[str, float]:
    numbers = range(repetitions)
    costs = {"construct, with a part": _cost(style.fresh, numbers)}
    configs = list(map(style.fresh, numbers))
    costs["digest, the first time"] = _cost(style.digest, configs)
    costs["digest, again"] = _cost(style.digest, configs)
    others = [(config, style.fresh(number)) for number, config in enumerate(configs)]
    costs["compare with an equal one, the first time"] = _cost(_are_equal, others)
    costs["compare with an equal one, again"] = _cost(_are_equal, others)
    costs["compare with a different one"] = _cost(_differ, list(pairwise(configs)))
    costs["replace a parameter of a part"] = _cost(lambda config: style.replace_sigma(config, 7.0), configs)
    return costs


def _are_equal(pair: tuple[Any, Any]) -> None:
    if pair[0] != pair[1]:
        raise RuntimeError(f"{pair[0]!r} and {pair[1]!r} are equal")


def _differ(pair: tuple[Any, Any]) -> None:
    if pair[0] == pair[1]:
        raise RuntimeError(f"{pair[0]!r} and {pair[1]!r} are different")


def _cost(operation: Callable[[Any], object], arguments: Any) -> float:
    start = time.perf_counter()
    for argument in arguments:
        operation(argument)
    return (time.perf_counter() - start) / len(arguments) * 1e6
