"""`intemi picture`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from intemi.cli.opening import (
    check_measure,
    check_name,
    draw_into,
    experiment_argument,
    experiment_of,
    import_option,
    opened,
    project_option,
)
from intemi.kernel.errors import ConfigurationError

if TYPE_CHECKING:
    from intemi.experiments import Cell, Compared, Experiment, Outcome


@dataclass(frozen=True)
class _Asked:
    """What the pictures are drawn from, and what was chosen of it."""

    outcome: Outcome
    measure: str | None
    learner: str | None
    data: str | None

    @property
    def compared(self) -> Compared:
        return self.outcome.compare(self.measure)

    @property
    def ordered(self) -> tuple[Compared, Literal["highest", "lowest"]]:
        """What was compared, and which values are best, which some pictures cannot do without."""
        compared = self.compared
        if compared.direction is None:
            raise ConfigurationError(f"{self.outcome.experiment.name}: {compared.notes[-1]}")
        return compared, compared.direction

    def cell(self, what: str, fits: Callable[[Cell], bool]) -> Cell:
        """The first one that fits, and was not ruled out."""
        for cell in self.outcome.finished:
            if self.learner in (None, cell.learner) and self.data in (None, cell.data) and fits(cell):
                return cell
        raise ConfigurationError(f"{self.outcome.experiment.name}: nothing that has finished there is {what}")


@click.command(
    epilog="""\b
Examples:
  intemi picture accuracies quickstart.yaml                  writes accuracies.svg
  intemi picture ranks quickstart -o ranks.pdf               from the folder of a project; .png as well
  intemi picture tree quickstart.yaml --learner tree --data wine
  intemi picture search svm-search.yaml -o search.png"""
)
@click.argument(
    "what",
    metavar="WHAT",
    type=click.Choice(["accuracies", "ranks", "table", "wins", "size", "search", "tree", "time"]),
)
@experiment_argument
@project_option
@import_option
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Where to: .svg, .png or .pdf; WHAT.svg.")
@click.option("-m", "--measure", help="Draw this measure, instead of the first of the experiment.")
@click.option("-l", "--learner", help="The learner whose tree is drawn, or the request whose search is.")
@click.option("-d", "--data", help="The data set of that tree or search; by default the first.")
def command(
    what: str,
    source: str,
    project: str | None,
    output: str | None,
    measure: str | None,
    learner: str | None,
    data: str | None,
) -> None:
    """Draw what was found, as far as the experiment has been run.

    \b
    accuracies  every learner on every data set: mean, deviation, and every fold
    ranks       average ranks and the critical difference
    table       means as a table, darker is larger
    wins        who is better than whom on how many data sets
    size        accuracy against the size of trees
    search      what a parameter search has tried
    tree        the tree that was learned in the first fold (.svg)
    time        what ran when, in the last run that ran anything
    """
    from intemi.experiments import found

    experiment = experiment_of(source, project)
    check_name("learner", learner, [*experiment.learners, *experiment.requests])
    check_name("data set", data, experiment.data)
    check_measure(experiment, measure)
    if not experiment.learners and what not in ("search", "time"):
        raise ConfigurationError(f"{experiment.name}: the experiment has no learners, so there is no such picture")
    file = output or f"{what}.svg"
    with opened(experiment.folder, name="picture") as folder:
        draw_into(file, lambda: _DRAWN[what](_Asked(found(experiment, folder), measure, learner, data)))
    click.echo(f"{file} is written")


def _accuracies(asked: _Asked) -> Any:
    from intemi.analysis import plots

    compared = asked.compared
    return plots.accuracies(compared.series, best=compared.direction)


def _ranks(asked: _Asked) -> Any:
    return critical_difference(asked.outcome.experiment, asked.ordered[0])


def critical_difference(experiment: Experiment, compared: Compared) -> Any:
    """Average ranks of learners, and how far apart they must be."""
    from intemi.analysis import plots

    best: Any = compared.direction
    comparison = experiment.comparison
    return plots.critical_difference(compared.tested, alpha=comparison.alpha, control=comparison.control, best=best)


def _table(asked: _Asked) -> Any:
    from intemi.analysis import plots

    compared = asked.compared
    caption = f"mean {compared.measure}"
    return plots.heat_table(compared.means, rows="machine", columns="data", digits=3, caption=caption)


def _wins(asked: _Asked) -> Any:
    from intemi.analysis import WinsDrawsLosses, plots

    (compared, best), experiment = asked.ordered, asked.outcome.experiment
    test = experiment.comparison.test_for(experiment.distributor)
    counted = WinsDrawsLosses(
        test=test, alpha=experiment.comparison.alpha, correction=experiment.comparison.correction, best=best
    )
    return plots.pairwise_bars(counted(compared.tested))


def _size(asked: _Asked) -> Any:
    from intemi.analysis import plots

    measure = asked.measure or asked.outcome.experiment.main_measure
    series = asked.outcome.series(measure, "Leaves").where(lambda row: row["Leaves"] is not None)
    return plots.accuracy_against_size(series)


def _search(asked: _Asked) -> Any:
    from intemi.analysis import plots

    cell = asked.cell("a parameter search", lambda cell: cell.capsule is not None and "Tried" in cell.capsule.results)
    assert cell.capsule is not None
    return plots.search_heat_map(cell.capsule.results["Tried"])


def _tree(asked: _Asked) -> str:
    from intemi.experiments.experiment import LEARNER
    from intemi.machines.trees.classifier import TreeClassifier

    def learned(cell: Cell) -> TreeClassifier | None:
        if not cell.is_learner or cell.capsule is None:
            return None
        classifier = cell.capsule.child(f"test/{LEARNER}").outputs.get("classifier")
        return classifier if isinstance(classifier, TreeClassifier) else None

    drawn = learned(asked.cell("a learner of trees", lambda cell: learned(cell) is not None))
    assert drawn is not None
    return drawn.svg()


def _time(asked: _Asked) -> Any:
    from intemi.analysis import plots

    project = asked.outcome.project
    for run in reversed(project.runs()):
        try:
            return plots.time_line(project, run=run)
        except plots.PictureError:  # of a run that found everything on record
            continue
    raise ConfigurationError(f"{asked.outcome.experiment.name}: nothing was run there yet")


_DRAWN: dict[str, Callable[[_Asked], Any]] = {
    "accuracies": _accuracies,
    "ranks": _ranks,
    "table": _table,
    "wins": _wins,
    "size": _size,
    "search": _search,
    "tree": _tree,
    "time": _time,
}
