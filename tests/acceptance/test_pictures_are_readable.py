"""Every picture has its texts inside of it and apart from each other, with thirty learners as with three."""

import subprocess
import sys
from collections.abc import Callable
from io import BytesIO

import pytest
from matplotlib.figure import Figure

from intemi import Project
from intemi.analysis import WinsDrawsLosses
from intemi.analysis.plots import (
    accuracies,
    calibration,
    critical_difference,
    heat_table,
    importances,
    machine_graph,
    pairwise_bars,
    roc,
    search_heat_map,
    svg_of,
    time_line,
    watch,
)
from intemi.data import Data
from intemi.machines import (
    KNN,
    ClassificationTest,
    CVDistributor,
    Grid,
    ParameterSearch,
    Repeater,
    Scheme,
    SklearnDataset,
    Steps,
)
from intemi.query import Query
from intemi.series import Series
from tests.analysis.plots.drawn import cut_off, overlapping, texts
from tests.analysis.plots.examples import answers, many, tried
from tests.analysis.plots.test_heat_table import pruning_heat


def of_thirty_learners(draw: Callable[..., Figure]) -> Figure:
    """A picture of thirty learners that really ran."""
    test = Scheme(training=Data, test=Data)
    for k in range(1, 31):
        knn = test.add(KNN(k=k), data=test.training, name=f"{k} nearest neighbours")
        test.add(ClassificationTest(), data=test.test, classifier=knn.classifier, name=f"test of {k}")
    with Project() as project, watch(project) as seen:
        data = project.run(SklearnDataset("iris"))
        done = project.run(Repeater(distributor=CVDistributor(folds=2), test=test, seed=1), data=data.data)
        return draw(project, done, seen)


PICTURES: dict[str, Callable[[], Figure]] = {
    "accuracies of 30 learners on 7 data sets": lambda: accuracies(many(30, 7)),
    "accuracies of 3 learners": lambda: accuracies(many(3, 1)),
    "critical difference of 30 learners": lambda: critical_difference(many(30, 12)),
    "critical difference of 3 learners": lambda: critical_difference(many(3, 12)),
    "critical difference of 31 learners from a control": lambda: critical_difference(
        many(31, 12), control="learner number 0 of many"
    ),
    "roc of 20 learners": lambda: roc(answers(20)),
    "roc of two classes": lambda: roc(answers(3, classes=2)),
    "calibration of 8 learners": lambda: calibration(answers(8)),
    "importances of 60 features": lambda: importances(
        Series({"Importance": [1 / n for n in range(1, 61)], "feature": [f"feature {n} <$x_1$>" for n in range(1, 61)]})
    ),
    "search": lambda: search_heat_map(tried(failed=True)),
    "search with long names": lambda: search_heat_map(
        tried().renamed({"test/svm.C": "test/a scheme/with/a very long path/to the.parameter"})
    ),
    "the book's pruning table": lambda: heat_table(
        pruning_heat(), rows=("SE", "TE"), columns=("group", "method"), caption="wins of 105; " * 20
    ),
    "30 learners in a heat table": lambda: heat_table(
        many(30, 6, 1).without("Fold"), rows="machine", columns="data", digits=3
    ),
    "pairs of 12 learners": lambda: pairwise_bars(WinsDrawsLosses(test=None)(many(12, 6, 1))),
    "graph of 30 learners": lambda: of_thirty_learners(lambda project, done, seen: machine_graph(done)),
    "graph of a project": lambda: of_thirty_learners(lambda project, done, seen: machine_graph(project)),
    "time line": lambda: of_thirty_learners(lambda project, done, seen: time_line(seen)),
    "time line of records": lambda: of_thirty_learners(lambda project, done, seen: time_line(project)),
}


@pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)
def test_texts_are_inside_and_apart(draw: Callable[[], Figure]) -> None:
    figure = draw()
    assert cut_off(figure) == []
    assert overlapping(figure) == []
    for kind in ("png", "pdf"):
        figure.savefig(BytesIO(), format=kind)
    assert svg_of(figure).count("<svg") == 1


def test_a_picture_of_what_was_found_takes_one_call() -> None:
    test = Scheme(training=Data, test=Data)
    knn = test.add(KNN(), data=test.training, name="knn")
    test.add(ClassificationTest(), data=test.test, classifier=knn.classifier, name="knn test")
    search = ParameterSearch(
        test=Repeater(distributor=CVDistributor(folds=2), test=test, seed=1),
        scenario=Grid(Steps("test/knn.k", start=1, step=2, count=4)),
        objective=Query("test/knn test", "Accuracy").mean(),
    )
    with Project() as project:
        found = project.run(search, data=project.request(SklearnDataset("iris")).data)
        (curve, *_) = search_heat_map(found.results["Tried"]).axes[0].lines
        assert list(curve.get_xdata()) == [1, 3, 5, 7]
        results = project.query(found, type=ClassificationTest, labels=["Accuracy", "test/knn.k", "Fold"])
        named = [text.get_text() for text in accuracies(results, of="test/knn.k").axes[0].get_yticklabels()]
        assert named == ["1", "3", "5", "7"]


def test_learners_that_were_never_apart_get_a_picture() -> None:
    names = {"machine": ["knn", "svm"] * 3, "data": ["a", "a", "b", "b", "c", "c"]}
    figure = critical_difference(Series({"Accuracy": [0.5] * 6, **names}))
    assert texts(figure, "learner") == ["knn  1.50", "svm  1.50"]


def loaded_by(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_what_is_slow_to_load_is_loaded_by_those_who_need_it() -> None:
    assert "matplotlib" not in loaded_by("import intemi.analysis.plots")
    assert "sklearn" not in loaded_by("import intemi.interop")


def test_pictures_leave_no_global_state() -> None:
    drawn = "from intemi.series import Series; from intemi.analysis.plots import accuracies, svg_of\n"
    drawn += "svg_of(accuracies(Series({'Accuracy': [0.9], 'machine': ['knn']})))"
    assert "matplotlib.pyplot" not in loaded_by(drawn)
