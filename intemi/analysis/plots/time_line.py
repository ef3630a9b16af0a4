"""The time line: what ran when, and on which worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from intemi.analysis.plots.cells import floats, refusing
from intemi.analysis.plots.style import COLOURS, GREY, INK, NORMAL, PALE, SMALL, light, named, widest
from intemi.analysis.samples import Floats, column, require
from intemi.kernel import Event, EventKind, Project
from intemi.kernel.repository import Run
from intemi.kernel.repository.item import Item
from intemi.kernel.repository.labels import Labeler
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

WHO = "time_line"
LANE = 0.3
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
"""For those who cannot tell colours apart, and for print."""
HEIGHT = 0.7
"""Of a bar in its lane."""
MAX_BARS = 3000
"""More are drawn in columns, as an image inside of the figure: drawing takes seconds, and files stay small."""
COLUMNS = 1000
"""Into which the time is divided then: a column is about as wide as a pixel."""
LEVELS = 10
"""Heights that tell how busy a column was."""

Places = NDArray[np.int64]


class Watched:
    """What ran since somebody began to watch: leaves with their times and workers."""

    def __init__(self) -> None:
        self._workers: dict[int, str] = {}
        self._running: dict[bytes, str] = {}
        self._rows: list[dict[str, Any]] = []

    def __call__(self, event: Event) -> None:
        if event.config.is_composite or event.machine is None:
            return
        if event.kind is EventKind.STARTED:
            known = self._workers.setdefault(event.thread, f"worker {len(self._workers) + 1}")
            self._running[event.machine] = known
        elif event.kind in (EventKind.FINISHED, EventKind.FAILED):
            worker = self._running.pop(event.machine, None)
            if worker is not None:
                times = {"wall": event.seconds, "started": event.started, "worker": event.worker or worker}
                self._rows.append({**times, "machine": event.name, "kind": event.config.kind, "path": event.path})

    @property
    def series(self) -> Series:
        """A row for each leaf: its seconds, when it started, on which worker, its name, class and path."""
        labels = ("wall", "started", "worker", "machine", "kind", "path")
        return Series({label: [row[label] for row in self._rows] for label in labels}, main="wall")


@contextmanager
def watch(project: Project) -> Iterator[Watched]:
    """Note which worker runs what, for a `time_line`. Machines cost a little more while somebody watches.

    >>> from intemi.machines import SklearnDataset
    >>> with Project() as project, watch(project) as seen:
    ...     done = project.run(SklearnDataset("iris"))
    >>> seen.series["kind"], seen.series["worker"]
    (('SklearnDataset',), ('worker 1',))
    """
    watched = Watched()
    end = project.listen(watched, early=True)
    try:
        yield watched
    finally:
        end()


def time_line(source: Project | Watched | Series, *, run: Run | None = None) -> Figure:
    """What ran when: a lane for each worker, a bar for each leaf, coloured by class.

    Of more than 3,000 leaves, what ran in the time of a pixel is drawn together, as high as the lane was busy.

    What was watched knows its workers. Records of a project (those of its last run, or of the `run` given) do not:
    there, leaves that ran at the same time are put into different lanes, as few as possible. A series must have the
    labels "started", "wall" and "kind", and may have "worker".

    >>> ran = Series({"wall": [2.0, 1.0], "started": [0.0, 0.5], "kind": ["KNN", "SVM"]})
    >>> [text.get_text() for text in time_line(ran).axes[0].get_yticklabels()]
    ['lane 1', 'lane 2']
    """
    from intemi.analysis.plots.picture import Picture

    if isinstance(source, Project):
        series = _on_record(source, run)
    else:
        series = source.series if isinstance(source, Watched) else source
    if not isinstance(series, Series):
        refusing(WHO)(f"takes a project, what was watched, or a series, got {type(source).__name__}")
    if not len(series):
        refusing(WHO)("nothing ran")
    started, wall = floats(series, "started", WHO), floats(series, "wall", WHO)
    require(series, "kind", refusing(WHO))
    kinds = column(series, "kind")
    lanes = column(series, "worker") if "worker" in series.labels else lanes_of(started, wall)
    names = sorted(dict.fromkeys(lanes), key=lambda lane: (len(str(lane)), str(lane)))
    start = float(np.nanmin(started))
    end = float(np.nanmax(started + wall)) - start
    figure = Picture(figsize=(max(7.5, 5.5 + widest(map(named, names))), 1.5 + LANE * len(names)), layout="constrained")
    axes = figure.add_subplot()
    light(axes)
    unit, factor = (1e-3, "ms") if end < 1 else (1.0, "s") if end < 600 else (60.0, "min")
    places = {lane: place for place, lane in enumerate(names)}
    rows = np.array([places[lane] for lane in lanes])
    legend = _draw(axes, (started - start) / unit, wall / unit, rows, kinds)
    axes.set_yticks(range(len(names)), [named(each) for each in names], fontsize=NORMAL, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, max(end / unit, 1e-9) * 1.02)
    axes.set_xlabel(f"{factor} since the first machine started", fontsize=NORMAL, color=INK)
    if "worker" in series.labels:  # a lane that was made up says nothing of how busy anybody was
        for place, lane in enumerate(names):
            busy = float(np.nansum(wall[rows == place])) / end if end else 1.0
            axes.text(
                1.01,
                place,
                f"{min(busy, 1.0):.0%} busy",
                transform=axes.get_yaxis_transform(),
                va="center",
                fontsize=SMALL,
            ).set_gid(f"busy {lane}")
    figure.legend(handles=legend, loc="outside lower center", ncols=4, fontsize=SMALL + 1, frameon=False)
    return figure


def _draw(axes: Axes, left: Floats, width: Floats, rows: Places, kinds: list[str]) -> list[Patch]:
    """Those classes that took most of the time have a colour each; what the legend shows of them."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    total: dict[str, float] = {}
    for kind, each in zip(kinds, width.tolist(), strict=True):
        total[kind] = total.get(kind, 0.0) + each
    first = sorted(total, key=total.__getitem__, reverse=True)[: len(HATCHES)]
    places = {kind: place for place, kind in enumerate(first)}
    of_kind = np.array([places.get(kind, len(first)) for kind in kinds])
    bars = Bars(left, width, rows, of_kind, np.ones(len(left)))
    is_large = len(kinds) > MAX_BARS
    if is_large:
        bars = in_columns(bars)
    legend = []
    for number, name in enumerate([*first, "others"]):
        count = int((of_kind == number).sum())
        if not count:
            continue
        is_other = number == len(first)
        look: dict[str, Any] = {
            "facecolor": PALE if is_other else COLOURS[number],
            "hatch": "" if is_other else HATCHES[number],
            "edgecolor": GREY if is_other else "white",
            "linewidth": 0.0 if is_large else 0.2,
            "label": f"{name} ({count:,})",
        }
        corners = bars.chosen(bars.kind == number).corners()
        axes.add_collection(PolyCollection(corners, rasterized=is_large, **look), autolim=False)  # type: ignore[arg-type]
        legend.append(Patch(**look))
    return legend


