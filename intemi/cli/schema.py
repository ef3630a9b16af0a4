"""`intemi schema`."""

from __future__ import annotations

import click

from intemi.cli.opening import import_option


@click.command(
    epilog="""\b
Examples:
  intemi schema > experiment.schema.json
  intemi schema --import own.py > experiment.schema.json       with machines of your own

\b
Editors with the YAML language server complete and check an experiment file that begins with
  # yaml-language-server: $schema=experiment.schema.json"""
)
@import_option
def command() -> None:
    """Write the JSON Schema of experiment files, for editors."""
    import json

    from intemi.experiments.schema import experiment_schema

    click.echo(json.dumps(experiment_schema(), indent=1, ensure_ascii=False))
