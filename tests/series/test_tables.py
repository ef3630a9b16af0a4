from __future__ import annotations

import re

from hypothesis import given

from intemi.series import Series
from tests.series.strategies import all_series

S = Series({"machine": ["k_nn", "50% & more"], "Accuracy": [2 / 3, 0.5], "Fold": [0, 1]}, main="Accuracy")


def test_a_table_of_markdown() -> None:
    assert S.to_markdown(digits=2).splitlines() == [
        "| machine | Accuracy | Fold |",
        "| --- | ---: | ---: |",
        r"| k\_nn | 0.67 | 0 |",
        r"| 50% \& more | 0.50 | 1 |",
    ]


def test_a_tabular_of_latex() -> None:
    assert S.to_latex().splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"machine & Accuracy & Fold \\",
        r"\midrule",
        r"k\_nn & 0.6667 & 0 \\",
        r"50\% \& more & 0.5000 & 1 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_all_rows_are_written() -> None:
    assert len(Series({"a": range(100)}).to_markdown().splitlines()) == 102


@given(all_series())
def test_cells_break_neither_rows_nor_columns(series: Series) -> None:
    for line in series.to_markdown().split("\n")[:-1]:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == len(series.labels) + 1
    rows = series.to_latex().split("\n")[2:-3]
    assert len(rows) == len(series) + 2
    for row in rows[:1] + rows[2:]:
        assert len(re.findall(r"(?<!\\)&", row)) == len(series.labels) - 1
