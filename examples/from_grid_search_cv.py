"""From GridSearchCV

`param_grid` is a scenario, `cv` a distributor, `scoring` an objective. A wider grid later runs what
is new and nothing else, and all that was tried can be asked for.
"""

from intemi import Project
from intemi.analysis.plots import search_heat_map
from intemi.data import Data
from intemi.machines import (
    SVM,
    ClassificationTest,
    CVDistributor,
    ExternalTransformation,
    GaussianKernel,
    Grid,
    ParameterSearch,
    Repeater,
    Scheme,
    SklearnDataset,
    Standardization,
    Steps,
)
from intemi.query import Query

test = Scheme(training=Data, test=Data)  # Pipeline([("scale", StandardScaler()), ("svm", SVC())])
scale = test.add(Standardization(), data=test.training, name="scale")
svm = test.add(SVM(kernel=GaussianKernel()), data=scale.transformed, name="svm")
rest = test.add(ExternalTransformation(), data=test.test, transformation=scale.transformation)
test.add(ClassificationTest(), data=rest.transformed, classifier=svm.classifier, name="score")

search = ParameterSearch(
    test=Repeater(CVDistributor(folds=5), test, seed=1),  # cv=5
    scenario=Grid(  # param_grid={"svm__gamma": 2.0 ** np.arange(-9, 0, 2), "svm__C": 2.0 ** np.arange(-1, 7, 2)}
        Steps("test/svm.kernel.sigma", base=2, start=-9, step=2, count=5),
        Steps("test/svm.C", base=2, start=-1, step=2, count=4),
    ),
    objective=Query("test/score", "Accuracy").mean(),  # scoring="accuracy"
)
with Project() as project:
    found = project.run(search, data=project.request(SklearnDataset("wine")).data)  # .fit(X, y)
    print(found.results["Best"], f"{found.results['Objective']:.3f}")  # best_params_, best_score_
    search_heat_map(found.results["Tried"]).savefig("from_grid_search_cv.svg")  # cv_results_
