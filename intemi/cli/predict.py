"""`intemi predict`."""

from __future__ import annotations

from typing import Any

import click

from intemi.cli.opening import echo, import_option, json_option, write_json
from intemi.whole_files import write_whole


@click.command(
    epilog="""\b
Examples:
  intemi predict votes.model                               what it is, and what it was made of
  intemi predict votes.model new.csv                       a row for each row: class and probabilities
  intemi predict votes.model new.csv -o predictions.csv"""
)
@click.argument("model", type=click.Path())
@click.argument("rows", type=click.Path(), required=False)
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write CSV into this file.")
@click.option("--decimal", help="What stands before fractions in a CSV file, '.' or ','.")
@click.option("--delimiter", help="What separates values in a CSV file.")
@click.option("--missing", multiple=True, metavar="TEXT", help="A text that means a missing value; may be given again.")
@click.option("--encoding", help="How characters are written in a text file, such as latin-1.")
@import_option
@json_option
def command(model: str, rows: str | None, output: str | None, as_json: bool, **options: Any) -> None:
    """Predict the classes of new rows by a saved model; without rows, describe the model.

    Columns go by name; those that the model does not need are left out. A file is read as the training data were.
    """
    from intemi.machines.row_answers import plain_csv
    from intemi.machines.saved_models import load_model

    saved = load_model(model)
    if rows is None:
        if as_json:
            write_json(saved.about)
        else:
            echo(str(saved))
        return
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items() if value}
    predicted = saved.predict(rows, **given)
    if output is not None:
        write_whole(output, plain_csv(predicted))
    elif as_json:
        write_json(predicted)
    else:
        echo(repr(predicted))
