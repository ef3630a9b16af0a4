"""Names beside points, such that they do not cover each other as long as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intemi.analysis.plots.style import GREY, INK, POINTS, SMALL, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Box = tuple[float, float, float, float]
SIDES = (
    ("left", "center", 6, 0),
    ("right", "center", -6, 0),
    ("center", "bottom", 0, 5),
    ("center", "top", 0, -5),
    ("left", "bottom", 5, 4),
    ("left", "top", 5, -4),
    ("right", "bottom", -5, 4),
    ("right", "top", -5, -4),
    *(
        (across, up, x, way * away)
        for away in (14, 23, 32, 41)
        for up, way in (("bottom", 1), ("top", -1))
        for across, x in (("center", 0), ("left", -4), ("right", 4))
    ),
)
"""Where a name may stand: its alignment, and points to the right of and above its point."""
NEAR = 8
"""So many of them are beside the point; from the others a line leads to it."""
HEIGHT = SMALL + 2


def name_points(axes: Axes, places: Sequence[tuple[float, float]], names: Sequence[str]) -> None:
    """Write names beside points, each on the first side where it covers nothing, else where it covers least.

    The limits of the axes must have their final values.
    """
    figure = axes.figure
    figure.draw_without_rendering()  # type: ignore[union-attr]  # where things are is not known before
    scale = POINTS / figure.dpi
    centres = [tuple(axes.transData.transform(place) * scale) for place in places]
    taken: list[Box] = [(x - 3, y - 3, x + 3, y + 3) for x, y in centres]
    frame = axes.get_window_extent()
    inside = (frame.x0 * scale, frame.y0 * scale, frame.x1 * scale, frame.y1 * scale)
    for place, centre, name in zip(places, centres, names, strict=True):
        boxes = [_box(centre, side, width_of(name, SMALL) * POINTS) for side in SIDES]
        costs = [sum(_overlap(box, each) for each in taken) + _outside(box, inside) for box in boxes]
        chosen = costs.index(min(costs))
        taken.append(boxes[chosen])
        across, up, x, y = SIDES[chosen]
        axes.annotate(
            name,
            place,
            (x, y),
            textcoords="offset points",
            ha=across,
            va=up,
            fontsize=SMALL,
            color=INK,
            gid="name",
            parse_math=False,
            arrowprops=None if chosen < NEAR else {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkB": 3},
        )


def _box(centre: Sequence[float], side: tuple[str, str, float, float], width: float) -> Box:
    across, up, x, y = side
    left = centre[0] + x - {"left": 0.0, "center": width / 2, "right": width}[across]
    bottom = centre[1] + y - {"bottom": 0.0, "center": HEIGHT / 2, "top": HEIGHT}[up]
    return left, bottom, left + width, bottom + HEIGHT


def _overlap(one: Box, other: Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    up = min(one[3], other[3]) - max(one[1], other[1])
    return across * up if across > 0 and up > 0 else 0.0


def _outside(box: Box, frame: Box) -> float:
    """How much of a name would be cut off, which is as bad as covering ten times as much."""
    return 10 * ((box[2] - box[0]) * (box[3] - box[1]) - _overlap(box, frame))
