import numpy as np
import pytest

from intemi.analysis.plots import PictureError, search_heat_map
from intemi.series import Series
from tests.analysis.plots.drawn import boxes, lines, texts
from tests.analysis.plots.examples import tried


def test_a_grid_is_a_table_with_its_best_in_a_frame() -> None:
    figure = search_heat_map(tried())
    assert len(texts(figure, "cell")) == 56
    assert texts(figure, "column") == ["0.5", "2", "8", "32", "128", "512", "2048"]
    assert texts(figure, "row")[4] == "0.0625"
    cells = [text for text in figure.axes[0].texts if text.get_gid() == "cell"]
    best = next(text for text in cells if text.get_text() == max(texts(figure, "cell")))
    frame = boxes(figure)["best"]
    x, y = best.get_position()
    assert frame.get_x() < x < frame.get_x() + frame.get_width()
    assert frame.get_y() < y < frame.get_y() + frame.get_height()
    assert texts(figure, "x") == ["test/svm.C"]
    assert texts(figure, "y") == ["test/svm.kernel.sigma"]


def test_axes_can_be_chosen() -> None:
    figure = search_heat_map(tried(), x="test/svm.kernel.sigma")
    assert len(texts(figure, "column")) == 8
    assert texts(figure, "y") == ["test/svm.C"]


def test_what_failed_is_marked_and_what_was_not_tried_is_blank() -> None:
    figure = search_heat_map(tried(failed=True)[:-1])
    assert texts(figure, "cell").count("×") == 6
    assert len(texts(figure, "cell")) == 55


def test_of_candidates_that_differ_in_other_parameters_the_best_counts() -> None:
    series = Series({"Objective": [0.5, 0.9, 0.7], "a": [1, 1, 2], "b": [1, 1, 1], "c": [1, 2, 1]})
    figure = search_heat_map(series, x="a", y="b")
    assert texts(figure, "cell") == ["0.900", "0.700"]
    assert texts(figure, "note") == ["Objective: the best over c"]


def test_of_a_loss_the_lowest_is_best() -> None:
    series = Series({"Objective": [0.5, 0.9, 0.7, 0.4], "a": [1, 1, 2, 2], "b": [1, 2, 1, 2]})
    frame = boxes(search_heat_map(series, best="lowest"))["best"]
    other = boxes(search_heat_map(series))["best"]
    assert frame.get_y() > other.get_y()


def test_scattered_candidates_are_points_on_scales_that_fit() -> None:
    rng = np.random.default_rng(0)
    series = Series(
        {
            "Objective": rng.random(40).tolist(),
            "C": (10 ** rng.uniform(-3, 3, 40)).tolist(),
            "share": rng.uniform(0.2, 0.8, 40).tolist(),
        }
    )
    axes = search_heat_map(series, x="C", y="share").axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    assert len(axes.collections[0].get_offsets()) == 40
    best = series.row(int(np.argmax(series.values)))
    ((x, y),) = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_gid() == "best"]
    assert (x, y) == (best["C"], best["share"])


def test_one_parameter_is_a_curve() -> None:
    series = Series({"Objective": [0.5, 0.9, None, 0.7], "k": [5, 1, 3, 7]})
    figure = search_heat_map(series)
    assert list(figure.axes[0].lines[0].get_xdata()) == [1, 3, 5, 7]
    assert lines(figure, "best") == [([1], [0.9])]


def test_components_are_named_in_their_order() -> None:
    series = Series({"Objective": [0.5, 0.9], "svm.kernel": ["Linear()", "Gaussian()"]})
    labels = [text.get_text() for text in search_heat_map(series).axes[0].get_xticklabels()]
    assert labels == ["Linear()", "Gaussian()"]


def test_a_parameter_that_is_not_there_is_refused() -> None:
    with pytest.raises(PictureError, match=r"must be one of 'test/svm.kernel.sigma', 'test/svm.C', got 'C'"):
        search_heat_map(tried(), x="C")
    with pytest.raises(PictureError, match="an objective and parameters"):
        search_heat_map(Series({"Objective": [0.5]}))
