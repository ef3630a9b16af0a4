"""`intemi cache`."""

from __future__ import annotations

import click

from intemi.cli.codes import DONE, FAILED
from intemi.cli.opening import check_name, echo, import_option, json_option, write_json
from intemi.kernel.errors import ConfigurationError
from intemi.series.display import counted


@click.group(
    epilog="""\b
Examples:
  intemi cache size quickstart
  intemi cache verify quickstart
  intemi cache prune quickstart                              what no result needs any more
  intemi cache prune quickstart --values --older-than 30     models of a month ago; their results stay
  intemi cache prune quickstart --values --kind SklearnClassifier"""
)
def command() -> None:
    """Size, verify and prune what a project keeps in its folder."""


@command.command()
@click.argument("folder", type=click.Path())
@import_option
@json_option
def size(folder: str, as_json: bool) -> None:
    """How large a project is, and what takes the space."""
    from intemi.kernel.upkeep import survey

    found = survey(folder)
    if as_json:
        write_json(vars(found))
        return
    for name, count in found.bytes.items():
        echo(f"{_bytes(count):>10}  {name}")
    echo(f"{_bytes(sum(found.bytes.values())):>10}  together\n")
    echo(f"{'machines':>10}  {'values':>10}  kind")
    for kind, count in found.machines.most_common():
        echo(f"{count:10,}  {_bytes(found.values[kind]):>10}  {kind}")
    if found.failures:
        echo(f"{found.failures:,} of them failed")


@command.command()
@click.argument("folder", type=click.Path())
@import_option
@json_option
@click.pass_context
def verify(ctx: click.Context, folder: str, as_json: bool) -> None:
    """Read everything and compare checksums."""
    from intemi.experiments.frozen import problems_in
    from intemi.kernel.upkeep import verify as verified

    found = verified(folder)
    plans = problems_in(folder)
    made_again = bool(found.problems)
    found.problems += plans
    if as_json:
        write_json(vars(found))
    else:
        echo(f"{counted(found.machines, 'machine')} and {counted(found.values, 'value')} are in order")
        for problem in found.problems:
            echo(f"Damaged: {problem}", err=True)
        if made_again:
            echo("What was damaged is dropped and made again when it is needed.", err=True)
        if plans:
            echo("Plans cannot be made again: reports say which of them are not known.", err=True)
    ctx.exit(FAILED if found.problems else DONE)


@command.command()
@click.argument("folder", type=click.Path())
@click.option("--values", is_flag=True, help="Drop models and other values as well; they are made again when needed.")
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="DAYS",
    help="Only values of machines that ran more than DAYS days ago.",
)
@click.option("--kind", "kinds", multiple=True, help="With --values: only machines of this class; may be given again.")
@click.option("--failures", is_flag=True, help="Forget failures.")
@import_option
@json_option
def prune(folder: str, values: bool, older_than: float, kinds: tuple[str, ...], failures: bool, as_json: bool) -> None:
    """Drop what no result needs any more. Results, and data that were loaded, always stay."""
    from intemi.kernel.upkeep import prune as pruned
    from intemi.kernel.upkeep import survey

    if kinds and not values:
        raise ConfigurationError("--kind: only values are dropped by kind; give --values, too")
    for kind in kinds:
        check_name("kind of machines here", kind, survey(folder).machines)
    done = pruned(folder, values, older_than * 86_400, failures, kinds)
    if as_json:
        write_json(vars(done))
        return
    echo(f"{counted(done.values, 'value')} dropped, {_bytes(done.bytes)} freed")
    if done.failures:
        echo(f"{counted(done.failures, 'failure')} forgotten")
    if done.aside:
        echo(f"{counted(done.aside, 'damaged file')} removed")
    if done.orphans:
        echo(f"{counted(done.orphans, 'file')} removed that processes had left when they were killed")


def _bytes(count: int) -> str:
    number = float(count)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
