"""Intemi: declare machines and how their ports connect; the engine never computes the same thing twice.

    from intemi import Project
    from intemi.data import Data
    from intemi.machines import CVDistributor, ClassificationTest, NaiveBayes, Repeater, Scheme, SklearnDataset

    test = Scheme(training=Data, test=Data)
    bayes = test.add(NaiveBayes(), data=test.training)
    test.add(ClassificationTest(), data=test.test, classifier=bayes.classifier, name="test")
    cv = Repeater(distributor=CVDistributor(folds=10), test=test, seed=1)

    with Project("wine") as project:
        done = project.run(cv, data=project.request(SklearnDataset("wine")).data)
        print(project.query(done, path="test/test", labels="Accuracy").mean())

What is here, in the order in which it is best read:

    to learn      learn, Learned
    to run        Project, Capsule, Source, State, Limits, Failures, Counts, Event, EventKind
    to declare    Machine, Model, Block, Input, Output, MultiInput, MultiOutput, parameter, Component, Commentator, Job,
                  Seed
    to compare    diff, Difference
    to keep       storable, content_digest, from_plain, load_model
    workers       Threads, Processes
    errors        IntemiError and its family: ConfigurationError, BindingError, InfeasibleError, EncodingError,
                  MachineError, MachineFailed, MachineAborted, LimitExceeded, MemoryExceeded;
                  StoreWarning, ChanceWarning are warnings

What is elsewhere:

    intemi.query        the words of questions: Query, At, Named, OfType, Result, Comment, Parameter, ...
    intemi.data         tables of data, and the files that they are read from
    intemi.machines     schemes, distributors, transformations, learners, tests, searches
    intemi.machines.trees  what decision trees are made of
    intemi.series       what questions are answered with
    intemi.analysis     statistics, tests of hypotheses, plots
    intemi.experiments  experiments from files and from Python
    intemi.interop      machines as estimators of scikit-learn
    intemi.workers      task managers, and what to extend for one of your own
    intemi.dask         leaves on the workers of a cluster
    intemi.testing      what any machine, store or task manager must do
"""

from typing import TYPE_CHECKING, Any

from intemi import query as query
from intemi.kernel import shipped as _shipped
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

if TYPE_CHECKING:
    from intemi.experiments.learning import Learned, learn
    from intemi.kernel.workers.processes import Processes
    from intemi.machines.saved_models import load_model

__version__ = _shipped.VERSION

__all__ = [
    # To learn
    "learn",
    "Learned",
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
    "load_model",
    # Workers
    "Threads",
    "Processes",
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


def __getattr__(name: str) -> Any:
    if name == "load_model":  # so that the kernel can be used without all machines
        from intemi.machines.saved_models import load_model

        return load_model
    if name in ("learn", "Learned"):
        from intemi.experiments import learning

        return getattr(learning, name)
    if name == "Processes":  # loaded when it is needed: not every project has worker processes
        from intemi.kernel.workers.processes import Processes

        return Processes
    raise AttributeError(f"module 'intemi' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
