"""Running an experiment in a project, and finding what an earlier run of it has left."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from intemi.data import Data
from intemi.experiments.data_notes import data_notes
from intemi.experiments.experiment import LEARNER, Experiment
from intemi.experiments.frozen import EXPERIMENTS, MAX_PLAN_BYTES, freeze
from intemi.experiments.outcome import Cell, Outcome
from intemi.experiments.progress import Progress, in_notebook
from intemi.experiments.unknown import is_known
from intemi.kernel.capsule import Capsule
from intemi.kernel.errors import ConfigurationError, IntemiError, MachineError
from intemi.kernel.explain import Explanation
from intemi.kernel.plain_files import check_folder, create_file, read_file
from intemi.kernel.ports import Output
from intemi.kernel.project import Given, Project
from intemi.kernel.task import Source


def run(experiment: Experiment, project: Project, progress: Progress | None = None) -> Outcome:
    """Run whatever has not been run before, and wait for it. What fails is part of the outcome.

    A notebook shows how far it is. Before anything is run, the plan is frozen: written into the folder of the project,
    if it has one. Ctrl-C aborts what is not done; what has finished is kept.

    >>> from intemi.machines import CVDistributor, Majority, SklearnDataset
    >>> plain = Experiment(
    ...     data={"iris": SklearnDataset("iris")}, learners={"majority": Majority()}, distributor=CVDistributor(3)
    ... )
    >>> with Project() as project:
    ...     len(run(plain, project).series("Accuracy"))
    3
    """
    if progress is None and in_notebook():
        with Progress(project) as progress:
            return run(experiment, project, progress)
    cells = _cells(experiment)
    if project.folder is not None:
        freeze(experiment, project.folder)
    try:
        loaded = {name: request_data(experiment, project, name) for name in experiment.data}
        _request(experiment, project, loaded, cells, progress)
        _wait(cells)
    except KeyboardInterrupt:
        project.abort()
        raise
    return Outcome(experiment, project, cells, {name: capsule for name, (capsule, _) in loaded.items()})


def _cells(experiment: Experiment) -> list[Cell]:
    return [
        Cell(data, name, machine, is_learner=name in experiment.learners) for data, name, machine in experiment.cells()
    ]


def _request(
    experiment: Experiment,
    project: Project,
    loaded: dict[str, tuple[Capsule, Source]],
    cells: list[Cell],
    progress: Progress | None,
) -> None:
    problems = {name: _load(experiment, name, capsule) for name, (capsule, _) in loaded.items()}
    for cell in cells:
        cell.failure = problems[cell.data]
        if progress is not None and cell.failure is None:
            progress.expect(cell.name, _parts(experiment, cell))
    for cell in cells:
        if cell.failure is None:
            cell.capsule = _request_cell(project, cell, loaded[cell.data][1])
            if progress is not None:
                progress.watch(cell.name, cell.capsule)


def _request_cell(project: Project, cell: Cell, data: Source) -> Capsule:
    comments = {LEARNER: cell.learner} if cell.is_learner else None
    return project.request(cell.machine, data=data, name=cell.name, comments=comments)


def _wait(cells: list[Cell]) -> None:
    for cell in cells:
        if cell.capsule is not None:
            try:
                cell.capsule.wait()
            except MachineError as error:
                cell.failure = error


def _parts(experiment: Experiment, cell: Cell) -> int | None:
    """How many machines the repeater of a cell requests: the tests, and a distributor for each repetition."""
    tests = experiment.tests_of_a_cell
    return None if tests is None or not cell.is_learner else tests + experiment.repetitions


def found(experiment: Experiment, project: Project) -> Outcome:
    """What earlier runs have left of an experiment. Nothing is run, not even loaders."""
    cells = _cells(experiment)
    on_record = [name for name in experiment.data if _is_on_record(experiment, project, name)]
    loaded = {name: request_data(experiment, project, name) for name in on_record}
    problems = {name: _load(experiment, name, capsule) for name, (capsule, _) in loaded.items()}
    for cell in cells:
        if cell.data not in loaded or not cell.is_known:
            continue
        cell.failure = problems[cell.data]
        source = loaded[cell.data][1]
        if cell.failure is None and project.is_on_record(cell.machine, data=source):
            cell.capsule = _request_cell(project, cell, source)
    _wait(cells)
    outcome = Outcome(experiment, project, cells, {name: capsule for name, (capsule, _) in loaded.items()})
    for cell in outcome.not_run:
        cell.is_outdated = len(project.query(name=glob.escape(cell.name), labels="machine")) > 0
    return outcome


def planned(experiment: Experiment, project: Project) -> Iterator[tuple[str, Explanation]]:
    """A dry run: for each cell, what is there already and what would be run. Loaders are run."""
    sources: dict[str, Source] = {}
    for data, learner, machine in experiment.cells():
        if data not in sources:
            capsule, sources[data] = request_data(experiment, project, data)
            capsule.wait()
        yield f"{learner} on {data}", project.explain(machine, data=sources[data])


def notes_before(experiment: Experiment, project: Project) -> list[str]:
    """A sentence for each suspicious thing in the data sets, before anything but loaders is run."""
    loaded = {name: request_data(experiment, project, name)[0] for name in experiment.data}
    for capsule in loaded.values():
        capsule.wait()
    return data_notes(experiment, loaded)


def save(experiment: Experiment, folder: str | os.PathLike[str]) -> Path:
    """Keep the plan of an experiment in the folder of its project, so that results can be compared without its file."""
    file = Path(folder) / EXPERIMENTS / f"{experiment.file_name}.json"
    try:
        check_folder(file.parent)
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(f".{os.getpid()}")
        create_file(temporary, json.dumps(experiment.to_plain(), indent=1, ensure_ascii=False).encode())
        os.replace(temporary, file)
    except OSError as error:
        raise IntemiError(f"{file}: the plan of the experiment cannot be written: {error.strerror}") from error
    return file


def saved(folder: str | os.PathLike[str], name: str | None = None) -> Experiment:
    """The experiment that was last run in the folder of a project, or the one of a name.

    Nothing is imported: machines of classes that are not loaded stay as they were written (`Experiment.unknown`).
    """
    check_folder(Path(folder) / EXPERIMENTS)
    files = sorted((Path(folder) / EXPERIMENTS).glob("*.json"), key=lambda file: file.lstat().st_mtime)
    if not files:
        raise ConfigurationError(
            f"{os.fspath(folder)}: no experiment was run in this folder; `intemi run FILE` runs one"
        )
    known = {file.stem: file for file in files}
    if name is not None and name not in known:
        from intemi.experiments.errors import near

        raise ConfigurationError(f"{os.fspath(folder)}: no experiment is called {name!r}; {near(name, known)}")
    file = files[-1] if name is None else known[name]
    try:
        plain = json.loads(read_file(file, MAX_PLAN_BYTES))
        plain.pop("imports", None)  # of an older version: a folder does not say which code is run
        return Experiment.from_plain({**plain, "project": os.fspath(folder)})
    except (IntemiError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigurationError(f"{file}: this is not the plan of an experiment: {error}") from None


def _is_on_record(experiment: Experiment, project: Project, name: str) -> bool:
    machine = experiment.data[name]
    if isinstance(machine, Given) and machine.content in experiment.values:
        return True
    return is_known(machine) and project.is_on_record(machine)


def request_data(experiment: Experiment, project: Project, name: str) -> tuple[Capsule, Source]:
    """The request for a data set, and the output that has the data."""
    machine = experiment.data[name]
    if not isinstance(machine, Given):
        capsule = project.request(machine, name=f"data {name}")
        return capsule, capsule.data
    if machine.content in experiment.values:
        project.given(experiment.values[machine.content])  # known by its content from now on, as it is to the request
    capsule = project.request(machine, name=f"data {name}")
    return capsule, Source(capsule.context, Output(Data, name="value"))


def _load(experiment: Experiment, name: str, capsule: Capsule) -> MachineError | ConfigurationError | None:
    """Wait for data; why learners cannot be tested on them."""
    try:
        capsule.wait()
    except MachineError as error:
        return error
    rows = capsule.results.get("Rows")
    folds: Any = experiment.distributor.parameters().get("folds")
    if experiment.learners and type(rows) is type(folds) is int and folds > rows:
        kind = experiment.distributor.kind
        return ConfigurationError(f"{kind}: folds must be at most the {rows} rows of {name}, got {folds}")
    if experiment.learners and capsule.results.get("Classes") == 0:
        return ConfigurationError(f"data {name}: there is no nominal target; name one of its columns as `target`")
    return None
