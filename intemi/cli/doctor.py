"""`intemi doctor`."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import click

from intemi.cli.codes import DONE, FAILED
from intemi.cli.opening import import_option, insecure_option, json_option, on_option, workers_of, write_json

OPTIONAL = {
    "matplotlib": "pictures and reports",
    "pandas": "frames, and Parquet files",
    "pyarrow": "Parquet files",
    "optuna": "its samplers in parameter search",
    "distributed": "clusters: --on",
    "skops": "fitted scikit-learn estimators on disk",
}
Answer = tuple[bool | None, str]
"""Whether it is in order (None: it is missing, and not needed), and what was found."""


@click.command(
    epilog="""\b
Examples:
  intemi doctor
  intemi doctor quickstart             look at the folder of a project as well
  intemi doctor --on tls://head:8786   look at the workers of a cluster as well"""
)
@click.argument("folder", required=False, type=click.Path())
@on_option
@insecure_option
@import_option
@json_option
@click.pass_context
def command(ctx: click.Context, folder: str | None, on: str | None, insecure: bool, as_json: bool) -> None:
    """Check that everything works on this computer, and in the folder of a project."""
    checks: dict[str, Callable[[], Answer]] = {
        "python": _python,
        "packages": _packages,
        **{name: (lambda name=name, use=use: _optional(name, use)) for name, use in OPTIONAL.items()},  # type: ignore[misc]
        "cores": _cores,
        "space": lambda: _space(folder or "."),
        "a tiny experiment": _tiny,
    }
    if folder is not None:
        checks["project"] = lambda: _project(folder)
    if on is not None:
        checks[f"cluster {on}"] = lambda: _cluster(on, insecure)
    answers = {name: _asked(check) for name, check in checks.items()}
    if as_json:
        write_json({name: {"ok": ok, "found": found} for name, (ok, found) in answers.items()})
    else:
        for name, (ok, found) in answers.items():
            mark = {True: "ok     ", False: "PROBLEM", None: "missing"}[ok]
            click.echo(f"{mark}  {name}: {found}")
    ctx.exit(FAILED if any(ok is False for ok, _ in answers.values()) else DONE)


def _asked(check: Callable[[], Answer]) -> Answer:
    try:
        return check()
    except Exception as error:  # whatever it is, that is what was to be found out
        return False, f"{type(error).__name__}: {' '.join(str(error).split())}"


def _python() -> Answer:
    return sys.version_info >= (3, 11), f"{sys.version.split()[0]} at {sys.executable}"


def _packages() -> Answer:
    from importlib.metadata import version

    from intemi.kernel.shipped import VERSION, package_source

    names = ("numpy", "scipy", "scikit-learn", "numba")
    others = ", ".join(f"{name} {version(name)}" for name in names)
    return True, f"intemi {VERSION} ({package_source()}), {others}"


def _optional(name: str, use: str) -> Answer:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return True, version(name)
    except PackageNotFoundError:
        return None, f"for {use}: pip install {name}"


def _cores() -> Answer:
    import psutil

    memory = psutil.virtual_memory()
    return (
        True,
        f"{os.cpu_count()} cores, {memory.available / 2**30:.1f} of {memory.total / 2**30:.1f} GB of memory free",
    )


def _space(folder: str) -> Answer:
    import shutil

    there = Path(folder).resolve()
    while not there.exists():
        there = there.parent
    free = shutil.disk_usage(there).free
    if not os.access(there, os.W_OK):
        return False, f"{there} cannot be written to"
    return free > 2**28, f"{free / 2**30:.1f} GB free in {there}"


def _tiny() -> Answer:
    """Compile, run, keep and find again, in a folder of its own."""
    import tempfile
    from time import perf_counter

    from intemi.experiments import parse_experiment, run
    from intemi.kernel import Project

    started = perf_counter()
    experiment = parse_experiment(
        "{data: [iris], learners: [C45, NaiveBayes], protocol: {distributor: {type: CVDistributor, folds: 2}}}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for expected in (True, False):
            with Project(folder) as project:
                outcome = run(experiment, project)
                if outcome.failed:
                    return False, str(outcome.failed[0].failure)
                if bool(project.counts().physical.total()) is not expected:
                    return False, "what was run is not found again"
    return True, f"{len(outcome.finished)} learners run and found again in {perf_counter() - started:.1f} s"


def _project(folder: str) -> Answer:
    from intemi.cli.opening import opened

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with opened(folder) as project:
            runs = project.runs()
    aside = sorted(path.name for path in Path(folder).glob("*.damaged-*"))
    if caught:
        return False, str(caught[0].message)
    found = f"{len(runs)} sessions"
    return True, f"{found}; set aside as damaged: {', '.join(aside)}" if aside else found


def _cluster(on: str, insecure: bool) -> Answer:
    """Versions and canary of all workers, and how long a leaf takes there and back."""
    from time import perf_counter

    from intemi.dask import DaskWorkers
    from intemi.kernel import Project
    from intemi.machines import SklearnDataset

    with workers_of(on=on, insecure=insecure) as manager:
        assert isinstance(manager, DaskWorkers)
        with Project(workers=manager) as project:
            places = manager.places
            if not places:
                return False, "the scheduler answers, but it has no workers yet"
            project.run(SklearnDataset("iris"))
            started = perf_counter()
            project.run(SklearnDataset("wine"))
            trip = perf_counter() - started
    return True, (
        f"{len(places)} workers ({', '.join(sorted(places))}), versions and canary as here; a leaf took "
        f"{1000 * trip:.0f} ms there and back"
    )
