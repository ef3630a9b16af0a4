"""The kernel: what a machine is and how it gets run. It knows nothing of data mining.

A request travels through these files in this order:

1. Declared. `component` and `machine` are what is asked for; `parameters`, `ports`, `seeds` and `limits` are what they
   are declared with. `annotations` reads the types of a class, `registry` names it, `source` digests its code and
   `shipped` that of the package, `adoption` knows objects of other libraries that stand for machines, `encoding` turns
   its values into bytes, and `decoding` back. `differences` lists in what two configurations differ.
2. Requested. `project` takes the request, `engine` puts the parts together that serve it, and `request` checks, binds
   and identifies it.
3. Scheduled. `task` has contexts and tasks with their states, and `scheduler` everything in flight: what waits for
   inputs, what is equal, what is next. `lineage` examines how inputs came about, `privacy` whether that counts.
4. Run. `execution` carries out what the scheduler decides and takes a task from its turn to its record; `workers` are
   the task managers, and `composite` is what a composite machine sees.
5. Kept. `values` are what it leaves: under `protection`, in `memory` (large arrays in `shared_memory`) and in a
   `store`, which may be a folder on `disk`, kept in order by `upkeep`. A `block` is many results as one value. A
   `record` describes a finished machine, `records` finds it, `entries` are what is on record beside machines.
   `model_files` take one model out of the project.
6. Reported. `events` report it, a `capsule` shows it, `explain` predicts what would be run, a `notebook` shows them as
   HTML, and the `repository` answers queries about everything that was ever run.

All of them use `errors`, and some `forks`, `plain_files`, `unpacking`, `libraries`, `linear_algebra` and
`registered`.
"""

from intemi.kernel import notebook, shipped  # noqa: F401 - what they register
from intemi.kernel.block import Block
from intemi.kernel.capsule import Capsule
from intemi.kernel.component import Component, from_plain
from intemi.kernel.composite import Job
from intemi.kernel.differences import Difference, diff
from intemi.kernel.encoding import content_digest, storable
from intemi.kernel.errors import (
    BindingError,
    ChanceWarning,
    ConfigurationError,
    EncodingError,
    InfeasibleError,
    IntemiError,
    LimitExceeded,
    MachineAborted,
    MachineError,
    MachineFailed,
    MemoryExceeded,
    StoreWarning,
)
from intemi.kernel.events import Counts, Event, EventKind
from intemi.kernel.limits import Limits
from intemi.kernel.machine import Machine, Model
from intemi.kernel.parameters import parameter
from intemi.kernel.ports import Input, MultiInput, MultiOutput, Output
from intemi.kernel.project import Project
from intemi.kernel.records import Failures
from intemi.kernel.repository import Commentator
from intemi.kernel.seeds import Seed
from intemi.kernel.task import Source, State
from intemi.kernel.workers.threads import Threads

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
    "Block",
    "Input",
    "Output",
    "MultiInput",
    "MultiOutput",
    "parameter",
    "Component",
    "Commentator",
    "Job",
    "Seed",
    # To compare
    "diff",
    "Difference",
    # To keep
    "storable",
    "content_digest",
    "from_plain",
    # Workers
    "Threads",
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
    "MemoryExceeded",
    "StoreWarning",
    "ChanceWarning",
]
