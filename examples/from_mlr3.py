"""From mlr3

`benchmark_grid(tasks, learners, resamplings)` is an `Experiment`, `benchmark()` is `run`,
`bmr$aggregate()` is `compare`, and `autoplot(bmr)` is a picture. Estimators of scikit-learn stand
beside our own.
"""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from intemi import Project
from intemi.analysis.plots import accuracies
from intemi.experiments import Experiment, run
from intemi.machines import CVDistributor, Majority, RPart, SklearnDataset

design = Experiment(
    name="benchmark",
    data={"iris": SklearnDataset("iris"), "wine": SklearnDataset("wine")},  # tsks(c("iris", "wine"))
    learners={
        "classif.rpart": RPart(),  # lrn("classif.rpart"), with the defaults of R's rpart
        "classif.featureless": Majority(),
        "classif.multinom": make_pipeline(StandardScaler(), LogisticRegression()),
    },
    distributor=CVDistributor(folds=3),  # rsmp("cv", folds = 3)
    measures=("Accuracy", "AUC"),  # msrs(c("classif.acc", "classif.mauc_aunu"))
)
bmr = run(design, Project())
print(bmr)
accuracies(bmr.series("AUC")).savefig("from_mlr3.svg")
