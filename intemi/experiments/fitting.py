"""One learner of an experiment on all rows of one of its data sets: the model to be used, once it was tested."""

from __future__ import annotations

from intemi.experiments.errors import chosen
from intemi.experiments.experiment import Experiment
from intemi.experiments.running import request_data
from intemi.kernel.capsule import Capsule
from intemi.kernel.project import Project


def fit(experiment: Experiment, project: Project, learner: str | None = None, data: str | None = None) -> Capsule:
    """Train a learner on all rows of a data set, or find it trained; names can be left out where there is one only.

    Random choices follow the seed of the experiment. `project.save` writes what comes out into a file.

    >>> from intemi.machines import Majority, SklearnDataset
    >>> plain = Experiment(data={"iris": SklearnDataset("iris")}, learners={"majority": Majority()})
    >>> with Project() as project:
    ...     fit(plain, project, "majority").outputs["classifier"].labels
    ('setosa', 'versicolor', 'virginica')
    """
    learner = chosen("fit", "learner", learner, experiment.learners)
    data = chosen("fit", "data set", data, experiment.data)
    machine = experiment.learners[learner]
    if machine.is_random and machine.seed is None:
        machine = machine.replace("seed", experiment.seed)
    loaded, rows = request_data(experiment, project, data)
    loaded.wait()
    return project.run(machine, data=rows, name=f"{learner} fitted to {data}")
