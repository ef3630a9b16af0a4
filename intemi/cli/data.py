"""`intemi data`."""

from __future__ import annotations

from typing import Any

import click

from intemi.cli.opening import echo, json_option, write_json


@click.command(
    epilog="""\b
Examples:
  intemi data votes.csv                            its columns, classes, and what looks suspicious
  intemi data heart.csv --target CHD --decimal ,
  intemi data heart.csv --drop "Patient ID" --drop Notes --json"""
)
@click.argument("file", type=click.Path())
@click.option("-t", "--target", help="The column to be predicted; '' for none.")
@click.option("--drop", multiple=True, metavar="COLUMN", help="A column to leave out; may be given again.")
@click.option("--decimal", help="What stands before fractions in a CSV file, '.' or ','.")
@click.option("--delimiter", help="What separates values in a CSV file.")
@click.option("--missing", multiple=True, metavar="TEXT", help="A text that means a missing value; may be given again.")
@click.option("--encoding", help="How characters are written in a text file, such as latin-1.")
@json_option
def command(file: str, target: str | None, as_json: bool, **options: Any) -> None:
    """Describe a table: its columns, classes, and what looks suspicious, with what helps."""
    from intemi.data.description import describe

    given = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items() if value}
    described = describe(file, target, **given)
    if as_json:
        write_json(described.to_plain())
    else:
        echo(str(described))
