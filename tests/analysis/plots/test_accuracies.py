import pytest

from intemi.analysis.plots import PictureError, accuracies
from intemi.series import Series
from tests.analysis.plots.drawn import lines
from tests.analysis.plots.examples import many

RESULTS = Series(
    {
        "Accuracy": [0.9, 0.7, 0.6, 0.8, 0.5, None],
        "machine": ["knn", "knn", "svm", "svm", "knn", "svm"],
        "data": ["iris"] * 4 + ["wine"] * 2,
    }
)


def test_every_data_set_has_a_panel_and_every_learner_a_line() -> None:
    figure = accuracies(RESULTS)
    assert [axes.get_title() for axes in figure.axes] == ["iris", "wine"]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["knn", "svm"]
    assert figure.axes[0].get_xlabel() == "Accuracy"


def test_the_best_mean_of_a_data_set_is_marked() -> None:
    figure = accuracies(RESULTS)
    assert lines(figure, "best") == [([pytest.approx(0.8)], [0]), ([0.5], [0])]
    assert lines(figure, "mean") == [([pytest.approx(0.7)], [1])]


def test_of_errors_the_lowest_is_best() -> None:
    assert lines(accuracies(RESULTS, best="lowest"), "best")[0] == ([pytest.approx(0.7)], [1])


def test_a_learner_without_a_number_is_marked() -> None:
    assert [y for _, y in lines(accuracies(RESULTS), "failed")] == [[1]]


def test_without_data_sets_there_is_one_panel() -> None:
    assert len(accuracies(RESULTS.without("data")).axes) == 1


def test_the_picture_grows_with_learners_and_data_sets() -> None:
    width, height = accuracies(many(30, 3)).get_size_inches()
    assert height > 5
    assert accuracies(many(30, 9)).get_size_inches()[1] > 2 * height
    assert accuracies(many(30, 1)).get_size_inches()[0] < width


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (Series({"Accuracy": [0.9]}), "accuracies: the series must have the label 'machine'"),
        (Series({"Accuracy": ["high"], "machine": ["knn"]}), "'Accuracy' must be a number, got 'high' at item 0"),
        (Series({"Accuracy": [], "machine": []}), "accuracies: the series is empty"),
    ],
)
def test_what_cannot_be_drawn_is_refused(series: Series, message: str) -> None:
    with pytest.raises(PictureError, match=message):
        accuracies(series)


def test_bars_of_deviations_end_where_accuracies_do() -> None:
    series = Series({"Accuracy": [1.0, 1.0, 0.8], "machine": ["knn"] * 3})
    (bars,) = accuracies(series).axes[0].collections
    assert max(point[0] for segment in bars.get_segments() for point in segment) == 1.0
    losses = Series({"Log loss": [1.0, 1.0, 0.8], "machine": ["knn"] * 3})
    (bars,) = accuracies(losses, best="lowest").axes[0].collections
    assert max(point[0] for segment in bars.get_segments() for point in segment) > 1.0
