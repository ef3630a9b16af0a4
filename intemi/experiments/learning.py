"""Learning from a table: a search for the best learning machine within some minutes, and what it has found.

It is a thin layer over a project and a `MetaLearner`: the folder of the project keeps everything, and a search in the
same folder goes on where the last one was.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.data import Data
from intemi.data.exchange import from_pandas
from intemi.data.guessing import Guess, guess
from intemi.data.notes import Note
from intemi.experiments.datasets import sklearn_names
from intemi.kernel import Capsule, ConfigurationError, IntemiError, Machine, Project, Source
from intemi.kernel.errors import StoreWarning, TimedOut
from intemi.kernel.workers.base import TaskManager
from intemi.machines.loading import DataLoader, SklearnDataset
from intemi.machines.meta_learning import (
    ComplexitySearch,
    Flow,
    KnowledgeFolder,
    MetaLearner,
    ProfileAttractiveness,
    Progress,
    Set,
    TargetQuality,
    default_space,
    default_validation,
    describe,
    own_knowledge_folder,
    ranked_candidates,
)
from intemi.machines.meta_learning.default_space import first_candidates
from intemi.machines.saved_models import SavedModel, load_model
from intemi.series import Series
from intemi.series.display import counted, one_line
from intemi.whole_files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECONDS_A_LOOK = 0.2
"""Between two reports of the progress."""
LEAST_SECONDS = 1.0
"""No search has less."""
PERFECT = TargetQuality(1.0)
"""Of a candidate without an error there is none better."""
SAVING = 0.02
"""The share of the time that is kept for saving the winner, after the search."""
HARVEST = 0.05
"""The share that is kept for adding tests to the knowledge folder, which takes a few milliseconds a test."""
MAX_WARNINGS = 100
"""Different texts of warnings that are collected."""
MIN_KNOWN = 8
"""Data sets of which something is to be known before it guides a search."""
Watcher = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Learned:
    """What a search has found: the winner, what was tried, and how good it was."""

    model: SavedModel
    """The winner, as `intemi.load_model` reads it."""
    winner: Any
    """The configuration of the winner."""
    search: MetaLearner
    """The search itself: a learner. Its own cross-validation is the honest estimate of how good the winner is."""
    results: dict[str, Any]
    """All results of the search: "Ranking", "As good", "Cheapest", "Log", "Failures" and others."""
    seconds: float
    """What it took by the clock."""
    data: Data
    notes: tuple[str, ...]
    """What was guessed of a file, and what looks suspicious in it."""
    content: bytes
    """The file of the model."""
    warnings: tuple[str, ...] = ()
    """What libraries warned of while machines were tested and the winner learned, each text once."""

    @property
    def quality(self) -> float:
        """The mean quality of the winner in its tests. It was chosen by that, so it is somewhat too good."""
        return float(self.results["Quality"])

    @property
    def baseline(self) -> float:
        """The share of the most frequent class: what one gets without learning."""
        counts = np.bincount(self.data.classes[self.data.classes >= 0])
        return float(counts.max() / counts.sum())

    @property
    def ranking(self) -> Series:
        """Everything that was tested to the end, the best first, with the p-value of the difference from the best."""
        found: Series = self.results["Ranking"]
        return found

    def predict(self, rows: Any, **options: Any) -> Series:
        """A table of new rows: their numbers, the class that is predicted, the probabilities of all classes.

        Rows are a file, a pandas frame or data; columns go by name.
        """
        return self.model.predict(rows, **options)

    def best(self, count: int = 10) -> Series:
        """The best candidates, how good they were, and whether they are significantly worse than the first."""
        top = self.ranking[:count]
        return Series(
            {self.search.measure: top["quality"], "p": top["p"], "CPU s": top["seconds"], "machine": top["candidate"]}
        )

    def picture(self) -> Figure:
        """The course of the search: tests in their order, what they took and were expected to take, their ranks."""
        from intemi.analysis.plots import search_course

        return search_course(self.results["Log"])

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write all of it as one HTML file."""
        from intemi.experiments.learned_report import report

        write_whole(path, report(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the winner into a file that `intemi.load_model` and `intemi predict` read."""
        write_whole(path, self.content)

    def summary(self) -> str:
        """What was found, in a few sentences."""
        results, names = self.results, list(self.ranking["candidate"])
        place, as_good = names.index(results["Best"]), len(results["As good"]) - 1
        which = "the best" if place == 0 else f"number {place + 1}"
        lines = [
            str(results["Best"]),
            f"{self.search.measure} {self.quality:.3f}, {which} of {counted(results['Tests'], 'machine')} tested in "
            f"{self.seconds:.0f} s ({results['Stopped']}); the most frequent class has {self.baseline:.3f}.",
        ]
        if place:
            better = "This one was" if place == 1 else f"{place} machines were, the first of them"
            lines.append(
                f"{better} better, with {self.ranking['quality'][0]:.3f}: {names[0]}; "
                f"{results['Failures'].get(names[0], 'it has not learned from all data')}"
            )
        than = "" if place == 0 else " than that"
        lines.append(
            f"{counted(as_good, 'other')} {'is' if as_good == 1 else 'are'} not significantly worse{than} (p >= 0.01); "
            f"of all these the cheapest to test: {results['Cheapest']}"
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        top = self.best()
        head, *rows, _ = str(top.without("machine")).splitlines()
        table = [f"{row}  {name}" for row, name in zip((head, *rows), ("machine", *top["machine"]), strict=True)]
        return "\n".join((self.summary(), "", *table))


def learn(
    data: Any,
    target: str | None = None,
    *,
    minutes: float = 10.0,
    tests: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    workers: int | TaskManager | None = None,
    seed: int = 0,
    knowledge: bool = True,
    watch: Watcher | None = None,
) -> Learned:
    """Find the best learning machine for a table within some minutes, and let it learn from all rows.

    The table is a file, the name of a data set of scikit-learn ("iris"), a pandas frame or `Data`. Of a file it is
    guessed how it is best read, and without a `target` what is to be predicted. `folder` keeps whatever is run: a
    search there goes on where the last one was. Ctrl-C ends the search with the best so far. Tests are added to the
    user's knowledge folder, and what is in it of other data guides the search, as soon as there are eight data sets;
    unless `knowledge` is False.

    With `tests` the first so many candidates are tested, however long that takes: then the winner is the same on every
    computer, as it cannot be against the clock.

    >>> learned = learn("iris", tests=3, knowledge=False)
    >>> learned.results["Best"], len(learned.predict(learned.data))
    ('C45', 150)
    """
    begun = time.monotonic()
    if not minutes > 0:
        raise ConfigurationError(f"learn: minutes must be above 0, got {minutes!r}")
    if tests is not None and tests < 1:
        raise ConfigurationError(f"learn: tests must be at least 1, got {tests!r}")
    given = _read(data, target)
    table = given if isinstance(given, Data) else given.data
    _refuse_unlearnable(table)
    kept = own_knowledge_folder() if knowledge else None
    search = search_for(table, tests, kept)  # before workers are there: what it imports is to use one core a worker
    with Project(folder, workers=workers, seed=seed, name="learn") as project:
        source = _loaded(project, data, given)
        if tests is None:
            left = 60 * minutes - (time.monotonic() - begun)
            share = 1 - SAVING - (0 if kept is None else HARVEST)
            search = search.replace("seconds", max(LEAST_SECONDS, share * left))
        with warnings_of_libraries() as warned:
            found = _watched(project.request(search, data=source, name="learn"), watch)
        with tempfile.TemporaryDirectory() as temporary:
            file = Path(temporary, "model")
            project.save(found, file)
            content, model = file.read_bytes(), load_model(file)
        if kept is not None:
            _add_to(kept, project, found)
        seconds = time.monotonic() - begun
        best, results = found.results["Best"], dict(found.results)
        winner = ranked_candidates(found)[list(results["Ranking"]["candidate"]).index(best)]
    notes = () if isinstance(given, Data) else (*given.done, *map(_advice, given.notes))
    return Learned(model, winner, search, results, seconds, table, notes, content, tuple(warned))


@contextmanager
def warnings_of_libraries() -> Iterator[dict[str, None]]:
    """Collect the texts of warnings, from all threads, in place of showing them; those of this package are shown.

    Each text is collected once, also if it was shown before.

    >>> with warnings_of_libraries() as found:
    ...     warnings.simplefilter("default")
    ...     warnings.warn("lbfgs failed to converge", RuntimeWarning)
    >>> list(found)
    ['RuntimeWarning: lbfgs failed to converge']
    """
    found: dict[str, None] = {}
    shown, is_over = warnings.showwarning, False

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if is_over or category.__module__.partition(".")[0] == "intemi":  # a thread may put this back when it is over
            shown(message, category, *where, **more)
        elif len(found) < MAX_WARNINGS:
            found[f"{category.__name__}: {one_line(str(message))}"] = None

    with warnings.catch_warnings():  # what was shown once is shown again
        warnings.showwarning = show
        try:
            yield found
        finally:
            is_over = True


def _add_to(kept: KnowledgeFolder, project: Project, found: Capsule) -> None:
    """Add tests to a knowledge folder; if that cannot be written, what was found is not lost."""
    try:
        kept.add_search(project, found)
    except (OSError, IntemiError) as error:
        warnings.warn(f"the tests are not added to the knowledge folder: {error}", StoreWarning, stacklevel=3)


def search_for(data: Data, tests: int | None = None, kept: KnowledgeFolder | None = None) -> MetaLearner:
    """The search that `learn` makes in such data; it has no limit of time yet.

    >>> from intemi.machines.meta_learning.measuring import made_data
    >>> search_for(made_data(100, 4, 0, 2)).strategy.kind
    'ComplexitySearch'
    """
    size = describe(data)
    validation = default_validation(replace(size, rows=float((data.classes >= 0).sum())))
    if tests is not None:
        first = Set(tuple(islice(first_candidates(size), tests)))
        return MetaLearner(Flow((first,)), validation=validation)
    search = MetaLearner(default_space(size), ComplexitySearch(stop=(PERFECT,)), validation)
    known = None if kept is None else kept.knowledge()
    if known is None or len(known.base_for(data, validation, search.measure).data_sets) < MIN_KNOWN:
        return search
    return search.replace("strategy.attractiveness", ProfileAttractiveness()).replace("knowledge", known)


def _read(data: Any, target: str | None) -> Data | Guess:
    if _is_of_sklearn(data):
        return _read(SklearnDataset(data).run().outputs["data"], target)
    if isinstance(data, str | os.PathLike):
        return guess(data, target)
    if isinstance(data, Data):
        if target is not None and (data.target is None or data.target.name != target):
            raise ConfigurationError(f"learn: data have their target, so target must not be given, got {target!r}")
        return data
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        if target is None:
            raise ConfigurationError("learn: target must name the column of the frame that is to be predicted")
        return from_pandas(data, target)
    raise ConfigurationError(f"learn: data must be a file, a pandas frame or Data, got {type(data).__name__}")


def _is_of_sklearn(data: Any) -> bool:
    """Whether it is the name of a set that comes with scikit-learn, and no file of that name is there."""
    return isinstance(data, str) and data in sklearn_names() and not os.path.exists(data)


def _advice(note: Note) -> str:
    """What looks suspicious in a file. How it is read cannot be stated here, so a remedy is to correct it."""
    return f"{note.finding}; correct the file" if note.remedy else note.finding


def _refuse_unlearnable(data: Data) -> None:
    """Say what is wrong with data from which nothing can be learned."""
    if data.target is None:
        raise ConfigurationError("learn: data must have a target")
    known = data.classes[data.classes >= 0]
    present = np.unique(known)
    if len(present) < 2:
        raise ConfigurationError(
            f"learn: the target {data.target.name!r} must have at least two classes, got "
            f"{', '.join(data.labels[each] for each in present) or 'none'} in {len(known)} rows"
        )
    if not data.columns:
        raise ConfigurationError("learn: data must have a column beside the target, got none")


def _loaded(project: Project, data: Any, given: Data | Guess) -> Source:
    """Data in a project: those of a loader by it, so that the model knows where they come from."""
    loader: Machine
    if _is_of_sklearn(data):
        loader = SklearnDataset(data)
    elif isinstance(given, Data):
        return project.given(given)
    else:
        loader = DataLoader(os.fspath(data), given.target, options=given.options)
    source: Source = project.run(loader).data
    return source


def _watched(capsule: Capsule, watch: Watcher | None) -> Capsule:
    """Wait for a search, and report its progress. An interrupt ends it with the best so far, a second one aborts it."""
    try:
        _wait(capsule, watch)
    except KeyboardInterrupt:
        if not capsule.config.depends_on_clock:
            raise
        capsule.end_early()
        try:
            _wait(capsule, watch)
        except KeyboardInterrupt:
            capsule.abort()
            raise
    return capsule.wait()


def _wait(capsule: Capsule, watch: Watcher | None) -> None:
    while not capsule.done:
        try:
            capsule.wait(SECONDS_A_LOOK)
        except TimedOut:
            now = capsule.progress
            if watch is not None and now is not None:
                watch(now)
