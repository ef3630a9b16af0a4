"""Learners as points: accuracy against size, wins against losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.analysis.plots.cells import Key, gathered, labels_of, refusing
from intemi.analysis.plots.placing import name_points
from intemi.analysis.plots.search_heat_map import spans_decades
from intemi.analysis.plots.style import COLOURS, INK, MARKERS, NORMAL, SMALL, light, named
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def accuracy_against_size(
    series: Series,
    *,
    size: str = "Leaves",
    of: str = "machine",
    along: str | Sequence[str] = (),
    over: str = "data",
) -> Figure:
    """The mean of the main label against the mean of the label `size`, a point for each learner.

    With labels `along`, there is a point for each combination of these as well, and those that differ in the last one
    only are joined, in the order in which they come. Several data sets (`over`) have a panel each: sizes of trees for
    different data are on different scales.

    >>> trees = Series({"Accuracy": [0.9, 0.8], "Leaves": [9, 3], "machine": ["full", "pruned"]})
    >>> figure = accuracy_against_size(trees)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['full', 'pruned']
    """
    who = "accuracy_against_size"
    labels = (of, *labels_of(along))
    data = (over,) if over in series.labels and over not in labels else ()
    heights = gathered(series, (*data, *labels), who)
    widths = gathered(series, (*data, *labels), who, size)
    points = {
        key: (float(np.mean(widths[key])), float(np.mean(heights[key])))
        for key in heights
        if len(widths[key]) and len(heights[key])
    }
    return _panels(points, len(data), len(labels), (size, series.main), who)


def wins_against_losses(
    series: Series, *, wins: str = "wins", losses: str = "losses", of: str = "machine", group: str | None = None
) -> Figure:
    """One measure of each method against another, coloured by groups: who wins often may still lose a lot.

    >>> found = Series({"wins": [56, 19], "losses": [-0.4, -1.4], "machine": ["OPT", "MEP2"]})
    >>> [text.get_text() for text in wins_against_losses(found).axes[0].texts]
    ['OPT', 'MEP2']
    """
    who = "wins_against_losses"
    labels = (of,) if group is None else (group, of)
    across, up = gathered(series, labels, who, wins), gathered(series, labels, who, losses)
    for key, values in across.items():
        if len(values) > 1:
            refusing(who)(f"there are several items of {', '.join(map(str, key))}; group= or of= must tell them apart")
    points = {key: (float(across[key][0]), float(up[key][0])) for key in across if len(across[key]) and len(up[key])}
    return _panels(points, 0, len(labels), (wins, losses), who, joined=False)


def _panels(
    points: dict[Key, tuple[float, float]],
    data: int,
    parts: int,
    titles: tuple[str, str],
    who: str,
    joined: bool = True,
) -> Figure:
    from intemi.analysis.plots.picture import Picture

    if not points:
        refusing(who)("no item has numbers of both labels")
    panels = list(dict.fromkeys(key[:data] for key in points))
    across = min(3, len(panels))
    down = -(-len(panels) // across)
    many = max(sum(key[:data] == panel for key in points) for panel in panels)
    side = 4.2 if many > 12 and parts == 1 else 3.4
    figure = Picture(figsize=(0.4 + across * (side + 0.8), 0.3 + down * side), layout="constrained")
    drawn = figure.subplots(down, across, squeeze=False).ravel()
    families = list(dict.fromkeys(key[data : data + max(1, parts - 1)] for key in points))
    for axes, panel in zip(drawn, panels, strict=False):
        chosen = {key[data:]: place for key, place in points.items() if key[:data] == panel}
        _draw(axes, chosen, families, parts, joined)
        axes.set_xlabel(titles[0], fontsize=NORMAL, color=INK, parse_math=False)
        axes.set_ylabel(titles[1], fontsize=NORMAL, color=INK, parse_math=False)
        if panel:
            axes.set_title(named(panel[0]), fontsize=NORMAL, color=INK, parse_math=False)
    for axes in drawn[len(panels) :]:
        axes.remove()
    if parts > 1:
        handles, names = drawn[0].get_legend_handles_labels()
        found = figure.legend(handles, names, loc="outside right upper", fontsize=SMALL + 1, frameon=False)
        for text in found.get_texts():
            text.set_parse_math(False)
    for axes, panel in zip(drawn, panels, strict=False):
        chosen = {key[data:]: place for key, place in points.items() if key[:data] == panel}
        name_points(axes, list(chosen.values()), [named(key[-1]) for key in chosen])
    return figure


def _draw(axes: Axes, points: dict[Key, tuple[float, float]], families: list[Key], parts: int, joined: bool) -> None:
    """Learners without more labels are one family of points; otherwise each family has its colour and marker."""
    light(axes, "both")
    style: dict[str, Any] = {"markersize": 5, "linewidth": 1}
    if parts == 1:
        axes.plot(*zip(*points.values(), strict=True), "o", color=COLOURS[0], **style)
    else:
        for number, family in enumerate(families):
            places = [place for key, place in points.items() if key[: len(family)] == family]
            look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)], **style}
            line = ("-", "--", ":", "-.")[number // len(COLOURS) % 4] if joined else "none"
            xs, ys = zip(*places, strict=True) if places else ((), ())
            axes.plot(xs, ys, linestyle=line, label=", ".join(map(named, family)), **look)
    if spans_decades([x for x, _ in points.values()]):
        axes.set_xscale("log")
    axes.margins(0.12)
