"""Comparisons as text, Markdown and LaTeX."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from intemi.series import Series
from intemi.series.display import counted
from intemi.series.tables import latex_text, tabular

if TYPE_CHECKING:
    from intemi.experiments.compared import Compared
    from intemi.experiments.outcome import Cell, Outcome
    from intemi.experiments.views import Views

DIGITS = 3
MAX_WIDTH = 120
"""Letters in a line: what is wider is told in another way."""


def results_table(compared: Compared, digits: int = DIGITS) -> Series:
    """A row for each data set of the plan, a column for each learner: mean ± deviation, the best mean with a *."""
    columns: dict[str, list[str]] = {"data": compared.planned_data}
    for learner in compared.planned_learners:
        columns[learner] = [_cell(compared, learner, data, digits) for data in compared.planned_data]
    return Series(columns, main="data")


def views_table(views: Views) -> Series:
    """Wins, differences in standard deviations and wins-draws-losses against the baseline, side by side."""
    rows = list(views.table)
    return Series(
        {
            "machine": [row["machine"] for row in rows],
            "wins": [_known("{} of {}", row["wins"], row["data sets"]) for row in rows],
            f"sd from {views.reference}": [_difference(row) for row in rows],
            f"W-D-L against {views.baseline}": [
                "–" if row["machine"] == views.baseline else _known("{}", row["W-D-L"]) for row in rows
            ],
        },
        main="machine",
    )


def effects_table(effects: Series) -> Series:
    """Effect sizes to be read: a row for each learner, a column for each data set, with the magnitude in words."""
    found = {(row["machine"], row["data"]): f"{row[effects.main]:.3f} {row['magnitude']}" for row in effects}
    learners, data = (list(dict.fromkeys(effects[label])) for label in ("machine", "data"))
    columns = {str(on): [found[learner, on] for learner in learners] for on in data}
    return Series({"machine": learners, **columns}, main="machine")


def effects_text(effects: Series) -> str:
    """Effect sizes as text."""
    heads = [f"Effect sizes against {effects['against'][0]}", str(effects["variant"][0])]
    return "\n".join([*heads, *_rows(effects_table(effects))])


def _difference(row: Mapping[str, Any]) -> str:
    if row["sd"] is None or row["sd"] != row["sd"]:  # of one data set
        return _known("{:+.2f}", row["difference"])
    return _known("{:+.2f} ± {:.2f}", row["difference"], row["sd"])


def _known(form: str, *values: object) -> str:
    return "–" if None in values else form.format(*values)


def _cell(compared: Compared, learner: str, data: str, digits: int) -> str:
    return compared.shown(learner, data, digits) + (" *" if compared.is_best(learner, data) else "")


def heading(compared: Compared) -> str:
    """What the table of results shows."""
    return f"mean ± sd, n = {compared.usual_count}"


def markdown_of(compared: Compared) -> str:
    """The results as a table of Markdown, and what must be read with it."""
    notes = "".join(f"\n{sentence(note)}\n" for note in _notes(compared))
    return f"{results_table(compared).to_markdown()}{notes}"


def latex_of(compared: Compared) -> str:
    """The results as a tabular of LaTeX, the best of each data set in bold; what must be read with it is in comments.

    Average ranks, if there are any, come last. Where learners do not fit side by side, they are one below the other.
    """
    notes = "".join(f"% {note}\n" for note in _notes(compared))
    ranks = {} if compared.ranks is None else {str(row["machine"]): row for row in compared.ranks}
    learners, data = compared.planned_learners, compared.planned_data
    cells = {(learner, on): _latex_cell(compared, learner, on) for learner in learners for on in data}
    ranked = [f"{ranks[each]['average rank']:.2f}" if each in ranks else "--" for each in learners]
    if are_wide(compared):
        heads = ["", *map(latex_text, data), *(["average rank"] if ranks else [])]
        rows = [
            [latex_text(learner), *(cells[learner, on] for on in data), *([rank] if ranks else [])]
            for learner, rank in zip(learners, ranked, strict=True)
        ]
        return notes + tabular("l" + "r" * (len(heads) - 1), [heads], rows)
    rows = [[latex_text(on), *(cells[learner, on] for learner in learners)] for on in data]
    last = [[["average rank", *ranked]]] if ranks else []
    return notes + tabular("l" + "r" * len(learners), [["", *map(latex_text, learners)]], rows, *last)


def _latex_cell(compared: Compared, learner: str, data: str) -> str:
    shown = latex_text(compared.shown(learner, data, DIGITS)).replace("±", r"$\pm$").replace("–", "--")
    return rf"\textbf{{{shown}}}" if compared.is_best(learner, data) else shown


def _notes(compared: Compared) -> list[str]:
    """What must be read with a table of one measure."""
    also = [f"{each.measure} (--measure {shlex.quote(each.measure)})" for each in compared.also]
    return [heading(compared), *compared.footnotes, *([f"also measured: {', '.join(also)}"] if also else [])]


def text_of(compared: Compared) -> str:
    """The whole comparison as text, with the means of what was also measured."""
    lines = _means(compared)
    if compared.views is not None:
        lines += ["", "Three views over data sets", *_rows(views_table(compared.views))]
        lines += _sentences(compared.views.footnotes)
    if compared.ranks is not None:
        lines += ["", "Average ranks", *_rows(compared.ranks.without("data sets"))]
    if compared.friedman is not None:
        row = compared.friedman.row(0)
        lines += ["", f"{row['variant']}: p = {row['p']:.4g}"]
    if compared.critical_difference is not None:
        row = compared.critical_difference.row(0)
        lines.append(f"Critical difference at {row['alpha']:g}: {row['critical difference']:.3f} ({row['variant']})")
    if compared.pairs is not None:
        lines += _pairs(compared, compared.pairs)
    if compared.wins is not None and compared.views is not None and len(compared.wins.labels) > 2:
        lines += ["", *_wins(compared.wins)]
    for each in compared.also:
        lines += ["", *_means(each)]
    lines += ["", *_sentences(compared.footnotes)] if compared.footnotes else []
    lines += [f"Note: {note}" for note in compared.notes]
    return "\n".join(lines)


def _means(compared: Compared) -> list[str]:
    best = "" if compared.direction is None else f" (the {compared.direction} is best, marked *)"
    return [f"{compared.measure}{best}", heading(compared), "", *_results(compared)]


def _pairs(compared: Compared, pairs: Series) -> list[str]:
    """Which learners differ in their average ranks."""
    lines = [str(pairs.row(0)["variant"])] if len(pairs) else []
    differing = [row for row in pairs if row["different"]]
    lines += [f"{row['machine']} and {row['against']} differ: p = {row[pairs.main]:.4g}" for row in differing]
    if not differing:
        with_control = compared.control in compared.competitors
        none = f"No learner differs from {compared.control}" if with_control else "No two learners differ"
        lines.append(f"{none} in average ranks.")
    return lines


def _results(compared: Compared) -> list[str]:
    """Learners side by side or, where that would not fit on a screen, one below the other."""
    if not are_wide(compared):
        return _rows(results_table(compared))
    columns: dict[str, list[str]] = {"machine": compared.planned_learners}
    for data in compared.planned_data:
        columns[data] = [_cell(compared, learner, data, DIGITS) for learner in compared.planned_learners]
    return _rows(Series(columns, main="machine"))


def are_wide(compared: Compared) -> bool:
    """Whether learners side by side would not fit on a screen."""
    return max(map(len, _rows(results_table(compared)))) > MAX_WIDTH


def _wins(matrix: Series) -> list[str]:
    """All against all, if that fits on a screen, or against all others together."""
    if max(map(len, rows := _rows(matrix))) <= MAX_WIDTH:
        return ["Wins-draws-losses of rows against columns", *rows]
    against = {"against all others": [_together(row, str(row[matrix.main])) for row in matrix]}
    said = _rows(Series({"machine": list(matrix[matrix.main]), **against}, main="machine"))
    return ["Wins-draws-losses", *said]


def _together(row: Mapping[str, object], learner: str) -> str:
    """The sums of a row of the matrix, without the learner against itself."""
    scores = [str(score) for name, score in row.items() if learner not in (name, score)]
    counts = [map(int, score.split("-")) for score in scores]
    return "-".join(str(sum(each)) for each in zip(*counts, strict=True))


def _sentences(notes: Iterable[str]) -> list[str]:
    """Notes in lines that fit on a screen."""
    return [line for note in notes for line in wrap(sentence(note), MAX_WIDTH, subsequent_indent="  ")]


def sentence(note: str) -> str:
    """A note as a sentence begins.

    >>> sentence("not run")
    'Not run'
    """
    return note[:1].upper() + note[1:]


def _rows(series: Series) -> list[str]:
    """A series as aligned text, whole."""
    table = [["" if label == series.main and label in ("data", "machine") else label for label in series.labels]]
    table += [[_shown(value) for value in row.values()] for row in series]
    widths = [max(len(row[column]) for row in table) for column in range(len(series.labels))]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in table]


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def outcome_text(outcome: Outcome) -> str:
    """What came of an experiment: the comparison, results of other requests, and how many machines were run."""
    parts = [f"{outcome.compare()}\n"] if any(cell.is_learner for cell in outcome.finished) else []
    for cell, results in requested(outcome):
        parts.append(f"{cell.name}:" if results else f"{cell.name}: finished")
        for label, value in results.items():
            parts.append(f"  {label}: {value}" if "\n" not in str(value) else f"  {label}:\n{value}")
    parts += ["\n".join(wrap(f"Note: {note}", MAX_WIDTH, subsequent_indent="  ")) for note in outcome.data_notes]
    counts, folder = outcome.project.counts(), outcome.project.folder
    kept = "kept" if outcome.project.keeps_all else "not all of them could be kept"
    where = "" if folder is None else f"; {kept} in {folder}"
    run_now = f"{counts.physical.total():,} of them run now"
    return "\n".join([*parts, f"{counted(counts.logical.total(), 'machine')}, {run_now}{where}"])


def requested(outcome: Outcome) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """The results of finished requests that are not learners."""
    for cell in outcome.finished:
        if not cell.is_learner and cell.capsule is not None:
            yield cell, cell.capsule.results


def failures_of(outcome: Outcome) -> list[str]:
    """What failed, in one line for each cause, with the first request that it made fail and how many others."""
    by_cause: dict[str, list[tuple[str, str]]] = {}
    for name, failure in outcome.failures.items():
        told = " ".join(str(failure).split())
        path = getattr(failure, "path", "")
        by_cause.setdefault(told.removeprefix(path), []).append((name, told))
    return [_same_cause(*same) for same in by_cause.values()]


def _same_cause(first: tuple[str, str], *others: tuple[str, str]) -> str:
    name, told = first
    return f"{name} and {counted(len(others), 'other')}: {told}" if others else f"{name}: {told}"
