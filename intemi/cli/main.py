"""The command itself: which subcommands there are, and what becomes of errors."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Any

import click

from intemi.cli.codes import DONE, INTERRUPTED, UNUSABLE, WRONG

SUBCOMMANDS = {
    "learn": "Find the best learning machine for a table, and save it.",
    "run": "Run an experiment file, or a Python file.",
    "compare": "Compare the learners of an experiment: table, tests, picture.",
    "report": "Write a report: one HTML file with tables and pictures.",
    "picture": "Draw accuracies, ranks, trees, searches and more.",
    "query": "Ask a project for results.",
    "fit": "Train one learner on all rows of a data set, and save the model.",
    "predict": "Predict the classes of new rows by a saved model.",
    "predictions": "Show what learners have predicted for every test row.",
    "graph": "Show the machines of an experiment, and what they give to each other.",
    "machines": "List and describe machines, components and algorithms.",
    "data": "Describe a table: columns, classes, and what looks suspicious.",
    "init": "Write a commented experiment file to start from.",
    "schema": "Write the JSON Schema of experiment files, for editors.",
    "runs": "List the sessions of a project.",
    "cache": "Size, verify and prune what a project keeps.",
    "calibrate": "Measure what machines take on this computer, for searches.",
    "doctor": "Check that everything works on this computer.",
    "demo": "Run a small experiment, compare its learners and write a report.",
    "completion": "Write the completion script of a shell.",
}


class Subcommands(click.Group):
    """Subcommands that are imported when they are called, so that help and completion are quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        found: click.Command = import_module(f"intemi.cli.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in SUBCOMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(name, SUBCOMMANDS, n=1, cutoff=0.5)
            meant = near[0] if near else f"run {name}" if name.endswith((".yaml", ".yml", ".py")) else None
            ctx.fail(f"There is no command {name!r}; " + (f"did you mean {meant!r}?" if meant else "--help lists all."))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.group(
    cls=Subcommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="""\b
Examples:
  intemi demo                       a first look
  intemi data mine.csv              what is in a table, and what looks suspicious
  intemi learn mine.csv             the best learning machine for it, within ten minutes
  intemi init mine.yaml             an experiment to start from
  intemi run mine.yaml              run it; interrupted, it goes on where it stopped
  intemi report mine.yaml           tables and pictures in one HTML file

\b
Exit codes: 0 done, 1 something failed, 2 wrong arguments or a wrong file, 3 a folder or file cannot be used,
130 interrupted.""",
)
@click.version_option(package_name="intemi", message="%(prog)s %(version)s")
def command() -> None:
    """Run machine learning experiments that never compute the same thing twice."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command and end the process with its exit code."""
    sys.exit(_status(arguments))


def _status(arguments: list[str] | None) -> int:
    from intemi.kernel.errors import ConfigurationError, IntemiError
    from intemi.series import SeriesError
    from intemi.series.display import printable

    plain_warning = warnings.formatwarning
    warnings.formatwarning = lambda *given: printable(plain_warning(*given))
    try:
        status: Any = command.main(arguments, prog_name="intemi", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else DONE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except IntemiError as error:
        _print_error(str(error))
        return WRONG if isinstance(error, ConfigurationError | SeriesError) else UNUSABLE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _print_error(f"{where}{error.strerror or error}")
        return UNUSABLE
    finally:
        warnings.formatwarning = plain_warning


def _print_error(text: str) -> None:
    from intemi.cli.opening import echo

    echo(f"Error: {text}", err=True)
