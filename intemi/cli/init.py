"""`intemi init`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from intemi.kernel.errors import ConfigurationError
from intemi.whole_files import write_whole


@click.command(
    epilog="""\b
Examples:
  intemi init                       writes experiment.yaml
  intemi init votes.yaml --data votes.csv --data iris"""
)
@click.argument("file", type=click.Path(), default="experiment.yaml")
@click.option("-d", "--data", multiple=True, help="A data set, instead of those of the example; may be given again.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(file: str, data: tuple[str, ...], force: bool) -> None:
    """Write a commented experiment file to start from."""
    if os.path.exists(file) and not force:
        raise ConfigurationError(f"{file}: the file is there already; --force overwrites it")
    write_whole(file, template(Path(file).stem, data))
    click.echo(f"{file} is written. Next: intemi run {file}")


def template(name: str, data: tuple[str, ...] = ()) -> str:
    """The text of the example, under another name and with other data sets."""
    from importlib.resources import files

    text = files("intemi.experiments").joinpath("quickstart.yaml").read_text("utf-8")
    if name != "quickstart":
        text = text.replace("quickstart.yaml", f"{name}.yaml").replace("name: quickstart", f"name: {_quoted(name)}")
    if data:
        text = text.replace("data: [iris, wine, breast_cancer]", f"data: [{', '.join(map(_quoted, data))}]")
    return text


def _quoted(text: str) -> str:
    import json

    return text if text.replace("_", "").replace("-", "").replace(".", "").isalnum() else json.dumps(text)
