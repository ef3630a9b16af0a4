"""ROC curves, and how far probabilities can be trusted: a panel for each class, a line for each learner."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from intemi.analysis.answers import ROC, Reliability, classes_of
from intemi.analysis.plots.cells import refusing
from intemi.analysis.plots.style import COLOURS, GREY, INK, MARKERS, NORMAL, SMALL, light, named, widest
from intemi.analysis.samples import column
from intemi.series import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL = 2.6
"""Inches of a panel, in both directions."""
ABREAST = 3
LINES = ("-", "--", "-.", ":")
"""Beside colours, so that nobody has to rely on these."""


def roc(predictions: Series, *, label: str | None = None, of: str = "machine") -> Figure:
    """ROC curves of learners from their predictions: a panel for each class against all others, or for `label` alone.

    Of two classes, the second is drawn, since the curve of the first is the same turned around. Curves are means over
    tests; the legend has the mean of their areas, over all classes that are drawn.

    >>> answers = {"Class": ["no", "no", "yes"], "Predicted": ["no", "yes", "yes"], "machine": ["knn"] * 3}
    >>> probabilities = {"P(no)": [0.9, 0.4, 0.3], "P(yes)": [0.1, 0.6, 0.7]}
    >>> figure = roc(Series({**answers, **probabilities}, main="Predicted"))
    >>> figure.axes[0].get_title(), figure.axes[0].get_xlabel()
    ('yes', 'false alarms')
    """
    points = ROC(of=of)(predictions)

    def draw(axes: Axes, rows: Series, place: int, name: str) -> None:
        colour, line = COLOURS[place % len(COLOURS)], LINES[place % len(LINES)]
        x, y = ([float(each) for each in column(rows, label)] for label in ("false alarms", "hits"))
        axes.plot(x, y, line, color=colour, linewidth=1.4, gid=name)

    classes = _chosen("roc", predictions, label)
    return _panels(points, classes, of, draw, ("false alarms", "hits"), _areas(points, classes, of))


def calibration(predictions: Series, *, label: str | None = None, bins: int = 10, of: str = "machine") -> Figure:
    """How often a class is right where learners give it some probability; on the diagonal, they can be trusted.

    A panel for each class, of two classes for the second, or for `label` alone. Large points stand for many cases.

    >>> answers = {"Class": ["no", "no", "yes"], "Predicted": ["no", "yes", "yes"], "machine": ["knn"] * 3}
    >>> probabilities = {"P(no)": [0.9, 0.4, 0.3], "P(yes)": [0.1, 0.6, 0.7]}
    >>> calibration(Series({**answers, **probabilities}, main="Predicted")).axes[0].get_ylabel()
    'share of yes'
    """
    points = Reliability(of=of, bins=bins)(predictions)

    def draw(axes: Axes, rows: Series, place: int, name: str) -> None:
        colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
        x, y, cases = ([float(each) for each in column(rows, label)] for label in ("probability", "share", "cases"))
        axes.plot(x, y, LINES[place % len(LINES)], color=colour, linewidth=1.2, gid=name)
        axes.scatter(x, y, [6 + 60 * each / sum(cases) for each in cases], colour, marker=marker)

    return _panels(points, _chosen("calibration", predictions, label), of, draw, ("probability", "share"), {})


def _chosen(who: str, predictions: Series, label: str | None) -> list[str]:
    """The classes that are drawn."""
    classes = classes_of(predictions)
    if not classes:
        refusing(who)("predictions must have probabilities, labels such as P(yes)")
    if label is not None and label not in classes:
        refusing(who)(f"label must be one of {', '.join(classes)}, got {label!r}")
    return [label] if label is not None else classes[1:] if len(classes) == 2 else classes


def _areas(points: Series, classes: Sequence[str], of: str) -> dict[Any, str]:
    """The mean of the areas of the classes that are drawn, for each learner."""
    areas: dict[Any, dict[Any, float]] = {}
    for row in points:
        if row["class"] in classes:
            areas.setdefault(row[of], {})[row["class"]] = float(row["AUC"])  # type: ignore[arg-type]
    return {learner: f"{sum(found.values()) / len(found):.3f}" for learner, found in areas.items()}


Draw = Callable[["Axes", Series, int, str], None]


def _panels(
    points: Series, classes: Sequence[str], of: str, draw: Draw, axes_names: tuple[str, str], areas: dict[Any, str]
) -> Figure:
    """A panel for each class; the legend has the areas of learners, if there are any."""
    from intemi.analysis.plots.picture import Picture

    across = min(ABREAST, len(classes))
    down = math.ceil(len(classes) / across)
    learners = list(dict.fromkeys(column(points, of)))
    beside = 0.75 + widest(["area under the curve", *(f"{named(each)} 0.000" for each in learners)], SMALL)
    height = max(down * (PANEL + 0.5), 0.6 + 0.17 * len(learners))
    figure = Picture(figsize=(across * (PANEL + 0.35) + beside, height), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    told: dict[str, Any] = {}
    for axes, name in zip(panels, classes, strict=False):
        _frame(axes, name, axes_names)
        for place, learner in enumerate(learners):
            rows = points.where(**{of: learner, "class": name})
            if len(rows):
                draw(axes, rows, place, named(learner))
                told.setdefault(f"{named(learner)} {areas.get(learner, '')}".strip(), axes.lines[-1])
    for axes in panels[len(classes) :]:
        axes.remove()
    shown = figure.legend(
        list(told.values()),
        list(told),
        loc="outside right upper",
        fontsize=SMALL,
        frameon=False,
        title="area under the curve" if areas else None,
        title_fontsize=SMALL,
    )
    for each in shown.get_texts():
        each.set_parse_math(False)
    return figure


def _frame(axes: Axes, name: str, names: tuple[str, str]) -> None:
    light(axes, "both")
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":", gid="diagonal")
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    axes.set_title(named(name), fontsize=NORMAL, color=INK, parse_math=False)
    axes.set_xlabel(names[0], fontsize=SMALL + 1, color=INK, parse_math=False)
    said = names[1] if names[1] != "share" else f"share of {named(name)}"
    axes.set_ylabel(said, fontsize=SMALL + 1, color=INK, parse_math=False)
