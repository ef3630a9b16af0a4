from pathlib import Path

import pytest

from intemi import Project
from intemi.analysis.plots import PictureError, machine_graph
from intemi.analysis.plots.machine_graph import SHARED, bundled
from intemi.data import Data
from intemi.machines import (
    KNN,
    ClassificationTest,
    CVDistributor,
    ExternalTransformation,
    Repeater,
    Scheme,
    SklearnDataset,
    Standardization,
    TransformAndClassify,
)
from tests.analysis.plots.drawn import boxes, cut_off, texts


def cross_validation() -> Repeater:
    """Two nearest neighbours, one with standardized data and one that standardizes by itself."""
    test = Scheme(training=Data, test=Data)
    std = test.add(Standardization(), data=test.training, name="std")
    ext = test.add(ExternalTransformation(), data=test.test, transformation=std.transformation, name="ext")
    knn = test.add(KNN(), data=std.transformed, name="knn")
    test.add(ClassificationTest(), data=ext.transformed, classifier=knn.classifier, name="knn test")
    both = TransformAndClassify(transformation=Standardization(), learner=KNN(k=3))
    test.add(both, data=test.training, name="both")
    return Repeater(distributor=CVDistributor(folds=3), test=test, seed=1)


@pytest.fixture(scope="module")
def figure():
    with Project() as project:
        data = project.run(SklearnDataset("iris"), name="iris")
        yield machine_graph(data, project.run(cross_validation(), data=data.data, name="cv"))


def test_requests_of_one_name_are_one_box(figure) -> None:
    assert texts(figure, "name").count("knn test") == 1
    assert "× 3" in texts(figure, "detail")


def test_shared_machines_are_marked(figure) -> None:
    from matplotlib.colors import to_hex

    drawn = boxes(figure)
    assert "3 requests, 3 reused" in texts(figure, "detail")
    assert to_hex(drawn["cv/test/both/transformation"].get_facecolor()) == SHARED
    assert to_hex(drawn["cv/test/std"].get_facecolor()) == SHARED
    assert to_hex(drawn["cv/test/knn"].get_facecolor()) != SHARED


def test_a_composite_is_a_frame_around_what_it_holds(figure) -> None:
    drawn = boxes(figure)
    outer, inner = drawn["cv/test/both"], drawn["cv/test/both/learner"]
    assert outer.get_x() < inner.get_x()
    assert inner.get_x() + inner.get_width() < outer.get_x() + outer.get_width()
    assert outer.get_y() < inner.get_y()
    assert inner.get_y() + inner.get_height() < outer.get_y() + outer.get_height()


def test_arrows_lead_from_what_a_machine_takes_to_the_machine(figure) -> None:
    arrows = {name for name in boxes(figure) if " > " in name}
    assert {
        "iris > cv/distributor/cv distributor",
        "cv/distributor/cv distributor > cv/test/std",
        "cv/test/std > cv/test/knn",
        "cv/test/std > cv/test/ext",
        "cv/test/knn > cv/test/knn test",
        "cv/test/both/transformation > cv/test/both/learner",
    } <= arrows


def test_what_many_in_a_frame_take_leads_to_the_frame() -> None:
    few = [(("cv",), ("test", str(number))) for number in range(6)]
    assert bundled(few) == few
    inside = [(("test", "std"), ("test", str(number))) for number in range(10)]
    assert bundled(inside) == inside
    assert bundled([*few, (("cv",), ("test", "6", "inner")), *inside]) == [(("cv",), ("test",)), *inside]


def test_what_is_needed_is_to_the_left(figure) -> None:
    drawn = boxes(figure)
    for arrow in [name for name in drawn if " > " in name]:
        source, target = arrow.split(" > ")
        assert drawn[source].get_x() + drawn[source].get_width() <= drawn[target].get_x()


def test_boxes_beside_each_other_do_not_overlap(figure) -> None:
    leaves = [box for name, box in boxes(figure).items() if " > " not in name and name.count("/") == 2]
    for place, one in enumerate(leaves):
        for other in leaves[place + 1 :]:
            a, b = one.get_bbox(), other.get_bbox()
            assert a.x1 <= b.x0 or b.x1 <= a.x0 or a.y1 <= b.y0 or b.y1 <= a.y0


def test_everything_fits_into_the_figure(figure) -> None:
    assert cut_off(figure) == []


def test_a_project_is_drawn_from_its_records(tmp_path: Path) -> None:
    with Project(tmp_path) as project:
        data = project.run(SklearnDataset("iris"), name="iris")
        project.run(cross_validation(), data=data.data, name="cv")
    with Project.open(tmp_path) as project:
        figure = machine_graph(project)
        drawn = boxes(figure)
        assert {"iris", "cv/test/knn", "cv/test/std > cv/test/knn"} <= set(drawn)
        assert "3 requests, 3 reused" in texts(figure, "detail")
        assert "iris" not in boxes(machine_graph(project, root="cv"))


def test_failures_are_told() -> None:
    import numpy as np

    from intemi.data import from_numpy

    with Project() as project:
        failed = project.request(KNN(), data=project.given(from_numpy([[np.nan], [1.0]], ["a", "b"])))
        with pytest.raises(Exception, match="missing"):
            failed.wait()
        assert texts(machine_graph(failed), "detail") == ["1 failed"]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(PictureError, match="takes a project, or one or more capsules or explanations, got str"):
        machine_graph("cv")  # type: ignore[arg-type]
    with Project() as project, pytest.raises(PictureError, match="nothing was requested"):
        machine_graph(project)


def test_no_arrow_leads_behind_a_box(figure) -> None:
    from intemi.analysis.plots.layered import Box
    from intemi.analysis.plots.machine_graph import way_between
    from intemi.analysis.plots.parts import Part

    source, between, target = (Box(Part(name), 1.5 * n, 1.0, 1.0, 0.5, ()) for n, name in enumerate("abc"))
    way = way_between(source, target, [source, between, target])
    assert way[0] == (1.0, 1.25)
    assert all(y > 1.5 for _, y in way[1:-1]), "below the box between"
    assert len(way_between(source, between, [source, between, target])) == 2
