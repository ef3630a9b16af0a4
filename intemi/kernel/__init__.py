"""The kernel: what a machine is and how it gets run. It knows nothing of data mining.

A request travels through these files in this order: `machine` and `component` (what is asked for), `bindings` (where
its inputs come from), `line` (the assembly line), `unifier` (is there one already?), `spooler` (what is next?),
`managers` (who runs it), `values` and `store` (what it leaves), `capsule` (how the caller sees it).
"""

from intemi.kernel.capsule import Capsule
from intemi.kernel.component import Component, from_plain
from intemi.kernel.composite import Job
from intemi.kernel.context import Source, State, Task
from intemi.kernel.encoding import content_digest, storable
from intemi.kernel.errors import (
    BindingError,
    ConfigurationError,
    EncodingError,
    InfeasibleError,
    IntemiError,
    LimitExceeded,
    MachineAborted,
    MachineError,
    MachineFailed,
    StoreWarning,
)
from intemi.kernel.events import Counts, Event, EventKind
from intemi.kernel.limits import Limits
from intemi.kernel.machine import Machine, Model
from intemi.kernel.managers import Call, Stopped, TaskManager, Threads
from intemi.kernel.parameters import parameter
from intemi.kernel.ports import Input, MultiInput, MultiOutput, Output
from intemi.kernel.project import Project
from intemi.kernel.repository import Commentator
from intemi.kernel.seeds import Seed
from intemi.kernel.unifier import Failures

__all__ = [
    # To run
    "Project",
    "Capsule",
    "Source",
    "State",
    "Limits",
    "Failures",
    "Counts",
    "Event",
    "EventKind",
    # To declare
    "Machine",
    "Model",
    "Input",
    "Output",
    "MultiInput",
    "MultiOutput",
    "parameter",
    "Component",
    "Commentator",
    "Job",
    "Seed",
    # To keep
    "storable",
    "content_digest",
    "from_plain",
    # Workers
    "Threads",
    "TaskManager",
    "Call",
    "Task",
    "Stopped",
    # Errors
    "IntemiError",
    "ConfigurationError",
    "BindingError",
    "InfeasibleError",
    "EncodingError",
    "MachineError",
    "MachineFailed",
    "MachineAborted",
    "LimitExceeded",
    "StoreWarning",
]
