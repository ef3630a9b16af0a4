"""Commentators: labels attached to finished machines by code that did not run them, at once or later.

A comment belongs to the machine. The values that a commentator looks at come from memory or from the store, or are made
again; if they are gone for good, that is reported, and the machine stays without a comment.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from intemi.kernel.component import Component
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine
from intemi.kernel.record import Record

if TYPE_CHECKING:
    from intemi.kernel.values import Values


@dataclass(frozen=True)
class Finished:
    """What a commentator gets to see of a machine."""

    config: Machine
    inputs: Mapping[str, Any]
    """The values of its inputs, loaded when looked at; a tuple of them where the port takes many."""
    outputs: Mapping[str, Any]
    """The values of its outputs, loaded when looked at."""
    results: Mapping[str, Any]


class Commentator(Component):
    """Adds labels and values to finished machines, which queries find like results.

    >>> class Doubled(Commentator):
    ...     '''Twice the accuracy.'''
    ...     def applies_to(self, config):
    ...         return config.kind == "ClassificationTest"
    ...     def comments(self, machine):
    ...         return {"Doubled": 2 * machine.results["Accuracy"]}
    """

    @abstractmethod
    def applies_to(self, config: Machine) -> bool:
        """Whether it has labels for such a machine."""

    @abstractmethod
    def comments(self, machine: Finished) -> Mapping[str, Any]:
        """The labels of a finished machine."""


def seen(config: Machine, record: Record, values: Values) -> Finished:
    """A machine as commentators see it."""

    def load_inputs(multi: bool, origins: tuple[tuple[bytes, str, int], ...]) -> Any:
        loaded = tuple(values.load(values.item_at(origin)) for origin in origins)
        return loaded if multi else loaded[0]

    inputs = {name: partial(load_inputs, multi, origins) for name, (multi, origins) in (record.inputs or {}).items()}
    outputs = {name: partial(values.load_items, items) for name, items in record.outputs.items()}
    return Finished(config, _Loaded(inputs), _Loaded(outputs), record.results)


class _Loaded(Mapping[str, Any]):
    """Values that are loaded when they are looked at."""

    def __init__(self, loads: Mapping[str, Callable[[], Any]]) -> None:
        self._loads = loads

    def __getitem__(self, name: str) -> Any:
        return self._loads[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._loads)

    def __len__(self) -> int:
        return len(self._loads)


def check_commentators(given: object) -> None:
    """Refuse what is no collection of commentators."""
    if not isinstance(given, list | tuple) or not all(isinstance(each, Commentator) for each in given):
        raise ConfigurationError(f"request: commentators must be a list of commentators, got {given!r}")
