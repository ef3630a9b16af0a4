"""A notebook shows everything that is public as HTML: small, well-formed, escaped, and readable in light and dark."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from intemi import Project
from intemi.analysis.plots import machine_graph
from intemi.data import Data
from intemi.experiments import Experiment, run
from intemi.machines import (
    KNN,
    ClassificationTest,
    CVDistributor,
    ExternalTransformation,
    Majority,
    NaiveBayes,
    ParameterSearch,
    Repeater,
    Scheme,
    SklearnClassifier,
    SklearnDataset,
    Standardization,
    Steps,
)
from intemi.machines.trees import C45
from intemi.query import Query
from tests.analysis.plots.drawn import boxes, texts
from tests.browser import shown

EVIL = "<i>&\"'"


def drawn_scheme() -> Scheme:
    test = Scheme(training=Data, test=Data)
    std = test.add(Standardization(), data=test.training)
    knn = test.add(KNN(), data=std.transformed, name="knn")
    ext = test.add(ExternalTransformation(), data=test.test, transformation=std.transformation)
    test.add(ClassificationTest(), data=ext.transformed, classifier=knn.classifier, name="knn test")
    test.expose(classifier=knn.classifier)
    return test


@pytest.fixture(scope="module")
def things() -> dict[str, Any]:
    project, cv = Project(), Repeater(distributor=CVDistributor(folds=3), test=drawn_scheme(), seed=1)
    data = project.request(SklearnDataset("iris"), name="iris").wait()
    before = project.explain(cv, data=data.data)
    done = project.run(cv, data=data.data, name=EVIL)
    search = ParameterSearch(
        test=cv,
        scenario=Steps("test/knn.k", start=1, step=2, count=2),
        objective=Query("test/knn test", "Accuracy").mean(),
    )
    experiment = Experiment(
        name=EVIL,
        data={EVIL: SklearnDataset("iris")},
        learners={EVIL: NaiveBayes(), "usual": Majority()},
        requests={"all rows": KNN()},
        distributor=CVDistributor(3),
        measures=("Accuracy", "AUC"),
    )
    outcome = run(experiment, project)
    broken = SklearnClassifier("sklearn.svm.SVC", {"kernel": EVIL})
    failed = run(Experiment(data={"iris": SklearnDataset("iris")}, learners={"broken": broken}), project)
    tree = project.run(C45(), data=data.data)
    return {
        "machine": KNN(),
        "nested machine": C45(),
        "scheme": drawn_scheme(),
        "placeholder": Scheme(training=Data),
        "repeater": cv,
        "capsule": done,
        "test": done.child("test/knn test"),
        "search": project.run(search, data=data.data),
        "explained before": before,
        "explained after": project.explain(cv.replace("repetitions", 2), data=data.data),
        "project": project,
        "experiment": experiment,
        "outcome": outcome,
        "compared": outcome.compare(),
        "failed outcome": failed,
        "failed capsule": failed.cells[0].capsule,
        "series": outcome.series("Accuracy"),
        "groups": outcome.series("Accuracy").group_by("machine"),
        "data": data.outputs["data"],
        "tree": tree.outputs["tree"],
    }


class Balanced(HTMLParser):
    """Every tag is closed by its own."""

    EMPTY = ("br", "rect", "circle", "path", "line")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        assert tag in self.EMPTY

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_everything_has_a_well_formed_html_form_without_scripts(things: dict[str, Any]) -> None:
    for name, thing in things.items():
        text = thing._repr_html_()
        assert Balanced(text).open == [], name
        assert "<script" not in text, name
        assert len(text) < 60_000, name
        assert "<i>" not in text, name


def test_everything_but_tables_has_a_repr_of_one_short_line(things: dict[str, Any]) -> None:
    for name, thing in things.items():
        if name not in ("series", "groups"):
            assert "\n" not in repr(thing), name
            assert len(repr(thing)) <= 300, name


def test_forms_show_what_matters(things: dict[str, Any]) -> None:
    def words(name: str) -> str:
        return " ".join(" ".join(Balanced(things[name]._repr_html_()).texts).split())

    assert "takes data (Data); gives classifier (Classifier)" in words("machine")
    assert "knn test ClassificationTest" in words("scheme")
    assert "knn test ClassificationTest" in words("repeater")
    assert "finished" in words("capsule")
    assert "Accuracy" in words("test")
    assert "Objective" in words("search")
    assert "runs unless" in words("explained before") or "never finished" in words("explained before")
    assert "reuse" in words("explained after")
    assert things["compared"].findings in words("compared")
    assert "must be a str among" in words("failed outcome")
    assert "failed" in words("failed capsule")


def test_a_scheme_that_is_shown_can_still_be_drawn() -> None:
    test = drawn_scheme()
    test._repr_html_()
    test.add(Majority(), data=test.training)
    assert "majority" in test.svg()


def test_wires_never_run_behind_boxes() -> None:
    from intemi.machines.structure import drawing

    nodes, edges = drawing._graph(drawn_scheme())
    columns, pieces = drawing._columns(nodes, edges)
    number = {node: place for place, column in enumerate(columns) for node in column}
    assert all(number[target] - number[source] == 1 for source, target in pieces)
    assert any(not node.lines for column in columns for node in column), "test data pass the standardization"


def test_graphs_are_coloured_by_what_is_on_record(things: dict[str, Any]) -> None:
    from matplotlib.colors import to_hex

    from intemi.analysis.plots.machine_graph import KEPT, NEW, PARTLY

    def colours(name: str) -> dict[str, str]:
        drawn = boxes(machine_graph(things[name]))
        return {path.partition("/")[2]: to_hex(box.get_facecolor()) for path, box in drawn.items()}

    assert colours("explained before")["test/knn"] == NEW
    after = colours("explained after")
    assert after["test/knn"] == KEPT
    assert after["distributor/cv distributor"] == PARTLY
    assert "would be run" in texts(machine_graph(things["explained after"]), None)


@pytest.mark.needs("browser")
@pytest.mark.parametrize("dark", [False, True])
def test_all_letters_can_be_read_in_light_and_dark(things: dict[str, Any], dark: bool, tmp_path: Path) -> None:
    page = tmp_path / "forms.html"
    style = (
        "body { background: #fff; color: #222 } "
        + "@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd } }"
    )
    forms = "".join(thing._repr_html_() for thing in things.values())
    page.write_text(f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style><body>{forms}</body>')
    ask = """{
        colours: [...new Set([...document.querySelectorAll(".intemi *")].map(each => getComputedStyle(each).color))],
        own: [...document.querySelectorAll(".intemi *")].map(each => getComputedStyle(each).backgroundColor)
            .filter(each => !/rgba\\(.*, (0|0?\\.\\d+)\\)/.test(each)),
        sticksOut: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }"""
    seen = shown(page, ask, dark=dark, width=700)
    assert seen["errors"] == []
    assert seen["found"]["colours"] == ["rgb(221, 221, 221)" if dark else "rgb(34, 34, 34)"], "letters of the page"
    assert seen["found"]["own"] == [], "backgrounds are translucent"
    assert seen["found"]["sticksOut"] <= 0
