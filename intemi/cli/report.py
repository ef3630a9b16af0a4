"""`intemi report`."""

from __future__ import annotations

import click

from intemi.cli.codes import DONE, FAILED
from intemi.cli.opening import echo, experiment_argument, experiment_of, import_option, opened, project_option


@click.command(
    epilog="""\b
Examples:
  intemi report quickstart.yaml                  writes quickstart.html
  intemi report quickstart -o results.html       from the folder of a project"""
)
@experiment_argument
@project_option
@import_option
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Where to; by default NAME.html.")
@click.pass_context
def command(ctx: click.Context, source: str, project: str | None, output: str | None) -> None:
    """Write one HTML file with tables, tests and pictures. It needs no network and can be printed."""
    from intemi.experiments import found

    experiment = experiment_of(source, project)
    with opened(experiment.folder, name="report") as folder:
        outcome = found(experiment, folder)
        file = output or f"{experiment.file_name}.html"
        outcome.report(file)
    echo(f"{file} is written")
    for cell in outcome.not_run:
        echo(f"Note: {cell.why_not_run}", err=True)
    ctx.exit(FAILED if outcome.failed else DONE)
