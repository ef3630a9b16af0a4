"""What would be run?

Before anything is run, `explain` knows what is on record: three folds are there (green), a second
repetition is not (white).
"""

from intemi import Project
from intemi.analysis.plots import machine_graph
from intemi.experiments import Experiment
from intemi.machines import C45, CVDistributor, SklearnDataset

experiment = Experiment(data={"iris": SklearnDataset("iris")}, learners={"C4.5": C45()}, distributor=CVDistributor(3))
machine = experiment.machine("C4.5")
with Project() as project:
    iris = project.run(SklearnDataset("iris"))
    project.run(machine, data=iris.data)
    explained = project.explain(machine.replace("repetitions", 2), data=iris.data)
    print(explained)
    machine_graph(explained).savefig("what_would_be_run.svg")
