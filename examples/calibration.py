"""Can probabilities be trusted?

On the diagonal, a learner that says 0.8 is right in 8 of 10 cases. Naive Bayes is too sure of
itself; Platt's scaling, from scikit-learn, mends it.
"""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.naive_bayes import GaussianNB

from intemi import Project
from intemi.analysis.plots import calibration
from intemi.experiments import Experiment, run
from intemi.machines import CVDistributor, NaiveBayes, SklearnDataset

experiment = Experiment(
    name="calibration",
    data={"breast cancer": SklearnDataset("breast_cancer")},
    learners={"bayes": NaiveBayes(), "bayes, scaled": CalibratedClassifierCV(GaussianNB(), cv=3)},
    distributor=CVDistributor(folds=5),
    measures=("Log loss", "Calibration error"),
)
outcome = run(experiment, Project())
print(outcome.compare().findings)
calibration(outcome.predictions(), bins=8).savefig("calibration.svg")
