"""Curves of committees: their error against their size, and the distribution of their margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.analysis.plots.cells import Key, gathered, refusing
from intemi.analysis.plots.style import COLOURS, INK, MARKERS, NORMAL, PALE, SMALL, light, named
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = tuple[Any, Any]
"""The places of its points across and up."""


def error_against_size(series: Series, *, size: str = "Size", of: str = "machine", over: str = "data") -> Figure:
    """The mean error of committees, 1 minus the main label, against the number of their members: a curve for each.

    Several data sets (`over`) have a panel each.

    >>> sizes = Series({"Accuracy": [0.7, 0.8, 0.9], "Size": [1, 2, 3], "machine": ["bagging"] * 3})
    >>> error_against_size(sizes).axes[0].lines[0].get_ydata().round(2).tolist()
    [0.3, 0.2, 0.1]
    """
    who = "error_against_size"
    data = (over,) if over in series.labels and over not in (of, size) else ()
    found = gathered(series, (*data, of, size), who)
    curves: dict[Key, dict[Any, Curve]] = {}
    for key in found:
        points = [
            (each[-1], 1 - values.mean()) for each, values in found.items() if each[:-1] == key[:-1] and len(values)
        ]
        if points:
            across, up = zip(*sorted(points), strict=True)
            curves.setdefault(key[: len(data)], {})[key[len(data)]] = np.array(across), np.array(up)
    return _panels(curves, (size, f"1 − {series.main}"), who, marked=True)


def margin_distribution(series: Series, *, of: str = "machine", over: str = "data") -> Figure:
    """The share of rows with at most each margin, a curve for each committee: what lies right of 0 is answered right.

    The main label is the margin of one row, as `unpack` makes it of the vectors that the measure `Margins` leaves.

    >>> margins = Series({"Margins": [0.5, -0.2, 1.0, 0.1], "machine": ["bagging"] * 4})
    >>> margin_distribution(margins).axes[0].lines[-1].get_xdata().tolist()
    [-1.0, -0.2, 0.1, 0.5, 1.0, 1.0]
    """
    who = "margin_distribution"
    data = (over,) if over in series.labels and over != of else ()
    curves: dict[Key, dict[Any, Curve]] = {}
    for key, values in gathered(series, (*data, of), who).items():
        if len(values):
            across = np.concatenate(([-1.0], np.sort(values), [1.0]))
            up = np.concatenate(([0.0], np.arange(1, len(values) + 1) / len(values), [1.0]))
            curves.setdefault(key[: len(data)], {})[key[len(data)]] = across, up
    figure = _panels(curves, ("margin", "share of rows up to it"), who, marked=False)
    for axes in figure.axes:
        axes.axvspan(-1, 0, color=PALE, alpha=0.4, zorder=0)  # answered wrong
    return figure


def _panels(curves: dict[Key, dict[Any, Curve]], titles: tuple[str, str], who: str, marked: bool) -> Figure:
    from intemi.analysis.plots.picture import Picture

    if not curves:
        refusing(who)("no item has numbers")
    across = min(3, len(curves))
    down = -(-len(curves) // across)
    figure = Picture(figsize=(1.9 + across * 3.4, 0.3 + down * 2.8), layout="constrained")
    drawn = figure.subplots(down, across, squeeze=False).ravel()
    names = list(dict.fromkeys(name for each in curves.values() for name in each))
    for axes, (panel, each) in zip(drawn, curves.items(), strict=False):
        light(axes, "both")
        for name, (xs, ys) in each.items():
            number = names.index(name)
            look: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "linewidth": 1.2}
            look["linestyle"] = ("-", "--", ":", "-.")[number // len(COLOURS) % 4 if marked else number % 4]
            if marked:
                look |= {"marker": MARKERS[number % len(MARKERS)], "markersize": 4}
            axes.plot(xs, ys, label=named(name), drawstyle="default" if marked else "steps-post", **look)
        axes.set_xlabel(titles[0], fontsize=NORMAL, color=INK, parse_math=False)
        axes.set_ylabel(titles[1], fontsize=NORMAL, color=INK, parse_math=False)
        if panel:
            axes.set_title(named(panel[0]), fontsize=NORMAL, color=INK, parse_math=False)
    for axes in drawn[len(curves) :]:
        axes.remove()
    handles = {text: line for axes in figure.axes for line, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    legend = figure.legend(handles.values(), handles, loc="outside right upper", fontsize=SMALL + 1, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure
