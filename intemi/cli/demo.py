"""`intemi demo`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from intemi.cli.codes import DONE, FAILED
from intemi.whole_files import write_whole


@click.command(
    epilog="""\b
Examples:
  intemi demo                 in the folder intemi-demo
  intemi demo somewhere"""
)
@click.argument("folder", type=click.Path(), default="intemi-demo")
@click.pass_context
def command(ctx: click.Context, folder: str) -> None:
    """Run five learners on three data sets, compare them, draw a picture and write a report."""
    from dataclasses import replace

    from intemi.cli.init import template
    from intemi.cli.opening import echo, opened
    from intemi.cli.run import carry_out
    from intemi.experiments import found, read_experiment
    from intemi.experiments.pictures import critical_difference

    there = Path(folder)
    there.mkdir(parents=True, exist_ok=True)
    file = there / "quickstart.yaml"
    if not file.exists():
        write_whole(file, template("quickstart"))
    experiment = replace(read_experiment(file), project=str(there / "quickstart"))
    failed = carry_out(experiment, f"{file} -p {experiment.folder}", "auto", None)
    page, picture = there / "quickstart.html", there / "quickstart.svg"
    with opened(experiment.folder, name="report") as project:
        outcome = found(experiment, project)
        outcome.report(page)
        critical_difference(experiment, outcome.compare(experiment.main_measure)).savefig(picture)
    echo(f"\nThe experiment: {file}\nThe report:     {page}\nThe picture:    {picture}")
    again = f"{_command()} run {file} -p {experiment.folder}"
    echo(f"Edit the first and run it again; only what is new is run: {again}")
    ctx.exit(FAILED if failed else DONE)


def _command() -> str:
    """How to call this command: it may be installed where the shell does not look."""
    return "intemi" if shutil.which("intemi") else f"{os.path.relpath(sys.executable)} -m intemi.cli"
