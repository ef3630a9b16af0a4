"""A dry run: what a request would reuse, what it would run, and why. Nothing is run and nothing is changed.

Composites are explored by their own code: their coroutine is driven with a job that only notes what is requested. It
goes on past a wait as long as everything waited for is on record; where it is not, what comes after is unknown.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from intemi.kernel.bindings import bind, check_feasible
from intemi.kernel.capsule import Capsule
from intemi.kernel.composite import Wait, finished_output
from intemi.kernel.context import Context, Source, State, Task
from intemi.kernel.lineage import Lineage
from intemi.kernel.machine import Machine
from intemi.kernel.ports import Output
from intemi.kernel.record import SINGLE, Record
from intemi.kernel.seeds import Seed
from intemi.kernel.unifier import id_of, key_of

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine
    from intemi.kernel.repository.query import Query
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
    """Whether more would be requested than a dry run can tell."""

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
        from intemi.kernel.notebook import explanation_html

        return explanation_html(self)

    def __str__(self) -> str:
        lines: list[str] = []
        base = self.path.count("/")
        for each in self:
            indent = "  " * (each.path.count("/") - base)
            more = "; then more, depending on what comes out" if each.is_open else ""
            name = each.path.rpartition("/")[2]
            lines.append(f"{indent}{each.verdict.value:5} {name}: {each.reason}{more}")
        return "\n".join(lines)


def explain(line: AssemblyLine, config: Machine, bindings: Mapping[str, Any]) -> Explanation:
    """Explain a request that is not made."""
    return _Explorer(line).explore(config, bindings, None, (), None)[1]


def is_on_record(line: AssemblyLine, config: Machine, bindings: Mapping[str, Any], parent: Task | None = None) -> bool:
    """Whether a request would be answered by a record; what it would run otherwise is not explored."""
    return _Explorer(line).judge(config, bindings, parent, (), None)[1].verdict is Verdict.REUSE


def forget(line: AssemblyLine, config: Machine, bindings: Mapping[str, Any]) -> None:
    """Drop the record that would answer a request."""
    context, _ = _Explorer(line).explore(config, bindings, None, (), None)
    if context.record is not None:
        line.unifier.forget(context.record.machine)


def replayed(line: AssemblyLine, context: Context) -> list[Context]:
    """What a finished composite has requested, found by running its code on what is on record."""
    explorer = _Explorer(line)
    explorer.open(context, Explanation(context.path, context.config, context.key, Verdict.REUSE, "on record"))
    return [each for each in explorer.judged if each.parent is context]


class _Explorer:
    def __init__(self, line: AssemblyLine) -> None:
        self._line = line
        self._lineage = Lineage(line, is_dry=True)
        self._seen: dict[bytes, str] = {}
        self.judged: list[Context] = []

    def explore(
        self,
        config: Machine,
        bindings: Mapping[str, Any],
        parent: Task | None,
        branch: tuple[int, ...],
        name: str | None,
    ) -> tuple[Context, Explanation]:
        context, explanation = self.judge(config, bindings, parent, branch, name)
        if explanation.verdict in (Verdict.RUN, Verdict.MAYBE) and config.is_composite:
            self.open(context, explanation)
        return context, explanation

    def judge(
        self,
        config: Machine,
        bindings: Mapping[str, Any],
        parent: Task | None,
        branch: tuple[int, ...],
        name: str | None,
    ) -> tuple[Context, Explanation]:
        """What would become of a request, without what is under it."""
        check_feasible(config)
        sources = bind(config, bindings)
        seed = self._line.seed_of(config, parent, branch) if config.is_random else None
        above = parent.owner if parent else None
        context = Context(config, sources, seed, key_of(config, seed, sources, above), above, name)
        explanation = self._judge(context)
        self.judged.append(context)
        self._seen.setdefault(context.key, context.path)
        return context, explanation

    def _judge(self, context: Context) -> Explanation:
        record = self._record(context)
        if record is not None and record.failure is None:
            context.record = record
            context.state = State.FINISHED
            return self._said(context, Verdict.REUSE, f"on record{_made_by(record)}")
        if record is not None and record.failure is not None:
            return self._said(
                context, Verdict.REUSE, f"its failure is on record{_made_by(record)}: {record.failure.message}"
            )
        task = self._line.unifier.meet(context.key)
        if isinstance(task, Task):
            return self._said(context, Verdict.JOIN, f"{task.state.value} already for {task.owner.path}")
        if context.key in self._seen:
            return self._said(context, Verdict.JOIN, f"the same as {self._seen[context.key]}")
        waiting = [each for each in _providers(context) if each.record is None]
        if waiting:
            names = ", ".join(dict.fromkeys(each.path for each in waiting))
            if self._line.unifier.level == 2:
                return self._said(context, Verdict.MAYBE, f"runs unless {names} gives what was given before")
            return self._said(context, Verdict.RUN, f"its input {names} is not on record")
        return self._said(context, Verdict.RUN, self._why_new(context))

    def _record(self, context: Context) -> Record | None:
        unifier = self._line.unifier
        record = unifier.find(context.key)
        inputs = context.resolved() if context.sources else None
        if record is None and unifier.level and inputs is not None:
            by_content = unifier.level == 2
            if by_content:
                for _, items in inputs.values():
                    self._line.values.register(items)
            self._lineage.look_at(context)
            record = unifier.find(id_of(context, inputs, by_content))
        return record

    def _why_new(self, context: Context) -> str:
        if not self._line.unifier.level:
            return "unification is off"
        return "never finished with this configuration, seed and inputs"

    def open(self, context: Context, explanation: Explanation) -> None:
        """Drive a composite as far as what is on record allows."""
        task = Task(context)
        job = _DryJob(self, task, explanation)
        ports = context.config.inputs
        inputs: dict[str, Any] = {n: b if ports[n].multi else b[0] for n, b in context.sources.items()}
        if context.config.takes_rng:
            assert context.seed is not None
            inputs["rng"] = context.config.generator(context.seed)
        coroutine = context.config.run(job, **inputs)
        try:
            while True:
                wait = coroutine.send(None)
                if not isinstance(wait, Wait) or any(capsule.context.record is None for capsule in wait.capsules):
                    explanation.is_open = True
                    return
        except StopIteration:
            return
        except Exception as error:  # of the composite's own: so it would be if it ran
            explanation.reason += f"; then it raises {type(error).__name__}: {error}"
        finally:
            coroutine.close()

    @staticmethod
    def _said(context: Context, verdict: Verdict, reason: str) -> Explanation:
        return Explanation(context.path, context.config, context.key, verdict, reason)


class _DryJob:
    """Looks like a job to a composite, and runs nothing."""

    def __init__(self, explorer: _Explorer, task: Task, explanation: Explanation) -> None:
        self._explorer = explorer
        self._task = task
        self._explanation = explanation
        self._capsules: list[Capsule] = []

    @property
    def seed(self) -> Seed | None:
        return self._task.owner.seed

    def request(self, config: Machine, /, **options: Any) -> Capsule:
        from intemi.kernel.repository.commentators import check_commentators

        name = options.pop("name", None)
        branch = tuple(options.pop("branch", ()))
        check_commentators(options.pop("commentators", ()))
        for option in ("comments", "priority", "limits"):
            options.pop(option, None)
        context, explanation = self._explorer.explore(config, options, self._task, branch, name)
        self._explanation.children.append(explanation)
        capsule = self._explorer._line.capsule(context)
        self._capsules.append(capsule)
        return capsule

    def step(self, config: Machine, /, **options: Any) -> Capsule:
        return self.request(config, **options)

    def all(self, *capsules: Capsule) -> Wait:
        return Wait(capsules)

    def settled(self, *capsules: Capsule, timeout: float | None = None) -> Wait:
        return Wait(capsules, raises=False, timeout=timeout)

    workers = 1
    ends_early = False

    def report(self, progress: Any) -> None:
        pass

    def query(self, query: Query, capsule: Capsule) -> Series:
        repository = self._explorer._line.repository
        assert repository is not None
        return repository.ask(query, capsule.context)

    def any(self, *capsules: Capsule, timeout: float | None = None, ends_early: bool = False) -> Wait:
        return Wait(capsules, first=True, raises=False, timeout=timeout, ends_early=ends_early)

    def children(self) -> list[Capsule]:
        return list(self._capsules)

    def is_on_record(self, config: Machine, /, **bindings: Any) -> bool:
        return self._explorer.judge(config, bindings, self._task, (), None)[1].verdict is Verdict.REUSE

    def output_of(self, machine: bytes, output: Output, index: int = SINGLE) -> Source:
        return finished_output(self._explorer._line, self._task.owner, machine, output, index)

    def load(self, source: Source) -> Any:
        return self._explorer._line.values.load_source(source)


def _providers(context: Context) -> Iterable[Context]:
    return (source.context for bound in context.sources.values() for source in bound)


def _made_by(record: Record) -> str:
    """The version that made what would be reused; records of older versions do not say."""
    return "" if record.version is None else f", made by intemi {record.version}"
