"""The guard: tasks wait here until the machines behind their inputs have finished.

Nothing polls: when a context is settled, the guard is notified for each task that waits for it. Every method but
`get_ready` is called under the line's lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intemi.kernel.context import FINISHED, Context, Inputs, Task
from intemi.kernel.errors import MachineAborted
from intemi.kernel.finishing import failure_of
from intemi.kernel.lineage import Lineage

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine


class Guard:
    """Lets tasks pass whose inputs are there, on behalf of an assembly line."""

    def __init__(self, line: AssemblyLine) -> None:
        self._line = line
        self._values = line.values
        self._by_content = line.unifier.level == 2
        self._lineage = Lineage(line)

    def get_ready(self, context: Context) -> None:
        """Have the contents of inputs that are there digested before the lock is taken."""
        try:
            context.inputs = self._resolved(context)
            if context.inputs is None:
                for bound in context.sources.values():
                    for source in bound:
                        if source.context.state is FINISHED:
                            self._values.register(source.items())
                            self._lineage.is_certain(source.context)
        except Exception:
            return  # what is lost and cannot be made again, or is refused, is met once more in `admit`

    def _resolved(self, context: Context) -> Inputs | None:
        """Where the values of all inputs are, with their contents digested if machines are known by them."""
        inputs = context.resolved()
        if inputs and self._by_content:
            for _, items in inputs.values():
                for item in items:
                    if item.content is None:
                        self._values.register((item,))
        if inputs:
            self._lineage.look_at(context)
        return inputs

    def admit(self, task: Task) -> None:
        """Let a task wait for inputs that are not ready; an owner with an aborted input makes way for the next one."""
        line = self._line
        try:
            inputs = task.owner.inputs or self._resolved(task.owner)
        except Exception as refused:  # or an input is lost, and cannot be made again
            line.end(task, None, failure_of(task, refused).error())
            return
        if inputs is not None:
            line.resolve(task, inputs)
            return
        while (error := task.owner.aborted_input()) is not None:
            task.contexts.remove(task.owner)
            line.settle(task.owner, None, error)
            if not task.contexts:
                line.stopper.give_up(task)
                return
            task.owner = task.contexts[0]
        sources = task.owner.sources
        if sources:
            task.missing = {s.context for bound in sources.values() for s in bound if not s.context.is_done}
        for provider in task.missing:
            if provider.dependants is None:
                provider.dependants = {}
            provider.dependants[task] = None  # once, also if it was an input of a former owner
        if not task.missing:
            self._admit_settled(task)

    def provider_is_done(self, provider: Context, task: Task) -> None:
        """A context is done that was an input of a task which waits."""
        if provider not in task.missing:
            return  # it was an input of a former owner
        if isinstance(provider.error, MachineAborted):
            self.admit(task)
            return
        task.missing.discard(provider)
        if not task.missing:
            self._admit_settled(task)

    def _admit_settled(self, task: Task) -> None:
        # The first failure in order of the ports, whichever came first by the clock: the same error on every run.
        for bound in task.owner.sources.values():
            for source in bound:
                if source.context.error is not None:
                    self._line.end(task, None, source.context.error)
                    return
        self.admit(task)
