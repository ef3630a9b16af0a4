"""The report of a search for a learning machine: one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import yaml

from intemi.experiments.comparison_html import notes_html, series_html
from intemi.experiments.report import figure, page
from intemi.kernel import Machine
from intemi.markup import paragraph, table
from intemi.series.display import counted

if TYPE_CHECKING:
    from intemi.experiments.learning import Learned

MAX_SHOWN = 20


def report(learned: Learned) -> str:
    """The winner, the best candidates and the course of the search; all tests and failures, folded."""
    results = learned.results
    sections = {
        "The best machines": series_html(learned.best(MAX_SHOWN), f"The best of {counted(results['Tests'], 'machine')}")
        + paragraph(
            "p is that of a paired t-test against the first, over the same splits. Machines of p >= 0.01 are as good "
            "a choice. The first was chosen by these tests, so its quality is somewhat too good: a cross-validation of "
            "the search itself, which is a learner, gives an honest estimate.",
            "note",
        ),
        "The search": figure(
            "Tests in their order: what they took, what they were expected to take, and the rank of their quality",
            learned.picture,
            "s",
        ),
        "The data": _data(learned),
    }
    details = {
        "The winner, as in an experiment file": f"<pre>{escape(_in_file(learned.winner))}</pre>",
        "Every attempt": series_html(results["Log"]),
        "Failures": _failures(results["Failures"]),
        "Warnings of libraries": notes_html(learned.warnings),
        "How it was tested": f"<pre>{escape(repr(learned.search.validation))}</pre>",
    }
    lead = "".join(paragraph(line, "findings") for line in learned.summary().splitlines())
    return page(f"{learned.data.name or 'A table'}: a search for a learning machine", lead, sections, details)


def _in_file(machine: Machine) -> str:
    """A configuration with everything in it."""
    return str(yaml.safe_dump(machine.to_plain(), sort_keys=False, allow_unicode=True))


def _data(learned: Learned) -> str:
    data = learned.data
    nominal = sum(column.is_nominal for column in data.columns)
    assert data.target is not None, "what was learned has a target"
    rows = [
        ["rows", str(len(data))],
        ["numeric columns", str(len(data.columns) - nominal)],
        ["nominal columns", str(nominal)],
        ["target", data.target.name],
        ["classes", ", ".join(data.labels)],
    ]
    return table([], rows, data.name or "") + notes_html(f"Note: {note}" for note in learned.notes)


def _failures(failures: dict[str, Any]) -> str:
    return table(["machine", "why"], [[name, str(why)] for name, why in failures.items()]) if failures else ""
