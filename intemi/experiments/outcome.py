"""What became of an experiment: a cell for each learner on each data set, and the measures of those that finished."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from intemi.analysis.stamps import STAMPS
from intemi.experiments.alike import check_alike
from intemi.experiments.compared import Compared
from intemi.experiments.comparison import Comparison, compare, means_of
from intemi.experiments.data_notes import data_notes
from intemi.experiments.errors import chosen
from intemi.experiments.experiment import LEARNER, TEST, Experiment, measures_by_name
from intemi.experiments.frozen import History, history
from intemi.experiments.unknown import is_known
from intemi.kernel.capsule import Capsule
from intemi.kernel.errors import ConfigurationError, IntemiError, MachineError
from intemi.kernel.machine import Machine
from intemi.kernel.project import Project
from intemi.machines.row_answers import answers_of_tests
from intemi.markup import for_notebook
from intemi.series import Series
from intemi.whole_files import write_whole

_PLACE = ("Repetition", "Fold")


@dataclass(repr=False)
class Cell:
    """One learner, or another request, on one data set."""

    data: str
    learner: str
    machine: Machine
    is_learner: bool = True
    capsule: Capsule | None = None
    failure: MachineError | ConfigurationError | None = None
    is_outdated: bool = False
    """Whether the folder has a finished request of its name, but not of the machine and data as they are now."""

    @property
    def name(self) -> str:
        """What its request is called."""
        return f"{self.learner} on {self.data}"

    @property
    def is_known(self) -> bool:
        """Whether the classes of all its machines are loaded."""
        return is_known(self.machine)

    @property
    def has_finished(self) -> bool:
        return self.capsule is not None and self.failure is None

    @property
    def state(self) -> str:
        """Whether it has finished, failed, or was not run; or that its machine is not known here."""
        if self.has_finished:
            return "finished"
        return "failed" if self.failure is not None else "not run" if self.is_known else "not known"

    def __repr__(self) -> str:
        return f"<Cell {self.name!r}: {self.state}>"

    @property
    def why_not_run(self) -> str:
        """What to say of one that was not run."""
        if not self.is_outdated:
            return f"{self.name} was not run"
        return (
            f"{self.name} was run with other settings, or by another version of its machines: "
            "run it again, or ask `intemi query`"
        )


@dataclass(repr=False)
class Outcome:
    """The cells of an experiment in a project; `print` shows what `intemi run` shows."""

    experiment: Experiment
    project: Project
    cells: Sequence[Cell]
    loaded: Mapping[str, Capsule]
    """The requests for the data sets."""

    @cached_property
    def data_notes(self) -> list[str]:
        """A sentence for each suspicious thing in the data sets, and what helps."""
        return data_notes(self.experiment, self.loaded)

    @property
    def finished(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.has_finished]

    @property
    def failed(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.failure is not None]

    @property
    def failures(self) -> dict[str, MachineError | ConfigurationError]:
        """What has failed, and why; data that cannot be used are told of once, not for every learner."""
        found: dict[str, MachineError | ConfigurationError] = {}
        for cell in self.cells:
            if cell.failure is not None:
                name = cell.name if cell.capsule is not None else f"everything on {cell.data}"
                found.setdefault(name, cell.failure)
        return found

    @property
    def not_run(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.state == "not run"]

    @cached_property
    def history(self) -> History:
        """The plans of the experiment that were run in the folder of the project; none, if it has no folder."""
        return history(self.project.folder, self.experiment.file_name)

    def __repr__(self) -> str:
        states = [cell.state for cell in self.cells]
        counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
        return f"<Outcome {self.experiment.name!r}: {counts}>"

    def __str__(self) -> str:
        from intemi.experiments.tables import failures_of, outcome_text

        return "\n".join([outcome_text(self), *(f"Failed: {failure}" for failure in failures_of(self))])

    def _repr_html_(self) -> str:
        from intemi.experiments.comparison_html import outcome_html

        return for_notebook(outcome_html(self))

    def report(self, file: str | os.PathLike[str]) -> None:
        """Write one HTML file with tables, tests and pictures, as `intemi report` does."""
        from intemi.experiments.report import report

        write_whole(file, report(self))

    def series(self, *measures: str) -> Series:
        """Measures of every test, with the labels machine, data, Repetition and Fold; the first is the main one.

        Without any, all that the experiment names. What a learner does not have is None. A stamp ("Leak",
        "Oracle") of a test or of a learner is a label, too; how a learner validates inside is its own business.
        """
        wanted = measures or self.experiment.all_measures
        parts = [self._measured(cell, wanted) for cell in self.finished if cell.is_learner]
        if not parts:
            from intemi.experiments.tables import failures_of

            reasons = failures_of(self)[:1]
            reasons += [cell.why_not_run for cell in self.not_run if cell.is_outdated][:1]
            reasons += [self.experiment.unknown] if self.experiment.unknown else []
            why = "".join(f"; {each}" for each in reasons)
            raise IntemiError(
                f"{self.experiment.name}: no learner has finished on any data set, so there is nothing to show{why}"
            )
        known = {name for part in parts for name in part.labels if any(each is not None for each in part[name])}
        for name in wanted:
            if name not in known:
                hint = "; add it to the measures and run again: tests run, and nothing is trained"
                raise IntemiError(
                    f"{self.experiment.name}: no test and no learner has a result {name!r}"
                    f"{hint if name in measures_by_name() else ''}"
                )
        stamps = [stamp for stamp in STAMPS if any(stamp in part.labels for part in parts)]
        for stamp in stamps:
            parts = [part if stamp in part.labels else part.with_column(stamp, None) for part in parts]
        order = [*parts[0].without(*stamps).labels, *stamps]
        return Series.concat(*(Series({label: part[label] for label in order}, main=part.main) for part in parts))

    def predictions(self, learner: str | None = None, data: str | None = None) -> Series:
        """The answers of learners for every test row of a data set: number, classes, probabilities, Repetition, Fold.

        Without a learner, those of all that have finished; the data set can be left out if there is one only. "Row" is
        the number of a row in the data set, the first is 1. Nothing is trained: models on record answer once more.
        """
        data = chosen("predictions", "data set", data, self.experiment.data)
        if learner is not None:
            chosen("predictions", "learner", learner, self.experiment.learners)
        cells = [
            cell
            for cell in self.cells
            if cell.is_learner and cell.data == data and learner in (None, cell.learner) and cell.has_finished
        ]
        if not cells:
            who = "no learner has" if learner is None else f"{learner} has not"
            raise IntemiError(f"{self.experiment.name}: {who} finished on {data}, so there are no predictions")
        tables = []
        for cell in cells:
            assert cell.capsule is not None
            rows = answers_of_tests(cell.capsule, {"machine": cell.learner, "data": cell.data})
            tables.append(rows.without(LEARNER) if LEARNER in rows.labels else rows)
        return Series.concat(*tables)

    def compare(self, measure: str | None = None, vary: str | Sequence[str] = ()) -> Compared:
        """Compare the learners, as the experiment says, with means of all its measures; or by one measure alone.

        Learners that differ elsewhere than at the paths `vary` are refused, if there are any.
        """
        if vary:
            check_alike(self.experiment.learners, vary)
        name = measure or self.experiment.main_measure
        compared = compare(self.series(name), self._comparison(name), self.experiment.distributor)
        compared.cells = self._states
        compared.plan = self.experiment.digest
        compared.changes = self.history.changes_until(self.experiment)
        compared.notes += [f"{name} failed" for name in self.failures]
        compared.notes += [cell.why_not_run for cell in self.not_run if cell.is_learner]
        compared.notes += [self.experiment.unknown] if self.experiment.unknown else []
        if measure is None:
            compared.also = [*self._also_measured(compared.notes)]
        return compared

    def _also_measured(self, notes: list[str]) -> Iterator[Compared]:
        """The means of all measures of the experiment but the main one; a note for each that no learner has."""
        for name in self.experiment.all_measures[1:]:
            try:
                means = means_of(self.series(name), self._comparison(name))
            except IntemiError as error:
                notes.append(str(error))
                continue
            means.cells = self._states
            yield means

    def _comparison(self, measure: str) -> Comparison:
        return replace(self.experiment.comparison, measure=measure, best=self.experiment.best_of(measure))

    @property
    def _states(self) -> dict[tuple[str, str], str]:
        return {(cell.learner, cell.data): cell.state for cell in self.cells if cell.is_learner}

    def _measured(self, cell: Cell, measures: Sequence[str]) -> Series:
        """The measures of one cell: results of the test or, where it has none of that name, of the learner."""
        tests = self.project.query(cell.capsule, path=f"test/{TEST}")
        learners = self.project.query(cell.capsule, path=f"test/{LEARNER}", labels=["machine", *_PLACE])
        columns: dict[str, list[Any]] = {}
        for measure in measures:
            if measure in tests.labels:
                columns[measure] = list(tests[measure])
            else:
                columns[measure] = self._of_learner(cell, measure, len(learners))
        columns["machine"] = [cell.learner] * len(tests)
        columns["data"] = [cell.data] * len(tests)
        for label in _PLACE:
            columns[label] = list(tests[label])
        for stamp in STAMPS:
            said = list(tests[stamp]) if stamp in tests.labels else self._of_learner(cell, stamp, len(tests))
            if any(why is not None for why in said):
                columns[stamp] = said
        return Series(columns, main=measures[0])

    def _of_learner(self, cell: Cell, measure: str, count: int) -> list[Any]:
        try:
            found = self.project.query(cell.capsule, path=f"test/{LEARNER}", labels=[measure, *_PLACE])
        except IntemiError:  # no learner of this kind has it
            return [None] * count
        return list(found[measure])
