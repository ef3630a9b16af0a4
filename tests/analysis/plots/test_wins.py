import pytest

from intemi.analysis import WinsDrawsLosses
from intemi.analysis.plots import PictureError, pairwise_bars, parameter_panel
from intemi.series import Series
from tests.analysis.plots.drawn import texts
from tests.analysis.plots.examples import many


def test_every_pair_has_a_cell_and_the_diagonal_is_empty() -> None:
    found = WinsDrawsLosses(test=None)(many(5, 6, 1))
    figure = pairwise_bars(found)
    scores = texts(figure, "score")
    assert len(scores) == 5 * 4
    assert all(sum(map(int, score.split("-"))) == 6 for score in scores)
    assert texts(figure, "row") == texts(figure, "column")


def test_bars_are_as_long_as_their_counts() -> None:
    numbers = {"wins": [2, 1], "draws": [1, 1], "losses": [1, 2]}
    figure = pairwise_bars(Series({**numbers, "machine": ["knn", "svm"], "against": ["svm", "knn"]}))
    widths = {gid: [] for gid in ("wins", "draws", "losses")}
    for patch in figure.axes[0].patches:
        if patch.get_gid() in widths:
            widths[patch.get_gid()].append(patch.get_width())
    assert widths["wins"][0] == pytest.approx(2 * widths["losses"][0])
    assert widths["wins"] == pytest.approx(widths["losses"][::-1])


def test_pairs_that_contradict_each_other_are_refused() -> None:
    numbers = {"wins": [2, 2], "draws": [1, 1], "losses": [1, 1]}
    with pytest.raises(PictureError, match="must be the reverse"):
        pairwise_bars(Series({**numbers, "machine": ["knn", "svm"], "against": ["svm", "knn"]}))


def test_a_panel_shows_wins_and_each_pair_once() -> None:
    """The numbers of the book's Table 5.23: 3, 3 and 19 wins of 21."""
    wins = Series({"wins": [3, 3, 19], "TE": [0.0, 0.5, 1.0], "validator": ["all"] * 3})
    numbers = {"wins": [1, 0, 2, 18], "draws": [3, 4, 1, 3], "losses": [17, 17, 18, 0]}
    pairs = Series({**numbers, "TE": [0.0, 0.0, 0.5, 1.0], "against": [0.5, 1.0, 1.0, 0.0], "validator": ["all"] * 4})
    figure = parameter_panel(wins, pairs, value="TE", rows="validator")
    assert texts(figure, "cell") == ["3", "3", "19"]
    assert texts(figure, "score") == ["1-3-17", "0-4-17", "2-1-18"]
    assert texts(figure, "column") == ["0", "0.5", "1", "0 : 0.5", "0 : 1", "0.5 : 1"]
