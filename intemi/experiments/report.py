"""The report of an experiment: one HTML file without scripts and without anything from elsewhere, fit to be printed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from html import escape
from importlib import resources
from typing import Any

from intemi.experiments.compared import Compared
from intemi.experiments.comparison_html import (
    effects_html,
    notes_html,
    ranks_html,
    results_html,
    series_html,
    views_html,
    wins_html,
)
from intemi.experiments.outcome import Outcome
from intemi.experiments.pictures import critical_difference
from intemi.kernel.errors import IntemiError
from intemi.markup import folded, paragraph, table
from intemi.series import Series
from intemi.series.display import counted

_IDS = re.compile(r'((?: id="|href="#|url\(#))')
MOST_GRAPHS = 3
"""Learners whose machines are drawn: the graphs of more tell nothing new."""


def report(outcome: Outcome) -> str:
    """The text of the report: what was found, pictures and tables, and all details, folded."""
    experiment = outcome.experiment
    compared = _compared(outcome)
    sections: dict[str, str] = {}
    if outcome.failed or outcome.not_run or experiment.unknown:
        sections["Failures"] = _failures(outcome)
    if compared:
        main = compared[experiment.main_measure]
        sections["Pictures"] = _figures(_pictures(outcome, main), "p")
        sections["Results"] = "".join(map(_results, compared.values()))
        sections["Comparison"] = _comparison(main)
    if any(not cell.is_learner for cell in outcome.cells):
        sections["Requests"] = _requests(outcome)
    sections["Data"] = _data(outcome)
    details = {
        "Learners": _learners(outcome),
        "Protocol": _protocol(outcome),
        "Plan": _plan(outcome),
        "Machines": _figures(_graph(outcome), "g"),
        "How it was run": _session(outcome),
    }
    return page(experiment.name, _lead(outcome, compared), sections, details)


def page(title: str, lead: str, sections: Mapping[str, str], details: Mapping[str, str]) -> str:
    """A page of HTML that needs nothing else: sections by their titles, and details, which are folded."""
    titles = [*sections, *(title for title, text in details.items() if text)]
    links = "".join(f'<a href="#{_id(title)}">{escape(title)}</a>' for title in titles)
    body = "".join(f'<section id="{_id(title)}"><h2>{title}</h2>{text}</section>' for title, text in sections.items())
    body += "".join(
        f'<section id="{_id(title)}"><details><summary><h2>{title}</h2></summary>{text}</details></section>'
        for title, text in details.items()
        if text
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_style()}</style></head><body>"
        f"<h1>{escape(title)}</h1>{lead}<nav>{links}</nav>{body}</body></html>\n"
    )


def _comparison(compared: Compared) -> str:
    tests = views_html(compared) + ranks_html(compared) + wins_html(compared)
    return tests + effects_html(compared) + notes_html(compared.notes)


def _results(compared: Compared) -> str:
    return results_html(compared) + notes_html(compared.footnotes[:1] if compared.not_competing else [])


def _style() -> str:
    return resources.files("intemi.experiments").joinpath("report.css").read_text("utf-8")


def _lead(outcome: Outcome, compared: dict[str, Compared]) -> str:
    """What was found in one paragraph, how much of the plan there is, and whether it was changed."""
    found = paragraph(compared[outcome.experiment.main_measure].findings, "findings") if compared else ""
    done = paragraph(f"{len(outcome.finished)} of {len(outcome.cells)} learners on data sets have finished.", "lead")
    changed = outcome.history.changes_until(outcome.experiment)
    flag = '<p class="failed">The plan was changed since the first run: see <a href="#plan">Plan</a>.</p>'
    return f"{found}{done}{flag if changed else ''}"


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


Drawn = Iterable[tuple[str, Callable[[], Any]]]
"""Captions, and what draws the pictures below them."""


def _pictures(outcome: Outcome, compared: Compared) -> Iterator[tuple[str, Callable[[], Any]]]:
    from intemi.analysis import plots

    best: Any = compared.direction
    caption = f"{compared.measure} of each learner on each data set: mean, deviation, every test; the best is a diamond"
    yield caption, lambda: plots.accuracies(compared.series, best=best)
    if compared.critical_difference is not None:
        caption = "Average ranks; learners joined by a bar do not differ (critical-difference diagram)"
        yield caption, lambda: critical_difference(outcome.experiment, compared)
    if any(label in outcome.experiment.measures for label in ("Leaves", "Size")):
        size = "Leaves" if "Leaves" in outcome.experiment.measures else "Size"
        series = outcome.series(compared.measure, size).where(lambda row: row[size] is not None)
        caption = f"{compared.measure} against the size of trees"
        yield caption, lambda: plots.accuracy_against_size(series, size=size)


def _graph(outcome: Outcome) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The machines under a few requests on the first data set."""
    from intemi.analysis import plots

    finished = [cell for cell in outcome.finished if cell.is_learner and cell.capsule is not None]
    if finished:
        where = finished[0].data
        capsules = [cell.capsule for cell in finished if cell.data == where and cell.capsule is not None]
        shown = capsules[:MOST_GRAPHS]
        more = f" (the first {len(shown)} of {counted(len(capsules), 'learner')})" if len(capsules) > len(shown) else ""
        yield f"The machines on {where}{more}", lambda: plots.machine_graph(*shown)


