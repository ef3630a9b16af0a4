"""How machines fill a placeholder: one alone, or several in sequence, each bound to what those before it give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intemi.kernel import Machine
from intemi.kernel.errors import BindingError
from intemi.kernel.ports import Port
from intemi.machines.interfaces import Transformation

if TYPE_CHECKING:
    from intemi.machines.structure.scheme import Handle, Scheme


def put_in_sequence(place: Scheme, machines: Sequence[Machine]) -> None:
    """Add machines to an empty scheme with declared ports, and bind them.

    An input is bound to the nearest machine before it that gives something of its name or, if that is one output
    alone, of its type; else to an input of the scheme. Outputs of the scheme come from the last machine that has them.
    """
    added: list[Handle] = []
    for machine in machines:
        child = place.add(machine)
        own = place.part(child.name)
        place.bind(child, **{name: _source(place, added, port, own) for name, port in own.inputs.items()})
        added.append(child)
    place.expose(**{name: _giver(place, added, port) for name, port in place.outputs.items()})
    _refuse_lost_transformations(place, added)


def _source(place: Scheme, before: Sequence[Handle], port: Port, machine: Machine) -> Any:
    """What an input of a machine is bound to."""
    for child in reversed(before):
        outputs = place.part(child.name).outputs
        if _fitting(port, outputs):
            return getattr(child, _match(port, outputs, machine.kind))
    return getattr(place, _match(port, place.inputs, machine.kind))


def _giver(place: Scheme, children: Sequence[Handle], port: Port) -> Any:
    """Where an output of the scheme comes from."""
    machines = [place.part(child.name) for child in children]
    for child, machine in zip(reversed(children), reversed(machines), strict=True):
        if _fitting(port, machine.outputs):
            return getattr(child, _match(port, machine.outputs, machine.kind))
    raise _misfit(port, {}, machines[-1].outputs, machines[-1].kind)


def _refuse_lost_transformations(place: Scheme, children: Sequence[Handle]) -> None:
    """What learns from transformed data, and answers for data that were not, would be wrong without notice."""
    used = {wire for child in place.children for wires in child.wires.values() for wire in wires}
    used.update(place.exposed.values())
    for child in children:
        for name, port in place.part(child.name).outputs.items():
            if issubclass(port.accepted, Transformation) and getattr(child, name).wire not in used:
                raise BindingError(
                    f"{place.part(child.name).kind} changes the data that machines after it get, but nothing takes its "
                    f"{port}, so other data would stay as they are; TransformAndClassify or TransformationChain helps"
                )


def _match(port: Port, candidates: Mapping[str, Any], kind: str) -> str:
    """Which of some ports goes with one: that of its name, or the only one that fits."""
    fitting = _fitting(port, candidates)
    if port.name in fitting:
        return port.name
    if len(fitting) != 1:
        raise _misfit(port, fitting, candidates, kind)
    return next(iter(fitting))


def _fitting(port: Port, candidates: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: other
        for name, other in candidates.items()
        if other.multi == port.multi
        and (issubclass(other.accepted, port.accepted) or issubclass(port.accepted, other.accepted))
    }


def _misfit(port: Port, fitting: Mapping[str, Any], candidates: Mapping[str, Any], kind: str) -> BindingError:
    names = ", ".join(map(str, candidates.values())) or "none"
    count = "several" if fitting else "none"
    return BindingError(f"{kind} cannot fill the placeholder: {port} goes with {count} of the ports {names}")
