"""The charts of the experiment with single trees, as the book has them: tables whose colour says where much is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from configs.single_trees import DIRECT, HELD_OUT, VALIDATORS
from intemi.analysis.plots import heat_table, svg_of
from intemi.series import Series
from scripts.reproduction_claims import MARGINS, WEIGHTS
from scripts.reproduction_results import ALPHA, BY_KEY, METHODS, Everything, Record, Results, Setting, Together, key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL_MARGINS = (*MARGINS, "½SEs", "1SEs")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "none": ("full",),
    "direct": (*DIRECT, "MDLP", "DIP"),
    "single": ("full", "REP", *VALIDATORS),
    "multi": tuple(VALIDATORS),
}
"""The methods of each group, in the order of the book's tables."""
SHOWN = Setting(HELD_OUT[0], 1)
"""What the charts and tables show; the conclusions are judged with the other seed and hold-out as well."""


def place_of(group: str, name: str, se: str, te: str) -> str | None:
    """The key of the method in a place of the table; what has no margin or weight stands where these are 0."""
    known = [key(group, name, se, te)]
    known += [key(group, name, se)] if te == "0TE" else []
    known += [key(group, name)] if (se, te) == ("0SE", "0TE") else []
    return next((each for each in known if each in BY_KEY), None)


def draw(everything: Everything, experiment: str, folder: Path) -> list[str]:
    """Draw all charts of what has finished into a folder; their names. `experiment` is its digest."""
    names = []
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in charts(everything, f"Experiment {experiment[:12]}."):
        with mpl.rc_context({"svg.hashsalt": name}):  # the same picture is the same file
            (folder / name).write_text(svg_of(figure), "utf-8")
        names.append(name)
    return names


def charts(everything: Everything, note: str) -> Iterator[tuple[str, Figure]]:
    """The charts of the book's tables, with the names of their files."""
    together = everything.together(SHOWN)
    about = f"{', '.join(together.criteria)}: {len(together.tasks)} tasks, {SHOWN.held_out} held out, seed {SHOWN.seed}"
    tests = f"Paired t-tests at {ALPHA:g}, no correction. {note}"
    quest = everything.of("QUEST", SHOWN)
    if quest is not None:
        wins = quest.all_wins
        caption = f"5.3: wins among all 145, QUEST: {len(quest.tasks)} tasks, {SHOWN}. {tests}"
        yield "single-trees-5.3.svg", of_methods(lambda name: (wins[name], str(wins[name])), caption)
    yield from _of_all(together, about, tests, note)
    information_gain = everything.of("IG", SHOWN)
    if information_gain is not None and "sonar" in information_gain.data_sets:
        for label, book, what in (("Accuracy", "5.7", "accuracy in percent"), ("Leaves", "5.8", "leaves")):
            caption = f"{book}: sonar, IG, {what}: mean and standard deviation. {SHOWN}. {note}"
            yield f"single-trees-{book}.svg", of_methods(_on("sonar", information_gain, label), caption)
    yield "single-trees-5.9.svg", of_direct(together, f"5.9: wins among the 12 of each row. {about}. {tests}")
    for setting in (SHOWN, Setting(HELD_OUT[1], SHOWN.seed)):
        caption = f"5.11: wins among the 54 single passes of each criterion, {setting}. {tests}"
        name = f"single-trees-5.11-{setting.held_out.split()[0]}.svg"
        yield name, of_group(everything.together(setting), "single", caption)
    caption = f"5.12: wins among the 75 with several passes of each criterion, seed {SHOWN.seed}. {tests}"
    yield "single-trees-5.12.svg", of_group(together, "multi", caption)


def _of_all(together: Together, about: str, tests: str, note: str) -> Iterator[tuple[str, Figure]]:
    wins, loss, excess = together.all_wins, together.loss, together.excess
    caption = f"5.4: wins among all 145, summed over criteria. {about}. {tests}"
    yield "single-trees-5.4.svg", of_methods(lambda name: (wins[name], str(wins[name])), caption)
    caption = f"5.5: accuracy less the oracle's, in its standard deviations. {about}. {note}"
    yield "single-trees-5.5.svg", of_methods(lambda name: (loss[name], f"{loss[name]:.2f}"), caption)
    none = Record(0, len(together.tasks), 0)

    def against(name: str) -> tuple[float, str]:
        record = together.against_full.get(name, none)
        return (record.wins - record.losses) / sum(record), str(record)

    caption = f"5.6: wins, draws, losses against the full tree. {about}. {tests}"
    yield "single-trees-5.6.svg", of_methods(against, caption, centre=0.0)
    caption = f"5.10: leaves more than the oracle's, in its standard deviations. {about}. {note}"
    yield "single-trees-5.10.svg", of_methods(lambda name: (excess[name], f"{excess[name]:.2f}"), caption)


def _on(data: str, results: Results, label: str) -> Callable[[str], tuple[float, str]]:
    place, scale = results.data_sets.index(data), 100 if label == "Accuracy" else 1

    def cell(name: str) -> tuple[float, str]:
        numbers = results.numbers(name, label)[place] * scale
        return float(numbers.mean()), f"{numbers.mean():.1f}\n{numbers.std(ddof=1):.1f}"

    return cell


def of_methods(cell: Callable[[str], tuple[float, str]], caption: str, centre: float | None = None) -> Figure:
    """One number of each of the 145 methods: 19 columns and 15 rows."""
    rows = []
    for se, te in product(ALL_MARGINS, WEIGHTS):
        for group, names in COLUMNS.items():
            for name in names:
                found = place_of(group, name, se, te)
                if found is not None:
                    rows.append((*cell(found), se, te, group, name))
    series = _series(rows, ("number", "text", "SE", "TE", "group", "method"))
    return heat_table(
        series, rows=("SE", "TE"), columns=("group", "method"), text="text", centre=centre, caption=caption
    )


def of_direct(together: Together, caption: str) -> Figure:
    """The wins of the direct prunings that have a margin, a row for each criterion."""
    rows = [
        (wins[key("direct", name, se)], criterion, name, se)
        for criterion, wins in wins_within(together, "direct").items()
        for name, se in product(DIRECT, MARGINS)
    ]
    series = _series(rows, ("wins", "criterion", "method", "SE"))
    return heat_table(series, rows="criterion", columns=("method", "SE"), band="criterion", caption=caption)


def of_group(together: Together, group: str, caption: str) -> Figure:
    """The wins of validations: margins and weights of a method with a criterion are a square."""
    names, margins = (("REP", *VALIDATORS), MARGINS) if group == "single" else (tuple(VALIDATORS), ALL_MARGINS)
    rows = [
        (wins[key(group, name, se, te)], criterion, te, name, se)
        for criterion, wins in wins_within(together, group).items()
        for te in WEIGHTS
        for name, se in product(names, margins)
    ]
    series = _series(rows, ("wins", "criterion", "TE", "method", "SE"))
    return heat_table(series, rows=("criterion", "TE"), columns=("method", "SE"), band="criterion", caption=caption)


def wins_within(together: Together, group: str) -> dict[str, dict[str, int]]:
    """By criterion, the wins among the methods of a group that have a margin; and their sums."""
    competing = [method.key for method in METHODS if method.group == group and method.se]
    found = {part.criterion: part.wins(competing) for part in together.parts}
    found["sum"] = {name: sum(wins[name] for wins in found.values()) for name in competing}
    return found


def _series(rows: list[Any], labels: tuple[str, ...]) -> Series:
    return Series(dict(zip(labels, map(list, zip(*rows, strict=True)), strict=True)), main=labels[0])
