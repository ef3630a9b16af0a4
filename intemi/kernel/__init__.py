"""The kernel: what a machine is and how it gets run. It knows nothing of data mining.

A request travels through these files in this order: `machine` and `component` (what is asked for), `bindings` (where
its inputs come from), `line` (the assembly line), `unifier` (is there one already?), `spooler` (what is next?),
`managers` (who runs it), `values` and `store` (what it leaves), `capsule` (how the caller sees it).
"""

from intemi.kernel.capsule import Capsule
from intemi.kernel.component import Component, from_plain
from intemi.kernel.context import Source, State
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
from intemi.kernel.managers import TaskManager, Threads
from intemi.kernel.parameters import parameter
from intemi.kernel.ports import Input, MultiInput, MultiOutput, Output
from intemi.kernel.project import Project
from intemi.kernel.repository import (
    At,
    Comment,
    Commentator,
    Fixed,
    Named,
    Objective,
    OfType,
    OnPath,
    Parameter,
    Parameters,
    Provides,
    Query,
    Result,
    Run,
)
from intemi.kernel.seeds import Seed
from intemi.kernel.unifier import Failures

__all__ = [
    "At",
    "BindingError",
    "Capsule",
    "Comment",
    "Commentator",
    "Component",
    "ConfigurationError",
    "Counts",
    "EncodingError",
    "Event",
    "EventKind",
    "Failures",
    "Fixed",
    "InfeasibleError",
    "Input",
    "IntemiError",
    "LimitExceeded",
    "Limits",
    "Machine",
    "MachineAborted",
    "MachineError",
    "MachineFailed",
    "Model",
    "MultiInput",
    "MultiOutput",
    "Named",
    "Objective",
    "OfType",
    "OnPath",
    "Output",
    "Parameter",
    "Parameters",
    "Project",
    "Provides",
    "Query",
    "Result",
    "Run",
    "Seed",
    "Source",
    "State",
    "StoreWarning",
    "TaskManager",
    "Threads",
    "content_digest",
    "from_plain",
    "parameter",
    "storable",
]
