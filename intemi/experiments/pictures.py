"""Pictures of experiments: what `intemi picture` draws. Each is a function with a line above it that registers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from intemi.experiments.compared import Compared
from intemi.experiments.experiment import LEARNER, Experiment
from intemi.experiments.outcome import Cell, Outcome
from intemi.experiments.tables import heading
from intemi.kernel.errors import ConfigurationError
from intemi.kernel.registered import Registered
from intemi.series import Series

IMPORTANCE = "Importance"
Draw = Callable[["Asked"], Any]


@dataclass(frozen=True)
class Picture:
    """A kind of pictures: what it shows, and how it is drawn."""

    shows: str
    draw: Draw
    needs_learners: bool = True


PICTURES: Registered[Picture] = Registered("picture")
"""What can be drawn, by name."""


def picture(name: str, shows: str, *, needs_learners: bool = True) -> Callable[[Draw], Draw]:
    """Let the command draw what a function draws of an experiment: a figure of matplotlib, or the text of an SVG.

    >>> @picture("sizes", "how many results there are of each learner")
    ... def draw_sizes(asked):
    ...     from intemi.analysis import plots
    ...     return plots.heat_table(asked.compared.means, rows="machine", columns="data", digits=0)
    >>> PICTURES["sizes"].shows
    'how many results there are of each learner'
    """

    def registered(draw: Draw) -> Draw:
        PICTURES.add(name, Picture(shows, draw, needs_learners), defined_by=draw)
        return draw

    return registered


@dataclass(frozen=True)
class Asked:
    """What the pictures are drawn from, and what was chosen of it."""

    outcome: Outcome
    measure: str | None = None
    learner: str | None = None
    data: str | None = None

    @property
    def compared(self) -> Compared:
        """The comparison by the chosen measure."""
        return self.outcome.compare(self.measure or self.outcome.experiment.main_measure)

    @property
    def ordered(self) -> tuple[Compared, Literal["highest", "lowest"]]:
        """What was compared, and which values are best, which some pictures cannot do without."""
        compared = self.compared
        if compared.direction is None:
            raise ConfigurationError(f"{self.outcome.experiment.name}: {compared.notes[-1]}")
        return compared, compared.direction

    @property
    def predictions(self) -> Series:
        """The answers for all tested rows of the chosen data set, or the first; of the chosen learner, or all."""
        return self.outcome.predictions(self.learner, self.data or next(iter(self.outcome.experiment.data)))

    def cell(self, what: str, fits: Callable[[Cell], bool]) -> Cell:
        """The first one that fits, and was not ruled out."""
        for cell in self.outcome.finished:
            if self.learner in (None, cell.learner) and self.data in (None, cell.data) and fits(cell):
                return cell
        raise ConfigurationError(f"{self.outcome.experiment.name}: nothing that has finished there is {what}")


@picture("accuracies", "every learner on every data set: mean, deviation, and every fold")
def _accuracies(asked: Asked) -> Any:
    from intemi.analysis import plots

    compared = asked.compared
    return plots.accuracies(compared.series, best=compared.direction)


@picture("ranks", "average ranks and the critical difference")
def _ranks(asked: Asked) -> Any:
    return critical_difference(asked.outcome.experiment, asked.ordered[0])


def critical_difference(experiment: Experiment, compared: Compared) -> Any:
    """Average ranks of learners, and how far apart they must be."""
    from intemi.analysis import plots

    best: Any = compared.direction
    control = compared.control if compared.control in compared.competitors else None
    return plots.critical_difference(compared.tested, alpha=experiment.comparison.alpha, control=control, best=best)


@picture("table", "means and deviations as a table, darker is larger")
def _table(asked: Asked) -> Any:
    from intemi.analysis import plots

    compared = asked.compared
    means = compared.means
    shown = means.with_column("shown", [compared.shown(str(row["machine"]), str(row["data"])) for row in means])
    caption = f"{compared.measure}: {heading(compared)}"
    return plots.heat_table(shown, rows="machine", columns="data", text="shown", caption=caption)


@picture("wins", "who is better than whom on how many data sets")
def _wins(asked: Asked) -> Any:
    from intemi.analysis import WinsDrawsLosses, plots

    (compared, best), experiment = asked.ordered, asked.outcome.experiment
    test = experiment.comparison.test_for(experiment.distributor)
    counted = WinsDrawsLosses(
        test=test, alpha=experiment.comparison.alpha, correction=experiment.comparison.correction, best=best
    )
    return plots.pairwise_bars(counted(compared.tested))


@picture("size", "accuracy against the size of trees")
def _size(asked: Asked) -> Any:
    from intemi.analysis import plots

    measure = asked.measure or asked.outcome.experiment.main_measure
    series = asked.outcome.series(measure, "Leaves").where(lambda row: row["Leaves"] is not None)
    return plots.accuracy_against_size(series)


@picture("members", "error of committees against their size; the test of the experiment is a CommitteeTest")
def _members(asked: Asked) -> Any:
    from intemi.analysis import plots

    project, measure = asked.outcome.project, asked.measure or asked.outcome.experiment.main_measure
    labels = [measure, "Size", "Rule"]
    tables = []
    for cell in asked.outcome.finished:
        if asked.learner in (None, cell.learner) and asked.data in (None, cell.data):
            fixed = {"learner": cell.learner, "data": cell.data}
            tables.append(project.query(cell.capsule, type="CommitteeTest", labels=[*labels, fixed]))
    series = Series.concat(*tables) if tables else Series({measure: []})
    if not len(series):
        raise ConfigurationError(f"{asked.outcome.experiment.name}: nothing that has finished there is a CommitteeTest")
    names = [f"{row['learner']}, {row['Rule']}" for row in series]
    return plots.error_against_size(series.with_column("committee", names), of="committee")


@picture("margins", "how much more probable the true class is than the best other one, as a distribution over rows")
def _margins(asked: Asked) -> Any:
    from intemi.analysis import plots

    answers = asked.predictions
    told = [label for label in answers.labels if label.startswith("P(")]
    margins = []
    rows: Any = answers
    for row in rows:
        true = f"P({row['Class']})"
        margins.append(row[true] - max((row[label] for label in told if label != true), default=0.0))
    return plots.margin_distribution(answers.with_column("Margins", margins).with_main("Margins"))


@picture("roc", "ROC curves of learners on a data set, a panel for each class")
def _roc(asked: Asked) -> Any:
    from intemi.analysis import plots

    return plots.roc(asked.predictions)


@picture("calibration", "how often a class is right where it gets some probability")
def _calibration(asked: Asked) -> Any:
    from intemi.analysis import plots

    return plots.calibration(asked.predictions)


@picture("classes", "precision, recall and F1 of each class on a data set")
def _classes(asked: Asked) -> Any:
    from intemi.analysis import PerClass, plots

    found = PerClass()(asked.predictions)
    long = [
        {"value": row[measure], "measure": measure, "class": row["class"], "machine": row["machine"]}
        for row in found
        for measure in ("precision", "recall", "F1")
    ]
    series = Series({label: [row[label] for row in long] for label in long[0]}, main="value")
    return plots.heat_table(series, rows="machine", columns=("class", "measure"), digits=3)


def _has_importance(cell: Cell) -> bool:
    return cell.capsule is not None and IMPORTANCE in cell.capsule.results


@picture("importance", "how much features matter, of a request that is a PermutationRanking", needs_learners=False)
def _importance(asked: Asked) -> Any:
    from intemi.analysis import plots

    cell = asked.cell("a ranking by permutation", _has_importance)
    assert cell.capsule is not None
    return plots.importances(cell.capsule.results[IMPORTANCE])


@picture("search", "what a parameter search has tried", needs_learners=False)
def _search(asked: Asked) -> Any:
    from intemi.analysis import plots

    cell = asked.cell("a parameter search", lambda cell: cell.capsule is not None and "Tried" in cell.capsule.results)
    assert cell.capsule is not None
    return plots.search_heat_map(cell.capsule.results["Tried"])


@picture("tree", "the tree that was learned in the first fold (.svg)")
def _tree(asked: Asked) -> str:
    from intemi.machines.trees.classifier import TreeClassifier

    def learned(cell: Cell) -> TreeClassifier | None:
        if not cell.is_learner or cell.capsule is None:
            return None
        classifier = cell.capsule.child(f"test/{LEARNER}").outputs.get("classifier")
        return classifier if isinstance(classifier, TreeClassifier) else None

    drawn = learned(asked.cell("a learner of trees", lambda cell: learned(cell) is not None))
    assert drawn is not None
    return drawn.svg()


@picture("time", "what ran when, in the last run that ran anything", needs_learners=False)
def _time(asked: Asked) -> Any:
    from intemi.analysis import plots

    project = asked.outcome.project
    for run in reversed(project.runs()):
        try:
            return plots.time_line(project, run=run)
        except plots.PictureError:  # of a run that found everything on record
            continue
    raise ConfigurationError(f"{asked.outcome.experiment.name}: nothing was run there yet")
