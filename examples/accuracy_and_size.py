"""How large should a tree be?

Trees of growing depth, and a pruned one. All of them share the folds, and the pruned tree finds its
own size.
"""

from intemi import Project
from intemi.analysis.plots import accuracy_against_size
from intemi.experiments import Experiment, run
from intemi.machines import CART, CVDistributor, DecisionTree, SklearnDataset
from intemi.machines.trees import MaxDepth

experiment = Experiment(
    name="sizes",
    data={"breast cancer": SklearnDataset("breast_cancer"), "wine": SklearnDataset("wine")},
    learners={f"depth {d}": DecisionTree(stop=MaxDepth(d)) for d in (2, 3, 4, 6, 9)} | {"pruned": CART()},
    distributor=CVDistributor(folds=5),
    measures=("Accuracy", "Leaves"),
)
outcome = run(experiment, Project())
print(outcome.compare("Leaves"))
accuracy_against_size(outcome.series("Accuracy", "Leaves")).savefig("accuracy_and_size.svg")
