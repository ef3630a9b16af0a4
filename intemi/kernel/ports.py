"""Ports: the named, typed inputs and outputs of machines, and whether two of them fit together."""

from __future__ import annotations

import types
import typing
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
