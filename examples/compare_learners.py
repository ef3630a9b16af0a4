"""Compare learners

Four learners on three data sets: the same folds for all of them, means, deviations, every fold, and
a paragraph that says what was found. Run it again with a folder, `Project("four")`, and nothing is
trained twice.
"""

from intemi import Project
from intemi.analysis.plots import accuracies
from intemi.experiments import Experiment, run
from intemi.machines import C45, KNN, CVDistributor, Majority, NaiveBayes, SklearnDataset

experiment = Experiment(
    name="four learners",
    data={name: SklearnDataset(name) for name in ("iris", "wine", "breast_cancer")},
    learners={"bayes": NaiveBayes(), "C4.5": C45(), "5 neighbours": KNN(k=5), "majority": Majority()},
    distributor=CVDistributor(folds=10),
)
outcome = run(experiment, Project())
print(outcome.compare().findings)
accuracies(outcome.series("Accuracy")).savefig("compare_learners.svg")
