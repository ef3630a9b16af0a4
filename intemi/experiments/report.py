"""The report of an experiment: one HTML file without scripts and without anything from elsewhere, fit to be printed."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from intemi.experiments.compared import Compared
from intemi.experiments.outcome import Outcome
from intemi.experiments.pictures import critical_difference
from intemi.experiments.tables import heading, views_table
from intemi.kernel.errors import IntemiError
from intemi.series import Series

_IDS = re.compile(r'((?: id="|href="#|url\(#))')
MOST_GRAPHS = 6
"""Learners whose machines are drawn: the graphs of more tell nothing new."""
STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; color: #1a1a1a; background: #fff;
  max-width: 76rem; margin: 2rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.7rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #ccc; }
p.lead { color: #555; margin-top: .3rem; }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .25rem .7rem; text-align: left; border-bottom: 1px solid #e2e2e2; vertical-align: top; }
thead th { border-bottom: 2px solid #888; } caption { text-align: left; color: #555; padding: .2rem 0; }
td.number { text-align: right; }
td.best { font-weight: 700; } td.best::after { content: " *"; } td.none { color: #888; }
.wide { overflow-x: auto; } figure { margin: 1rem 0; } figcaption { color: #555; font-size: .9rem; }
figure svg { max-width: 100%; height: auto; }
pre { background: #f5f5f5; padding: .7rem; overflow-x: auto; font-size: .85rem; white-space: pre-wrap; }
.failed { border-left: 4px solid #b3261e; padding-left: .8rem; } .note { color: #555; }
nav a { margin-right: 1rem; } a { color: #0b57a4; }
@media print { body { margin: 0; max-width: none; font-size: 10.5pt; } nav { display: none; }
  h2 { break-after: avoid; } figure, table { break-inside: avoid; } .wide { overflow: visible; } }
"""


def report(outcome: Outcome) -> str:
    """The text of the report."""
    experiment = outcome.experiment
    compared = _compared(outcome)
    sections: dict[str, str] = {}
    if compared:
        main = compared[experiment.main_measure]
        sections["Results"] = "".join(_results(each) for each in compared.values())
        sections["Comparison"] = _comparison(main)
        sections["Pictures"] = _pictures(outcome, main)
    if any(not cell.is_learner for cell in outcome.cells):
        sections["Requests"] = _requests(outcome)
    sections["Plan"] = _plan(outcome)
    sections["Data"] = _data(outcome)
    sections["Learners"] = _learners(outcome)
    sections["Protocol"] = _protocol(outcome)
    if outcome.failed or outcome.not_run or experiment.unknown:
        sections["Failures"] = _failures(outcome)
    sections["How it was run"] = _session(outcome)
    links = "".join(f'<a href="#{_id(title)}">{html.escape(title)}</a>' for title in sections)
    body = "".join(f'<section id="{_id(title)}"><h2>{title}</h2>{text}</section>' for title, text in sections.items())
    done = f"{len(outcome.finished)} of {len(outcome.cells)} learners on data sets have finished."
    changed = outcome.history.changes_until(experiment)
    flag = '<p class="failed">The plan was changed since the first run: see <a href="#plan">Plan</a>.</p>'
    lead = f'<p class="lead">{done}</p>{flag if changed else ""}'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(experiment.name)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{html.escape(experiment.name)}</h1>{lead}<nav>{links}</nav>{body}</body></html>\n"
    )


def _compared(outcome: Outcome) -> dict[str, Compared]:
    found: dict[str, Compared] = {}
    if not any(cell.is_learner for cell in outcome.finished):
        return found
    for measure in outcome.experiment.all_measures:
        try:
            found[measure] = outcome.compare(measure)
        except IntemiError:
            if measure == outcome.experiment.main_measure:
                raise
    return found


def _results(compared: Compared) -> str:
    rows = []
    for data in compared.planned_data:
        cells = [_cell(compared, learner, data) for learner in compared.planned_learners]
        rows.append(f"<tr><th>{html.escape(data)}</th>{''.join(cells)}</tr>")
    heads = "".join(f"<th>{html.escape(learner)}</th>" for learner in compared.planned_learners)
    best = "" if compared.direction is None else f"; the {compared.direction} mean on each data set is marked *"
    return (
        f'<div class="wide"><table><caption>{html.escape(compared.measure)}: {heading(compared)}{best}</caption>'
        f"<thead><tr><th>data</th>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        f"{_notes(compared.footnotes[:1] if compared.not_competing else [])}"
    )


