"""Samples: which rows data consist of, and which samples have been learned from on the way to a value.

A *sample* is data whose rows are its own: what a loader gives, or an item of a distributor. A machine that keeps rows,
such as a transformation, passes its sample on. So the rows of two folds are compared once, whatever is made of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from intemi.data import Data
from intemi.kernel import Machine
from intemi.kernel.encoding import digest, encode
from intemi.kernel.lineage import Lineage, Made, Origin, mark_by_lineage
from intemi.machines.fairness.reads import Reads

Samples = frozenset[Origin]
NONE: Samples = frozenset()


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


def trace(lineage: Lineage, origin: Origin) -> Trace:
    """What is known of the way to a value; worked out once for everything on it."""
    known: Trace | None = lineage.recall(origin)
    if known is not None:
        return known
    pending = [origin]
    while pending:
        each = pending[-1]
        if lineage.recall(each) is not None:
            pending.pop()
            continue
        made = lineage.maker(each) or Made(None, "", {})
        missing = [one for origins in made.inputs.values() for one in origins if lineage.recall(one) is None]
        if missing:
            pending += missing
        else:
            lineage.note(each, _trace(lineage, each, made))
    found: Trace = lineage.recall(origin)
    return found


def learned_from(lineage: Lineage, made: Made) -> Trace:
    """What a machine has learned from, itself and on the way to its inputs, and whose rows it was given."""
    inputs = [trace(lineage, one) for origins in made.inputs.values() for one in origins]
    given = [trace(lineage, one) for one in data_inputs(made)]
    rows = union([each.samples for each in given])
    reads = reads_of(made.config)
    targets, features = [each.targets for each in inputs], [each.features for each in inputs]
    if reads is Reads.TARGETS:
        targets.append(rows)
    if reads is not Reads.NOTHING:
        features.append(rows)
    return Trace(rows, union([each.above for each in given]), union(targets), union(features))


def overlap(lineage: Lineage, one: Origin, other: Origin) -> bool:
    """Whether two samples have a row in common, or copies of one."""
    if one == other or one in trace(lineage, other).above or other in trace(lineage, one).above:
        return True
    key = (one, other) if one < other else (other, one)
    known: bool | None = lineage.recall(key)
    if known is None:
        known = _share_rows(lineage.value(one), lineage.value(other))
        lineage.note(key, known)
    return known


def overlapping(lineage: Lineage, learned: Samples, rows: Samples) -> Samples:
    """Those of some samples that have a row in common with others."""
    return frozenset(each for each in learned if any(overlap(lineage, each, one) for one in rows))


def mark_of(lineage: Lineage, origin: Origin) -> bytes:
    """What tells data apart from equal data: which of its own rows' targets its features were learned from."""
    way = trace(lineage, origin)
    learned = overlapping(lineage, way.targets, way.samples) if way.targets else NONE
    return digest(encode(tuple(sorted(learned)))) if learned else b""


mark_by_lineage(Data, mark_of)


def name_of(lineage: Lineage, samples: Samples) -> str:
    """What samples are called: by the names of data, and by their content."""
    return ", ".join(sorted(_name(lineage.value(each)) for each in samples))


def _name(sample: object) -> str:
    if not isinstance(sample, Data):
        return type(sample).__name__
    return f"{sample.name or 'data'} {sample.content_digest().hex()[:8]}"


def data_inputs(made: Made) -> Sequence[Origin]:
    """Where the data came from that a machine was given; all of its inputs, if its class is not known here."""
    ports = None if made.config is None else made.config.inputs
    return [
        one
        for name, origins in made.inputs.items()
        if ports is None or issubclass(ports[name].accepted, Data)
        for one in origins
    ]


def reads_of(config: Machine | None) -> Reads:
    """What a machine learns from; the worst is assumed where it does not say."""
    reads: Reads = getattr(config, "reads", Reads.TARGETS)
    return reads


def _trace(lineage: Lineage, origin: Origin, made: Made) -> Trace:
    machine = origin[0]
    learned: Trace | None = lineage.recall(machine)
    if learned is None:
        learned = learned_from(lineage, made)
        if not learned.samples or not getattr(made.config, "keeps_rows", False):
            learned = learned._replace(samples=NONE, above=union([learned.above, learned.samples]))
        lineage.note(machine, learned)
    return learned if learned.samples else learned._replace(samples=frozenset((origin,)))


def _share_rows(one: object, other: object) -> bool:
    return isinstance(one, Data) and isinstance(other, Data) and one.shares_rows(other)


def union(samples: Sequence[Samples]) -> Samples:
    """All of them; nearly always that is one of those given."""
    found = NONE
    for each in samples:
        if each is not found and not each <= found:
            found = each if found <= each else found | each
    return found
