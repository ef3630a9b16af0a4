"""A dry run: what a request would reuse, what it would run, and why. Nothing is run and nothing is changed.

Composites are explored by their own code: their coroutine is driven with a job whose engine only notes what is
requested. It goes on past a wait as long as everything waited for is on record; where it is not, what comes after is
unknown.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from intemi.kernel.capsule import Capsule
from intemi.kernel.component import to_html
from intemi.kernel.composite import Job
from intemi.kernel.lineage import Lineage
from intemi.kernel.machine import Machine
from intemi.kernel.record import Record
from intemi.kernel.records import Records
from intemi.kernel.repository.commentators import Commentator, check_commentators
from intemi.kernel.repository.query import Query
from intemi.kernel.request import Request, id_of
from intemi.kernel.seeds import Seed
from intemi.kernel.task import Context, Source, Task, Wait
from intemi.kernel.values import Values
from intemi.series import Series


class Verdict(enum.Enum):
    """What would become of a request."""

    REUSE = "reuse"
    JOIN = "join"
    """It is queued or running already."""
    RUN = "run"
    MAYBE = "maybe"
    """It depends on what its inputs turn out to be."""


@dataclass(repr=False)
class Explanation:
    """What would become of one request, and of everything under it."""

    path: str
    config: Machine
    key: bytes
    verdict: Verdict
    reason: str
    children: list[Explanation] = field(default_factory=list)
    is_open: bool = False
    """Whether more would be requested than a dry run can find out."""

    @property
    def kind(self) -> str:
        """The class of what would be requested."""
        return self.config.kind

    def __iter__(self) -> Iterator[Explanation]:
        """All explanations of the branch, parents first."""
        yield self
        for child in self.children:
            yield from child

    def count(self, verdict: Verdict) -> int:
        """How many requests of the branch would become of that."""
        return sum(each.verdict is verdict for each in self)

    def __repr__(self) -> str:
        verdicts = [each.verdict for each in self]
        counts = ", ".join(f"{verdict.value} {verdicts.count(verdict):,}" for verdict in dict.fromkeys(verdicts))
        return f"<Explanation of {self.path}: {counts}>"

    def _repr_html_(self) -> str:
        return to_html(self)

    def __str__(self) -> str:
        lines: list[str] = []
        base = self.path.count("/")
        for each in self:
            indent = "  " * (each.path.count("/") - base)
            more = "; then more, depending on what comes out" if each.is_open else ""
            name = each.path.rpartition("/")[2]
            lines.append(f"{indent}{each.verdict.value:5} {name}: {each.reason}{more}")
        return "\n".join(lines)


class Engine(Protocol):
    """What a dry run needs of the engine."""

    @property
    def records(self) -> Records: ...
    @property
    def values(self) -> Values: ...
    @property
    def seed(self) -> Seed: ...
    def in_flight(self, key: bytes) -> Task | None: ...
    def capsule(self, context: Context) -> Capsule: ...
    def query(self, query: Query, context: Context) -> Series: ...


def explain(engine: Engine, request: Request) -> Explanation:
    """Explain a request that is not made."""
    return _Explorer(engine).explore(request)[1]


def is_on_record(engine: Engine, request: Request) -> bool:
    """Whether a request would be answered by a record; what it would run otherwise is not explored."""
    return _Explorer(engine).is_on_record(request)


def forget(engine: Engine, request: Request) -> None:
    """Drop the record that would answer a request."""
    context, _ = _Explorer(engine).explore(request)
    if context.record is not None:
        engine.records.forget(context.record.machine)


def replayed(engine: Engine, context: Context) -> list[Context]:
    """What a finished composite has requested, found by running its code on what is on record."""
    explorer = _Explorer(engine)
    explorer.open(context, Explanation(context.path, context.config, context.key, Verdict.REUSE, "on record"))
    return [each for each in explorer.judged if each.parent is context]


class _Explorer:
    """An engine that runs nothing: jobs of composites request from it what they would request."""

    workers = 1

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._records = engine.records
        self._lineage = Lineage(engine.records, engine.values, lambda context: replayed(engine, context), is_dry=True)
        self._seen: dict[bytes, str] = {}
        self._opened: dict[Task, Explanation] = {}
        self.judged: list[Context] = []

    def explore(self, request: Request) -> tuple[Context, Explanation]:
        """What would become of a request, with everything under it."""
        context, explanation = self._judge(request)
        if explanation.verdict in (Verdict.RUN, Verdict.MAYBE) and request.config.is_composite:
            self.open(context, explanation)
        return context, explanation

    def open(self, context: Context, explanation: Explanation) -> None:
        """Drive a composite as far as what is on record allows."""
        task = Task(context)
        self._opened[task] = explanation
        ports = context.config.inputs
        inputs: dict[str, Any] = {n: b if ports[n].multi else b[0] for n, b in context.sources.items()}
        if context.config.takes_rng:
            assert context.seed is not None
            inputs["rng"] = context.config.generator(context.seed)
        coroutine = context.config.run(Job(self, task), **inputs)
        try:
            while True:
                wait = coroutine.send(None)
                if not isinstance(wait, Wait) or any(each.record is None for each in wait.contexts):
                    explanation.is_open = True
                    return
        except StopIteration:
            return
        except Exception as error:  # of the composite's own: so it would be if it ran
            explanation.reason += f"; then it raises {type(error).__name__}: {error}"
        finally:
            coroutine.close()

    def _judge(self, request: Request) -> tuple[Context, Explanation]:
        """What would become of a request, without what is under it."""
        context = request.context(self._engine.seed, is_dry=True)
        verdict, reason = self._verdict(context)
        self.judged.append(context)
        self._seen.setdefault(context.key, context.path)
        return context, Explanation(context.path, context.config, context.key, verdict, reason)

    def _verdict(self, context: Context) -> tuple[Verdict, str]:
        record = self._record(context)
        if record is not None and record.failure is None:
            context.set_record(record)
            return Verdict.REUSE, f"on record{_made_by(record)}"
        if record is not None and record.failure is not None:
            return Verdict.REUSE, f"its failure is on record{_made_by(record)}: {record.failure.message}"
        task = self._engine.in_flight(context.key)
        if task is not None:
            return Verdict.JOIN, f"{task.owner.status.value} already for {task.owner.path}"
        if context.key in self._seen:
            return Verdict.JOIN, f"the same as {self._seen[context.key]}"
        waiting = [each for each in context.providers() if each.record is None]
        if waiting:
            names = ", ".join(dict.fromkeys(each.path for each in waiting))
            if self._records.level == 2:
                return Verdict.MAYBE, f"runs unless {names} gives what was given before"
            return Verdict.RUN, f"its input {names} is not on record"
        if not self._records.level:
            return Verdict.RUN, "unification is off"
        return Verdict.RUN, "never finished with this configuration, seed and inputs"

    def _record(self, context: Context) -> Record | None:
        records = self._records
        record = records.find(context.key)
        inputs = context.resolved() if context.sources else None
        if record is None and records.level and inputs is not None:
            by_content = records.level == 2
            if by_content:
                for _, items in inputs.values():
                    self._engine.values.register(items)
            self._lineage.examine(context)
            record = records.find(id_of(context, inputs, by_content))
        return record

    # What a job asks for

    def request(self, request: Request, commentators: Sequence[Commentator] = ()) -> Capsule:
        check_commentators(commentators)
        assert request.parent is not None
        context, explanation = self.explore(request)
        request.parent.children.append(context)
        self._opened[request.parent].children.append(explanation)
        return self.capsule(context)

    def is_on_record(self, request: Request) -> bool:
        return self._judge(request)[1].verdict is Verdict.REUSE

    def capsule(self, context: Context) -> Capsule:
        return self._engine.capsule(context)

    def query(self, query: Query, context: Context) -> Series:
        return self._engine.query(query, context)

    def record_of(self, machine: bytes) -> Record | None:
        return self._records.record_of(machine)

    def load(self, source: Source) -> Any:
        return self._engine.values.load_source(source)


def _made_by(record: Record) -> str:
    """The version that made what would be reused; records of older versions lack it."""
    return "" if record.version is None else f", made by intemi {record.version}"
