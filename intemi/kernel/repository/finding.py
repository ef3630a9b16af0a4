"""Finding the items that qualify: among everything below a root, or among what a qualifier narrows down to."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Set
from fnmatch import fnmatchcase
from typing import Any

from intemi.kernel.block import Axes, BlockCell
from intemi.kernel.errors import ConfigurationError, IntemiError
from intemi.kernel.repository.item import Item, Reader, told_apart
from intemi.kernel.repository.qualifiers import Qualifier
from intemi.kernel.repository.tables import Edges, Lookup, Machines, Narrowing, Requests

Where = Qualifier | Callable[[Item], bool] | None

MAX_UNFILTERED_EDGES = 20_000
"""Edges below a root that are looked at without asking whether a qualifier narrows them down to fewer."""
MAX_CELLS = 10_000_000
"""Items with cells of blocks among them that a question can look at."""
MAX_LISTED_NAMES = 20
"""Names that a message lists."""
MAX_ITEMS = 50_000_000
"""Items that a question can look at."""
_OPEN = 0
"""Stands for the number of items below a machine that is not known yet."""
_EVERYTHING = Narrowing("TRUE")


def find(lookup: Lookup, reader: Reader, starts: list[Item] | None, where: Where) -> list[Item]:
    """The items at and below some items (all there are without any) that qualify, in the order of their requests."""
    narrowing = (where.narrowing() if isinstance(where, Qualifier) else None) or _EVERYTHING
    kinds = where.kinds() if isinstance(where, Qualifier) else None
    candidates: set[int] | None = None
    with lookup.snapshot():
        ways = None if starts is None else _few_below(lookup, starts, kinds, narrowing)
        if ways is None:
            candidates = lookup.numbers(narrowing).union(start.machine for start in starts or ())
            ways = lookup.above(candidates)
        edges, machines = ways
        ends = {item.machine for start in starts or () for item in start.ancestors()}.union(candidates or ())
        reader.look_at({**machines, **lookup.machines(ends)})
        if starts is None:
            starts = _tops(lookup, reader, edges)
    return choose(reader, starts, edges, where, candidates)


def choose(
    reader: Reader, starts: list[Item], edges: Edges, where: Where, candidates: set[int] | None = None
) -> list[Item]:
    """The items at and below some that qualify, if only candidates can (without any: all machines)."""
    _check_walk(starts, edges)
    possible = reader.of_kinds(where.kinds() if isinstance(where, Qualifier) else None)
    found = list(_walk(reader, starts, edges, possible if candidates is None else candidates.intersection(possible)))
    if reader.has_blocks:
        found = _cells(reader, found, where.allows if isinstance(where, Qualifier) else None)
    if where is None:
        return found
    qualifies = where.qualifies if isinstance(where, Qualifier) else where
    try:
        return [item for item in found if qualifies(item)]
    except Exception as error:
        raise told_apart(error, where) from error.__cause__


def _cells(reader: Reader, items: list[Item], allows: Callable[[str, Any], bool] | None) -> list[Item]:
    """Items, with an item for each cell in place of those that have left blocks: the cells whose labels are allowed."""
    chosen: dict[Axes, list[BlockCell]] = {}
    found: list[Item] = []
    for item in items:
        axes = reader.axes(item.machine)
        if axes is None:
            found.append(item)
            continue
        if axes not in chosen:
            chosen[axes] = axes.cells(allows)
        found += map(item.of_cell, chosen[axes])
        if len(found) > MAX_CELLS:
            raise IntemiError(f"query: there are more than {MAX_CELLS:,} cells of blocks and other items; ask for less")
    return found


def starts_of(lookup: Lookup, reader: Reader, requests: Requests) -> list[Item]:
    """The items that requests have asked for, or those at a path below them."""
    if type(requests.run) is int and not lookup.has_run(requests.run):
        raise IntemiError(f"query: there is no run {requests.run} in this project; project.runs() lists them")
    tops = [Item(reader, machine, name, noted=noted) for machine, name, noted in lookup.roots_of(requests)]
    if requests.path is None:
        return tops
    found = [item for top in tops for item in _down(lookup, [top], requests.path[len(top.name) + 1 :])]
    if not found and not lookup.is_requested(requests):
        raise IntemiError(f"query: no request is called {requests}; there are {_listed(lookup.root_names())}")
    return found


def _down(lookup: Lookup, items: list[Item], path: str) -> list[Item]:
    """The items at a path below others."""
    for step in path.split("/") if path else ():
        machines = [item.machine for item in items]
        edges = lookup.children(machines)
        below = [
            Item(item.reader, child, name, (), item, comments)
            for item in items
            for _, _, child, name, comments in edges.get(item.machine, ())
        ]
        chosen = [item for item in below if fnmatchcase(item.name, step)]
        if items and not chosen and lookup.are_finished(machines):
            names = _listed(list(dict.fromkeys(item.name for item in below)))
            raise IntemiError(f"query: {items[0].path} has no child called {step!r}; there are {names}")
        items = chosen
    return items


def _listed(names: list[str]) -> str:
    shown = names if len(names) <= MAX_LISTED_NAMES else [*names[:MAX_LISTED_NAMES], "…"]
    return ", ".join(shown) or "none"


def check_where(where: object) -> None:
    """Refuse what cannot tell whether an item qualifies."""
    if where is not None and not isinstance(where, Qualifier) and not callable(where):
        raise ConfigurationError(
            "query: where must be a qualifier, such as OfType(...) or Result(...) > 0.9, or a function of an item, "
            f"got {where!r}"
        )


def _few_below(
    lookup: Lookup, starts: list[Item], kinds: Set[str] | None, narrowing: Narrowing
) -> tuple[Edges, Machines] | None:
    """What is below some items, unless a qualifier narrows everything down to fewer machines."""
    roots = [start.machine for start in starts]
    ways = lookup.below(roots, kinds, MAX_UNFILTERED_EDGES)
    if ways is None and (others := lookup.count(narrowing)) > MAX_UNFILTERED_EDGES:
        ways = lookup.below(roots, kinds, others)
    return ways


def _tops(lookup: Lookup, reader: Reader, edges: Edges) -> list[Item]:
    """What users have asked for, then what has no parent: that was killed before it could be noted."""
    requested = lookup.roots_among(reader.machines())
    known = {machine for machine, *_ in requested} | {child for below in edges.values() for _, _, child, *_ in below}
    lost = [(machine, reader.kind(machine), None) for machine in sorted(reader.machines()) if machine not in known]
    return [Item(reader, machine, name, noted=noted) for machine, name, noted in (*requested, *lost)]


def _check_walk(starts: list[Item], edges: Edges) -> None:
    """Refuse to walk in circles, or for ever: foreign records can make up any graph."""
    items: dict[int, int] = {}
    below: dict[int, list[int]] = {}
    pending = [start.machine for start in starts if start.machine in edges]
    while pending:
        machine = pending[-1]
        known = items.get(machine)
        if known is None:
            items[machine] = _OPEN
            below[machine] = inner = [edge[2] for edge in edges[machine] if edge[2] in edges]
            for child in inner:
                if child not in items:
                    pending.append(child)
                elif items[child] == _OPEN:
                    raise IntemiError(
                        "query: a machine on record is below itself, so its records were not written by intemi; use "
                        "another folder"
                    )
            continue
        pending.pop()
        if known == _OPEN:
            inner = below[machine]
            items[machine] = 1 + len(edges[machine]) - len(inner) + sum(items[child] for child in inner)
    number = sum(items.get(start.machine, 1) for start in starts)
    if number > MAX_ITEMS:
        raise IntemiError(f"query: there are {number:.2g} items, at most {MAX_ITEMS:,} can be looked at; ask for less")


def _walk(reader: Reader, starts: list[Item], edges: Edges, possible: Container[int]) -> Iterator[Item]:
    """All items at and below some, parents first, whose machines are possible ones."""
    pending = starts[::-1]
    while pending:
        item = pending.pop()
        if not reader.knows(item.machine):
            continue
        if item.machine in possible:
            yield item
        below = edges.get(item.machine)
        if below is not None:
            pending += [
                Item(reader, child, name, (*item.names, name), item, comments)
                for _, _, child, name, comments in reversed(below)
                if child in possible or child in edges
            ]
