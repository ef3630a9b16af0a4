"""The stopper: aborting requests, and the limits that abort them. Every method but `abort` is called under the lock.

What is ended is a request. Its machine is ended only if no other request waits for it: otherwise the next context in
line takes over, at whatever point the machine is.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from time import monotonic, time
from typing import TYPE_CHECKING

from intemi.kernel.context import Context, State, Task
from intemi.kernel.errors import ConfigurationError, LimitExceeded, MachineAborted, MemoryExceeded
from intemi.kernel.limits import Limits

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine


class Stopper:
    """Ends requests on behalf of an assembly line."""

    def __init__(self, line: AssemblyLine) -> None:
        self._line = line

    def abort(self, context: Context, error: MachineAborted | None = None) -> None:
        """End a request that is not done."""
        self._line.refuse_fork()
        with self._line.step():
            self._abort(context, error or MachineAborted(f"{context.path} was aborted", context.path, context.key))

    def _abort(self, context: Context, error: MachineAborted) -> None:
        task = context.task
        if task is None:
            return
        task.contexts.remove(context)
        self._line.settle(context, None, error)
        if not task.contexts:
            self._cancel(task)
        elif task.owner is context:
            task.owner = task.contexts[0]
            for child in task.children:
                child.parent = task.owner
            if task.state is State.WAITING:  # what the old owner waited for may be aborted with it
                self._line.guard.admit(task)

    def _cancel(self, task: Task) -> None:
        """No request waits for this task any more."""
        if task.state is State.RUNNING and not task.is_composite:
            if task.manager is not None:
                task.manager.end(task)
            return  # it stays known until it has really ended, so that the machine is not run twice at once
        if task.state is State.RUNNING:
            for child in task.children:
                self._abort(child, MachineAborted(f"{task.owner.path} was aborted", child.path, child.key))
            self._line.resume(task)
        self._line.watcher.discard(task)
        self.give_up(task)

    def give_up(self, task: Task) -> None:
        """Forget a task that came to nothing."""
        self._line.unifier.drop(task)
        self.release_claim(task)
        self._line.release_inputs(task)
        task.state = State.ABORTED

    def release_claim(self, task: Task) -> None:
        """Let others run the machine that was not finished here; a task that came after this one inherits the claim."""
        if task.claimed:
            task.claimed = False
            heir = self._line.unifier.task_of(task.machine)
            if heir is None or heir is task:
                self._line.unifier.store.release(task.machine)
            else:
                heir.claimed = True

    def accept_limits(self, context: Context) -> None:
        """Refuse limits that no task manager could enforce, and set the clock of a deadline."""
        limits = context.limits
        if not isinstance(limits, Limits):
            raise ConfigurationError(f"{context.path}: limits must be a Limits, such as Limits(wall=60)")
        if limits.memory is not None and not self.can_isolate:
            raise ConfigurationError(
                f"{context.path}: limits on memory need a process manager; "
                "subscribe one with project.subscribe(intemi.Processes())"
            )
        if limits.deadline is not None:
            self._line.timers.after(max(0.0, limits.deadline - time()), partial(self._deadline_has_come, context))

    @property
    def can_isolate(self) -> bool:
        """Whether there is a task manager that can end what it runs."""
        return any(manager.isolates for manager in self._line.managers)

    def _deadline_has_come(self, context: Context) -> None:
        self.abort(context, LimitExceeded(f"{context.path} was not done by its deadline", context.path, context.key))

    def arm(self, context: Context, task: Task) -> None:
        """Start the clock of a context with a limit on wall time: with the run, or when it joins one."""
        limits = context.limits
        if limits is not None and limits.wall is not None:
            context.deadline = monotonic() + limits.wall
            self._line.timers.after(limits.wall, partial(self._time_is_up, context))

    def _time_is_up(self, context: Context) -> None:
        limits = context.limits
        assert limits is not None
        if monotonic() >= context.deadline:  # else it was started anew in the meantime
            self.abort(context, _exceeded(context, f"{limits.wall:g} s of wall time"))

    def check_usage(self, task: Task, cpu: float, memory: int) -> None:
        """Abort the contexts, of a running leaf and of all machines above it, whose limits it has exceeded."""
        with self._line.step():
            task.cpu = max(cpu, task.cpu)  # it may have ended meanwhile
            if memory:
                task.memory = max(memory, task.memory or 0)
            self._check(task, memory)
            self.charge([task], memory)

    def charge(self, tasks: Iterable[Task], memory: int = 0) -> None:
        """Add what leaves have used since the last time to everything above them, as far as limits there allow."""
        parents: list[Context | None] = []
        above: list[Task] = []
        for task in tasks:
            if task.is_composite:
                continue
            spent, task.charged = task.cpu - task.charged, task.cpu
            its_parents = [context.parent for context in task.contexts]
            if parents != its_parents:  # siblings have the same above them
                parents, above = its_parents, tasks_above(task)
            for each in above:
                each.cpu += spent
            if self._line.has_limits:
                for each in above:
                    self._check(each, memory)

    def _check(self, task: Task, memory: int) -> None:
        for context in list(task.contexts):
            error = _over(context, task.cpu, memory)
            if error is not None:
                self._abort(context, error)


def has_usage_limits(task: Task) -> bool:
    """Whether those who asked for a task, or for what is above it, limit what it uses while it runs."""
    asked = (context for each in (task, *tasks_above(task)) for context in each.contexts)
    return any(context.limits is not None and context.limits.on_usage for context in asked)


def tasks_above(task: Task) -> list[Task]:
    """The composites that have asked for a task, with those that have asked for them, each once."""
    found: dict[Task, None] = {}
    while len(task.contexts) == 1:  # no other request has asked for it: it is mostly so, all the way up
        parent = task.contexts[0].parent
        if parent is None or parent.task is None:
            return list(found)
        task = parent.task
        found[task] = None
    pending = [task]
    while pending:
        for context in pending.pop().contexts:
            above = None if context.parent is None else context.parent.task
            if above is not None and above not in found:
                found[above] = None
                pending.append(above)
    return list(found)


def _over(context: Context, cpu: float, memory: int) -> LimitExceeded | None:
    limits = context.limits
    if limits is None:
        return None
    if limits.cpu is not None and cpu > limits.cpu:
        return _exceeded(context, f"{limits.cpu:g} s of CPU time")
    if limits.memory is not None and memory > limits.memory:
        return _exceeded(context, f"{limits.memory:,} bytes of memory", MemoryExceeded)
    return None


def _exceeded(context: Context, limit: str, kind: type[LimitExceeded] = LimitExceeded) -> LimitExceeded:
    return kind(f"{context.path} exceeded its limit of {limit}", context.path, context.key)
