"""`intemi learn`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from intemi.cli.opening import (
    check_can_be_written,
    check_picture,
    draw_into,
    echo,
    insecure_option,
    is_terminal,
    json_option,
    on_option,
    workers_of,
    write_json,
)

if TYPE_CHECKING:
    from intemi.experiments.learning import Learned
    from intemi.machines.meta_learning import Progress

SECONDS_A_LINE = 10.0
"""How often a line is written where no terminal shows the progress."""
MAX_RUNNING = 60
"""Letters of what is running."""


@click.command(
    epilog="""\b
Examples:
  intemi learn iris --minutes 0.5                        a first look, at a data set of scikit-learn
  intemi learn votes.csv --target party                  ten minutes; writes votes.model and votes.html
  intemi learn votes.csv --target party --minutes 2
  intemi predict votes.model new.csv                     use what was found"""
)
@click.argument("file", type=click.Path())
@click.option("-t", "--target", help="The column to be predicted; guessed, if not given.")
@click.option(
    "-m",
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="Time limit of the search in minutes.",
)
@click.option("-p", "--project", metavar="FOLDER", help="The folder that keeps all tests; by default NAME.learn.")
@click.option(
    "-o", "--output", type=click.Path(), metavar="MODEL", help="Where the winner goes; by default NAME.model."
)
@click.option("--report", type=click.Path(), metavar="FILE", help="Where the report goes; by default NAME.html.")
@click.option("--picture", type=click.Path(), metavar="FILE", help="Draw the course of the search into this file.")
@click.option(
    "-w", "--workers", type=click.IntRange(min=1), help="Machines run at a time; by default, one on each core."
)
@on_option
@insecure_option
@click.option("--no-knowledge", is_flag=True, help="Neither use results of other searches nor keep those of this one.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@json_option
def command(
    file: str,
    target: str | None,
    minutes: float,
    project: str | None,
    output: str | None,
    report: str | None,
    picture: str | None,
    workers: int | None,
    on: str | None,
    insecure: bool,
    no_knowledge: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find the best learning machine for a table within some minutes, train it on all rows, and save it.

    Candidates are tested by cross-validation, the cheapest first. Ctrl-C ends the search with the best so far. Started
    again it goes on: what was tested is not tested again.
    """
    from intemi.experiments.learning import learn
    from intemi.series.display import counted

    check_picture(picture)
    name = Path(file).with_suffix("")
    model, page, folder = output or f"{name}.model", report or f"{name}.html", project or f"{name}.learn"
    written = [each for each in (model, page, picture) if each is not None]
    for each in written:
        check_can_be_written(each)
    with workers_of(workers, on=on, insecure=insecure) as manager, _Display(quiet) as display:
        learned = learn(
            file,
            target,
            minutes=minutes,
            folder=folder,
            workers=manager,
            knowledge=not no_knowledge,
            watch=display.show,
        )
    learned.save(model)
    learned.report(page)
    if picture is not None:
        draw_into(picture, learned.picture)
    if as_json:
        write_json(_plain(learned, written))
        return
    for note in learned.notes:
        echo(f"Note: {note}", err=True)
    if learned.warnings:
        echo(f"Note: libraries gave {counted(len(learned.warnings), 'warning')}; {page} lists them", err=True)
    echo(str(learned))
    echo(f"{', '.join(written)} {'is' if len(written) == 1 else 'are'} written; {folder} keeps all tests", err=True)


def _plain(learned: Learned, written: list[str]) -> dict[str, Any]:
    results = learned.results
    return {
        "best": results["Best"],
        "measure": learned.search.measure,
        "quality": learned.quality,
        "baseline": learned.baseline,
        "tests": results["Tests"],
        "stopped": results["Stopped"],
        "seconds": learned.seconds,
        "cheapest": results["Cheapest"],
        "ranking": learned.ranking,
        "failures": results["Failures"],
        "notes": list(learned.notes),
        "warnings": list(learned.warnings),
        "written": written,
    }


class _Display:
    """Shows the progress of a search: in one line that changes, or in a line now and then."""

    def __init__(self, quiet: bool) -> None:
        self._status: Any = None
        self._quiet = quiet
        self._said = 0.0

    def __enter__(self) -> _Display:
        if not self._quiet and is_terminal():
            from rich.console import Console

            self._status = Console(stderr=True).status("The search begins …")
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()

    def show(self, now: Progress) -> None:
        """Show how far it is."""
        if self._status is not None:
            from intemi.series.display import printable

            self._status.update(printable(progress_text(now)).replace("[", r"\\["))
        elif not self._quiet and now.seconds - self._said >= SECONDS_A_LINE:
            self._said = now.seconds
            echo(progress_text(now), err=True)


def progress_text(now: Progress) -> str:
    """How far a search is, in one line.

    >>> from intemi.machines.meta_learning import Progress
    >>> progress_text(Progress(finished=3, best="knn", quality=0.91, running=("svm",)))
    '3 tested, best 0.910 knn; testing svm'
    """
    from intemi.machines.meta_learning import name_of

    parts = [f"{now.finished} tested"]
    if now.failed:
        parts.append(f"{now.failed} failed")
    if now.best is not None:
        parts.append(f"best {now.quality:.3f} {_short(name_of(now.best))}")
    text = ", ".join(parts)
    if now.running:
        doing = "learning with" if now.is_learning else "testing"
        text += f"; {doing} {', '.join(_short(name_of(each)) for each in now.running)}"
    if now.quarantine:
        text += f"; {len(now.quarantine)} in quarantine"
    return text if now.seconds_left is None else f"{text}; {now.seconds_left:.0f} s left"


def _short(name: str) -> str:
    return name if len(name) <= MAX_RUNNING else f"{name[: MAX_RUNNING - 1]}…"
