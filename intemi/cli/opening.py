"""What subcommands are given: an experiment file, a Python file or the folder of a project."""

from __future__ import annotations

import ast
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from intemi.kernel.errors import ConfigurationError
from intemi.whole_files import write_whole

if TYPE_CHECKING:
    from intemi.experiments import Experiment
    from intemi.kernel import Project
    from intemi.kernel.workers.base import TaskManager
    from intemi.series import Series

json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs to read.")
project_option = click.option(
    "-p", "--project", metavar="FOLDER", help="The folder of the project, instead of the one beside the file."
)
import_option = click.option(
    "--import",
    metavar="FILE",
    multiple=True,
    expose_value=False,
    is_eager=True,  # so that help, if asked for after it, lists what it defines
    callback=lambda _context, _parameter, names: _import(names),
    help="A Python file or module that defines machines (project folders contain no code); may be given again.",
)
on_option = click.option(
    "--on",
    metavar="CLUSTER",
    help="A dask cluster: its address (tls://head:8786), `dask` for one on this computer, or a file (slurm.yaml).",
)
insecure_option = click.option("--insecure", is_flag=True, help="Take a cluster whose connection is not encrypted.")
experiment_argument = click.argument("source", metavar="FILE|FOLDER", type=click.Path())


def _import(names: tuple[str, ...]) -> None:
    if names:
        from intemi.experiments.imports import import_all

        import_all(names, Path("."), "--import")


@contextmanager
def workers_of(
    workers: int | None = None, processes: bool = False, on: str | None = None, insecure: bool = False
) -> Iterator[int | TaskManager | None]:
    """What a project is given as workers, by the options of a command; a cluster that was started for it ends."""
    if on is not None:
        from intemi.dask.clusters import workers_on

        if processes:
            raise ConfigurationError("--processes: a cluster runs machines in processes anyway; leave it out with --on")
        with workers_on(on, workers, insecure) as manager:
            yield manager
    elif processes:
        from intemi.kernel.workers.processes import Processes

        yield Processes(workers)
    else:
        yield workers


def experiment_of(source: str, project: str | None = None) -> Experiment:
    """The experiment of a file, or the last one that was run in the folder of a project."""
    from dataclasses import replace

    from intemi.experiments import read_experiment, saved

    if os.path.isdir(source):
        kept = saved(source)
        if kept.unknown:
            echo(f"Note: {kept.unknown}", err=True)
        return kept
    if not os.path.exists(source):
        raise ConfigurationError(f"{source}: there is no such file or folder{_near(source)}")
    from intemi.data.files import FORMATS, extension_of

    if extension_of(source) in FORMATS:
        raise ConfigurationError(
            f"{source}: these are data; `intemi init FILE.yaml --data {source}` writes an experiment"
        )
    found = experiment_in(source) if source.endswith(".py") else read_experiment(source)
    return replace(found, project=project or _folder_of(found, source))


def _folder_of(experiment: Experiment, file: str) -> str:
    """The folder of an experiment's project: beside its file, unless there is one in the current folder only."""
    here = experiment.folder
    beside = os.path.normpath(os.path.join(os.path.dirname(file), here))
    if _is_project(here) and not _is_project(beside):
        echo(f"Note: {here} of the current folder is used; beside {file} there is no project {here}", err=True)
        return here
    return beside


def _is_project(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "machines.sqlite"))


def defines_experiment(file: str) -> bool:
    """Whether a Python file assigns `experiment`, so that it is an experiment and not just a program."""
    try:
        tree = ast.parse(Path(file).read_text("utf-8"), file)
    except SyntaxError as error:
        raise ConfigurationError(f"{file}:{error.lineno}: this is not Python: {error.msg}") from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file}: the file cannot be read: {error}") from None
    return "experiment" in _names_given(tree.body)


def _names_given(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that statements of a module give to something, whatever it is."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (each.asname or each.name for each in statement.names)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
        else:
            yield from _names_given(each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.stmt))


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
    return found if found.name != "experiment" else replace(found, name=path.stem)


def check_measure(experiment: Experiment, measure: str | None) -> None:
    """Refuse a measure that there cannot be."""
    known = experiment.known_measures
    if known is not None:
        check_name("measure", measure, known)


def check_name(what: str, name: str | None, known: Iterable[str]) -> None:
    """Refuse a name of nothing that is known, if one was given."""
    from intemi.experiments.errors import near

    every = list(known)
    if name is not None and name not in every:
        raise ConfigurationError(f"no {what} is called {name!r}; {near(name, every)}")


def opened(folder: str, **options: Any) -> Project:
    """The project in a folder that is there already; failures on record are reported, and not tried again."""
    from intemi.experiments.catalogue import load
    from intemi.kernel import Project

    load()
    try:
        return Project.open(folder, failures="reuse", **options)
    except ConfigurationError as error:
        raise ConfigurationError(f"{error}; `intemi run FILE` makes one, and names it") from None


def check_picture(file: str | None) -> None:
    """Refuse a file that is not called like a picture."""
    kinds = (".svg", ".png", ".pdf")
    if file is not None and not file.lower().endswith(kinds):
        raise ConfigurationError(f"{file}: the name of a picture must end with one of {', '.join(kinds)}")


def check_can_be_written(file: str) -> None:
    """Refuse a file that could not be written, before anything is computed for it."""
    folder = os.path.dirname(os.path.realpath(file))
    if not os.path.isdir(folder):
        raise ConfigurationError(f"{file}: it must be in a folder that exists, got {folder}")
    if os.path.isdir(file):
        raise ConfigurationError(f"{file}: it must be a file, got a folder")
    if not os.access(folder, os.W_OK) and not os.access(file, os.W_OK):
        raise ConfigurationError(f"{file}: it must be in a folder that can be written to, got {folder}")


def draw_into(file: str, draw: Callable[[], Any], dpi: int | None = None) -> None:
    """Write a picture: a figure of matplotlib, or the text of a drawing that is SVG already."""
    check_picture(file)
    kind = Path(file).suffix[1:].lower()
    if dpi is not None and kind != "png":
        raise ConfigurationError(f"{file}: --dpi is for .png; other pictures have any resolution")
    drawn = draw()
    if not isinstance(drawn, str):
        from intemi.analysis.plots.picture import real_texts

        written = BytesIO()  # any figure will do
        with real_texts():
            drawn.savefig(written, format=kind, **({} if dpi is None else {"dpi": dpi}))
        write_whole(file, written.getvalue())
    elif file.lower().endswith(".svg"):
        write_whole(file, drawn)
    else:
        raise ConfigurationError(f"{file}: a tree is drawn as .svg")


def echo(text: str = "", err: bool = False, nl: bool = True) -> None:
    """Print a text with escaped control characters; all that may come from a file is printed by this function."""
    from intemi.series.display import printable

    click.echo(printable(text), err=err, nl=nl)


def write_json(value: Any) -> None:
    """A value as JSON on the standard output; NaN, which JSON does not have, as null."""
    import json

    from intemi.series.display import CONTROLS

    text = json.dumps(plain(value), indent=2, ensure_ascii=False, default=str)
    click.echo(CONTROLS.sub(lambda found: json.dumps(found[0])[1:-1], text))


def write_csv(series: Series) -> None:
    """A series as CSV on the standard output: as it is for programs, with escaped control characters on a terminal."""
    (echo if sys.stdout.isatty() else click.echo)(series.to_csv(), nl=False)


def is_terminal() -> bool:
    """Whether the output is a terminal."""
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
