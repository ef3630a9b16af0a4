"""`intemi run`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from intemi.cli.codes import DONE, FAILED, INTERRUPTED
from intemi.cli.opening import (
    check_picture,
    defines_experiment,
    draw_into,
    echo,
    experiment_of,
    insecure_option,
    is_terminal,
    json_option,
    on_option,
    project_option,
    workers_of,
    write_json,
)
from intemi.series.display import counted

if TYPE_CHECKING:
    from intemi.experiments import Experiment, Outcome
    from intemi.experiments.progress import How
    from intemi.kernel import Project
from intemi.kernel.workers.base import TaskManager


@click.command(
    epilog="""\b
Examples:
  intemi run quickstart.yaml
  intemi run quickstart.yaml --dry-run      what would be run, and what is there already
  intemi run quickstart.yaml --on tls://head:8786
  intemi run study.py --workers 8           a Python file that assigns an Experiment to `experiment`
  intemi run program.py                     any other Python file is run as a program
  intemi run quickstart.yaml --json | jq .failed"""
)
@click.argument("file", type=click.Path())
@project_option
@click.option(
    "-w", "--workers", type=click.IntRange(min=1), help="Machines run at a time; by default, one on each core."
)
@click.option("--processes", is_flag=True, help="Run machines in processes instead of threads.")
@on_option
@insecure_option
@click.option("-n", "--dry-run", is_flag=True, help="Say what would be run, and run nothing but loaders.")
@click.option("--time-line", type=click.Path(), metavar="FILE", help="Draw what ran when, on which worker.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    project: str | None,
    workers: int | None,
    processes: bool,
    on: str | None,
    insecure: bool,
    dry_run: bool,
    time_line: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run an experiment file (YAML), or a Python file.

    What was run before is not run again: neither what an earlier run has left, nor what two learners have in common.
    """
    if file.endswith(".py") and not defines_experiment(file):
        _run_program(file)
        return
    check_picture(time_line)
    experiment = experiment_of(file, project)
    if dry_run:
        _explain(experiment)
        return
    again = file if project is None else f"{file} -p {project}"
    with workers_of(workers, processes, on, insecure) as manager:
        failed = carry_out(experiment, again, "none" if quiet else "auto", manager, as_json, time_line)
    ctx.exit(FAILED if failed else DONE)


def carry_out(
    experiment: Experiment,
    again: str,
    how: How,
    workers: int | TaskManager | None,
    as_json: bool = False,
    time_line: str | None = None,
) -> int:
    """Run an experiment and say what came out; how many cells have failed. `again` is what to call it with next."""
    from intemi.experiments import Progress, run, save
    from intemi.experiments.catalogue import load
    from intemi.kernel import Project

    load()
    level: Any = experiment.unification
    with Project(experiment.folder, workers=workers, unification=level, name=experiment.name) as project:
        save(experiment, experiment.folder)
        try:
            with _watched(project, time_line), Progress(project, how) as progress:
                outcome = run(experiment, project, progress)
        except KeyboardInterrupt:
            done = counted(project.counts().physical.total(), "machine")
            echo(
                f"Stopped after {done} had been started. Whatever had finished is kept in {experiment.folder}; "
                f"`intemi run {again}` goes on from there.",
                err=True,
            )
            raise click.exceptions.Exit(INTERRUPTED) from None
        say(outcome, again, as_json)
        return len(outcome.failed)


@contextmanager
def _watched(project: Project, file: str | None) -> Iterator[None]:
    """Note which worker runs what, and draw it, if there is a file to draw it into."""
    if file is None:
        yield
        return
    from intemi.analysis import plots

    with plots.watch(project) as seen:
        yield
    if len(seen.series):
        draw_into(file, lambda: plots.time_line(seen))
    echo(f"{file} is written" if len(seen.series) else f"{file} is not written: nothing was run", err=True)


def say(outcome: Outcome, again: str, as_json: bool) -> None:
    """What came out."""
    from intemi.experiments.tables import failures_of, outcome_text, requested

    experiment, counts = outcome.experiment, outcome.project.counts()
    if as_json:
        compared = outcome.compare() if any(cell.is_learner for cell in outcome.finished) else None
        write_json(
            {
                "experiment": experiment.name,
                "project": experiment.folder,
                "digest": experiment.digest,
                "finished": len(outcome.finished),
                "failed": {cell.name: str(cell.failure) for cell in outcome.failed},
                "machines": counts.logical.total(),
                "run": counts.physical.total(),
                "notes": outcome.data_notes,
                "comparison": None if compared is None else compared.to_plain(),
                "requests": {cell.name: results for cell, results in requested(outcome)},
            }
        )
        return
    echo(outcome_text(outcome))
    if is_terminal() and any(cell.is_learner for cell in outcome.finished):
        echo(f"Next: intemi report {again}", err=True)
    for failure in failures_of(outcome):
        echo(f"Failed: {failure}", err=True)


def _run_program(file: str) -> None:
    import runpy
    import sys
    from pathlib import Path

    sys.argv = [file]
    sys.path.insert(0, str(Path(file).resolve().parent))
    runpy.run_path(file, run_name="__main__")


def _explain(experiment: Experiment) -> None:
    """A dry run, in the folder if it is there."""
    import os

    from intemi.experiments.running import notes_before, planned
    from intemi.kernel import Project
    from intemi.kernel.explain import Verdict

    folder = experiment.folder if os.path.isdir(experiment.folder) else None
    with Project(folder) as project:
        for name, explanation in planned(experiment, project):
            there, missing = explanation.count(Verdict.REUSE), explanation.count(Verdict.RUN)
            known = f", as far as can be told: {counted(there, 'machine')} there, {missing:,} not" if missing else ""
            echo(f"{'there' if explanation.verdict is Verdict.REUSE else 'to be run':10} {name}{known}")
        for note in notes_before(experiment, project):
            echo(f"Note: {note}")