def _figures(drawn: Drawn, prefix: str) -> str:
    return "".join(figure(caption, draw, f"{prefix}{number}-") for number, (caption, draw) in enumerate(drawn))


def figure(caption: str, draw: Callable[[], Any], prefix: str) -> str:
    """A picture; its ids get a prefix, because those of a page must differ."""
    from intemi.analysis import plots

    try:
        picture = _IDS.sub(rf"\1{prefix}", plots.svg_of(draw()))
    except IntemiError as error:
        picture = paragraph(str(error), "note")
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def _requests(outcome: Outcome) -> str:
    from intemi.analysis import plots

    parts = []
    for number, cell in enumerate(outcome.finished):
        if cell.is_learner or cell.capsule is None:
            continue
        parts.append(f"<h3>{escape(cell.name)}</h3>")
        for label, value in cell.capsule.results.items():
            if isinstance(value, Series):
                if label == "Tried":
                    draw = partial(plots.search_heat_map, value)
                    parts.append(figure("What was tried", draw, f"r{number}-"))
                parts.append(series_html(value, label))
            else:
                parts.append(paragraph(f"{label}: {value}"))
    return "".join(parts)


def _plan(outcome: Outcome) -> str:
    """The digest of the plan, what was changed in it since the first run, and every cell of it."""
    experiment, plans = outcome.experiment, outcome.history.plans
    parts = [f"<p>{escape(experiment.digest)}</p>"]
    if plans:
        parts.append(f"<p>First frozen on {plans[0].when}, before anything was run: {escape(plans[0].digest)}</p>")
    elif outcome.project.folder is not None:
        parts.append("<p>It was not frozen before it was run.</p>")
    parts += [
        f'<div class="failed"><p>{escape(change[:1].upper() + change[1:])}</p></div>'
        for change in outcome.history.changes_until(experiment)
    ]
    rows = [[cell.data, cell.learner, cell.state] for cell in outcome.cells]
    return "".join(parts) + table(["data", "learner", "state"], rows, f"All {len(rows)} cells of the plan")


def _data(outcome: Outcome) -> str:
    labels = ["Rows", "Numeric columns", "Nominal columns", "Missing share", "Classes"]
    rows = []
    for name, machine in outcome.experiment.data.items():
        loaded = outcome.loaded.get(name)
        results = {} if loaded is None or loaded.error is not None else loaded.results
        rows.append([name, *(_text(results.get(label)) for label in labels), repr(machine)])
    kinds = {(number, len(labels) + 1): "text" for number in range(len(rows))}
    shown = table(["", *labels, "loaded by"], rows, "Data sets", numeric=range(1, len(labels) + 1), classes=kinds)
    return shown + notes_html(f"Note: {note}" for note in outcome.data_notes)


def _learners(outcome: Outcome) -> str:
    machines = {**outcome.experiment.learners, **outcome.experiment.requests}
    return "".join(f"<h3>{escape(name)}</h3><pre>{escape(repr(machine))}</pre>" for name, machine in machines.items())


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
    return table([], rows, "The same for every learner", classes={(row, 1): "text" for row in range(len(rows))})


def _failures(outcome: Outcome) -> str:
    parts = [f"<p>{escape(cell.why_not_run)}.</p>" for cell in outcome.not_run]
    if outcome.experiment.unknown:
        parts.append(f"<p>{escape(outcome.experiment.unknown)}.</p>")
    for name, failure in outcome.failures.items():
        trace = getattr(failure, "traceback", "")
        detail = folded("traceback", f"<pre>{escape(trace)}</pre>") if trace else ""
        parts.append(f'<div class="failed"><p><b>{escape(name)}</b>: {escape(str(failure))}</p>{detail}</div>')
    return "".join(parts)


def _session(outcome: Outcome) -> str:
    runs = outcome.project.runs()
    rows = [
        [str(run.number), run.name, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started)), _program(run)]
        for run in runs[-10:]
    ]
    kinds = {(number, 3): "text" for number in range(len(rows))}
    return table(["session", "name", "started", "with"], rows, "The last sessions of the project", classes=kinds)


def _program(run: Any) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in run.program.get("packages", {}).items())
    return f"Python {run.program.get('python', '?')}, {packages}"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _id(title: str) -> str:
    return title.lower().replace(" ", "-")
