"""How many members?

Bagged trees of growing size. A committee of ten has the five members of the smaller one: sharing is
automatic.
"""

from intemi import Project
from intemi.analysis.plots import accuracies
from intemi.experiments import Experiment, run
from intemi.machines import Bagging, CVDistributor, DecisionTree, SklearnDataset

learners = {f"{size} trees": Bagging(DecisionTree(), size=size) for size in (2, 5, 10, 20)}
experiment = Experiment(
    name="committees",
    data={"wine": SklearnDataset("wine"), "iris": SklearnDataset("iris")},
    learners=learners,
    distributor=CVDistributor(folds=5),
)
project = Project()
outcome = run(experiment, project)
counts = project.counts()
print(counts.logical["DecisionTree"], "trees requested,", counts.physical["DecisionTree"], "grown")
accuracies(outcome.series("Accuracy")).savefig("committees.svg")
