"""`intemi calibrate`."""

from __future__ import annotations

import click

from intemi.cli.opening import echo, is_terminal

QUICK_SIZES = 3
"""How many sizes of data are measured where it must be quick."""


@click.command(
    epilog="""\b
Examples:
  intemi calibrate               once for each computer
  intemi calibrate --quick       fewer sizes of data, in a fraction of the time"""
)
@click.option("--quick", is_flag=True, help="Measure small data only.")
def command(quick: bool) -> None:
    """Measure what machines take on this computer, so that searches know what to test first.

    It takes about a minute. Until then searches go by what was measured on another computer.
    """
    from intemi.machines.meta_learning.calibration import own_calibration_file
    from intemi.machines.meta_learning.measuring import SIZES, measured
    from intemi.machines.meta_learning.usual import usual_machines

    machines = usual_machines()
    file = own_calibration_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    done = 0

    def tell(kind: str) -> None:
        nonlocal done
        done += 1
        if is_terminal():
            echo(f"{done} of {len(machines)}: {kind[:90]}", err=True)

    measured(machines, SIZES[:QUICK_SIZES] if quick else SIZES, tell).save(file)
    echo(f"{len(machines)} machines were measured; {file} is written")
