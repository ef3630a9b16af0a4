"""Comparisons as text, Markdown and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intemi.experiments import Compared, Outcome
    from intemi.series import Series


def results_table(compared: Compared, digits: int = 3) -> Series:
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
    return f"{found['mean']:.{digits}f}{spread}{' *' if compared.best_on(data) == learner else ''}"


def text_of(compared: Compared) -> str:
    """The whole comparison as text."""
    lines = [f"{compared.measure} (the {compared.direction} is best, marked *)", "", *_rows(results_table(compared))]
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
            lines.append("No two learners differ in their average ranks.")
    if compared.wins is not None:
        lines += ["", f"Wins-draws-losses of rows against columns: {compared.wins_variant}", *_rows(compared.wins)]
    lines += [f"Note: {note}" for note in compared.notes]
    return "\n".join(lines)


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
    return [f"{cell.name}: {' '.join(str(cell.failure).split())}" for cell in outcome.failed]
