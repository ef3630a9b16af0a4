"""`intemi compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from intemi.cli.codes import DONE, FAILED
from intemi.cli.opening import experiment_argument, experiment_of, opened, project_option, write_json

if TYPE_CHECKING:
    from intemi.experiments import Compared, Experiment

PICTURES = ("critical-difference", "accuracies", "size")


@click.command(
    epilog="""\b
Examples:
  intemi compare quickstart.yaml
  intemi compare quickstart                          the project's folder does as well
  intemi compare quickstart.yaml --measure AUC --format latex
  intemi compare quickstart.yaml --picture cd.svg    .png and .pdf as well
  intemi compare quickstart.yaml --picture all.png --of accuracies"""
)
@experiment_argument
@project_option
@click.option("-m", "--measure", help="Compare by this measure, instead of the first of the experiment.")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "latex", "json"]), default="text")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--picture", type=click.Path(), metavar="FILE", help="Draw a picture: .svg, .png or .pdf.")
@click.option("--of", type=click.Choice(PICTURES), default=PICTURES[0], help="What the picture shows.")
@click.pass_context
def command(
    ctx: click.Context,
    source: str,
    project: str | None,
    measure: str | None,
    form: str,
    as_json: bool,
    picture: str | None,
    of: str,
) -> None:
    """Compare the learners of an experiment, as far as it has been run: table, tests, picture."""
    from intemi.cli.tables import results_table, text_of
    from intemi.experiments import found

    experiment = experiment_of(source, project)
    _check(experiment, measure)
    with opened(experiment.folder, name="compare") as folder:
        outcome = found(experiment, folder)
        compared = outcome.compare(measure)
        if picture is not None:
            sizes = outcome.series(compared.measure, "Leaves") if of == "size" else None
            draw(experiment, compared, of, sizes).savefig(picture)
            click.echo(f"{picture} is written", err=True)
    if form == "json" or as_json:
        write_json(compared.to_plain())
    elif form == "text":
        click.echo(text_of(compared))
    else:
        table = results_table(compared)
        click.echo(table.to_markdown() if form == "markdown" else table.to_latex())
    ctx.exit(FAILED if outcome.failed else DONE)


def draw(experiment: Experiment, compared: Compared, what: str, sizes: Any = None) -> Any:
    """A picture of a comparison."""
    from intemi.analysis import plots

    best: Any = compared.direction
    if what == "accuracies":
        return plots.accuracies(compared.series, best=best)
    if what == "size":
        return plots.accuracy_against_size(sizes)
    comparison = experiment.comparison
    return plots.critical_difference(compared.tested, alpha=comparison.alpha, control=comparison.control, best=best)


def _check(experiment: Experiment, measure: str | None) -> None:
    from intemi.experiments.errors import near
    from intemi.kernel.errors import ConfigurationError

    if not experiment.learners:
        raise ConfigurationError(f"{experiment.name}: the experiment has no learners that could be compared")
    known = experiment.known_measures
    if measure is not None and known is not None and measure not in known:
        raise ConfigurationError(f"no measure is called {measure!r}; {near(measure, known)}")
