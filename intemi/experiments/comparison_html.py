"""Comparisons and outcomes as HTML, for reports and notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from intemi.experiments.tables import are_wide, effects_table, failures_of, heading, requested, sentence, views_table
from intemi.markup import folded, paragraph, table
from intemi.series import Series
from intemi.series.columns import cells_of
from intemi.series.display import is_numeric, shown_cells

if TYPE_CHECKING:
    from intemi.experiments.compared import Compared
    from intemi.experiments.outcome import Outcome

MOST_IN_A_SQUARE = 16
"""Learners that are set against each other in a square table."""


def comparison_html(compared: Compared) -> str:
    """All of a comparison in brief: what was found, means of all measures, and the tests, folded."""
    results = "".join(map(results_html, (compared, *compared.also)))
    tests = views_html(compared) + ranks_html(compared) + wins_html(compared) + effects_html(compared)
    more = folded("tests", tests) if tests else ""
    return paragraph(compared.findings) + results + more + notes_html(compared.notes)


def outcome_html(outcome: Outcome) -> str:
    """What came of an experiment: the comparison, results of other requests, notes and failures."""
    parts = [comparison_html(outcome.compare())] if any(cell.is_learner for cell in outcome.finished) else []
    for cell, results in requested(outcome):
        shown = [
            f"<h4>{escape(label)}</h4>{value._repr_html_()}"
            if isinstance(value, Series)
            else paragraph(f"{label}: {value}")
            for label, value in results.items()
        ]
        parts.append(folded(cell.name, "".join(shown)))
    parts += [paragraph(f"Note: {note}", "none") for note in outcome.data_notes]
    parts += [f'<div class="failed">{paragraph(failure)}</div>' for failure in failures_of(outcome)]
    return "".join(parts) or paragraph(repr(outcome))


def results_html(compared: Compared) -> str:
    """Mean and deviation of each learner on each data set, the best of each data set marked; average ranks last.

    Learners stand side by side or, where these would be wide, one below the other.
    """
    data = compared.planned_data
    learners = [each for each in compared.planned_learners if _has_news(compared, each)]
    kinds = [*data, RANK] if compared.ranks is not None else data
    if are_wide(compared) and len(data) < len(learners):
        rows, columns = learners, kinds
        keys = [[(learner, on) for on in kinds] for learner in learners]
    else:
        rows, columns = kinds, learners
        keys = [[(learner, on) for learner in learners] for on in kinds]
    places = {(i, j): key for i, line in enumerate(keys) for j, key in enumerate(line, 1)}
    best = "" if compared.direction is None else f"; the {compared.direction} mean on each data set is marked *"
    return table(
        ["", *columns],
        [[row, *(_shown(compared, *key) for key in line)] for row, line in zip(rows, keys, strict=True)],
        f"{compared.measure}: {heading(compared)}{best}",
        numeric=range(1, len(columns) + 1),
        classes={place: _kind(compared, *key) for place, key in places.items()},
        titles={place: _spread(compared, *key) for place, key in places.items() if compared.cell(*key) is not None},
    )


RANK = "average rank"


def _has_news(compared: Compared, learner: str) -> bool:
    """Whether a learner has values, or something that explains why not; not all have trees to count leaves of."""
    states = [compared.cells.get((learner, data)) for data in compared.planned_data]
    return learner in compared.learners or any(state != "finished" for state in states)


def _shown(compared: Compared, learner: str, data: str) -> str:
    if data != RANK:
        return compared.shown(learner, data)
    assert compared.ranks is not None
    found = compared.ranks.where(machine=learner)
    return f"{float(found.values[0]):.2f}" if len(found) else "–"


def _kind(compared: Compared, learner: str, data: str) -> str:
    if data == RANK:
        return "rank"
    if compared.cell(learner, data) is None:
        return "none"
    return "best" if compared.is_best(learner, data) else ""


def _spread(compared: Compared, learner: str, data: str) -> str:
    found: Any = compared.cell(learner, data)
    return f"n = {found['n']}, from {found['min']:.4f} to {found['max']:.4f}, median {found['median']:.4f}"


def views_html(compared: Compared) -> str:
    """Three views over data sets, side by side, and how their numbers came about."""
    if compared.views is None:
        return ""
    caption = "Three views over data sets: wins, difference in standard deviations, wins-draws-losses"
    return series_html(views_table(compared.views), caption, numeric={1, 2, 3}) + notes_html(compared.views.footnotes)


def ranks_html(compared: Compared) -> str:
    """Average ranks, what the tests of them say, and every pair."""
    parts = []
    if compared.ranks is not None:
        rows = [[str(row["machine"]), f"{row[RANK]:.2f}", f"{row['sd']:.2f}"] for row in compared.ranks]
        parts.append(table(["", RANK, "sd over data sets"], rows, "Average ranks, 1 is the best", numeric={1, 2}))
    if compared.friedman is not None:
        row: Any = compared.friedman.row(0)
        parts.append(
            paragraph(
                f"Do average ranks differ at all? χ²({row['df']}) = {row['chi2']:.2f}, p = {row['p']:.3g}; "
                f"F({row['df of F']}, {row['df of denominator']}) = {row['F']:.2f}, p = {row['p of F']:.3g}. "
                f"{row['variant']}."
            )
        )
    if compared.critical_difference is not None:
        row = compared.critical_difference.row(0)
        parts.append(
            paragraph(
                f"Average ranks that are {row['critical difference']:.2f} or more apart differ at the level "
                f"{row['alpha']:g}. {row['variant']}."
            )
        )
    return "".join(parts) + _pairs(compared)


def _pairs(compared: Compared) -> str:
    """Who differs from whom in average ranks: a square of p, or a list where there is a control or many learners."""
    pairs = compared.pairs
    if pairs is None or not len(pairs):
        return ""
    count = sum(bool(row["different"]) for row in pairs)
    many = f"{count or 'None'} of {len(pairs)} pairs {'differ' if count > 1 else 'differs'}"
    names = list(dict.fromkeys([*map(str, pairs["machine"]), *map(str, pairs["against"])]))
    is_square = len(pairs) == len(names) * (len(names) - 1) // 2 and 2 < len(names) <= MOST_IN_A_SQUARE
    shown = _square(pairs, names) if is_square else series_html(pairs.without("variant", "alpha"))
    return folded(
        f"{many} at {pairs.row(0)['alpha']:g}: p of every pair",
        paragraph(f"{pairs.row(0)['variant']}.", "note") + shown,
    )


def _square(pairs: Series, names: list[str]) -> str:
    """p of each pair, below the diagonal; that of pairs that differ is marked."""
    found = {frozenset((str(row["machine"]), str(row["against"]))): row for row in pairs}
    rows, kinds = [], {}
    for i, name in enumerate(names[1:], 1):
        cells = []
        for j, other in enumerate(names[:-1]):
            row = found.get(frozenset((name, other))) if j < i else None
            cells.append("" if row is None else f"{row[pairs.main]:.3f}")
            if row is not None and row["different"]:
                kinds[i - 1, j + 1] = "best"
        rows.append([name, *cells])
    return table(["", *names[:-1]], rows, numeric=range(1, len(names)), classes=kinds)


def effects_html(compared: Compared) -> str:
    """How large the differences from the best learner, or from the control, are: on each data set, in words."""
    effects = compared.effects()
    if effects is None:
        return ""
    against = effects["against"][0]
    shown = series_html(effects_table(effects), f"{effects['variant'][0]}; above that, better than {against}")
    return folded(f"Effect sizes: how far is {against} ahead?", shown)


def wins_html(compared: Compared) -> str:
    """Wins, draws and losses of each learner against each other one."""
    if compared.wins is None or len(compared.wins.labels) <= 2:
        return ""
    caption = f"Wins, draws and losses of rows against columns. {compared.wins_variant}"
    square = series_html(compared.wins, caption, numeric=range(1, len(compared.wins.labels)))
    return folded("Wins, draws and losses of all pairs", square)


def notes_html(notes: Iterable[str]) -> str:
    """Notes, a paragraph each."""
    return "".join(paragraph(sentence(note), "note") for note in notes)


def series_html(series: Series, caption: str = "", numeric: Iterable[int] | None = None) -> str:
    """A series to be read: numbers of a column with the same digits, words for truth values, names first and p last."""
    last = [label for label in series.labels if label == "p"]
    first = [label for label in ("machine", "against", "data") if label in series.labels]
    labels = [*first, *(label for label in series.labels if label not in (*first, *last)), *last]
    columns = {label: _words(list(cells_of(series[label]))) for label in labels}
    right = {place for place, label in enumerate(labels) if is_numeric(series[label])}
    texts = zip(*(shown_cells(cells) for cells in columns.values()), strict=True)
    heads = ["" if label == series.main and label in ("data", "machine") else label for label in labels]
    return table(heads, texts, caption, numeric=right if numeric is None else set(numeric))


def _words(cells: list[Any]) -> list[Any]:
    return [("yes" if cell else "no") if isinstance(cell, bool) else cell for cell in cells]
