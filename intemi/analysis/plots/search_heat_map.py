"""What a parameter search has tried, and how good it was."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from intemi.analysis.plots.cells import floats, refusing
from intemi.analysis.plots.grid import GAP, LINE, Grid, coloured
from intemi.analysis.plots.style import (
    BLUE,
    GREY,
    INK,
    NORMAL,
    RED,
    SMALL,
    bare,
    decimals_of,
    light,
    named,
    shades,
    widest,
    width_of,
)
from intemi.analysis.samples import Floats, column
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WHO = "search_heat_map"
FULL = 0.25
"""A search that fills less of its grid than this is drawn as points."""


def search_heat_map(
    series: Series, x: str | None = None, y: str | None = None, *, best: Literal["highest", "lowest"] = "highest"
) -> Figure:
    """The objective of what a `ParameterSearch` has tried (its result "Tried"), by two of its parameters.

    `x` and `y` are paths of parameters, the last and the first but it if they are not given. Where several candidates
    differ in other parameters only, the best of them counts. Of a grid there is a table, with the best in a frame and
    × for what failed; of points that lie anywhere, as of a random search, there are points; of one parameter, a curve.

    >>> tried = Series({"Objective": [0.8, 0.9, None, 0.7], "C": [1, 1, 2, 2], "sigma": [0.5, 1.0, 0.5, 1.0]})
    >>> figure = search_heat_map(tried)
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "cell"]
    ['0.800', '0.900', '×', '0.700']
    """
    from intemi.analysis.plots.picture import Picture

    refuse = refusing(WHO)
    if best not in ("highest", "lowest"):
        refuse(f"best must be 'highest' or 'lowest', got {best!r}")
    paths = [label for label in series.labels if label not in (series.main, "Failure")]
    for given in (x, y):
        if given is not None and given not in paths:
            refuse(f"a parameter must be one of {', '.join(map(repr, paths)) or 'none'}, got {given!r}")
    if not paths or not len(series):
        refuse("the series must have an objective and parameters of at least one candidate")
    across = x or next(path for path in reversed(paths) if path != y or len(paths) == 1)
    down = y or next((path for path in reversed(paths) if path != across), None)
    sign = 1.0 if best == "highest" else -1.0
    told = floats(series, series.main, WHO)
    if down is None or down == across:
        figure = Picture(figsize=(5.5, 3.4), layout="constrained")
        _curve(figure.add_subplot(), column(series, across), told, sign)
        _name_axes(figure.axes[0], across, series.main)
        return figure
    columns, rows = _values(column(series, across)), _values(column(series, down))
    found = _best_of(column(series, across), column(series, down), told, sign)
    others = [path for path in paths if path not in (across, down)]
    note = f"{series.main}: the best over {', '.join(map(named, others))}" if others else series.main
    if len(found) < FULL * len(columns) * len(rows) and _is_numeric(columns) and _is_numeric(rows):
        figure = Picture(figsize=(6.0, 4.4), layout="constrained")
        _points(figure.add_subplot(), found, sign, note)
        _name_axes(figure.axes[0], across, down)
        return figure
    return _table(found, columns, rows, sign, (across, down, note))


def _best_of(across: list[Any], down: list[Any], told: Floats, sign: float) -> dict[tuple[Any, Any], float]:
    found: dict[tuple[Any, Any], float] = {}
    for x, y, value in zip(across, down, told.tolist(), strict=True):
        known = found.get((x, y), math.nan)
        if math.isnan(known) or sign * value > sign * known:
            found[x, y] = value
    return found


def _values(given: list[Any]) -> list[Any]:
    """Different values; numbers in ascending order, others as they come."""
    different = list(dict.fromkeys(given))
    return sorted(different) if _is_numeric(different) else different


def _is_numeric(values: list[Any]) -> bool:
    return all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)


def _table(found: Any, columns: list[Any], rows: list[Any], sign: float, titles: tuple[str, str, str]) -> Figure:
    from intemi.analysis.plots.picture import Picture

    across, down, note = titles
    values = np.array([[found.get((x, y), math.nan) for x in columns] for y in rows])
    places = decimals_of(values.ravel().tolist())
    texts = [
        [
            "" if (x, y) not in found else f"{v:.{places}f}" if math.isfinite(v) else "×"
            for x, v in zip(columns, line, strict=True)
        ]
        for y, line in zip(rows, values.tolist(), strict=True)
    ]
    names = [named(each) for each in columns]
    row_names = [(each,) for each in rows]
    cell = (max(0.3, widest((t for line in texts for t in line), SMALL) + 0.12), 0.25)
    slanted = widest(names) > cell[0] - 0.06
    left = max(widest(named(each) for each in rows), 0.2) + 2 * GAP
    x, y = 0.35 + left, 0.55 + (widest(names) if slanted else LINE) + GAP
    width = max(x + cell[0] * len(columns) + 0.15, 0.3 + width_of(note), x + width_of(named(across)) + 0.15)
    height = max(y + cell[1] * len(rows) + 0.15, y + width_of(named(down)) + 0.15)
    figure = Picture(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    bare(axes)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    grid = Grid(axes, x, y, cell)
    grid.cells(coloured(sign * values, [range(len(rows))], None), texts)
    grid.column_names([(each,) for each in columns], slanted)
    grid.row_names(row_names, [left])
    if np.isfinite(values).any():
        grid.frame(*divmod(int(np.nanargmax(sign * values)), len(columns)))
    axes.text(0.15, 0.15, note, va="center", fontsize=NORMAL, color=INK, gid="note", parse_math=False)
    axes.text(x, 0.42, named(across), va="center", fontsize=SMALL + 1, color=GREY, gid="x", parse_math=False)
    axes.text(
        0.15,
        y,
        named(down),
        rotation=90,
        ha="center",
        va="top",
        fontsize=SMALL + 1,
        color=GREY,
        gid="y",
        parse_math=False,
    )
    return figure


def _points(axes: Axes, found: dict[tuple[Any, Any], float], sign: float, note: str) -> None:
    light(axes, "both")
    known = {place: value for place, value in found.items() if math.isfinite(value)}
    failed = [place for place in found if place not in known]
    if failed:
        axes.plot(*zip(*failed, strict=True), "x", color=GREY, gid="failed")
    if known:
        places, values = list(known), np.array(list(known.values()))
        xs, ys = zip(*places, strict=True)
        paint = shades() if sign > 0 else shades().reversed()
        drawn = axes.scatter(xs, ys, c=values, cmap=paint, s=42, edgecolors=GREY, linewidths=0.5, zorder=3)
        axes.figure.colorbar(drawn, ax=axes).set_label(note, fontsize=SMALL + 1)
        top = places[int(np.argmax(sign * values))]
        axes.plot(*top, "D", markersize=10, markerfacecolor="none", markeredgecolor=RED, markeredgewidth=2, gid="best")
    for scale, along in ((axes.set_xscale, [x for x, _ in found]), (axes.set_yscale, [y for _, y in found])):
        if spans_decades(along):
            scale("log")


def _curve(axes: Axes, values: list[Any], told: Floats, sign: float) -> None:
    light(axes, "both")
    order = _values(values)
    numeric = _is_numeric(order)
    best: dict[Any, float] = {}
    for value, objective in zip(values, told.tolist(), strict=True):
        known = best.get(value, math.nan)
        if math.isnan(known) or sign * objective > sign * known:
            best[value] = objective
    xs = order if numeric else list(range(len(order)))
    ys = [best[each] for each in order]
    axes.plot(xs, ys, "o-" if numeric else "o", color=BLUE, markersize=4, linewidth=1)
    if not numeric:
        axes.set_xticks(xs, [named(each) for each in order], rotation=45 if len(order) > 4 else 0, parse_math=False)
    elif spans_decades(order):
        axes.set_xscale("log")
    if np.isfinite(ys).any():
        top = int(np.nanargmax(sign * np.array(ys)))
        axes.plot(xs[top], ys[top], "D", color=RED, markersize=7, gid="best")


def spans_decades(values: list[Any]) -> bool:
    """Whether values are such that their powers matter: positive, and the largest is at least 50 times the smallest.

    >>> spans_decades([0.1, 1, 10]), spans_decades([1, 2, 3]), spans_decades([0, 100])
    (True, False, False)
    """
    return bool(min(values) > 0 and max(values) >= 50 * min(values))


def _name_axes(axes: Axes, x: str, y: str) -> None:
    axes.set_xlabel(named(x), fontsize=NORMAL, color=INK, parse_math=False)
    axes.set_ylabel(named(y), fontsize=NORMAL, color=INK, parse_math=False)
