"""ROC curves

From the predictions of all folds; the areas are the means that the table has. Models on record
answer, nothing is trained.
"""

from intemi import Project
from intemi.analysis.plots import roc
from intemi.experiments import Experiment, run
from intemi.machines import C45, KNN, CVDistributor, NaiveBayes, SklearnDataset

experiment = Experiment(
    name="roc",
    data={"breast cancer": SklearnDataset("breast_cancer")},
    learners={"bayes": NaiveBayes(), "C4.5": C45(), "1 neighbour": KNN(k=1), "15 neighbours": KNN(k=15)},
    distributor=CVDistributor(folds=5),
)
outcome = run(experiment, Project())
answers = outcome.predictions()
print(len(answers), "answers,", answers.labels)
roc(answers, label="malignant").savefig("roc_curves.svg")
