"""`intemi query`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from intemi.cli.opening import check_name, echo, import_option, json_option, opened, write_csv, write_json
from intemi.kernel import registry
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.repository.item import BUILT_IN
from intemi.kernel.repository.labels import Everything

if TYPE_CHECKING:
    from intemi.kernel.repository.labels import Labels
    from intemi.kernel.repository.qualifiers import Qualifier
    from intemi.kernel.repository.runs import WhichRun

_CONDITION = re.compile(r"\s*(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+?)\s*")


@click.command(
    epilog=f"""\b
Labels:
  results, such as Accuracy; comments, such as learner (in an experiment), Repetition and Fold; parameters, such as k;
  {", ".join(BUILT_IN)}

\b
Examples:
  intemi query quickstart --type ClassificationTest
  intemi query quickstart --type ClassificationTest -l Accuracy -l Fold --under "svm on wine"
  intemi query quickstart --under "svm on wine" --run 2          as it was requested in that run
  intemi query quickstart --path "test/learner" -l wall -l machine --csv > times.csv
  intemi query quickstart --type ClassificationTest --where "Accuracy < 0.9" --where "Fold == 3" """
)
@click.argument("folder", type=click.Path())
@click.option("-t", "--type", "kind", help="Machines of a class, or of one that inherits from it.")
@click.option("--name", help="Requests of that name; * stands for anything.")
@click.option("--path", help="Requests at a path below the root; * is one step, ** any number of them.")
@click.option("--under", metavar="REQUEST", help="Look below this request only: the latest one of that name.")
@click.option("--run", type=click.IntRange(min=1), metavar="N", help="Look at requests of this run; see `intemi runs`.")
@click.option("--all-runs", is_flag=True, help="Look at all requests of the name --under, not only the latest.")
@click.option("--where", multiple=True, metavar="CONDITION", help="A result or comment compared with a value.")
@click.option("-l", "--label", "labels", multiple=True, help="What to show, the main one first; may be given again.")
@click.option("--sort", help="Sort by this label.")
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of rows to show.")
@import_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Write a table in Markdown.")
def command(
    folder: str,
    kind: str | None,
    name: str | None,
    path: str | None,
    under: str | None,
    run: int | None,
    all_runs: bool,
    where: tuple[str, ...],
    labels: tuple[str, ...],
    sort: str | None,
    limit: int | None,
    as_json: bool,
    as_csv: bool,
    as_markdown: bool,
) -> None:
    """Ask a project for the results of what was run in it. Nothing is run.

    Without --label, a row has the results of an item, the comments on its path, its name, its data set and its run, the
    first that requested it.
    """
    if run is not None and all_runs:
        raise ConfigurationError("--run and --all-runs: only one of them can be given")
    with opened(folder) as project:
        if kind is not None:
            kind = _type_called(kind)
        wanted = _qualifier(where)
        shown: Labels = labels or [Everything(), "data", "run"]
        which: WhichRun = "all" if all_runs else run
        series = project.query(under, wanted, shown, type=kind, name=name, path=path, run=which)
    check_name("label", sort, series.labels)
    if sort is not None:
        series = series.sort_by(sort)
    series = series[:limit]
    if as_json:
        write_json(series)
    elif as_csv:
        write_csv(series)
    elif as_markdown:
        echo(series.to_markdown())
    else:
        echo(repr(series))


def _type_called(name: str) -> str:
    from intemi.experiments.catalogue import full_name
    from intemi.experiments.errors import near

    known = registry.components()
    found = full_name(name, known)
    if found not in known:
        meant = f" {hint}" if (hint := near(name, known)).startswith("did you mean") else ""
        raise ConfigurationError(
            f"no machine or component is called {name!r};{meant} one of your own is known after "
            "--import FILE, with the Python file or module that defines it"
        )
    return found


def _qualifier(conditions: tuple[str, ...]) -> Qualifier | None:
    found: Qualifier | None = None
    for text in conditions:
        each = _condition(text)
        found = each if found is None else found & each
    return found


def _condition(text: str) -> Qualifier:
    """What "Accuracy < 0.9" means: of a result or of a comment."""
    from intemi.kernel.repository.qualifiers import Comparison

    parts = _CONDITION.fullmatch(text)
    if parts is None:
        raise ConfigurationError(f'--where: a condition is written like "Accuracy < 0.9", got {text!r}')
    label, by, value = parts.groups()
    compared: Any = _value(value)
    return Comparison(label, by, compared, of="result") | Comparison(label, by, compared, of="comment")  # type: ignore[arg-type]


def _value(text: str) -> Any:
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text.strip("\"'")
