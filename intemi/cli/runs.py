"""`intemi runs`."""

from __future__ import annotations

import time

import click

from intemi.cli.opening import echo, import_option, json_option, opened, write_json


@click.command(
    epilog="""\b
Examples:
  intemi runs quickstart
  intemi runs quickstart --json"""
)
@click.argument("folder", type=click.Path())
@import_option
@json_option
def command(folder: str, as_json: bool) -> None:
    """List the sessions that have requested something in a project."""
    with opened(folder) as project:
        runs = project.runs()
    if as_json:
        write_json([{"number": r.number, "name": r.name, "started": r.started, **r.program} for r in runs])
        return
    if not runs:
        echo("Nothing was requested in this folder yet.")
    for run in runs:
        started = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(run.started))
        packages = run.program.get("packages", {})
        echo(
            f"{run.number:4}  {started}  {run.name}  (Python {run.program.get('python', '?')}, "
            f"intemi {packages.get('intemi', '?')})"
        )
