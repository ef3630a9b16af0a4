"""What a notebook shows of configurations, requests, projects and explanations: small tables, long parts folded."""

from __future__ import annotations

from html import escape
from typing import Any

from intemi.kernel.capsule import Capsule
from intemi.kernel.component import Component, brief, to_html
from intemi.kernel.explain import Explanation
from intemi.kernel.machine import Machine
from intemi.kernel.project import Project
from intemi.kernel.task import State
from intemi.markup import Markup, folded, for_notebook, paragraph, table
from intemi.series.display import counted, shown_cells

MAX_CHILDREN = 50
"""Explanations of one level that are listed; of more, only some."""
MAX_RUNS = 5
MAX_DEPTH = 20
"""Levels of parts inside of parts that are shown; what is below is told in a line."""


@to_html.register
def component_html(component: Component) -> str:
    """A configuration: what it takes and gives, and its parameters; those that are components themselves are folded."""
    ports = ""
    if isinstance(component, Machine):
        takes, gives = (", ".join(map(str, each.values())) for each in (component.inputs, component.outputs))
        ports = paragraph(f"takes {takes or 'nothing'}; gives {gives or 'nothing'}", "none")
    return for_notebook(f"<b>{escape(component.kind)}</b>", ports, _inside(component, MAX_DEPTH))


def _inside(component: Component, depth: int) -> str:
    """The parameters of a component; one that can draw itself is drawn."""
    if hasattr(type(component), "svg"):
        return f"<div>{component.svg()}</div>"  # type: ignore[attr-defined]
    rows = [[name, _value(value, depth)] for name, value in component.parameters().items()]
    return table([], rows, classes={(row, 1): "text" for row in range(len(rows))}) if rows else ""


def _value(value: Any, depth: int) -> str:
    if not isinstance(value, Component):
        return repr(value) if len(repr(value)) <= 200 else brief(value)
    if depth and value.parameters():
        return folded(brief(value), _inside(value, depth - 1))
    return repr(value)


@to_html.register
def capsule_html(capsule: Capsule) -> str:
    """A request: how far it is, its results, and what it gives; a series among the results is shown as its table."""
    parts = [f"<b>{escape(capsule.path)}</b> {_state(capsule.state.value)}"]
    if capsule.error is not None:
        parts.append(f'<div class="failed">{paragraph(str(capsule.error))}</div>')
    elif capsule.state is State.FINISHED:
        plain = {name: value for name, value in capsule.results.items() if not hasattr(value, "_repr_html_")}
        if plain:
            parts.append(table([], [[name, *shown_cells([value])] for name, value in plain.items()], numeric={1}))
        for name, value in capsule.results.items():
            if hasattr(value, "_repr_html_"):
                parts.append(folded(name, value._repr_html_()))
        children = counted(len(capsule.children), "machine")
        parts.append(paragraph(f"gives {', '.join(capsule.outputs) or 'nothing'}; {children} under it", "none"))
    return for_notebook(*parts, folded("configuration", _inside(capsule.config, MAX_DEPTH)))


def _state(state: str) -> str:
    kind = {"finished": "reuse", "failed": "maybe", "aborted": "maybe"}.get(state, "run")
    return f'<span class="mark {kind}">{escape(state)}</span>'


@to_html.register
def project_html(project: Project) -> str:
    """A project: where it is, what was run since it was opened, and its last runs."""
    counts, runs = project.counts(), project.runs()
    where = "in memory" if project.folder is None else f"in {project.folder}"
    since = f"{counted(counts.logical.total(), 'machine')} requested, {counts.physical.total():,} of them run"
    rows = [[str(run.number), run.name] for run in runs[-MAX_RUNS:]]
    listed = table(["run", "name"], rows, f"The last of {counted(len(runs), 'run')}") if rows else ""
    return for_notebook(f"<b>Project</b> {escape(where)}", paragraph(f"{since}, since it was opened"), listed)


@to_html.register
def explanation_html(explanation: Explanation) -> str:
    """What would be reused and what would run: marked, with reasons; what is inside is folded."""
    verdicts = [each.verdict for each in explanation]
    marks = [
        f'<span class="mark {verdict.value}">{verdict.value}</span> {verdicts.count(verdict):,}'
        for verdict in dict.fromkeys(verdicts)
    ]
    return for_notebook(paragraph_of(marks), _explained(explanation))


def paragraph_of(parts: list[str]) -> str:
    """Parts of HTML in a line."""
    return f"<p>{' &ensp; '.join(parts)}</p>"


def _explained(explanation: Explanation) -> str:
    name = explanation.path.rpartition("/")[2]
    more = "; then more, depending on what comes out" if explanation.is_open else ""
    mark = f'<span class="mark {explanation.verdict.value}">{explanation.verdict.value}</span>'
    said = Markup(f"{mark} <b>{escape(name)}</b> {escape(explanation.reason + more)}")
    if not explanation.children:
        return f"<div>{said}</div>"
    shown = explanation.children[:MAX_CHILDREN]
    rest = len(explanation.children) - len(shown)
    last = paragraph(f"… and {counted(rest, 'other')}", "none") if rest else ""
    return folded(said, "".join(map(_explained, shown)) + last)
