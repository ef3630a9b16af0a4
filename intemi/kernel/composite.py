"""What a composite machine sees while it runs: a job to request children with, and ways to wait for them.

The kernel drives the coroutine itself. A wait is a value that the coroutine yields; it occupies no thread.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intemi.kernel.context import Context, Source, Task
from intemi.kernel.errors import NoSuchMachine
from intemi.kernel.record import SINGLE

if TYPE_CHECKING:
    from intemi.kernel.capsule import Capsule
    from intemi.kernel.limits import Limits
    from intemi.kernel.line import AssemblyLine
    from intemi.kernel.machine import Machine
    from intemi.kernel.ports import Output
    from intemi.kernel.repository.commentators import Commentator
    from intemi.kernel.repository.query import Query
    from intemi.kernel.seeds import Seed
    from intemi.series import Series


class Wait:
    """Something to await: all of some capsules, or any of them."""

    __slots__ = ("capsules", "contexts", "ends_early", "first", "is_over", "pending", "raises", "timeout", "wake")

    def __init__(
        self,
        capsules: Iterable[Capsule],
        first: bool = False,
        raises: bool = True,
        timeout: float | None = None,
        ends_early: bool = False,
    ) -> None:
        self.capsules = tuple(capsules)
        self.contexts: Sequence[Context] = [capsule.context for capsule in self.capsules]
        self.first = first
        self.raises = raises
        self.timeout = timeout
        self.ends_early = ends_early
        """Whether it is over when the composite is asked to end early."""
        self.pending = 0
        self.is_over = False
        self.wake: Callable[[], None] | None = None

    def __await__(self) -> Generator[Wait, None, list[Capsule]]:
        for context in self.contexts:
            context.awaited = True
        yield self
        done = [capsule for capsule in self.capsules if capsule.context.is_done]
        if self.raises:
            # The first in order of request, whichever failed first by the clock: the same error on every run.
            for context in self.contexts:
                if context.error is not None:
                    raise context.error
        return done

    def arm(self, wake: Callable[[], None]) -> bool:
        """Begin to wait, to call `wake` at the end; False if there is nothing to wait for. Under the line's lock."""
        unfinished = [context for context in self.contexts if not context.is_done]
        if not unfinished or (self.first and len(unfinished) < len(self.contexts)):
            self.is_over = True
            return False
        self.is_over = False
        self.wake = wake
        self.pending = 1 if self.first else len(unfinished)
        for context in unfinished:
            if context.observers is None:
                context.observers = []
            context.observers.append(self)
        return True

    def count(self) -> None:
        """One more capsule is done."""
        self.pending -= 1
        if not self.pending:
            self.end()

    def end(self) -> None:
        """Nothing more to wait for, or no more time."""
        if not self.is_over:
            self.is_over = True
            assert self.wake is not None
            self.wake()


class End(Wait):
    """The wait of a composite for all of its children, also for those that lost a race."""

    __slots__ = ()

    def __init__(self, children: Sequence[Context]) -> None:
        super().__init__((), raises=False)
        self.contexts = children


async def run_composite(task: Task, job: Job, inputs: Mapping[str, Any]) -> Any:
    """Run a composite to its end: it is not finished before all its children are, awaited by itself or not."""
    try:
        model = await task.config.run(job, **inputs)
    except Exception:
        await End(task.children)
        raise
    overlooked = [child for child in task.children if not child.awaited]
    await End(task.children)
    for context in overlooked:
        if context.error is not None:
            raise context.error
    return model


class Job:
    """A composite's hold on the engine while it runs."""

    def __init__(self, line: AssemblyLine, task: Task) -> None:
        self._line = line
        self._task = task

    @property
    def seed(self) -> Seed | None:
        """The seed of this composite, if it is random."""
        return self._task.owner.seed

    def request(
        self,
        config: Machine,
        /,
        *,
        name: str | None = None,
        branch: Iterable[int] = (),
        comments: Mapping[str, Any] | None = None,
        priority: int = 0,
        limits: Limits | None = None,
        commentators: Sequence[Commentator] = (),
        **bindings: Any,
    ) -> Capsule:
        """Request a child. `branch` says which repetition it is, so that its random choices are its own.

        Commentators speak, once it is done, of whatever has finished under it; the composite need not wait for them.
        """
        if not commentators:
            return self._line.request(config, bindings, self._task, name, tuple(branch), comments, priority, limits)
        from intemi.kernel.repository.commentators import check_commentators

        check_commentators(commentators)
        capsule = self._line.request(config, bindings, self._task, name, tuple(branch), comments, priority, limits)
        self._line.attached.attach(capsule, commentators)
        return capsule

    def step(self, config: Machine, /, *, name: str | None = None, **bindings: Any) -> Capsule:
        """Request a leaf that is a step of this machine's own process: it is not counted as a machine beside it."""
        return self._line.request(config, bindings, parent=self._task, name=name, is_step=True)

    def all(self, *capsules: Capsule) -> Wait:
        """Await all of them; if some failed, the first of these (in the order given) is raised when all are done."""
        return Wait(capsules)

    def settled(self, *capsules: Capsule, timeout: float | None = None) -> Wait:
        """Await all of them, failed or not, or the end of the time; the caller has to look at their errors."""
        return Wait(capsules, raises=False, timeout=timeout)

    def any(self, *capsules: Capsule, timeout: float | None = None, ends_early: bool = False) -> Wait:
        """Await the first of them, or the end of the time; answers with those that are done, failed or not.

        With `ends_early` it is over, too, when this composite is asked to end early.
        """
        return Wait(capsules, first=True, raises=False, timeout=timeout, ends_early=ends_early)

    @property
    def workers(self) -> int:
        """How many leaves can run at once."""
        return max(1, sum(manager.workers for manager in self._line.managers))

    @property
    def ends_early(self) -> bool:
        """Whether the caller has asked for an early end (`capsule.end_early()`), with whatever there is."""
        return self._task.ends_early

    def report(self, progress: Any) -> None:
        """Say how far it is, in a value that does not change; the caller sees it as `capsule.progress`."""
        self._task.progress = progress

    def children(self) -> list[Capsule]:
        """Everything requested so far."""
        return [self._line.capsule(child) for child in self._task.children]

    def query(self, query: Query, capsule: Capsule) -> Series:
        """What a query finds under a child that is done."""
        assert self._line.repository is not None
        return self._line.repository.ask(query, capsule.context)

    def is_on_record(self, config: Machine, /, **bindings: Any) -> bool:
        """Whether a request would be answered at once."""
        from intemi.kernel.explain import is_on_record

        return is_on_record(self._line, config, bindings, self._task)

    def output_of(self, machine: bytes, output: Output, index: int = SINGLE) -> Source:
        """An output, or an item of one, of a machine that has finished, by the machine's id."""
        return finished_output(self._line, self._task.owner, machine, output, index)

    def load(self, source: Source) -> Any:
        """The value of an input, or of an output of a child that is done."""
        return self._line.values.load_source(source)


def finished_output(line: AssemblyLine, owner: Context, machine: bytes, output: Output, index: int) -> Source:
    """An output, or an item of one, of a machine that has finished, for the composite that asks for it."""
    record = line.unifier.record_of(machine)
    if record is None or output.name not in record.outputs:
        raise NoSuchMachine(
            f"{owner.path} ({owner.config.kind}) is bound to the output {output} of a machine outside, "
            f"which is not on record here (its id is {machine.hex()}); run {owner.config.kind} where that machine was "
            "run, or run that machine here first",
            owner.path,
            owner.key,
        )
    return Source(Context.found(record), output, index)