def _cell(compared: Compared, learner: str, data: str) -> str:
    found, shown = compared.cell(learner, data), html.escape(compared.shown(learner, data))
    if found is None:
        return f'<td class="number none">{shown}</td>'
    told = f"n = {found['n']}, from {found['min']:.4f} to {found['max']:.4f}, median {found['median']:.4f}"
    best = " best" if compared.is_best(learner, data) else ""
    return f'<td class="number{best}" title="{told}">{shown}</td>'


def _notes(notes: Iterable[str]) -> str:
    return "".join(f'<p class="note">{html.escape(note)}</p>' for note in notes)


def _comparison(compared: Compared) -> str:
    parts = []
    if compared.views is not None:
        caption = "Three views over data sets: wins, difference in standard deviations, wins-draws-losses"
        parts.append(_table(views_table(compared.views), caption) + _notes(compared.views.footnotes))
    if compared.ranks is not None:
        parts.append(_table(compared.ranks, "Average ranks over data sets, 1 is the best"))
    for series, caption in (
        (compared.friedman, "Do average ranks differ at all?"),
        (compared.critical_difference, "How far apart must average ranks be?"),
        (compared.pairs, "Which learners differ in their average ranks?"),
    ):
        if series is not None and len(series):
            variant = f"{caption} {series.row(0)['variant']}"
            parts.append(_table(series.without("variant"), variant))
    if compared.wins is not None and len(compared.wins.labels) > 2:
        caption = f"Wins, draws and losses of rows against columns. {compared.wins_variant}"
        parts.append(_table(compared.wins, caption))
    return "".join(parts) + _notes(compared.notes)


def _pictures(outcome: Outcome, compared: Compared) -> str:
    from intemi.analysis import plots

    best: Any = compared.direction
    drawn: list[tuple[str, Callable[[], Any]]] = [
        (f"{compared.measure} of each learner on each data set", lambda: plots.accuracies(compared.series, best=best))
    ]
    if compared.critical_difference is not None:
        caption = "Average ranks; learners joined by a bar do not differ (critical-difference diagram)"
        drawn.append((caption, lambda: critical_difference(outcome.experiment, compared)))
    if any(label in outcome.experiment.measures for label in ("Leaves", "Size")):
        size = "Leaves" if "Leaves" in outcome.experiment.measures else "Size"
        series = outcome.series(compared.measure, size).where(lambda row: row[size] is not None)
        drawn.append(
            (f"{compared.measure} against the size of trees", lambda: plots.accuracy_against_size(series, size=size))
        )
    where = next(cell.data for cell in outcome.finished if cell.is_learner)
    capsules = [cell.capsule for cell in outcome.finished if cell.data == where and cell.capsule is not None]
    shown = capsules[:MOST_GRAPHS]
    more = f" (the first {len(shown)} of {len(capsules)})" if len(capsules) > len(shown) else ""
    drawn.append((f"The machines on {where}{more}", lambda: plots.machine_graph(*shown)))
    return "".join(_figure(caption, draw, f"p{number}-") for number, (caption, draw) in enumerate(drawn))


def _figure(caption: str, draw: Callable[[], Any], prefix: str) -> str:
    """A picture; its ids get a prefix, because those of a page must differ."""
    from intemi.analysis import plots

    try:
        picture = _IDS.sub(rf"\1{prefix}", plots.svg_of(draw()))
    except IntemiError as error:
        picture = f'<p class="note">{html.escape(str(error))}</p>'
    return f"<figure>{picture}<figcaption>{html.escape(caption)}</figcaption></figure>"


def _requests(outcome: Outcome) -> str:
    from intemi.analysis import plots

    parts = []
    for number, cell in enumerate(outcome.finished):
        if cell.is_learner or cell.capsule is None:
            continue
        parts.append(f"<h3>{html.escape(cell.name)}</h3>")
        for label, value in cell.capsule.results.items():
            if isinstance(value, Series):
                if label == "Tried":
                    draw = partial(plots.search_heat_map, value)
                    parts.append(_figure("What was tried", draw, f"r{number}-"))
                parts.append(_table(value, label))
            else:
                parts.append(f"<p>{html.escape(label)}: {html.escape(str(value))}</p>")
    return "".join(parts)


