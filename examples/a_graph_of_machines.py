"""A graph of machines

Two learners share one standardization. Frames hold what they request, arrows lead from what a machine takes.
"""

from intemi import Project
from intemi.analysis.plots import machine_graph
from intemi.data import Data
from intemi.machines import (
    KNN,
    ClassificationTest,
    CVDistributor,
    ExternalTransformation,
    Majority,
    Repeater,
    Scheme,
    SklearnDataset,
    Standardization,
)

test = Scheme(training=Data, test=Data)
std = test.add(Standardization(), data=test.training, name="standardize")
ext = test.add(ExternalTransformation(), data=test.test, transformation=std.transformation, name="the same to the test")
for name, learner in {"knn": KNN(k=5), "majority": Majority()}.items():
    learned = test.add(learner, data=std.transformed, name=name)
    test.add(ClassificationTest(), data=ext.transformed, classifier=learned.classifier, name=f"{name} test")

with Project() as project:
    data = project.run(SklearnDataset("iris"), name="iris")
    cv = Repeater(CVDistributor(folds=3), test, seed=1)
    done = project.run(cv, data=data.data, name="cross-validation")
    print(project.query(done, path="test/knn test", labels=["Accuracy", "Fold"]))
    machine_graph(data, done).savefig("a_graph_of_machines.svg")
