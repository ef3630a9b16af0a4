"""Samples: which rows data consist of, and which samples have been learned from on the way to a value.

A *sample* is data whose rows are its own: what a loader gives, or an item of a distributor. A machine that keeps rows,
such as a transformation, passes its sample on. So the rows of two folds are compared once, whatever is made of them.

The way is that of requests, not of records: equal trees of two folds are one machine on record, and each of them has
learned from other rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from intemi.data import Data
from intemi.kernel import Machine, Source
from intemi.kernel.encoding import digest, encode
from intemi.kernel.lineage import Lineage, Place, mark_by_lineage
from intemi.kernel.task import Context
from intemi.machines.fairness.reads import Reads
from intemi.machines.structure.scheme import Scheme
from intemi.machines.structure.wires import OutsideWire, Wire

Samples = frozenset[Place]
NONE: Samples = frozenset()
MAX_NESTING = 50
"""Schemes inside each other that are looked into; those below count as machines that learn from everything."""


class Trace(NamedTuple):
    """What is known of the way to a value."""

    samples: Samples = NONE
    """The samples that its rows belong to, if it is data."""
    above: Samples = NONE
    """The samples that those were taken from, directly or not."""
    targets: Samples = NONE
    """The samples whose targets were learned from on the way."""
    features: Samples = NONE
    """The samples whose features were learned from on the way; those whose targets were are among them."""
    keeps_rows: bool = False
    """Whether its rows are those of what it was made of; else it is a sample of its own."""
    readers: frozenset[tuple[str, Reads, Samples]] = frozenset()
    """The kinds of machines that have learned on the way, what from, and from which samples."""
    is_certain: bool = True
    """Whether this is the way of the request, and not only one of the ways to an equal value."""


NO_TRACE = Trace()
UNKNOWN = Trace(is_certain=False)
Inputs = Mapping[str, Sequence[Trace]]


def trace(lineage: Lineage, source: Source) -> Trace:
    """What is known of the way to a value; worked out once for everything on it."""
    place = place_of(source)
    known: Trace | None = lineage.recall(place)
    if known is None:
        known = _made_by(lineage, source.context)[source.port.name]
        if not issubclass(source.port.accepted, Data):
            return known
        if not (known.keeps_rows and known.samples):
            known = known._replace(samples=frozenset((place,)), above=union((known.above, known.samples)))
        lineage.note(place, known)
    return known


def place_of(source: Source) -> Place:
    """Where a value is found, by its request."""
    return source.context.key, source.port.name, source.index


def _made_by(lineage: Lineage, context: Context) -> Mapping[str, Trace]:
    """What is known of the outputs of a request, from its inputs: for each the rows that it was made of."""
    known: Mapping[str, Trace] | None = lineage.recall(context.key)
    pending = [context] if known is None else []
    while pending:  # no recursion: a way may be long
        each = pending[-1]
        bound = lineage.sources_of(each)
        behind = [one.context for sources in bound.values() for one in sources]
        missing = [one for one in behind if lineage.recall(one.key) is None]
        if missing:
            pending += missing
            continue
        pending.pop()
        known = _made(each.config, {name: [trace(lineage, one) for one in sources] for name, sources in bound.items()})
        if not lineage.is_certain(each):
            known = {output: way._replace(is_certain=False) for output, way in known.items()}
        lineage.note(each.key, known)
    assert known is not None
    return known


def _made(config: Machine, inputs: Inputs) -> Mapping[str, Trace]:
    """What is known of the outputs of a machine, from its inputs."""
    if isinstance(config, Scheme):
        return _exposed_by(config, inputs)
    return dict.fromkeys(config.outputs, learned(config, inputs))


def learned(config: Machine, inputs: Inputs) -> Trace:
    """What a machine has learned from, itself and on the way to its inputs, and whose rows it was given."""
    ports = config.inputs
    given = [each for name, traces in inputs.items() if issubclass(ports[name].accepted, Data) for each in traces]
    rows = together(given)
    way = rows if len(inputs) == 1 and given else together([each for traces in inputs.values() for each in traces])
    targets, features, readers = way.targets, way.features, way.readers
    reads: Reads = getattr(config, "reads", Reads.TARGETS)
    if rows.samples and reads is not Reads.NOTHING:
        features = union((features, rows.samples))
        readers |= {(config.kind, reads, rows.samples)}
        if reads is Reads.TARGETS:
            targets = union((targets, rows.samples))
    keeps_rows: bool = getattr(config, "keeps_rows", False)
    return Trace(rows.samples, rows.above, targets, features, keeps_rows, readers, way.is_certain)


def _exposed_by(scheme: Scheme, inputs: Inputs, depth: int = 0) -> Mapping[str, Trace]:
    """What is known of the outputs of a scheme, as it is drawn: no machine needs to have run."""
    made: dict[str, Mapping[str, Trace]] = {"": {name: together(traces) for name, traces in inputs.items()}}
    for child in scheme.in_order():
        bound = {name: [_along(wire, made) for wire in wires] for name, wires in child.wires.items()}
        machine = child.machine
        if isinstance(machine, Scheme) and depth < MAX_NESTING:
            made[child.name] = _exposed_by(machine, bound, depth + 1)
        else:
            made[child.name] = dict.fromkeys(machine.outputs, learned(machine, bound))
    return {name: _along(wire, made) for name, wire in scheme.exposed.items()}


def _along(wire: Wire, made: Mapping[str, Mapping[str, Trace]]) -> Trace:
    """What is known of what comes along a wire; of a machine outside, which is bound by its id, nothing is."""
    return UNKNOWN if isinstance(wire, OutsideWire) else made[wire.child].get(wire.port, NO_TRACE)


def together(ways: Sequence[Trace]) -> Trace:
    """What is known of several values, as of one."""
    if len(ways) == 1:
        return ways[0]
    if not ways:
        return NO_TRACE
    samples, above, targets, features, keeps_rows, readers, certain = zip(*ways, strict=True)
    sets = union(samples), union(above), union(targets), union(features)
    return Trace(*sets, all(keeps_rows), union(readers), all(certain))


def overlap(lineage: Lineage, one: Place, other: Place) -> bool:
    """Whether two samples have a row in common, or copies of one."""
    if one == other:
        return True
    key = ("overlap", one, other) if one < other else ("overlap", other, one)
    known: bool | None = lineage.recall(key)
    if known is None:
        first, second = lineage.value(one), lineage.value(other)
        known = isinstance(first, Data) and isinstance(second, Data) and first.shares_rows(second)
        lineage.note(key, known)
    return known


def overlapping(lineage: Lineage, learned_from: Samples, rows: Trace) -> Samples:
    """Those of some samples that have a row in common with data."""
    return frozenset(
        each for each in learned_from if each in rows.above or any(overlap(lineage, each, one) for one in rows.samples)
    )


def mark_of(lineage: Lineage, source: Source) -> bytes:
    """What tells data apart from equal data: which of its own rows' targets its features were learned from."""
    way = trace(lineage, source)
    spoilt = overlapping(lineage, way.targets, way) if way.targets else NONE
    return digest(encode(tuple(sorted(map(lineage.content, spoilt))))) if spoilt else b""


mark_by_lineage(Data, mark_of)


def name_of(lineage: Lineage, samples: Samples) -> str:
    """What samples are called: by the names of data, and by their content."""
    return ", ".join(sorted(_name(lineage.value(each)) for each in samples))


def _name(sample: object) -> str:
    if not isinstance(sample, Data):
        return type(sample).__name__
    return f"{sample.name or 'data'} {sample.content_digest().hex()[:8]}"


def union(sets: Iterable[frozenset[Any]]) -> frozenset[Any]:
    """All of them; nearly always that is one of those given."""
    found: frozenset[Any] = frozenset()
    for each in sets:
        if each is not found and not each <= found:
            found = each if found <= each else found | each
    return found
