"""`intemi compare`."""

from __future__ import annotations

import click

from intemi.cli.codes import DONE, FAILED
from intemi.cli.opening import (
    check_measure,
    draw_into,
    echo,
    experiment_argument,
    experiment_of,
    import_option,
    opened,
    project_option,
    write_json,
)
from intemi.kernel.errors import ConfigurationError


@click.command(
    epilog="""\b
Examples:
  intemi compare quickstart.yaml
  intemi compare quickstart                          the project's folder does as well
  intemi compare quickstart.yaml --measure AUC --format latex
  intemi compare pruning.yaml --vary refinement      refuses learners that differ in anything else
  intemi compare quickstart.yaml --effect CohensD    how large differences are; CliffsDelta and VarghaDelaney as well
  intemi compare quickstart.yaml --picture cd.svg    .png and .pdf as well; `intemi picture` draws others"""
)
@experiment_argument
@project_option
@import_option
@click.option("-m", "--measure", help="Compare by this measure alone, instead of the first.")
@click.option(
    "--vary", multiple=True, metavar="PATH", help="Refuse learners that differ in any other part; may be given again."
)
@click.option("--effect", metavar="NAME", help="Show effect sizes against the control, or the best learner.")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "latex", "json"]), default="text")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--picture", type=click.Path(), metavar="FILE", help="Draw average ranks and the critical difference.")
@click.pass_context
def command(
    ctx: click.Context,
    source: str,
    project: str | None,
    measure: str | None,
    vary: tuple[str, ...],
    effect: str | None,
    form: str,
    as_json: bool,
    picture: str | None,
) -> None:
    """Compare the learners of an experiment, as far as it has been run: table, tests, picture."""
    from intemi.analysis.effect_sizes import EFFECT_SIZES
    from intemi.experiments import found
    from intemi.experiments.pictures import critical_difference
    from intemi.experiments.tables import effects_table, effects_text, latex_of, markdown_of

    size = None if effect is None else EFFECT_SIZES.named(effect)()
    experiment = experiment_of(source, project)
    if not experiment.learners:
        raise ConfigurationError(f"{experiment.name}: the experiment has no learners that could be compared")
    check_measure(experiment, measure)
    with opened(experiment.folder, name="compare") as folder:
        outcome = found(experiment, folder)
        compared = outcome.compare(measure, vary)
        if picture is not None:
            draw_into(picture, lambda: critical_difference(experiment, compared))
            echo(f"{picture} is written", err=True)
    effects = None if size is None else compared.effects(size)
    if form == "json" or as_json:
        write_json({**compared.to_plain(), **({} if effects is None else {"effects": effects})})
    elif form == "text":
        echo(str(compared))
        echo("" if effects is None else f"\n{effects_text(effects)}", nl=effects is not None)
    else:
        echo(markdown_of(compared) if form == "markdown" else latex_of(compared))
        if effects is not None:
            table = effects_table(effects)
            echo(table.to_markdown() if form == "markdown" else table.to_latex())
    ctx.exit(FAILED if outcome.failed else DONE)
