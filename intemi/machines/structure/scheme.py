"""The scheme: a machine that holds machines and says how their ports connect.

A scheme is drawn first and is a value afterwards: `add`, `bind` and `expose` change it until it is used (requested, put
into another machine, compared), and never again. An empty scheme with declared ports is a placeholder, and a
configuration with a placeholder in it a template; `fill` makes it feasible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from intemi.kernel import Component, Input, Job, Machine, Model, Output, Source
from intemi.kernel.adoption import adopted
from intemi.kernel.component import brief
from intemi.kernel.errors import BindingError, ConfigurationError, NoSuchPort
from intemi.kernel.machine import RESERVED, missing_in
from intemi.kernel.ports import Port, check_fit, listed
from intemi.machines.structure.filling import put_in_sequence
from intemi.machines.structure.wires import (
    ItemWire,
    OutsideWire,
    Wire,
    collections_in,
    outside_wire,
    source_of,
    sources_of,
)


class SchemePort(Component):
    """A port that a scheme declares."""

    accepted: type
    multi: bool = False


class SchemeChild(Component):
    """One machine inside a scheme, with the wires to its inputs."""

    name: str
    machine: Machine
    wires: Mapping[str, tuple[Wire, ...]] = {}

    def check(self) -> None:
        if "/" in self.name or not all(self.name.split(".")) or self.name in Scheme.parameter_names():
            taken = ", ".join(Scheme.parameter_names())
            raise ConfigurationError(
                f"Scheme: the name of a machine inside must be a text without '/', with dots only inside, "
                f"and none of {taken}, got {self.name!r}"
            )
        # What is looked up in whole graphs is remembered from the inside out: no recursion, however deep they are.
        self.machine.is_random  # noqa: B018
        list(missing_in(self.machine, self.name))


class Handle:
    """A child of a scheme while the scheme is being drawn; its outputs are attributes."""

    __slots__ = ("_scheme", "name")

    def __init__(self, scheme: Scheme, name: str) -> None:
        self._scheme = scheme
        self.name = name

    def __getattr__(self, output: str) -> End:
        if output.startswith("_"):
            raise AttributeError(output)
        machine = self._scheme.part(self.name)
        if output not in machine.outputs:
            outputs = ", ".join(machine.outputs) or "none"
            raise NoSuchPort(f"{machine.kind}: no output is called {output!r}; its outputs are {outputs}")
        return End(self._scheme, Wire(self.name, output))

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._scheme.part(self.name).outputs]

    def __repr__(self) -> str:
        return f"<{self.name} in a scheme>"


class End:
    """The open end of a wire, to be bound to an input inside the same scheme."""

    __slots__ = ("scheme", "wire")

    def __init__(self, scheme: Scheme, wire: Wire) -> None:
        self.scheme = scheme
        self.wire = wire

    def __getitem__(self, item: int) -> End:
        """One item of a multi port: `distributor.training[0]`."""
        port = self.scheme._source_port(self.wire, "an item")
        if not port.multi:
            raise BindingError(f"{self!r} is one {port.accepted.__name__}, it has no items")
        if not hasattr(item, "__index__") or item < 0:
            raise BindingError(
                f"{self!r}: one of its items is chosen by a number from 0, got {item!r}; how many there are is known "
                "when it runs"
            )
        return End(self.scheme, ItemWire(self.wire.child, self.wire.port, item))

    def __iter__(self) -> Any:
        raise BindingError(f"{self!r}: how many items there are is known when it runs; bind them one by one, or all")

    def __repr__(self) -> str:
        return f"<{self.wire} in a scheme>"


class Scheme(Machine):
    """A machine that holds machines.

    Keyword arguments declare its ports: a type (or `Input`, `MultiInput`) an input, an `Output` an output.

    >>> from intemi.kernel import Project
    >>> class Twice(Machine):
    ...     number = Input(int)
    ...     result = Output(int)
    ...     def run(self, number):
    ...         return Model(result=2 * number)
    >>> four_times = Scheme(number=int)
    >>> first = four_times.add(Twice(), number=four_times.number)
    >>> second = four_times.add(Twice(), number=first.result)
    >>> four_times.expose(result=second.result)
    >>> with Project() as project:
    ...     project.run(four_times, number=project.given(10)).outputs["result"]
    40
    """

    counts_by_name = True

    ports_in: Mapping[str, SchemePort] = {}
    ports_out: Mapping[str, SchemePort] = {}
    children: tuple[SchemeChild, ...] = ()
    exposed: Mapping[str, Wire] = {}

    def __init__(self, *, seed: int | Literal["time"] | None = None, **ports: Any) -> None:
        declared = {name: port if isinstance(port, Port) else Input(port) for name, port in ports.items()}
        self._set(
            seed=seed,
            ports_in={n: SchemePort(p.accepted, p.multi) for n, p in declared.items() if isinstance(p, Input)},
            ports_out={n: SchemePort(p.accepted, p.multi) for n, p in declared.items() if isinstance(p, Output)},
            children=(),
            exposed={},
        )

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        cls.check_names(parameters)
        scheme = cls()
        scheme._set(**{**scheme.parameters(), **parameters})
        return scheme

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        return super().restored(_with_present_names(parameters))

    def _set(self, **parameters: Any) -> None:
        before = dict(self.__dict__)
        self._change(**parameters)
        try:
            self.__post_init__()
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _change(self, **parameters: Any) -> None:
        if "_encoding" in self.__dict__:
            raise ConfigurationError(
                "Scheme: it is in use already and can no longer change; replace() and fill() give a changed copy"
            )
        for name in [name for name in self.__dict__ if name.startswith("_")]:
            del self.__dict__[name]  # what was derived from the parameters so far
        self.__dict__.update(parameters)

    # Drawing

    def add(self, machine: Machine, /, *, name: str | None = None, **bindings: Any) -> Handle:
        """Put a machine inside; inputs may be bound here or later. Its name defaults to that of its class."""
        machine = adopted(machine)
        if not isinstance(machine, Machine):
            raise ConfigurationError(f"Scheme: only machines can be added, got {machine!r}")
        taken = self._by_name
        child = SchemeChild(name or self._free_name(machine), machine, self._wires(machine, bindings))
        if child.name in taken:
            raise ConfigurationError(f"Scheme: a machine inside is called {child.name!r} already")
        self._check_child(child)
        self._change(children=(*self.children, child))
        self.__dict__["_by_name"] = taken | {child.name: child}
        return Handle(self, child.name)

    def bind(self, child: Handle | str, /, **bindings: Any) -> None:
        """Bind inputs of a machine inside."""
        name = child if isinstance(child, str) else child.name
        if isinstance(child, Handle) and child._scheme is not self:
            raise BindingError(f"Scheme: {name} is a machine in another scheme")
        known = self._child(name)
        wires = {**known.wires, **self._wires(known.machine, bindings)}
        self._set(children=_exchanged(self.children, SchemeChild(name, known.machine, wires)))

    def expose(self, **outputs: Any) -> None:
        """Exhibit outputs of machines inside as the scheme's own."""
        wires = {name: self._wire(f"output {name}", end) for name, end in outputs.items()}
        ports = dict(self.ports_out)
        for name, wire in wires.items():
            source = self._source_port(wire, f"output {name}")
            ports.setdefault(name, SchemePort(source.accepted, source.multi))
        self._set(exposed={**self.exposed, **wires}, ports_out=ports)

    def __getattr__(self, name: str) -> End:
        ports = self.__dict__.get("ports_in")
        if ports is None or name not in ports:
            inputs = ", ".join(ports or ()) or "none"
            raise NoSuchPort(f"Scheme: neither an input nor a method is called {name!r}; its inputs are {inputs}")
        return End(self, Wire("", name))

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.ports_in]

    def _free_name(self, machine: Machine) -> str:
        taken = {*self._by_name, *self.parameter_names()}
        plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", machine.kind).lower()
        free = plain
        number = 1
        while free in taken:
            number += 1
            free = f"{plain} {number}"
        return free

    def _wires(self, machine: Machine, bindings: Mapping[str, Any]) -> dict[str, tuple[Wire, ...]]:
        wires = {}
        for name, bound in bindings.items():
            if name not in machine.inputs:
                inputs = ", ".join(machine.inputs) or "none"
                raise BindingError(f"{machine.kind}: no input is called {name!r}; its inputs are {inputs}")
            ends = bound if isinstance(bound, list | tuple) else (bound,)
            wires[name] = tuple(self._wire(f"{machine.kind}.{name}", end) for end in ends)
        return wires

    def _wire(self, target: str, end: Any) -> Wire:
        if isinstance(end, Source):
            return outside_wire(target, end)
        if not isinstance(end, End):
            raise BindingError(
                f"{target} must be bound to a port of this scheme, of a machine inside, "
                f"or of one that has finished, got {end!r}"
            )
        if end.scheme is not self:
            raise BindingError(f"{target} cannot be bound to {end!r}, which belongs to another scheme")
        return end.wire

    def svg(self) -> str:
        """A small drawing of its machines and the wires between them; a notebook shows it.

        >>> Scheme(number=int).svg().startswith("<svg")
        True
        """
        from intemi.machines.structure.drawing import drawing_of

        return drawing_of(self)

    # The value

    @property
    def inputs(self) -> Mapping[str, Input]:
        known: Mapping[str, Input] | None = self.__dict__.get("_inputs")
        if known is None:
            known = {name: Input(port.accepted, port.multi, name) for name, port in self.ports_in.items()}
            self.__dict__["_inputs"] = known
        return known

    @property
    def outputs(self) -> Mapping[str, Output]:
        known: Mapping[str, Output] | None = self.__dict__.get("_outputs")
        if known is None:
            known = {name: Output(port.accepted, port.multi, name) for name, port in self.ports_out.items()}
            self.__dict__["_outputs"] = known
        return known

    def check(self) -> None:
        for name in (*self.ports_in, *self.ports_out):
            if name in RESERVED or hasattr(Scheme, name):
                raise ConfigurationError(f"Scheme: a port cannot be called {name!r}, the name is taken")
        if len(self._by_name) != len(self.children):
            names = ", ".join(child.name for child in self.children)
            raise ConfigurationError(f"Scheme: the names of its machines must differ, got {names}")
        for child in self.children:
            self._check_child(child)
        for name, wire in self.exposed.items():
            if name not in self.ports_out:
                raise BindingError(f"Scheme: no output is called {name!r}")
            self._check_wire(wire, self.outputs[name], "Scheme", f"output {name}", alone=True)
        self.in_order()

    def _check_child(self, child: SchemeChild) -> None:
        inputs = child.machine.inputs
        for name, wires in child.wires.items():
            if name not in inputs:
                raise BindingError(f"{child.machine.kind}: no input is called {name!r}")
            for wire in wires:
                place = f"{child.name}.{name}"
                self._check_wire(wire, inputs[name], child.machine.kind, place, alone=len(wires) == 1)

    def _check_wire(self, wire: Wire, target: Port, owner: str, place: str, alone: bool) -> None:
        source = self._source_port(wire, place)
        outside = f"the finished machine {wire.machine[:8]}" if isinstance(wire, OutsideWire) else ""
        check_fit(source, wire.child or outside or "the scheme's input", target, owner, single=not source.multi)
        if not alone and not target.multi:
            raise BindingError(f"{owner}.{target.name} takes one {target.accepted.__name__}, got several")

    def _source_port(self, wire: Wire, place: str) -> Input | Output:
        """What a wire comes from; `place` is what it leads to, for errors."""
        if isinstance(wire, OutsideWire):
            return Output(wire.accepted, wire.multi, wire.port)
        port = self._whole_port(wire, place)
        return Output(port.accepted, name=port.name) if isinstance(wire, ItemWire) else port

    def _whole_port(self, wire: Wire, place: str) -> Input | Output:
        source = self._child(wire.child).machine if wire.child else None
        ports: Mapping[str, Any] = self.inputs if source is None else source.outputs
        if wire.port not in ports:
            bound = f"{wire.child!r}.{wire.port}" if wire.child else f"an input {wire.port!r} of the scheme"
            there = f"the scheme takes {listed(ports)}" if source is None else f"{source.kind} gives {listed(ports)}"
            raise BindingError(f"Scheme: {place} is bound to {bound}, but {there}")
        port: Input | Output = ports[wire.port]
        if isinstance(wire, ItemWire) and not port.multi:
            raise BindingError(f"{wire.child or 'Scheme'}.{wire.port} is one value, it has no item {wire.item}")
        return port

    def in_order(self) -> tuple[SchemeChild, ...]:
        """The children such that each comes after those it is bound to; as added, if that is such an order."""
        needs = {
            child.name: {wire.child for wires in child.wires.values() for wire in wires if wire.child}
            for child in self.children
        }
        seen: set[str] = set()
        for name, needed in needs.items():
            if not needed <= seen:
                break
            seen.add(name)
        else:
            return self.children
        return self._sorted_by_networkx(needs)

    def _sorted_by_networkx(self, needs: Mapping[str, set[str]]) -> tuple[SchemeChild, ...]:
        import networkx

        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_nodes_from(needs)
        graph.add_edges_from((needed, name) for name, all_needed in needs.items() for needed in all_needed)
        position = {name: index for index, name in enumerate(needs)}
        try:
            names = list(networkx.lexicographical_topological_sort(graph, key=position.__getitem__))
        except networkx.NetworkXUnfeasible:
            cycle = [edge[0] for edge in networkx.find_cycle(graph)]
            raise BindingError(f"Scheme: its machines wait for each other: {' → '.join([*cycle, cycle[0]])}") from None
        return tuple(self._child(name) for name in names)

    @property
    def _by_name(self) -> dict[str, SchemeChild]:
        known: dict[str, SchemeChild] | None = self.__dict__.get("_by_name")
        if known is None:
            known = {child.name: child for child in self.children}
            self.__dict__["_by_name"] = known
        return known

    def _child(self, name: str) -> SchemeChild:
        if name in self._by_name:
            return self._by_name[name]
        names = ", ".join(self._by_name) or "none"
        raise ConfigurationError(f"Scheme: no machine inside is called {name!r}; there are {names}")

    def part(self, name: str) -> Any:
        return super().part(name) if name in self.parameter_names() else self._child(name).machine

    def part_names(self) -> Sequence[str]:
        return [*self.parameter_names(), *(child.name for child in self.children)]

    def with_part(self, name: str, value: Any) -> Self:
        if name in self.parameter_names():
            return super().with_part(name, value)
        known = self._child(name)
        value = adopted(value)
        if not isinstance(value, Machine):
            raise ConfigurationError(f"Scheme: {name} must be a Machine, got {value!r}")
        return super().with_part("children", _exchanged(self.children, SchemeChild(name, value, known.wires)))

    # Templates

    def _lacking(self) -> list[str]:
        if not self.children and not self.exposed:
            takes = ", ".join(map(str, self.inputs.values())) or "nothing"
            gives = ", ".join(map(str, self.outputs.values())) or "nothing"
            return [f": an empty placeholder that takes {takes} and gives {gives}"]
        found = [f": output {port} is not bound" for name, port in self.outputs.items() if name not in self.exposed]
        for child in self.children:
            found += [
                f"{child.name}: input {port} is not bound"
                for name, port in child.machine.inputs.items()
                if not child.wires.get(name) and not (port.multi and name in child.wires)
            ]
            found += missing_in(child.machine, child.name)
        return found

    def filled_with(self, machines: Machine | Sequence[Machine]) -> Machine:
        """This placeholder with a machine in it, or several, each of which gets what those before it give.

        Ports are bound by name or, where there is one choice, by type.
        """
        if self.children:
            raise ConfigurationError("Scheme: only an empty scheme is a placeholder that can be filled")
        in_order: list[Any] = list(machines) if isinstance(machines, list | tuple) else [machines]
        if not in_order:
            raise ConfigurationError("Scheme: a placeholder must be filled by at least one machine, got none")
        if not self.ports_in and not self.ports_out:
            if len(in_order) > 1:
                raise BindingError("Scheme: a placeholder without ports cannot be filled by several machines")
            only: Machine = in_order[0]
            return only
        filled = type(self).from_parameters(self.parameters())
        put_in_sequence(filled, in_order)
        return filled

    @property
    def _plan(self) -> list[tuple[SchemeChild, list[tuple[str, tuple[Wire, ...]]], list[str]]]:
        """The children in the order of their requests, with their wires, and those that must have finished before."""
        known: list[tuple[SchemeChild, list[tuple[str, tuple[Wire, ...]]], list[str]]] | None
        known = self.__dict__.get("_plan")
        if known is None:
            known = []
            for child in self.in_order():
                wires = [(name, tuple(wires)) for name, wires in child.wires.items()]
                known.append((child, wires, collections_in(wire for _, each in wires for wire in each)))
            self.__dict__["_plan"] = known
        return known

    async def run(self, job: Job, **inputs: Any) -> Model:
        capsules: dict[str, Any] = {}
        for child, ports, collections in self._plan:
            for needed in collections:
                await capsules[needed]  # how many items there are is known afterwards
            bindings: dict[str, Any] = {}
            for name, wires in ports:
                bindings[name] = (
                    source_of(wires[0], job, capsules, inputs)
                    if len(wires) == 1
                    else sources_of(wires, job, capsules, inputs)
                )
            capsules[child.name] = job.request(child.machine, name=child.name, **bindings)
        for needed in collections_in(self.exposed.values()):
            await capsules[needed]
        return Model(**{name: source_of(wire, job, capsules, inputs) for name, wire in self.exposed.items()})

    def _shown_parts(self) -> Iterator[tuple[str, str]]:
        for port in (*self.inputs.values(), *self.outputs.values()):
            yield f"{port.name}={port.declared}", f"{port.name}={port.declared}"
        for child in self.children:
            yield f"{child.name}: {child.machine!r}", f"{child.name}: {brief(child.machine)}"


def _with_present_names(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of a scheme as a folder may hold them, with outputs called as they are now."""
    children: Sequence[SchemeChild] = parameters.get("children", ())
    former = {child.name: dict(type(child.machine).former_ports) for child in children}
    if not any(former.values()):
        return parameters

    def renamed(wire: Wire) -> Wire:
        port = former.get(wire.child, {}).get(wire.port)
        return wire if port is None else wire.with_part("port", port)

    wired = [
        SchemeChild(each.name, each.machine, {name: tuple(map(renamed, wires)) for name, wires in each.wires.items()})
        for each in children
    ]
    exposed = {name: renamed(wire) for name, wire in parameters.get("exposed", {}).items()}
    return {**parameters, "children": tuple(wired), "exposed": exposed}


def _exchanged(children: tuple[SchemeChild, ...], new: SchemeChild) -> tuple[SchemeChild, ...]:
    return tuple(new if child.name == new.name else child for child in children)
