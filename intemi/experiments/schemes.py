"""Schemes in experiment files: what they take, the machines inside with the ports they are bound to, what they give.

```yaml
type: Scheme
takes: {training: Data, test: Data}
machines:
  std: {type: Standardization, bind: {data: training}}
  knn: {type: KNN, bind: {data: std.transformed}}
gives: {classifier: knn.classifier}
```

A bound port is an input of the scheme (`training`), an output of a machine inside (`std.transformed`), an item of a
collection (`folds.training[0]`), or a list of these.
"""

from __future__ import annotations

import re
from typing import Any

from intemi.experiments.building import machine, refused
from intemi.experiments.document import Node
from intemi.experiments.errors import near
from intemi.kernel import registry
from intemi.kernel.errors import IntemiError
from intemi.machines.structure.scheme import End, Handle, Scheme
from intemi.machines.structure.wires import Wire

_KEYS = ("type", "takes", "machines", "gives", "seed")


def build_scheme(node: Node) -> Scheme:
    """The scheme that a value draws."""
    node.check_keys(*_KEYS)
    seed = node.get("seed")
    try:
        scheme = Scheme(seed=None if seed is None else seed.value, **_ports(node))
    except IntemiError as error:
        raise refused(node, error) from None
    inside = node.get("machines")
    if inside is None or not inside.is_mapping or not inside.value:
        raise (inside or node).wrong("machines must be a mapping of names to machines, with at least one")
    handles: dict[str, Handle] = {}
    for name, each in inside.items():
        if not each.is_mapping:
            raise each.wrong(f"must be a mapping with a type and bind, got {each.shown}")
        try:
            handles[name] = scheme.add(machine(each.without("bind")), name=name)
        except IntemiError as error:
            raise refused(each, error) from None
    for name, each in inside.items():
        bound = each.get("bind")
        if bound is None:
            continue
        _check_mapping(bound)
        for port, end in bound.items():
            _bind(scheme, handles, name, port, bound, end)
    _expose(node, scheme, handles)
    _check_all_bound(scheme, inside)
    return scheme


def _ports(node: Node) -> dict[str, Any]:
    takes = node.get("takes")
    if takes is None:
        return {}
    _check_mapping(takes)
    ports = {}
    for name, accepted in takes.items():
        try:
            ports[name] = registry.port_type(accepted.value)
        except (IntemiError, TypeError):
            names = ["Data", "Classifier", "Transformation", "FeatureRanking"]
            raise accepted.wrong(f"no type is called {accepted.value!r}; {near(str(accepted.value), names)}") from None
    return ports


def _bind(scheme: Scheme, handles: dict[str, Handle], name: str, port: str, bound: Node, end: Node) -> None:
    ends = [_end(scheme, handles, each) for each in (end.value if end.is_list else [end])]
    machine = scheme.part(name)
    if port not in machine.inputs:
        raise bound.wrong_key(port, f"{machine.kind} has no such input; {near(port, machine.inputs)}")
    try:
        scheme.bind(handles[name], **{port: ends if end.is_list else ends[0]})
    except IntemiError as error:
        raise end.wrong(" ".join(str(error).split())) from None


def _end(scheme: Scheme, handles: dict[str, Handle], node: Node) -> End:
    if not node.is_text:
        raise node.wrong(f"must be an input of the scheme or machine.output, got {node.shown}")
    whole, item = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", node.value, re.DOTALL).groups()  # type: ignore[union-attr]
    end = _whole_end(scheme, handles, node, whole)
    try:
        return end if item is None else end[int(item)]
    except IntemiError as error:
        raise refused(node, error) from None


def _whole_end(scheme: Scheme, handles: dict[str, Handle], node: Node, text: str) -> End:
    name, dot, output = text.rpartition(".")
    if not dot:
        if output not in scheme.inputs:
            hint = near(
                output, [*scheme.inputs, *(f"{each}.{port}" for each in handles for port in _outputs(scheme, each))]
            )
            raise node.wrong(f"the scheme takes nothing that is called {output!r}; {hint}")
        return End(scheme, Wire("", output))
    if name not in handles:
        raise node.wrong(f"no machine of the scheme is called {name!r}; {near(name, handles)}")
    if output not in _outputs(scheme, name):
        raise node.wrong(f"{scheme.part(name).kind} has no output {output!r}; {near(output, _outputs(scheme, name))}")
    return End(scheme, Wire(name, output))


def _outputs(scheme: Scheme, name: str) -> list[str]:
    return list(scheme.part(name).outputs)


def _expose(node: Node, scheme: Scheme, handles: dict[str, Handle]) -> None:
    gives = node.get("gives")
    if gives is None:
        return
    _check_mapping(gives)
    for name, end in gives.items():
        try:
            scheme.expose(**{name: _end(scheme, handles, end)})
        except IntemiError as error:
            raise refused(end, error) from None


def _check_all_bound(scheme: Scheme, inside: Node) -> None:
    for name, each in inside.items():
        bound = each.get("bind")
        for port, declared in scheme.part(name).inputs.items():
            if not declared.multi and (bound is None or port not in bound.value):
                raise each.wrong(f"its input {declared} is not bound; write bind: {{{port}: ...}}")


def _check_mapping(node: Node) -> None:
    if not node.is_mapping:
        raise node.wrong(f"must be a mapping of ports, got {node.shown}")
