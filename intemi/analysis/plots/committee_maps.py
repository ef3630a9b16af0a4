"""The book's charts of committees: heat tables of what all of them are worth, and against whom (5.14 to 5.20)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from intemi.analysis.plots.cells import floats, labels_of
from intemi.analysis.plots.heat_table import heat_table
from intemi.analysis.samples import column
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS = ("Mode", "SE", "TE", "Decision")
"""The labels of `CVCommitteeTest` and of its parameters that a row of a map stands for."""


def single_squares(series: Series, *, rows: str | Sequence[str] = "Criterion", caption: str = "") -> Figure:
    """The main label of single trees: a row for each criterion, a column for each validator and margin.

    >>> wins = Series({"wins": [3, 1], "Criterion": ["IG", "IG"], "Validator": ["CC", "CC"], "SE": ["0SE", "1SE"]})
    >>> figure = single_squares(wins)
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "cell"]
    ['3', '1']
    """
    return heat_table(series, rows=rows, columns=("Validator", "SE"), digits=0, caption=caption)


def committee_map(
    series: Series,
    *,
    rows: str | Sequence[str] = SETTINGS,
    columns: str | Sequence[str] = ("Validator", "Size"),
    caption: str = "",
) -> Figure:
    """The main label of all committees at once: darker is larger, combinations that are not there are blank.

    >>> wins = {"wins": [8, 2], "Mode": ["separate"] * 2, "SE": ["0SE"] * 2, "TE": ["0TE"] * 2, "Decision": ["n"] * 2}
    >>> figure = committee_map(Series({**wins, "Validator": ["CC", "CC"], "Size": [1, 2]}))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "cell"]
    ['8', '2']
    """
    return heat_table(series, rows=rows, columns=columns, digits=0, caption=caption)


def versus_map(
    series: Series,
    *,
    rows: str | Sequence[str] = SETTINGS,
    columns: str | Sequence[str] = "Size",
    wins: str = "wins",
    draws: str = "draws",
    losses: str = "losses",
    caption: str = "",
) -> Figure:
    """Wins, draws and losses of committees against others: blue where wins prevail, orange where losses do.

    >>> record = {"wins": [9, 2], "draws": [4, 8], "losses": [4, 7], "Mode": ["separate"] * 2}
    >>> figure = versus_map(Series({**record, "Size": [1, 2]}), rows="Mode")
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "cell"]
    ['9-4-4', '2-8-7']
    """
    won, drawn, lost = (floats(series, label, "versus_map") for label in (wins, draws, losses))
    balance = (won - lost) / np.maximum(won + drawn + lost, 1)
    labels = (*labels_of(rows), *labels_of(columns))
    texts = [f"{w:g}-{d:g}-{each:g}" for w, d, each in zip(won, drawn, lost, strict=True)]
    kept = {label: column(series, label) for label in labels}
    table = Series({"balance": balance, "W-D-L": texts, **kept}, main="balance")
    return heat_table(table, rows=rows, columns=columns, text="W-D-L", centre=0, caption=caption)


def filter_wins(
    series: Series, *, rows: str = "Filter", columns: str | Sequence[str] = "Size", caption: str = ""
) -> Figure:
    """Wins of the values of a parameter, with a row for each filter of what was pooled: each row is its own contest.

    >>> wins = Series({"wins": [0, 5], "Filter": ["overall"] * 2, "Size": [1, 2]})
    >>> [text.get_text() for text in filter_wins(wins).axes[0].texts if text.get_gid() == "cell"]
    ['0', '5']
    """
    return heat_table(series, rows=rows, columns=columns, digits=0, band=rows, caption=caption)
