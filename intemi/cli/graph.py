"""`intemi graph`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from intemi.cli.opening import (
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

if TYPE_CHECKING:
    from intemi.experiments import Experiment
    from intemi.kernel import Machine


@click.command(
    epilog="""\b
Examples:
  intemi graph quickstart.yaml                           as text; nothing has to be run
  intemi graph quickstart.yaml --learner svm
  intemi graph quickstart.yaml -o graph.svg              as a picture, after it was run: shared machines are marked
  intemi graph quickstart.yaml --plan -o plan.svg        as a picture: what is on record, and what would be run"""
)
@experiment_argument
@project_option
@import_option
@click.option("-l", "--learner", help="Only this learner (or request).")
@click.option("-d", "--data", help="The data set whose graph is drawn; by default the first.")
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Draw a picture: .svg, .png or .pdf.")
@click.option("--plan", is_flag=True, help="Draw what is on record and what would be run; only loaders are run.")
def command(
    source: str, project: str | None, learner: str | None, data: str | None, output: str | None, plan: bool
) -> None:
    """Show the machines of an experiment and what they give to each other, as text or as a picture."""
    experiment = experiment_of(source, project)
    check_name("learner", learner, [*experiment.learners, *experiment.requests])
    check_name("data set", data, experiment.data)
    if output is not None:
        draw = _draw_plan if plan else _draw
        draw(experiment, learner, data or next(iter(experiment.data)), output, source)
        echo(f"{output} is written", err=True)
        return
    if plan:
        raise ConfigurationError("graph: --plan draws a picture, so -o must name its file")
    first = data or next(iter(experiment.data))
    for where, name, machine in experiment.cells():
        if where == first and learner in (None, name):
            echo(f"{name} on {where}")
            echo("\n".join(f"  {line}" for line in lines_of(machine)))


def lines_of(machine: Machine) -> Iterator[str]:
    """A machine as text: its parts below it, with what their inputs are bound to."""
    from intemi.kernel import Machine
    from intemi.machines import Scheme

    yield _headed(machine)
    if isinstance(machine, Scheme):
        for child in machine.children:
            bound = ", ".join(f"{port} ← {' + '.join(map(str, wires))}" for port, wires in child.wires.items())
            head, *rest = lines_of(child.machine)
            yield f"  {child.name}: {head}" + (f"  [{bound}]" if bound else "")
            yield from (f"  {line}" for line in rest)
        for name, wire in machine.exposed.items():
            yield f"  gives {name} ← {wire}"
        return
    for name, part in machine.parameters().items():
        if isinstance(part, Machine):
            head, *rest = lines_of(part)
            yield f"  {name}: {head}"
            yield from (f"  {line}" for line in rest)


def _headed(machine: Machine) -> str:
    """A machine with those of its parameters that are not machines themselves."""
    from intemi.experiments.unknown import Unknown
    from intemi.kernel import Machine
    from intemi.machines import Scheme

    if isinstance(machine, Unknown):
        return repr(machine)
    if isinstance(machine, Scheme):
        return f"Scheme({', '.join(machine.inputs)})"
    shown = ", ".join(
        f"{name}={value!r}"
        for name, value in machine.parameters().items()
        if not isinstance(value, Machine) and not (name == "seed" and value is None)
    )
    return f"{machine.kind}({shown})" if len(shown) <= 90 else f"{machine.kind}({shown[:89]}…)"


def _draw(experiment: Experiment, learner: str | None, data: str, output: str, source: str) -> None:
    from intemi.analysis import plots
    from intemi.experiments import found

    with opened(experiment.folder) as folder:
        outcome = found(experiment, folder)
        capsules: list[Any] = [
            cell.capsule
            for cell in outcome.cells
            if cell.data == data and learner in (None, cell.learner) and cell.has_finished
        ]
        if not capsules:
            raise ConfigurationError(
                f"nothing of it was run on {data} yet; `intemi run {source}` runs it, --plan draws what would be run"
            )
        draw_into(output, lambda: plots.machine_graph(*capsules))


def _draw_plan(experiment: Experiment, learner: str | None, data: str, output: str, source: str) -> None:
    """Draw what would be run, in the folder if it is there."""
    from intemi.analysis import plots
    from intemi.experiments.running import planned
    from intemi.kernel import Project

    with Project(experiment.folder if os.path.isdir(experiment.folder) else None) as project:
        wanted = {f"{name} on {data}" for _, name, _ in experiment.cells() if learner in (None, name)}
        explained = [explanation for name, explanation in planned(experiment, project) if name in wanted]
        draw_into(output, lambda: plots.machine_graph(*explained))
