"""Diversity against accuracy: how much the members of committees agree, and how well they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.analysis.plots.cells import gathered, refusing
from intemi.analysis.plots.style import COLOURS, INK, MARKERS, NORMAL, SMALL, light, named
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def diversity_against_accuracy(
    series: Series, *, agreement: str = "Agreement", accuracy: str = "Mean accuracy", of: str = "machine"
) -> Figure:
    """Each pair of members as a point: agreement (kappa) across, mean accuracy up; each committee has a colour.

    A cloud on the left is diverse, a high one accurate. A large marker is the middle of each cloud. The points are what
    `DiversityTest` leaves.

    >>> pairs = Series({"Agreement": [0.9, 0.7], "Mean accuracy": [0.8, 0.6], "machine": ["bagging"] * 2})
    >>> diversity_against_accuracy(pairs).axes[0].lines[0].get_xdata().tolist()
    [0.9, 0.7]
    """
    from intemi.analysis.plots.picture import Picture

    who = "diversity_against_accuracy"
    across, up = (gathered(series, (of,), who, label) for label in (agreement, accuracy))
    clouds = {key: (across[key], up[key]) for key in across if len(across[key]) and len(across[key]) == len(up[key])}
    if not clouds:
        refusing(who)("no item has numbers of both labels")
    figure = Picture(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    light(axes, "both")
    for number, (key, (xs, ys)) in enumerate(clouds.items()):
        look: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        axes.plot(xs, ys, linestyle="none", markersize=3, alpha=0.35, **look)
        look |= {"linestyle": "none", "markersize": 9, "markeredgecolor": INK, "label": named(key[0])}
        axes.plot([np.mean(xs)], [np.mean(ys)], **look)
    axes.set_xlabel(f"{agreement} of two members", fontsize=NORMAL, color=INK, parse_math=False)
    axes.set_ylabel(accuracy, fontsize=NORMAL, color=INK, parse_math=False)
    legend = figure.legend(loc="outside right upper", fontsize=SMALL + 1, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure
