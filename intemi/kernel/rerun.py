"""Running a machine again whose branch is not on record any more, from what its own record says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intemi.kernel.context import Context, Source, State
from intemi.kernel.decoding import decode
from intemi.kernel.errors import IncompleteError
from intemi.kernel.machine import Machine

if TYPE_CHECKING:
    from intemi.kernel.line import AssemblyLine


def run_again(line: AssemblyLine, context: Context) -> Context:
    """Request the machine of a finished context once more, and wait; what is on record below it is reused."""
    record = context.record
    assert record is not None
    bindings: dict[str, Any] = {}
    for name, (multi, origins) in record.inputs.items():
        sources = [_source(line, context, *origin) for origin in origins]
        bindings[name] = sources if multi else sources[0]
    capsule = line.request(
        context.config, bindings, name=context.name, comments=context.comments, seed=record.seed, is_noted=False
    )
    again = capsule.wait().context
    again.parent = context.parent  # it takes its place
    return again


def _source(line: AssemblyLine, context: Context, machine: bytes, output: str, index: int) -> Source:
    record = line.unifier.record_of(machine)
    if record is None:
        raise IncompleteError(
            f"{context.path}: what was on record below it is damaged or gone, and so is an input; request it again"
        )
    config: Machine = decode(record.config)
    provider = Context(config, {}, record.seed, machine, None, record.kind)
    provider.record, provider.state = record, State.FINISHED
    return Source(provider, config.outputs[output], index)
