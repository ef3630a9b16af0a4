"""`intemi predictions`."""

from __future__ import annotations

import click

from intemi.cli.opening import (
    echo,
    experiment_argument,
    experiment_of,
    import_option,
    json_option,
    opened,
    project_option,
    write_json,
)
from intemi.whole_files import write_whole


@click.command(
    epilog="""\b
Examples:
  intemi predictions votes.yaml                            all learners
  intemi predictions votes.yaml --learner tree -o tree.csv
  intemi predictions study --data wine --json              the project's folder does as well"""
)
@experiment_argument
@project_option
@import_option
@click.option("-l", "--learner", help="One learner instead of all.")
@click.option("-d", "--data", help="The data set; may be left out if there is one only.")
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write CSV into this file.")
@json_option
def command(
    source: str, project: str | None, learner: str | None, data: str | None, output: str | None, as_json: bool
) -> None:
    """Show what learners have predicted for every test row of a data set.

    A row has its number in the data set, its class, the class that was predicted, the probabilities of all classes, and
    the repetition and fold it was tested in. Nothing is trained: models on record answer once more.
    """
    from intemi.experiments import found
    from intemi.machines.row_answers import plain_csv

    experiment = experiment_of(source, project)
    with opened(experiment.folder, name="predictions") as folder:
        rows = found(experiment, folder).predictions(learner, data)
    if output is not None:
        write_whole(output, plain_csv(rows))
    elif as_json:
        write_json(rows)
    else:
        echo(repr(rows))