class Bars(NamedTuple):
    """Bars of a time line: where each begins, how wide it is, its lane, its class, and which part of the lane's height
    it fills."""

    left: Floats
    width: Floats
    lane: Places
    kind: Places
    share: Floats

    def chosen(self, which: NDArray[np.bool_]) -> Bars:
        """Some of the bars."""
        return Bars(self.left[which], self.width[which], self.lane[which], self.kind[which], self.share[which])

    def corners(self) -> Floats:
        """The four corners of each bar, which stands on the bottom of its lane."""
        right, bottom = self.left + self.width, self.lane + HEIGHT / 2
        top = bottom - HEIGHT * self.share
        sides = (self.left, bottom), (self.left, top), (right, top), (right, bottom)
        return np.stack([np.column_stack(corner) for corner in sides], axis=1)


def in_columns(bars: Bars) -> Bars:
    """Bars that are too many to be drawn one by one, drawn column by column, each about as wide as a pixel.

    A column has the class that took most of its time, and is as high as the share of it in which anything ran. Columns
    that are alike become one bar again.
    """
    lanes, kinds = int(bars.lane.max()) + 1, int(bars.kind.max()) + 1
    column = float((bars.left + bars.width).max()) / COLUMNS or 1.0
    begin, end = bars.left / column, (bars.left + bars.width) / column
    first = np.clip(begin.astype(np.int64), 0, COLUMNS - 1)
    count = np.clip(np.ceil(end).astype(np.int64) - first, 1, COLUMNS - first)
    bar = np.repeat(np.arange(len(first)), count)
    at = first[bar] + np.arange(len(bar)) - np.repeat(np.cumsum(count) - count, count)
    part = np.minimum(end[bar], at + 1) - np.maximum(begin[bar], at)
    key = (bars.lane[bar] * COLUMNS + at) * kinds + bars.kind[bar]
    size = lanes * COLUMNS * kinds
    seen = (np.bincount(key, minlength=size) > 0).reshape(lanes, COLUMNS, kinds)
    busy = np.bincount(key, np.maximum(part, 0.0), size).reshape(lanes, COLUMNS, kinds)
    kind = np.where(seen.any(axis=2), np.where(seen, busy, -1.0).argmax(axis=2), -1)
    level = np.clip(np.ceil(busy.sum(axis=2) * LEVELS), 1, LEVELS).astype(np.int64)
    changes = np.ones((lanes, COLUMNS), dtype=bool)
    changes[:, 1:] = (kind[:, 1:] != kind[:, :-1]) | (level[:, 1:] != level[:, :-1])
    starts = np.flatnonzero(changes)
    widths = np.diff(starts, append=lanes * COLUMNS)
    found = Bars(
        (starts % COLUMNS * column).astype(np.float64),
        (widths * column).astype(np.float64),
        starts // COLUMNS,
        kind.ravel()[starts],
        (level.ravel()[starts] / LEVELS).astype(np.float64),
    )
    return found.chosen(found.kind >= 0)


