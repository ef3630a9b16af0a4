import numpy as np
import pytest

from intemi.analysis.plots import PictureError, diversity_against_accuracy, error_against_size, margin_distribution
from intemi.series import Series
from tests.analysis.plots.drawn import cut_off, overlapping


def test_errors_are_means_by_size_whatever_their_order() -> None:
    series = Series({"Accuracy": [0.9, 0.6, 0.8], "Size": [2, 1, 1], "machine": ["bagging"] * 3, "data": ["iris"] * 3})
    (axes,) = error_against_size(series).axes
    (line,) = axes.lines
    assert list(line.get_xdata()) == [1, 2]
    assert list(line.get_ydata()) == pytest.approx([0.3, 0.1])
    assert axes.get_title() == "iris"


def test_committees_have_a_curve_each_and_data_sets_a_panel() -> None:
    rows = [(0.5 + 0.01 * size, size, name, data) for size in (1, 2, 3) for name in "ab" for data in ("iris", "wine")]
    accuracy, size, machine, data = map(list, zip(*rows, strict=True))
    figure = error_against_size(Series({"Accuracy": accuracy, "Size": size, "machine": machine, "data": data}))
    assert [len(axes.lines) for axes in figure.axes] == [2, 2]
    assert not cut_off(figure)
    assert not overlapping(figure)


def test_the_distribution_of_margins_goes_from_nothing_to_all() -> None:
    margins = np.random.default_rng(1).uniform(-1, 1, 50)
    (axes,) = margin_distribution(Series({"Margins": margins, "machine": ["boosting"] * 50})).axes
    (line,) = axes.lines
    assert (np.diff(line.get_xdata()) >= 0).all()
    assert line.get_ydata()[0] == 0
    assert line.get_ydata()[-1] == 1


def test_pairs_of_members_are_points_and_committees_have_a_middle() -> None:
    pairs = Series({"Agreement": [0.2, 0.4, 0.9], "Mean accuracy": [0.8, 0.6, 0.9], "machine": ["a", "a", "b"]})
    figure = diversity_against_accuracy(pairs)
    cloud, middle, *_ = figure.axes[0].lines
    assert list(cloud.get_xdata()) == [0.2, 0.4]
    assert list(middle.get_xdata()) == pytest.approx([0.3])
    assert not cut_off(figure)


@pytest.mark.parametrize(
    ("draw", "series"),
    [
        (error_against_size, Series({"Accuracy": [None], "Size": [1], "machine": ["a"]})),
        (margin_distribution, Series({"Margins": [None], "machine": ["a"]})),
        (diversity_against_accuracy, Series({"Agreement": [None], "Mean accuracy": [None], "machine": ["a"]})),
    ],
)
def test_what_has_no_numbers_is_refused(draw: object, series: Series) -> None:
    with pytest.raises(PictureError, match="no item has numbers"):
        draw(series)  # type: ignore[operator]
