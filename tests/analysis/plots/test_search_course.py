"""The picture of a search: every attempt in its row, with its times and the rank of its quality."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.analysis.plots import PictureError, search_course
from intemi.series import Series
from tests.analysis.plots.drawn import cut_off, lines, overlapping

TESTS = Series(
    {
        "quality": [0.7, 0.9, None, 0.9, 0.8],
        "candidate": ["majority", "bayes", "svm", "knn", "svm"],
        "expected": [0.01, 0.02, 0.1, None, 0.1],
        "seconds": [0.01, 0.03, 0.2, 0.1, 0.5],
        "outcome": ["finished", "finished", "timed out", "finished", "finished"],
    }
)


def test_every_attempt_has_a_row_in_the_order_of_the_tests() -> None:
    axes, _ = search_course(TESTS).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == [
        "majority",
        "bayes",
        "svm (timed out)",
        "knn",
        "svm",
    ]
    ends = {round(bar.get_y() + bar.get_height() / 2): bar.get_x() + bar.get_width() for bar in axes.patches}
    assert [ends[row] for row in range(5)] == pytest.approx(TESTS["seconds"])
    assert len([bar for bar in axes.patches if bar.get_hatch()]) == 1, "what was stopped"


def test_expected_times_are_marked_where_they_are_known() -> None:
    assert lines(search_course(TESTS), "expected") == [([0.01, 0.02, 0.1, 0.1], [0, 1, 2, 4])]


@pytest.mark.parametrize(("best", "rows"), [("highest", [1, 3]), ("lowest", [0])])
def test_the_best_have_rank_1_and_equal_ones_share_it(best: str, rows: list[int]) -> None:
    assert lines(search_course(TESTS, best=best), "best") == [([1.0] * len(rows), rows)]


def test_a_line_is_where_a_fifth_of_the_time_was_spent() -> None:
    axes = search_course(TESTS).axes[0]
    [dashed] = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert list(dashed.get_ydata()) == [1.5, 1.5]  # 0.04 of 0.84 seconds before it, 0.24 with it


@pytest.mark.parametrize("count", [1, 54, 300])
def test_texts_are_inside_and_apart(count: int) -> None:
    rng = np.random.default_rng(0)
    figure = search_course(
        Series(
            {
                "quality": rng.random(count).tolist(),
                "candidate": [f"{number} a candidate with a long name, tuned" for number in range(count)],
                "expected": rng.exponential(size=count).tolist(),
                "seconds": rng.exponential(size=count).tolist(),
                "outcome": ["finished"] * count,
            }
        )
    )
    assert cut_off(figure) == []
    assert overlapping(figure) == []


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(PictureError, match="search_course: nothing was tested"):
        search_course(TESTS[:0])
    with pytest.raises(PictureError, match=r"search_course.*expected"):
        search_course(TESTS.without("expected"))
    with pytest.raises(PictureError, match="best must be 'highest' or 'lowest', got 'most'"):
        search_course(TESTS, best="most")