def lanes_of(started: Floats, wall: Floats) -> list[str]:
    """Lanes such that nothing overlaps in one: the first that is free, in the order of the starts.

    >>> lanes_of(np.array([0.0, 1.0, 2.5]), np.array([2.0, 3.0, 1.0]))
    ['lane 1', 'lane 2', 'lane 1']
    """
    free: list[int] = []
    taken: list[tuple[float, int]] = []
    lanes = [""] * len(started)
    for position in np.argsort(started, kind="stable").tolist():
        begin = float(started[position])
        while taken and taken[0][0] <= begin:
            heappush(free, heappop(taken)[1])
        lane = heappop(free) if free else len(taken)
        heappush(taken, (begin + float(wall[position]), lane))
        lanes[position] = f"lane {lane + 1}"
    return lanes


def _on_record(project: Project, run: Run | None) -> Series:
    """The leaves that were started by a run, each once."""
    runs = project.runs()
    if not runs:
        refusing(WHO)("nothing was requested in this project")
    chosen = run or runs[-1]
    until = min((each.started for each in runs if each.started > chosen.started), default=np.inf)
    found = _Leaves()
    project.query(chosen, labels=found)
    rows = [row for machine, row in found.rows.items() if machine not in found.parents]
    rows = [row for row in rows if row["wall"] is not None and chosen.started <= row["started"] < until]
    if not rows:
        refusing(WHO)(
            f"the run {chosen.name!r} ran nothing, all of it was on record; run= names another one of {len(runs)}"
        )
    return Series({label: [row[label] for row in rows] for label in ("wall", "started", "kind", "path")}, main="wall")


class _Leaves(Labeler):
    """Notes when every machine ran, and which of them have others under them."""

    names = ("kind",)

    def __init__(self) -> None:
        self.rows: dict[int, dict[str, Any]] = {}
        self.parents: set[int] = set()

    def labels(self, item: Item) -> dict[str, Any]:
        if item.above is not None:
            self.parents.add(item.above.machine)
        if item.machine not in self.rows:
            times = {label: item.measured(label) for label in ("wall", "started")}
            self.rows[item.machine] = {**times, "kind": item.kind, "path": item.path}
        return {"kind": item.kind}
