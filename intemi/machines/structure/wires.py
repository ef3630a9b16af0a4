"""Wires: where the inputs of machines inside a scheme come from, and what is at their beginning when it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from intemi.kernel import Component, Job, Output, Source, parameter
from intemi.kernel.errors import BindingError


class Wire(Component):
    """Where an input inside a scheme comes from: an output of a child, or (without a child) an input of the scheme."""

    child: str
    port: str

    def __str__(self) -> str:
        return f"{self.child}.{self.port}" if self.child else self.port


class ItemWire(Wire):
    """One item of a multi output of a child, or of a multi input of the scheme."""

    item: int = parameter(at_least=0)

    def __str__(self) -> str:
        return f"{super().__str__()}[{self.item}]"


class OutsideWire(Wire):
    """An output of a machine outside that has finished. The id of the machine stands for everything that made it."""

    machine: str
    index: int
    accepted: type
    multi: bool = False

    def __str__(self) -> str:
        return f"outside.{self.port}"


def outside_wire(target: str, source: Source) -> OutsideWire:
    """A wire to an output of a machine that has finished; it is known by what was done to make it."""
    record = source.context.record
    if source.context.error is not None:
        raise BindingError(f"{target} cannot be bound to {source}: {source.context.error}")
    if record is None:
        raise BindingError(
            f"{target} cannot be bound to {source}, which is not there yet: wait for {source.context.path} first, "
            "or give the scheme an input for it"
        )
    port = source.port
    return OutsideWire("", port.name, record.machine.hex(), source.index, port.accepted, not source.is_single)


def source_of(wire: Wire, job: Job, capsules: Mapping[str, Any], inputs: Mapping[str, Any]) -> Any:
    """What is at the beginning of a wire: an output of a machine inside, or what is bound to an input of the scheme."""
    if type(wire) is OutsideWire:
        return job.output_of(bytes.fromhex(wire.machine), Output(wire.accepted, wire.multi, wire.port), wire.index)
    bound = getattr(capsules[wire.child], wire.port) if wire.child else inputs[wire.port]
    return _item(bound, wire) if type(wire) is ItemWire else bound


def sources_of(wires: Iterable[Wire], job: Job, capsules: Mapping[str, Any], inputs: Mapping[str, Any]) -> list[Any]:
    """What is at the beginning of all wires to one input."""
    bound = [source_of(wire, job, capsules, inputs) for wire in wires]
    return [source for each in bound for source in (each if isinstance(each, tuple) else (each,))]


def collections_in(wires: Iterable[Wire]) -> list[str]:
    """The machines inside of whose collections single items are bound."""
    return [wire.child for wire in wires if type(wire) is ItemWire and wire.child]


def _item(bound: Any, wire: ItemWire) -> Source:
    """One of the values that are bound: sources may stand for one or for many."""
    sources = bound if isinstance(bound, tuple) else (bound,)
    items: list[Source] = []
    for each in sources:
        items += [each] if each.is_single else [each[index] for index in range(len(each))]
    if wire.item >= len(items):
        raise BindingError(f"Scheme: there is no {wire}, there are {len(items)} items")
    return items[wire.item]
