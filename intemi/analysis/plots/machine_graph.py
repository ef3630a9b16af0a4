"""The graph of machines: what holds what, what gives something to what, and what is shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from intemi.analysis.plots.cells import refusing
from intemi.analysis.plots.layered import LINE, PADDING, Box, arranged
from intemi.analysis.plots.parts import Part, Path, of_capsules, of_explanations, of_project
from intemi.analysis.plots.style import GREY, INK, NORMAL, ORANGE, SMALL, bare, width_of
from intemi.kernel import Capsule, Project
from intemi.kernel.explain import Explanation
from intemi.kernel.repository import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAF, SHARED = "#e3eef7", "#fde7bd"
KEPT, PARTLY, NEW = "#c5e8d9", "#f4efc2", "#ffffff"
"""Of what a dry run has explained: on record, some of it, and what would be run."""
LEGEND = 0.35
AROUND = 0.06
"""Inches between a box and an arrow that leads around it."""
FEW = 6
"""More arrows from one part into one frame would be a thicket."""


def machine_graph(*sources: Capsule | Project | Explanation, root: Run | str | None = None) -> Figure:
    """The machines under one or more requests, made or explained, or in a project; those that hold others are frames.

    Requests of one name in one place are one box, however often they were repeated. Where one machine answers several
    requests, because it was asked for again or was found equal, the box is orange with a thick frame; it says how many
    requests were answered by a machine that was there already. Arrows lead from what a machine takes to the machine;
    one that many in a frame take leads to the frame.

    What `project.explain` says of a request that is not made is coloured by what is on record and what would be run.

    Of a project, `root` says which requests are meant (a run, or the name of a request). There, arrows are known inside
    of schemes only; the capsules of requests know all of them.

    >>> from intemi.machines import KNN, SklearnDataset
    >>> with Project() as project:
    ...     data = project.run(SklearnDataset("iris"))
    ...     figure = machine_graph(data, project.run(KNN(), data=data.data))
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "name"]
    ['SklearnDataset', 'KNN']
    """
    from intemi.analysis.plots.picture import Picture

    capsules = [each for each in sources if isinstance(each, Capsule)]
    explained = [each for each in sources if isinstance(each, Explanation)]
    if len(sources) == 1 and isinstance(sources[0], Project):
        drawing = of_project(sources[0], root)
    elif sources and len(capsules) == len(sources):
        drawing = of_capsules(capsules)
    elif sources and len(explained) == len(sources):
        drawing = of_explanations(explained)
    else:
        got = ", ".join(type(each).__name__ for each in sources) or "nothing"
        refusing("machine_graph")(f"takes a project, or one or more capsules or explanations, got {got}")
    if not drawing.root.parts:
        refusing("machine_graph")("nothing was requested")
    boxes, width, height = arranged(drawing)
    width = max(width, 4.0)  # of the legend
    figure = Picture(figsize=(width, height + LEGEND))
    axes = figure.add_axes((0, 0, 1, 1))
    bare(axes)
    axes.set_xlim(0, width)
    axes.set_ylim(height + LEGEND, 0)
    for box in boxes.values():
        _draw(axes, box)
    leaves = [box for box in boxes.values() if not box.part.parts]
    for source, target in bundled(drawing.edges):
        if source in boxes and target in boxes:
            _arrow(axes, boxes[source], boxes[target], leaves)
    _legend(axes, height, EXPLAINED if explained else REQUESTED)
    return figure


def bundled(edges: Iterable[tuple[Path, Path]]) -> list[tuple[Path, Path]]:
    """Edges, where those from one part to more than a few parts in one frame are one edge to the frame.

    >>> bundled([(("cv",), ("test", str(number))) for number in range(10)])
    [(('cv',), ('test',))]
    """
    frames = {(source, target): (source, _frame_around(source, target)) for source, target in edges}
    sizes = Counter(frames.values())
    drawn = (frame if frame[1] and sizes[frame] > FEW else edge for edge, frame in frames.items())
    return list(dict.fromkeys(drawn))


def _frame_around(source: Path, target: Path) -> Path:
    """The outermost frame that holds the target and not the source; none if the target itself stands there."""
    same = 0
    while same < min(len(source), len(target)) and source[same] == target[same]:
        same += 1
    return target[: same + 1] if same + 1 < len(target) else ()


def _draw(axes: Axes, box: Box) -> None:
    holds = bool(box.part.parts)
    colour = "none" if holds else _colour(box.part)
    _frame(axes, box.x, box.y, box.width, box.height, colour, box.part.is_shared, "/".join(box.part.path))
    for place, line in enumerate(box.lines):
        axes.text(
            box.x + (PADDING if holds else box.width / 2),
            box.y + PADDING / 2 + LINE * (place + 0.5),
            line,
            ha="left" if holds else "center",
            va="center",
            fontsize=SMALL if place else NORMAL,
            color=INK,
            zorder=4,
            gid="detail" if place else "name",
            parse_math=False,
        )


def _colour(part: Part) -> str:
    if part.on_record is None:
        return SHARED if part.is_shared else LEAF
    return KEPT if part.on_record == part.requests else PARTLY if part.on_record else NEW


def _frame(
    axes: Axes, x: float, y: float, width: float, height: float, colour: str, is_shared: bool, gid: str | None = None
) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=colour,
            edgecolor=ORANGE if is_shared else GREY,
            linewidth=1.8 if is_shared else 0.8,
            zorder=1 if colour == "none" else 3,
            gid=gid,
        )
    )


def _arrow(axes: Axes, source: Box, target: Box, leaves: Iterable[Box]) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path as Curve

    points = way_between(source, target, leaves)
    codes = [Curve.MOVETO, *[Curve.LINETO] * (len(points) - 1)]
    axes.add_patch(
        FancyArrowPatch(
            path=Curve(points, codes),
            arrowstyle="-|>,head_length=3,head_width=1.5",
            color=GREY,
            linewidth=0.8,
            zorder=2,
            gid=f"{'/'.join(source.part.path)} > {'/'.join(target.part.path)}",
        )
    )


def way_between(source: Box, target: Box, leaves: Iterable[Box]) -> list[tuple[float, float]]:
    """The points of an arrow: straight or, where that would lead behind other boxes, around these from below."""
    start = (source.x + source.width, source.y + source.height / 2)
    end = (target.x - 0.02, target.y + target.height / 2)
    hidden = [box for box in leaves if box not in (source, target) and _crosses(start, end, box)]
    if not hidden or end[0] <= start[0]:
        return [start, end]
    below = max(box.y + box.height for box in hidden) + AROUND
    left, right = min(box.x for box in hidden) - AROUND, max(box.x + box.width for box in hidden) + AROUND
    return [start, (max(start[0], left), below), (min(end[0], right), below), end]


def _crosses(start: tuple[float, float], end: tuple[float, float], box: Box) -> bool:
    """Whether a line from left to right meets a box."""
    left, right = max(start[0], box.x), min(end[0], box.x + box.width)
    if left >= right or end[0] <= start[0]:
        return False
    slope = (end[1] - start[1]) / (end[0] - start[0])
    low, high = sorted(start[1] + slope * (x - start[0]) for x in (left, right))
    return low < box.y + box.height and high > box.y


REQUESTED = ((LEAF, "a machine"), (SHARED, "shared: one machine answers several requests"))
EXPLAINED = ((KEPT, "on record"), (PARTLY, "some on record"), (NEW, "would be run"))


def _legend(axes: Axes, top: float, told: Iterable[tuple[str, str]]) -> None:
    x = 0.1
    for colour, text in told:
        _frame(axes, x, top + 0.08, 0.2, 0.14, colour, colour == SHARED)
        axes.text(x + 0.27, top + 0.15, text, va="center", fontsize=SMALL, color=GREY)
        x += 0.5 + width_of(text, SMALL)
