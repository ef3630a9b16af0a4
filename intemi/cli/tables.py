"""Comparisons as text, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intemi.experiments import Compared, Outcome
    from intemi.series import Series

DIGITS = 3
WIDEST = 120
"""Letters in a line: what is wider is told in another way."""


def results_table(compared: Compared, digits: int = DIGITS) -> Series:
    """A row for each data set, a column for each learner: mean ± deviation, the best mean with a *."""
    from intemi.series import Series

    columns: dict[str, list[str]] = {"data": compared.data}
    for learner in compared.learners:
        columns[learner] = [_cell(compared, learner, data, digits) for data in compared.data]
    return Series(columns, main="data")


def _cell(compared: Compared, learner: str, data: str, digits: int) -> str:
    found = compared.cell(learner, data)
    if found is None:
        return "–"
    spread = f" ± {found['sd']:.{digits}f}" if found["n"] > 1 else ""
    return f"{found['mean']:.{digits}f}{spread}{' *' if compared.is_best(learner, data) else ''}"


def text_of(compared: Compared) -> str:
    """The whole comparison as text."""
    best = "" if compared.direction is None else f" (the {compared.direction} is best, marked *)"
    lines = [f"{compared.measure}{best}", "", *_results(compared)]
    if compared.ranks is not None:
        lines += ["", "Average ranks", *_rows(compared.ranks.without("data sets"))]
    if compared.friedman is not None:
        row = compared.friedman.row(0)
        lines += ["", f"{row['variant']}: p = {row['p']:.4g}"]
    if compared.critical_difference is not None:
        row = compared.critical_difference.row(0)
        lines.append(f"Critical difference at {row['alpha']:g}: {row['critical difference']:.3f} ({row['variant']})")
    if compared.pairs is not None:
        differing = [row for row in compared.pairs if row["different"]]
        lines += [
            f"{row['machine']} and {row['against']} differ: p = {row[compared.pairs.main]:.4g}" for row in differing
        ]
        if not differing:
            none = (
                "No two learners differ" if compared.control is None else f"No learner differs from {compared.control}"
            )
            lines.append(f"{none} in average ranks.")
    if compared.wins is not None:
        lines += ["", *_wins(compared, compared.wins)]
    lines += [f"Note: {note}" for note in compared.notes]
    return "\n".join(lines)


def _results(compared: Compared) -> list[str]:
    """Learners side by side or, where that would not fit on a screen, one below the other."""
    rows = _rows(results_table(compared))
    if max(map(len, rows)) <= WIDEST:
        return rows
    from intemi.series import Series

    columns: dict[str, list[str]] = {"machine": compared.learners}
    for data in compared.data:
        columns[data] = [_cell(compared, learner, data, DIGITS) for learner in compared.learners]
    return _rows(Series(columns, main="machine"))


def _wins(compared: Compared, matrix: Series) -> list[str]:
    """Against the control, if there is one; else all against all, if that fits on a screen, or against all together."""
    from intemi.series import Series

    if compared.control in matrix.labels:
        matrix = matrix.where(lambda row: row[matrix.main] != compared.control)
        against = {f"against {compared.control}": list(matrix[compared.control])}
    elif max(map(len, rows := _rows(matrix))) <= WIDEST:
        return [f"Wins-draws-losses of rows against columns: {compared.wins_variant}", *rows]
    else:
        against = {"against all others": [_together(row, str(row[matrix.main])) for row in matrix]}
    said = _rows(Series({"machine": list(matrix[matrix.main]), **against}, main="machine"))
    return [f"Wins-draws-losses: {compared.wins_variant}", *said]


def _together(row: Mapping[str, object], learner: str) -> str:
    """The sums of a row of the matrix, without the learner against itself."""
    scores = [str(score) for name, score in row.items() if learner not in (name, score)]
    counts = [map(int, score.split("-")) for score in scores]
    return "-".join(str(sum(each)) for each in zip(*counts, strict=True))


def _rows(series: Series) -> list[str]:
    """A series as aligned text, whole."""
    table = [["" if label == series.main and label in ("data", "machine") else label for label in series.labels]]
    table += [[_shown(value) for value in row.values()] for row in series]
    widths = [max(len(row[column]) for row in table) for column in range(len(series.labels))]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in table]


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def failures_of(outcome: Outcome) -> list[str]:
    """What failed, each with its first cause, in one line."""
    return [f"{name}: {' '.join(str(failure).split())}" for name, failure in outcome.failures.items()]