def _plan(outcome: Outcome) -> str:
    """The digest of the plan, what was changed in it since the first run, and every cell of it."""
    experiment, plans = outcome.experiment, outcome.history.plans
    parts = [f"<p>{html.escape(experiment.digest)}</p>"]
    if plans:
        parts.append(f"<p>First frozen on {plans[0].when}, before anything was run: {html.escape(plans[0].digest)}</p>")
    elif outcome.project.folder is not None:
        parts.append("<p>It was not frozen before it was run.</p>")
    parts += [
        f'<div class="failed"><p>{html.escape(change[:1].upper() + change[1:])}</p></div>'
        for change in outcome.history.changes_until(experiment)
    ]
    cells = [[cell.data, cell.learner, cell.state] for cell in outcome.cells]
    return "".join(parts) + _rows(["data", "learner", "state"], cells, f"All {len(cells)} cells of the plan")


def _data(outcome: Outcome) -> str:
    labels = ["Rows", "Numeric columns", "Nominal columns", "Missing share", "Classes"]
    rows = []
    for name, machine in outcome.experiment.data.items():
        loaded = outcome.loaded.get(name)
        results = {} if loaded is None or loaded.error is not None else loaded.results
        rows.append([name, *(_text(results.get(label)) for label in labels), repr(machine)])
    notes = [f"Note: {note}" for note in outcome.data_notes]
    return _rows(["data", *labels, "loaded by"], rows, "Data sets") + _notes(notes)


def _learners(outcome: Outcome) -> str:
    machines = {**outcome.experiment.learners, **outcome.experiment.requests}
    return "".join(
        f"<h3>{html.escape(name)}</h3><pre>{html.escape(repr(machine))}</pre>" for name, machine in machines.items()
    )


def _protocol(outcome: Outcome) -> str:
    experiment = outcome.experiment
    comparison = experiment.comparison
    rows = [
        ["distributor", repr(experiment.distributor)],
        ["repetitions", str(experiment.repetitions)],
        ["seed", str(experiment.seed)],
        ["test", repr(experiment.test)],
        ["measures", ", ".join(experiment.all_measures)],
        ["comparison", f"{comparison.test} on each data set, alpha {comparison.alpha:g}, {comparison.correction}"],
        ["control", comparison.control or "none: all pairs are compared"],
        ["plan", f"{experiment.digest} (changes with data sets, learners, protocol, measures and comparison)"],
    ]
    return _rows(["", ""], rows, "The same for every learner")


def _failures(outcome: Outcome) -> str:
    parts = [f"<p>{html.escape(cell.why_not_run)}.</p>" for cell in outcome.not_run]
    if outcome.experiment.unknown:
        parts.append(f"<p>{html.escape(outcome.experiment.unknown)}.</p>")
    for name, failure in outcome.failures.items():
        trace = getattr(failure, "traceback", "")
        detail = f"<details><summary>traceback</summary><pre>{html.escape(trace)}</pre></details>" if trace else ""
        why = f"<p><b>{html.escape(name)}</b>: {html.escape(str(failure))}</p>"
        parts.append(f'<div class="failed">{why}{detail}</div>')
    return "".join(parts)


def _session(outcome: Outcome) -> str:
    runs = outcome.project.runs()
    rows = [
        [str(run.number), run.name, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started)), _program(run)]
        for run in runs[-10:]
    ]
    return _rows(["session", "name", "started", "with"], rows, "The last sessions of the project")


def _program(run: Any) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in run.program.get("packages", {}).items())
    return f"Python {run.program.get('python', '?')}, {packages}"


def _table(series: Series, caption: str) -> str:
    return _rows(list(series.labels), [[_text(value) for value in row.values()] for row in series], caption)


def _rows(heads: Iterable[str], rows: Iterable[Iterable[str]], caption: str) -> str:
    head = "".join(f"<th>{html.escape(each)}</th>" for each in heads)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="wide"><table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _id(title: str) -> str:
    return title.lower().replace(" ", "-")
