"""What subcommands are given: an experiment file, a Python file or the folder of a project."""

from __future__ import annotations

import ast
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from intemi.kernel.errors import ConfigurationError

if TYPE_CHECKING:
    from intemi.experiments import Experiment
    from intemi.kernel import Project

json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs to read.")
project_option = click.option(
    "-p", "--project", metavar="FOLDER", help="The folder of the project, instead of the one the file names."
)
experiment_argument = click.argument("source", metavar="FILE|FOLDER", type=click.Path())


def experiment_of(source: str, project: str | None = None) -> Experiment:
    """The experiment of a file, or the last one that was run in the folder of a project."""
    from dataclasses import replace

    from intemi.experiments import read_experiment, saved

    if os.path.isdir(source):
        return saved(source)
    if not os.path.exists(source):
        raise ConfigurationError(f"{source}: there is no such file or folder{_near(source)}")
    found = experiment_in(source) if source.endswith(".py") else read_experiment(source)
    return found if project is None else replace(found, project=project)


def defines_experiment(file: str) -> bool:
    """Whether a Python file assigns `experiment`, so that it is an experiment and not just a program."""
    try:
        tree = ast.parse(Path(file).read_text("utf-8"), file)
    except SyntaxError as error:
        raise ConfigurationError(f"{file}:{error.lineno}: this is not Python: {error.msg}") from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file}: the file cannot be read: {error}") from None
    targets: list[ast.expr] = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            targets += statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets.append(statement.target)
    return any(isinstance(target, ast.Name) and target.id == "experiment" for target in targets)


def experiment_in(file: str) -> Experiment:
    """The experiment that a Python file assigns to `experiment`."""
    from dataclasses import replace

    from intemi.experiments import Experiment
    from intemi.experiments.imports import import_one

    if not defines_experiment(file):
        raise ConfigurationError(f"{file}: it must assign an Experiment to `experiment`, and does not")
    path = Path(file)
    module = import_one(path.name, path.parent, file)
    found: Any = module.experiment
    if not isinstance(found, Experiment):
        raise ConfigurationError(f"{file}: `experiment` must be an Experiment, got {type(found).__name__}")
    named = found if found.name != "experiment" else replace(found, name=path.stem)
    return replace(named, imports=(*found.imports, str(path.resolve())))


def opened(folder: str, **options: Any) -> Project:
    """The project in a folder that is there already; failures on record are told of, and not tried again."""
    from intemi.experiments.catalogue import load
    from intemi.kernel import Project

    load()
    return Project.open(folder, failures="reuse", **options)


def write_json(value: Any) -> None:
    """A value as JSON on the standard output; NaN, which JSON does not have, as null."""
    import json

    click.echo(json.dumps(plain(value), indent=2, ensure_ascii=False, default=str))


def is_terminal() -> bool:
    """Whether somebody is watching."""
    return sys.stderr.isatty()


def plain(value: Any) -> Any:
    """A value as JSON can have it."""
    from intemi.series import Series

    if isinstance(value, Series):
        return [plain(row) for row in value]
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _near(source: str) -> str:
    from difflib import get_close_matches

    folder, name = os.path.split(source)
    try:
        near = get_close_matches(name, os.listdir(folder or "."), n=1)
    except OSError:
        near = []
    return (
        f"; did you mean {os.path.join(folder, near[0])!r}?" if near else "; `intemi init` writes a file to start from"
    )
