"""What lies under requests, put together by names: what one part of a configuration was asked for, and what ran."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from intemi.kernel import Capsule, Machine, Project
from intemi.kernel.explain import Explanation, Verdict
from intemi.kernel.repository import Run
from intemi.kernel.repository.item import Item
from intemi.kernel.repository.labels import Labeler
from intemi.kernel.task import Context

Path = tuple[str, ...]


@dataclass(eq=False)
class Part:
    """All requests of one name in one place: the tests of ten folds are one part, requested ten times."""

    name: str
    path: Path = ()
    kind: str = ""
    requests: int = 0
    reused: int = 0
    """How many of the requests were answered by a machine that an earlier request was answered by."""
    failed: int = 0
    on_record: int | None = None
    """How many of the requests would be answered from records; None where that was not asked."""
    is_shared: bool = False
    """Whether a machine here answers several requests, here or elsewhere."""
    parts: dict[str, Part] = field(default_factory=dict)

    def under(self, path: Path) -> Part:
        """The part at a path, made if it is not there."""
        part = self
        for name in path:
            part = part.parts.setdefault(name, Part(name, (*part.path, name)))
        return part

    def walk(self) -> Iterator[Part]:
        """Itself and everything in it."""
        yield self
        for part in self.parts.values():
            yield from part.walk()


class Drawing:
    """Parts, and which of them give something to which."""

    def __init__(self) -> None:
        self.root = Part("")
        self.edges: dict[tuple[Path, Path], None] = {}
        self._first: dict[Any, Part] = {}
        """The first part that each machine was requested for."""

    def add(self, path: Path, kind: str, machine: Any, failed: bool) -> None:
        """One more request."""
        part = self.root.under(path)
        part.kind = part.kind or kind
        part.requests += 1
        part.failed += failed
        first = self._first.get(machine)
        if first is None:
            self._first[machine] = part
        else:
            part.reused += 1
            part.is_shared = first.is_shared = True


def of_capsules(capsules: Iterable[Capsule]) -> Drawing:
    """What lies under some requests; who gives what to whom is read off the records."""
    drawing = Drawing()
    made: dict[bytes, dict[Path, None]] = {}
    takes: dict[tuple[Path, bytes], None] = {}
    names: set[str] = set()
    for capsule in capsules:
        name, number = capsule.name, 1
        while name in names:
            number += 1
            name = f"{capsule.name} {number}"
        names.add(name)
        pending: list[tuple[Capsule, Path]] = [(capsule, (name,))]
        while pending:
            each, path = pending.pop()
            context: Context = each.context
            record = context.record
            machine = id(context) if record is None else record.machine
            drawing.add(path, each.config.kind, machine, context.error is not None)
            if record is not None:
                made.setdefault(record.machine, {})[path] = None
                if not each.config.is_composite:
                    takes |= {(path, origin[0]): None for _, origins in record.inputs.values() for origin in origins}
            pending += [(child, (*path, child.name)) for child in reversed(each.children)]
    for path, machine in takes:
        makers = [maker for maker in made.get(machine, ()) if maker != path]
        if makers:
            drawing.edges[max(makers, key=lambda maker: _shared_start(maker, path)), path] = None
    return drawing


def of_explanations(explanations: Iterable[Explanation]) -> Drawing:
    """What would be requested, and how much of it is on record.

    Of what a dry run does not look into, because it is on record or because it depends on what comes out, the machines
    that the configuration has are drawn.
    """
    drawing = Drawing()
    for top in explanations:
        base = top.path.count("/")
        for each in top:
            path = tuple(each.path.split("/")[base:])
            found = each.verdict is Verdict.REUSE
            _ask(drawing, path, each.config, found)
            if not each.children or each.is_open:
                known = {child.path.rpartition("/")[2] for child in each.children}
                _ask_inside(drawing, path, each.config, known, found)
    return drawing


def _ask(drawing: Drawing, path: Path, config: Machine, found: bool) -> None:
    part = drawing.root.under(path)
    part.kind = part.kind or config.kind
    part.requests += 1
    part.on_record = (part.on_record or 0) + found
    drawing.edges |= {((*path, source), (*path, target)): None for source, target in _wires(config)}


def _ask_inside(drawing: Drawing, path: Path, config: Machine, known: set[str], found: bool) -> None:
    """The machines that a configuration has, beside those that are known."""
    pending = [((*path, name), machine) for name, machine in _machines_in(config) if name not in known]
    while pending:
        where, machine = pending.pop(0)
        _ask(drawing, where, machine, found)
        pending += [((*where, name), inside) for name, inside in _machines_in(machine)]


def _machines_in(config: Machine) -> Iterator[tuple[str, Machine]]:
    parts = ((name, config.part(name)) for name in config.part_names())
    return ((name, part) for name, part in parts if isinstance(part, Machine))


def of_project(project: Project, root: Run | str | None) -> Drawing:
    """What lies under requests of a project; who gives what to whom is known where a scheme says so."""
    drawing = Drawing()
    found = _Found()
    project.query(root, labels=found)
    for path, kind, machine, failed, wires in found.items:
        drawing.add(path, kind, machine, failed)
        drawing.edges |= {((*path, source), (*path, target)): None for source, target in wires}
    return drawing


class _Found(Labeler):
    """Notes of every item what a drawing needs to know of it."""

    names = ("machine",)

    def __init__(self) -> None:
        self.items: list[tuple[Path, str, int, bool, list[tuple[str, str]]]] = []

    def labels(self, item: Item) -> dict[str, Any]:
        path = tuple(reversed([each.name for each in item.ancestors()]))
        failed = item.measured("failure") is not None
        self.items.append((path, item.kind, item.machine, failed, list(_wires(item.config))))
        return {"machine": item.name}


def _wires(config: Any) -> Iterator[tuple[str, str]]:
    from intemi.machines import Scheme

    if isinstance(config, Scheme):
        for child in config.children:
            for wires in child.wires.values():
                yield from ((wire.child, child.name) for wire in wires if wire.child)


def _shared_start(one: Path, other: Path) -> int:
    """How many names two paths have in common, from the root down."""
    same = 0
    for here, there in zip(one, other, strict=False):
        if here != there:
            break
        same += 1
    return same
