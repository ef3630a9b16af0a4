from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given

from intemi.series import Series
from intemi.series.display import shown_cells
from tests.series.strategies import all_series


def test_a_series_is_an_aligned_table_with_the_main_label_marked() -> None:
    series = Series({"machine": ["knn", "a|b"], "Accuracy": [0.9, 2 / 3], "Fold": [0, 10]}, main="Accuracy")
    assert repr(series) == (
        "machine  Accuracy*  Fold\n"
        "knn         0.9000     0\n"
        "a|b         0.6667    10\n"
        "2 rows"
    )  # fmt: skip


def test_the_middle_of_many_rows_is_left_out() -> None:
    lines = repr(Series({"a": range(1000)})).splitlines()
    assert lines[:2] == [" a*", "  0"]
    assert lines[10:13] == ["  9", "  …", "990"]
    assert lines[-1] == "1,000 rows"
    assert len(lines) == 23


def test_long_texts_are_cut_and_stay_on_their_line() -> None:
    shown = repr(Series({"a": ["x" * 200, "a\nb\t"]}))
    assert max(map(len, shown.splitlines())) == 50
    assert "a\\nb\\t" in shown


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ([16.0, 0.5], ["16.0", "0.5"]),
        ([0.25, 1.0], ["0.25", "1.00"]),
        ([1 / 3, 0.0, -1.5], ["0.3333", "0.0000", "-1.5000"]),
        ([1e-12, 1e20], ["1.000e-12", "1.000e+20"]),
        ([float("nan"), float("inf"), -float("inf")], ["nan", "inf", "-inf"]),
        ([True, 5, None, "x"], ["True", "5", "", "x"]),
        ([np.array([0.5, 1 / 3]), np.zeros((2, 3))], ["[0.5000, 0.3333]", "[2 × 3]"]),
    ],
)
def test_cells_are_shown_with_the_digits_they_need(cells: list[object], texts: list[str]) -> None:
    assert shown_cells(cells) == texts


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


@given(all_series())
def test_nothing_in_a_cell_becomes_html(series: Series) -> None:
    reader = _Reader()
    reader.feed(series._repr_html_())
    known = {"table", "caption", "thead", "tbody", "tr", "th", "td", "strong"}
    assert set(reader.tags) <= known
    assert reader.tags.count("td") == len(series) * len(series.labels)


@given(all_series())
def test_a_row_is_a_line(series: Series) -> None:
    assert len(repr(series).split("\n")) == len(series) + 2


def test_html_is_escaped() -> None:
    shown = Series({"<script>": ["<b>&"]})._repr_html_()
    assert "<strong>&lt;script&gt;</strong>" in shown
    assert "<td>&lt;b&gt;&amp;</td>" in shown
