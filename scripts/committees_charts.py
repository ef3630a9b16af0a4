"""The charts of the experiment with committees, as the book has them, and curves of errors against sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np

from configs.committees import COMMON, MARGINS, PRUNINGS, RULES, SEPARATE, VALIDATED, VALIDATORS, VARIANTS
from intemi.analysis.plots import (
    committee_map,
    error_against_size,
    filter_wins,
    single_squares,
    svg_of,
    versus_map,
)
from intemi.series import Series
from scripts.committees_claims import SIZES
from scripts.committees_results import COMMITTEES, Results, pooled, record, winners
from scripts.reproduction_results import ALPHA, Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = ("breast-cancer", "diabetes", "glass", "sonar", "vehicle", "vowel")
"""The data sets whose errors are drawn."""


def draw(every: Mapping[str, Results], experiment: str, folder: Path) -> list[tuple[str, str]]:
    """Draw all charts of what has finished into a folder: titles and names. `experiment` is its digest."""
    drawn = []
    folder.mkdir(parents=True, exist_ok=True)
    for title, name, figure in charts(every, f"Experiment {experiment[:12]}."):
        with mpl.rc_context({"svg.hashsalt": name}):  # the same picture is the same file
            if name.endswith(".png"):
                figure.savefig(folder / name, dpi=75, metadata={"Software": None})
            else:
                (folder / name).write_text(svg_of(figure), "utf-8")
        drawn.append((title, name))
    return drawn


def charts(every: Mapping[str, Results], note: str) -> Iterator[tuple[str, str, Figure]]:
    """The charts with their titles and the names of their files."""
    tests = f"Paired t-tests at {ALPHA:g}, no correction. {note}"
    won = {criterion: _wins(results) for criterion, results in every.items()}
    rows = [
        (int(wins), criterion, *labels)
        for criterion, (_, trees) in won.items()
        for labels, wins in zip(_tree_labels(), trees, strict=True)
    ]
    about = "wins of the 25 single trees among all 3,415 configurations of their criterion"
    yield (
        "Wins of single trees (5.14)",
        "committees-5.14.svg",
        single_squares(_series(rows, ("wins", "Criterion", "Validator", "SE")), caption=f"5.14: {about}. {tests}"),
    )
    first = next(iter(every.values()))
    sets = f"{first.criterion}, {len(first.data_sets)} data sets"
    committees, _ = won[first.criterion]
    caption = f"5.15: wins of the 3,390 committees among all 3,415 configurations, {sets}. {tests}"
    yield "Wins of committees (5.15)", "committees-5.15.png", of_committees(lambda at: int(committees[at]), caption)
    against = [[record(*pair) for pair in _pairs(first, row)] for row in range(len(COMMITTEES))]
    for number, what, field in (("5.16", "better", "wins"), ("5.17", "worse", "losses")):
        caption = f"{number}: data sets on which a committee is {what} than its natural single tree, {sets}. {tests}"
        figure = of_committees(lambda at, field=field: getattr(against[at // 10][at % 10], field), caption)
        yield f"Committees {what} than single trees ({number})", f"committees-{number}.png", figure
    yield from _versus(first, sets, tests)
    caption = f"5.20: wins of sizes, pooled as the row says. Descriptive (dependent samples). {tests}"
    yield "Wins of sizes (5.20)", "committees-5.20.svg", filter_wins(_by_filters(every), caption=caption)
    yield "Error against size", "committees-sizes.svg", error_against_size(_curves(first), of="committee")


def _versus(results: Results, sets: str, tests: str) -> Iterator[tuple[str, str, Figure]]:
    """Committees by CC against bagging and boosting of the same size, all prunings and rules or variants together."""
    bagged = [[results.bagged(pruning, size, rule) for pruning in PRUNINGS for rule in RULES] for size in SIZES]
    caption = f"5.18: committees by CC against bagging of the same size: W-D-L over 7 prunings and 2 rules, {sets}."
    yield "Committees against bagging (5.18)", "committees-5.18.svg", versus(results, bagged, f"{caption} {tests}")
    if "boosting" in results.accuracies:
        count = len(results.accuracies["boosting"])
        boosted = [
            [results.boosted(variant, pruning, size) for variant in VARIANTS for pruning in PRUNINGS] for size in SIZES
        ]
        caption = (
            f"5.19: committees by CC against boosting of the same size: W-D-L over 4 variants and 7 prunings, "
            f"{results.criterion}, {count} data sets."
        )
        yield (
            "Committees against boosting (5.19)",
            "committees-5.19.svg",
            versus(results, boosted, f"{caption} {tests}"),
        )


def versus(results: Results, others: Sequence[Sequence[Any]], caption: str) -> Figure:
    """Committees by CC against others of the same size, whose accuracies are given by size."""
    rows = []
    for at, each in enumerate(COMMITTEES):
        if each["Validator"] == "CC":
            for size in SIZES:
                own = results.committees[:, at, size - 1]
                met = [record(own[: len(other)], other) for other in others[size - 1]]
                total = Record(*map(sum, zip(*met, strict=True)))
                rows.append((*total, each["Mode"], each["SE"], each["TE"], each["Decision"], size))
    labels = ("wins", "draws", "losses", "Mode", "SE", "TE", "Decision", "Size")
    return versus_map(_series(rows, labels), caption=caption)


def of_committees(number: Callable[[int], float], caption: str) -> Figure:
    """A number of each of the 3,390 committees, by their place among all."""
    rows = [
        (number(at * len(SIZES) + place), *each.values(), size)
        for at, each in enumerate(COMMITTEES)
        for place, size in enumerate(SIZES)
    ]
    return committee_map(
        _series(rows, ("number", "Validator", "Mode", "SE", "TE", "Decision", "Size")), caption=caption
    )


def _wins(results: Results) -> tuple[Any, Any]:
    """The wins of all committees, sizes fastest, and of the single trees."""
    committees = results.committees.reshape(len(results.committees), -1, results.committees.shape[-1])
    won = winners(np.concatenate([committees, results.reference_trees], axis=1)).sum(axis=0)
    return won[: committees.shape[1]], won[committees.shape[1] :]


def _tree_labels() -> list[tuple[str, str]]:
    return [(validator, se) for validator in VALIDATORS for se in MARGINS[COMMON]]


def _pairs(results: Results, row: int) -> Iterator[tuple[Any, Any]]:
    """A committee of each size, and the single tree that it is compared with."""
    tree = results.natural_tree(COMMITTEES[row])
    for size in SIZES:
        yield results.committees[:, row, size - 1], tree


def _by_filters(every: Mapping[str, Results]) -> Series:
    rows = []
    for criterion, results in every.items():
        filters: dict[str, dict[str, str]] = {
            f"{criterion}, all": {},
            **{f"{criterion}, {mode}": {"Mode": mode} for mode in (SEPARATE, COMMON)},
            **{f"{criterion}, {each}": {"Validator": each} for each in VALIDATED},
        }
        for name, labels in filters.items():
            wins = pooled(results, "Size", SIZES, **labels).wins()
            rows += [(count, name, size) for size, count in zip(SIZES, wins, strict=True)]
    return _series(rows, ("wins", "Filter", "Size"))


def _curves(results: Results) -> Series:
    """Accuracies by size of some committees, bagging and boosting, on some data sets."""
    one = {"Validator": "CC", "SE": "0SE", "Decision": "n"}
    drawn: dict[str, Callable[[int], Any]] = {
        "separate, ½TE": lambda size: results.one(size, Mode=SEPARATE, TE="½TE", **one),
        "common, 1TE": lambda size: results.one(size, Mode=COMMON, TE="1TE", **one),
        "bagging": lambda size: results.bagged("none", size, "average"),
    }
    if "boosting" in results.accuracies:
        drawn["AdaBoost"] = lambda size: results.boosted("AdaBoost", "none", size)
    chosen = [data for data in CURVES if data in results.data_sets] or results.data_sets
    rows = []
    for name, accuracies in drawn.items():
        for size in SIZES:
            for data, mean in zip(results.data_sets, accuracies(size).mean(axis=-1), strict=False):
                if data in chosen:
                    rows.append((float(mean), name, size, data))
    return _series(sorted(rows, key=lambda row: row[3]), ("Accuracy", "committee", "Size", "data"))


def _series(rows: list[Any], labels: tuple[str, ...]) -> Series:
    return Series(dict(zip(labels, map(list, zip(*rows, strict=True)), strict=True)), main=labels[0])
