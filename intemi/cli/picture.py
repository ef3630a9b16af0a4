"""`intemi picture`."""

from __future__ import annotations

import click

from intemi.cli.opening import (
    check_measure,
    check_name,
    draw_into,
    echo,
    experiment_argument,
    experiment_of,
    import_option,
    opened,
    project_option,
)
from intemi.kernel.errors import ConfigurationError


class _Command(click.Command):
    """Help that lists the pictures there are, those of imported files too."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from intemi.experiments.pictures import PICTURES

        super().format_help_text(ctx, formatter)
        with formatter.section("Pictures"):
            formatter.write_dl([(name, each.shows) for name, each in PICTURES.items()])


@click.command(
    cls=_Command,
    epilog="""\b
Examples:
  intemi picture accuracies quickstart.yaml                  writes accuracies.svg
  intemi picture ranks quickstart -o ranks.pdf               from the folder of a project; .png as well
  intemi picture tree quickstart.yaml --learner tree --data wine
  intemi picture search svm-search.yaml -o search.png --dpi 300""",
)
@click.argument("what", metavar="WHAT")
@experiment_argument
@project_option
@import_option
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    help="Output file: .svg, .png or .pdf, of a tree .svg. [WHAT.svg]",
)
@click.option("--dpi", type=click.IntRange(10, 2400), help="Dots per inch of a .png; 100 by default.")
@click.option("-m", "--measure", help="Draw this measure, instead of the first of the experiment.")
@click.option("-l", "--learner", help="The learner that is drawn, or the request whose search or importance is.")
@click.option("-d", "--data", help="The data set of trees, curves, classes or a search; by default the first.")
def command(
    what: str,
    source: str,
    project: str | None,
    output: str | None,
    dpi: int | None,
    measure: str | None,
    learner: str | None,
    data: str | None,
) -> None:
    """Draw what was found, as far as the experiment has been run."""
    from intemi.experiments import found
    from intemi.experiments.pictures import PICTURES, Asked

    experiment = experiment_of(source, project)
    chosen = PICTURES.named(what)
    check_name("learner", learner, [*experiment.learners, *experiment.requests])
    check_name("data set", data, experiment.data)
    check_measure(experiment, measure)
    if not experiment.learners and chosen.needs_learners:
        raise ConfigurationError(f"{experiment.name}: the experiment has no learners, so there is no such picture")
    file = output or f"{what}.svg"
    with opened(experiment.folder, name="picture") as folder:
        draw_into(file, lambda: chosen.draw(Asked(found(experiment, folder), measure, learner, data)), dpi)
    echo(f"{file} is written")
