"""The time line: what ran when, and on which worker."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

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

WHO = "time_line"
LANE = 0.3
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
"""For those who cannot tell colours apart, and for print."""
MANY = 3000
"""More bars are drawn as an image inside of the figure, or files would be huge."""


class Watched:
    """What ran since somebody began to watch: leaves with their times and workers."""

    def __init__(self) -> None:
        self._workers: dict[int, str] = {}
        self._running: dict[bytes, str] = {}
        self._rows: list[dict[str, Any]] = []

    def __call__(self, event: Event) -> None:
        context = event.context
        if context.config.is_composite:
            return
        if event.kind is EventKind.STARTED and context.task is not None:  # told on the thread that is going to run it
            known = self._workers.setdefault(threading.get_ident(), f"worker {len(self._workers) + 1}")
            self._running[context.task.machine] = known
        elif event.kind in (EventKind.FINISHED, EventKind.FAILED) and (record := context.record) is not None:
            worker = self._running.pop(record.machine, None)
            if worker is not None:
                times = {"wall": record.wall, "started": record.started, "worker": worker}
                self._rows.append({**times, "machine": context.name, "kind": record.kind, "path": context.path})

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
    rows = np.array([names.index(lane) for lane in lanes])
    _draw(axes, (started - start) / unit, wall / unit, rows, kinds)
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
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=SMALL + 1, frameon=False)
    return figure


def _draw(axes: Axes, left: Floats, width: Floats, rows: Any, kinds: list[str]) -> None:
    """Those classes that took most of the time have a colour each."""
    total: dict[str, float] = {}
    for kind, each in zip(kinds, width.tolist(), strict=True):
        total[kind] = total.get(kind, 0.0) + each
    first = sorted(total, key=total.__getitem__, reverse=True)[: len(HATCHES)]
    of_kind = np.array([first.index(kind) if kind in first else len(first) for kind in kinds])
    for number, name in enumerate([*first, "others"]):
        chosen = of_kind == number
        if not chosen.any():
            continue
        is_other = number == len(first)
        axes.barh(
            rows[chosen],
            width[chosen],
            height=0.7,
            left=left[chosen],
            color=PALE if is_other else COLOURS[number],
            hatch="" if is_other else HATCHES[number],
            edgecolor="white" if not is_other else GREY,
            linewidth=0.2,
            label=f"{name} ({int(chosen.sum()):,})",
            rasterized=len(kinds) > MANY,
        )


def lanes_of(started: Floats, wall: Floats) -> list[str]:
    """Lanes such that nothing overlaps in one: the first that is free, in the order of the starts.

    >>> lanes_of(np.array([0.0, 1.0, 2.5]), np.array([2.0, 3.0, 1.0]))
    ['lane 1', 'lane 2', 'lane 1']
    """
    ends: list[float] = []
    lanes = [""] * len(started)
    for position in np.argsort(started, kind="stable").tolist():
        begin = float(started[position])
        free = next((lane for lane, end in enumerate(ends) if end <= begin), len(ends))
        if free == len(ends):
            ends.append(0.0)
        ends[free] = begin + float(wall[position])
        lanes[position] = f"lane {free + 1}"
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
