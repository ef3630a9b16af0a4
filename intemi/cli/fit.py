"""`intemi fit`."""

from __future__ import annotations

from typing import Any

import click

from intemi.cli.opening import echo, experiment_of, project_option


@click.command(
    epilog="""\b
Examples:
  intemi fit votes.yaml --learner tree -o votes.model
  intemi fit study.yaml --learner knn --data wine -o wine.model
  intemi predict votes.model new.csv               use it, anywhere"""
)
@click.argument("file", type=click.Path())
@click.option("-l", "--learner", help="The learner; may be left out if there is one only.")
@click.option("-d", "--data", help="The data set; may be left out if there is one only.")
@click.option("-o", "--output", type=click.Path(), required=True, metavar="MODEL", help="The file to write.")
@project_option
def command(file: str, learner: str | None, data: str | None, output: str, project: str | None) -> None:
    """Train one learner of an experiment on all rows of a data set, and save the model.

    What was trained before is not trained again. The file holds the classifier, its columns, classes, configuration and
    lineage; it holds no code, and needs no project.
    """
    from intemi.experiments.catalogue import load
    from intemi.experiments.fitting import fit
    from intemi.kernel import Project

    load()
    experiment = experiment_of(file, project)
    level: Any = experiment.unification
    with Project(experiment.folder, unification=level, name=experiment.name) as opened:
        fitted = fit(experiment, opened, learner, data)
        opened.save(fitted, output)
    from intemi.machines.saved_models import load_model

    echo(f"{load_model(output)}\nwritten to {output}")
