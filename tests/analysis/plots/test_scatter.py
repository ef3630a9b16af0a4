import numpy as np
import pytest

from intemi.analysis.plots import PictureError, accuracy_against_size, wins_against_losses
from intemi.series import Series
from tests.analysis.plots.drawn import cut_off, overlapping, texts


def test_learners_are_points_of_their_means() -> None:
    series = Series({"Accuracy": [0.9, 0.7, 0.6], "Leaves": [10, 20, 5], "machine": ["full", "full", "pruned"]})
    figure = accuracy_against_size(series)
    (points,) = figure.axes[0].lines
    assert list(points.get_xdata()) == [15, 5]
    assert list(points.get_ydata()) == pytest.approx([0.8, 0.6])
    assert texts(figure, "name") == ["full", "pruned"]


def test_data_sets_have_a_panel_each() -> None:
    series = Series({"Accuracy": [0.9, 0.7], "Leaves": [10, 20], "machine": ["full"] * 2, "data": ["iris", "wine"]})
    assert [axes.get_title() for axes in accuracy_against_size(series).axes] == ["iris", "wine"]


def test_points_that_differ_in_the_last_label_are_joined() -> None:
    rows = [(0.7 + 0.01 * place, 30 - place, "OPT", te, se) for te in (0, 1) for place, se in enumerate(("0SE", "1SE"))]
    labels = ("Accuracy", "Leaves", "validator", "TE", "SE")
    series = Series(dict(zip(labels, map(list, zip(*rows, strict=True)), strict=True)))
    axes = accuracy_against_size(series, of="validator", along=("TE", "SE")).axes[0]
    assert [line.get_label() for line in axes.lines] == ["OPT, 0", "OPT, 1"]
    assert list(axes.lines[0].get_xdata()) == [30, 29]


def test_names_of_thirty_learners_hardly_cover_each_other() -> None:
    rng = np.random.default_rng(1)
    series = Series(
        {
            "Accuracy": (0.7 + 0.2 * rng.random(30)).tolist(),
            "Leaves": (100 * rng.random(30)).tolist(),
            "machine": [f"learner {number}" for number in range(30)],
        }
    )
    assert len(overlapping(accuracy_against_size(series))) <= 2


def test_groups_have_colours_and_markers_of_their_own() -> None:
    series = Series(
        {"wins": [1, 2, 3], "loss": [-1.0, -0.5, 0.0], "machine": ["a", "b", "c"], "group": ["x", "y", "x"]}
    )
    axes = wins_against_losses(series, losses="loss", group="group").axes[0]
    assert [line.get_label() for line in axes.lines] == ["x", "y"]
    assert list(axes.lines[0].get_xdata()) == [1, 3]
    assert len({line.get_color() for line in axes.lines}) == len({line.get_marker() for line in axes.lines}) == 2


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(PictureError, match="must have the label 'Leaves'"):
        accuracy_against_size(Series({"Accuracy": [0.9], "machine": ["tree"]}))
    with pytest.raises(PictureError, match="no item has numbers of both"):
        accuracy_against_size(Series({"Accuracy": [0.9], "Leaves": [None], "machine": ["tree"]}))
    with pytest.raises(PictureError, match="several items of a"):
        wins_against_losses(Series({"wins": [1, 2], "losses": [1, 2], "machine": ["a", "a"]}))


def test_names_of_points_that_lie_close_together_stay_apart() -> None:
    leaves = [8.5, 6.5, 4.2, 6.5, 3.1, 6.3, 5.4, 3.8, 3.5, 5.5, 4.2, 5.8, 4.0, 4.5, 3.5]
    correct = [0.927, 0.933, 0.947, 0.933, 0.927, 0.933, 0.927, 0.933, 0.94, 0.927, 0.933, 0.92, 0.933, 0.933, 0.92]
    names = [f"cost-complexity se={number}" for number in range(len(leaves))]
    figure = accuracy_against_size(Series({"Accuracy": correct, "Leaves": leaves, "machine": names}))
    assert overlapping(figure) == []
    assert cut_off(figure) == []
