"""What a composite machine sees while it runs: a job to request children with, and ways to wait for them.

The kernel drives the coroutine itself. A wait is a value that the coroutine yields; it occupies no thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from intemi.kernel.capsule import Capsule
from intemi.kernel.errors import NoSuchMachine
from intemi.kernel.limits import Limits
from intemi.kernel.machine import Machine
from intemi.kernel.ports import Output
from intemi.kernel.record import SINGLE, Record
from intemi.kernel.repository.commentators import Commentator
from intemi.kernel.repository.query import Query
from intemi.kernel.request import Request
from intemi.kernel.seeds import Seed
from intemi.kernel.task import Context, Source, Task, Wait
from intemi.series import Series


class Engine(Protocol):
    """What a job needs of the engine."""

    @property
    def workers(self) -> int: ...
    def request(self, request: Request, commentators: Sequence[Commentator] = ()) -> Capsule: ...
    def capsule(self, context: Context) -> Capsule: ...
    def is_on_record(self, request: Request) -> bool: ...
    def query(self, query: Query, context: Context) -> Series: ...
    def record_of(self, machine: bytes) -> Record | None: ...
    def load(self, source: Source) -> Any: ...


async def run_composite(task: Task, job: Job, inputs: Mapping[str, Any]) -> Any:
    """Run a composite to its end: it is not finished before all its children are, awaited by itself or not."""
    try:
        model = await task.config.run(job, **inputs)
    except Exception:
        await Wait(task.children, raises=False)
        raise
    overlooked = [child for child in task.children if not child.awaited]
    await Wait(task.children, raises=False)  # also those that lost a race
    for context in overlooked:
        if context.error is not None:
            raise context.error
    return model


class Job:
    """A composite's access to the engine while it runs."""

    def __init__(self, engine: Engine, task: Task) -> None:
        self._engine = engine
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

        Commentators label, once it is done, whatever has finished under it; the composite need not wait for them.
        """
        request = Request(config, bindings, self._task, name, tuple(branch), comments, priority, limits)
        return self._engine.request(request, commentators)

    def step(self, config: Machine, /, *, name: str | None = None, **bindings: Any) -> Capsule:
        """Request a leaf that is a step of this machine's own process: it is not counted as a machine beside it."""
        return self._engine.request(Request(config, bindings, self._task, name, is_step=True))

    def all(self, *capsules: Capsule) -> Wait:
        """Await all of them; if some failed, the first of these (in the order given) is raised when all are done."""
        return _wait(capsules)

    def settled(self, *capsules: Capsule, timeout: float | None = None) -> Wait:
        """Await all of them, failed or not, or the end of the time; the caller has to inspect their errors."""
        return _wait(capsules, raises=False, timeout=timeout)

    def any(self, *capsules: Capsule, timeout: float | None = None, ends_early: bool = False) -> Wait:
        """Await the first of them, or the end of the time; returns those that are done, failed or not.

        With `ends_early` it is over, too, when this composite is asked to end early.
        """
        return _wait(capsules, first=True, raises=False, timeout=timeout, ends_early=ends_early)

    @property
    def workers(self) -> int:
        """How many leaves can run at once."""
        return self._engine.workers

    @property
    def ends_early(self) -> bool:
        """Whether the caller has asked for an early end (`capsule.end_early()`), with whatever is finished."""
        return self._task.ends_early

    def report(self, progress: Any) -> None:
        """Report how far it is, in a value that does not change; the caller sees it as `capsule.progress`."""
        self._task.progress = progress

    def children(self) -> list[Capsule]:
        """Everything requested so far."""
        return [self._engine.capsule(child) for child in self._task.children]

    def query(self, query: Query, capsule: Capsule) -> Series:
        """What a query finds under a child that is done."""
        return self._engine.query(query, capsule.context)

    def is_on_record(self, config: Machine, /, **bindings: Any) -> bool:
        """Whether a request would be answered at once."""
        return self._engine.is_on_record(Request(config, bindings, self._task))

    def output_of(self, machine: bytes, output: Output, index: int = SINGLE) -> Source:
        """An output, or an item of one, of a machine that has finished, by the machine's id."""
        owner = self._task.owner
        record = self._engine.record_of(machine)
        if record is None or output.name not in record.outputs:
            raise NoSuchMachine(
                f"{owner.path} ({owner.config.kind}) is bound to the output {output} of a machine outside, "
                f"which is not on record here (its id is {machine.hex()}); run {owner.config.kind} where that machine "
                "was run, or run that machine here first",
                owner.path,
                owner.key,
            )
        return Source(Context.found(record), output, index)

    def load(self, source: Source) -> Any:
        """The value of an input, or of an output of a child that is done."""
        return self._engine.load(source)


def _wait(capsules: Sequence[Capsule], **options: Any) -> Wait:
    return Wait([capsule.context for capsule in capsules], capsules, **options)
