"""The curves of searches, as the book draws them: a panel for each curve, a line for each search."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from intemi.analysis.plots import svg_of
from intemi.analysis.plots.picture import Picture
from intemi.analysis.plots.style import COLOURS, GREY, INK, NORMAL, SMALL, light
from scripts.committee_profiles_lines import CURVES, KINDS, RANDOM, SCORES, Line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINE_STYLES = {"passive": ":", "5NN": "--", "active": "-"}
PANEL_WIDTH, PANEL_HEIGHT = 3.6, 2.5
"""Inches."""


def looks_by_name(lines: Mapping[str, Line]) -> dict[str, dict[str, Any]]:
    """A colour for each search, and a style beside it."""
    styles = ("-", "--", "-.", ":")
    return {
        name: {"color": COLOURS[place % len(COLOURS)], "linestyle": styles[place % len(styles)]}
        for place, name in enumerate(lines)
    }


def looks_by_kind() -> dict[str, dict[str, Any]]:
    """A colour for each score, a style for each kind of search."""
    looks: dict[str, dict[str, Any]] = {RANDOM: {"color": GREY, "linestyle": "-."}}
    for place, score in enumerate(SCORES):
        for kind in KINDS:
            looks[f"{score}, {kind}"] = {"color": COLOURS[place], "linestyle": LINE_STYLES[kind]}
    return looks


def curves(lines: Mapping[str, Line], looks: Mapping[str, Mapping[str, Any]]) -> Figure:
    """The four curves of some searches, as means over data sets."""
    figure = Picture(figsize=(2 * PANEL_WIDTH + 1.5, 2 * PANEL_HEIGHT + 0.2), layout="constrained")
    panels = figure.subplots(2, 2, sharex=True).ravel()
    for axes, (curve, meaning) in zip(panels, CURVES.items(), strict=True):
        light(axes, "both")
        for name, line in lines.items():
            values = line.mean(curve)
            axes.plot(
                range(1, len(values) + 1), values, label=name, linewidth=1.2, gid=f"{curve} {name}", **looks[name]
            )
        axes.set_title(f"({curve}) {meaning}", fontsize=NORMAL, color=INK)
    for axes in panels[2:]:
        axes.set_xlabel("tests", fontsize=NORMAL, color=INK)
    figure.supylabel("below the best, in its standard deviations", fontsize=NORMAL, color=INK)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper", fontsize=SMALL + 1, frameon=False)
    return figure


def draw(figure: Figure, path: Path) -> None:
    """Write a figure as SVG; the same figure gives the same file."""
    with mpl.rc_context({"svg.hashsalt": path.name}):
        path.write_text(svg_of(figure), "utf-8")
