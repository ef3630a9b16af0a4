"""`intemi init`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from intemi.cli.opening import echo
from intemi.kernel.errors import ConfigurationError
from intemi.whole_files import write_whole

if TYPE_CHECKING:
    from intemi.data.guessing import Guess

DATA = "data: [iris, wine, breast_cancer]"
PREPROCESSING = "preprocessing: Standardization"
FOLDS = "folds: 10"


@click.command(
    epilog="""\b
Examples:
  intemi init                                                writes experiment.yaml
  intemi init votes.yaml --data votes.csv --target party     looks at the file, and writes how it is read
  intemi init mine.yaml --data votes.csv --data iris"""
)
@click.argument("file", type=click.Path(), default="experiment.yaml")
@click.option("-d", "--data", multiple=True, help="A data set, instead of those of the example; may be given again.")
@click.option("-t", "--target", help="The column to be predicted in files; guessed, if not given.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(file: str, data: tuple[str, ...], target: str | None, force: bool) -> None:
    """Write a commented experiment file to start from. Data files are looked at, so that it runs on them."""
    if os.path.exists(file) and not force:
        raise ConfigurationError(f"{file}: the file is there already; --force overwrites it")
    guesses = {each: _guess(each, target) for each in data}
    if target is not None and not any(guesses.values()):
        raise ConfigurationError("intemi init: --target is of a data file; name it with --data")
    write_whole(file, template(Path(file).stem, guesses, os.path.dirname(file)))
    for guess in filter(None, guesses.values()):
        for reason in (*guess.reasons, *guess.notes):
            echo(f"Note: {guess.data.name}: {reason}")
    echo(f"{file} is written. Next: intemi run {file}")


def _guess(data: str, target: str | None) -> Guess | None:
    """How a file is best read; None for what is no file."""
    from intemi.data.files import FORMATS, extension_of
    from intemi.data.guessing import guess

    return guess(data, target) if extension_of(data) in FORMATS and os.path.isfile(data) else None


def template(name: str, data: Mapping[str, Guess | None] | None = None, folder: str = "") -> str:
    """The text of the example, under another name and with other data sets, in a folder."""
    from importlib.resources import files

    text = files("intemi.experiments").joinpath("quickstart.yaml").read_text("utf-8")
    if name != "quickstart":
        text = text.replace("quickstart.yaml", f"{name}.yaml").replace("name: quickstart", f"name: {_quoted(name)}")
    data = data or {}
    guesses = [guess for guess in data.values() if guess is not None]
    if guesses:
        text = text.replace(DATA, "\n".join(["data:", *(_entry(each, guess, folder) for each, guess in data.items())]))
        text = text.replace(PREPROCESSING, f"preprocessing: {_preprocessing(guesses)}")
        text = text.replace(FOLDS, f"folds: {max(2, min(10, *(len(guess.data) for guess in guesses)))}")
    elif data:
        text = text.replace(DATA, f"data: [{', '.join(map(_quoted, data))}]")
    return text


def _entry(data: str, guess: Guess | None, folder: str) -> str:
    """A data set in the list: how it is read, and above it why."""
    if guess is None:
        return f"  - {_quoted(data)}"
    path = data if os.path.isabs(data) else os.path.relpath(data, folder or ".")
    said = {"path": path, "target": guess.target, **guess.options}
    lines = [f"  # {' '.join(reason.split())}" for reason in guess.reasons]
    return "\n".join([*lines, f"  - {{{', '.join(f'{key}: {_yaml(value)}' for key, value in said.items())}}}"])


def _yaml(value: str | list[str]) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_yaml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _preprocessing(guesses: list[Guess]) -> str:
    """What learners need that take numbers only."""
    from intemi.data.description import describe

    steps = []
    if any(column.missing for guess in guesses for column in describe(guess.data).columns if not column.is_target):
        steps.append("Imputation")
    if any(column.is_nominal for guess in guesses for column in guess.data.columns):
        steps.append("NominalToIndicators")
    return f"[{', '.join([*steps, 'Standardization'])}]" if steps else "Standardization"


def _quoted(text: str) -> str:
    return text if text.replace("_", "").replace("-", "").replace(".", "").isalnum() else json.dumps(text)
