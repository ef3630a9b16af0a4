"""Ports: the named, typed inputs and outputs of machines, and whether two of them fit together."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any, Self, Union

from intemi.kernel import registry
from intemi.kernel.errors import BindingError


class Port:
    """A named, typed opening of a machine; its name is that of the class attribute it is assigned to.

    A *multi* port carries a collection: many sources bound to one input, or an output whose items are given out singly.
    """

    __slots__ = ("accepted", "multi", "name")

    def __init__(self, accepted: Any, multi: bool = False, name: str = "") -> None:
        given = accepted
        accepted = object if accepted is Any else typing.get_origin(accepted) or accepted
        if not isinstance(accepted, type) or accepted in (Union, types.UnionType):
            raise BindingError(f"{type(self).__name__}: a port is declared with one type, got {given!r}")
        registry.register_port_type(accepted)
        self.accepted = accepted
        self.multi = multi
        self.name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __class_getitem__(cls, accepted: Any) -> Any:
        raise BindingError(f"a port is declared by assigning it, as in `data = {cls.__name__}(Data)`")

    def called(self, name: str) -> Self:
        """This port under a name: one object may be assigned to several attributes."""
        return self if self.name == name else type(self)(self.accepted, self.multi, name)

    def __str__(self) -> str:
        return f"{self.name} ({'many ' if self.multi else ''}{self.accepted.__name__})"

    @property
    def declared(self) -> str:
        """How it is declared, as code."""
        return f"{'Multi' if self.multi else ''}{type(self).__name__}({self.accepted.__name__})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


class Input(Port):
    """An input of one value: `data = Input(Data)`."""

    __slots__ = ()


class Output(Port):
    """An output of one value: `classifier = Output(Classifier)`."""

    __slots__ = ()


def MultiInput(accepted: Any) -> Input:  # noqa: N802 - declared like Input
    """An input that any number of sources may be bound to; the machine receives a tuple."""
    return Input(accepted, multi=True)


def MultiOutput(accepted: Any) -> Output:  # noqa: N802 - declared like Output
    """An output that is a collection; its items can be bound one by one (`cv.training[3]`)."""
    return Output(accepted, multi=True)


def check_fit(source: Output | Input, source_owner: str, target: Port, target_owner: str, single: bool) -> None:
    """Refuse to bind a source to a target whose type, or number of values, does not fit.

    `single` says that one value is bound: a single port, or one item of a multi port.
    """
    if not issubclass(source.accepted, target.accepted):
        raise BindingError(
            f"{target_owner}.{target.name} takes {target.accepted.__name__}, "
            f"but {source_owner}.{source.name} gives {source.accepted.__name__}"
        )
    if not single and not target.multi:
        raise BindingError(
            f"{target_owner}.{target.name} takes one {target.accepted.__name__}, but {source_owner}.{source.name} "
            f"gives many; bind one of its items, {source.name}[i]"
        )


def misfit(
    inputs: Mapping[str, Input],
    outputs: Mapping[str, Output],
    given_inputs: Mapping[str, Input],
    given_outputs: Mapping[str, Output],
) -> str:
    """What keeps a machine from standing where some ports are bound, as the end of a sentence; empty if nothing does.

    It must take the same inputs and no others, and give at least the same outputs. What it takes may be wider than
    what it is bound to, and what it gives narrower.

    >>> number, text = Output(int, name="answer"), Output(str, name="answer")
    >>> misfit({}, {"answer": number}, {}, {"answer": text})
    'gives answer (str)'
    """
    for name, port in inputs.items():
        if name not in given_inputs:
            return f"takes {listed(given_inputs)}, not {port}"
        if not _goes_into(port, given_inputs[name]):
            return f"takes {given_inputs[name]}"
    further = {name: port for name, port in given_inputs.items() if name not in inputs}
    if further:
        return f"takes {listed(further)} as well"
    for name, output in outputs.items():
        if name not in given_outputs:
            return f"gives {listed(given_outputs)}, not {output}"
        if not _goes_into(given_outputs[name], output):
            return f"gives {given_outputs[name]}"
    return ""


def listed(ports: Mapping[str, Port]) -> str:
    """Ports by name and type."""
    return ", ".join(map(str, ports.values())) or "nothing"


def _goes_into(source: Port, target: Port) -> bool:
    return source.multi == target.multi and issubclass(source.accepted, target.accepted)
