"""Measuring: run machines on data of many sizes, and learn from it what others will take."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from intemi.data import Column, Data, Table
from intemi.kernel import Machine, MachineFailed, Project
from intemi.machines.meta_learning.calibration import Calibration, Regression, inputs_of, signature
from intemi.machines.meta_learning.descriptions import describe
from intemi.machines.meta_learning.universal import universal_power
from intemi.machines.search.defaults import default_values

MOST_SECONDS = 1.5
"""After a run that took longer, larger data are left out."""
MOST_VARIANTS = 8
"""How many values of parameters are tried, beside the defaults."""
VARIANT_SIZES = 6
"""On how many sizes of data they are tried."""
SIZES: Sequence[tuple[int, int, int, int]] = (
    (60, 4, 0, 2),
    (60, 2, 6, 3),
    (150, 12, 0, 3),
    (250, 4, 4, 6),
    (400, 30, 0, 2),
    (400, 0, 15, 3),
    (400, 6, 15, 3),
    (400, 0, 60, 3),
    (500, 200, 0, 3),
    (1000, 6, 0, 10),
    (1000, 20, 5, 2),
    (1000, 60, 0, 3),
    (2500, 2, 0, 3),
    (2500, 8, 0, 3),
    (2500, 40, 0, 2),
    (5000, 4, 0, 2),
    (5000, 50, 0, 4),
)
"""Rows, numeric and nominal features, and classes of the data on which machines are measured."""


def made_data(rows: int, numeric: int, nominal: int, classes: int, seed: int = 0) -> Data:
    """Data in which features tell something about the class, but not all."""
    rng = np.random.default_rng([seed, rows, numeric, nominal, classes])
    answers = np.concatenate([np.arange(classes), rng.integers(classes, size=rows - classes)])
    centres = rng.normal(size=(classes, numeric))
    values = [centres[answers, place] + rng.normal(0, 1.5, rows) for place in range(numeric)]
    codes = [(answers + rng.integers(4, size=rows) * (rng.random(rows) < 0.6)) % 4 for _ in range(nominal)]
    columns = [Column(f"x{place}") for place in range(numeric)]
    columns += [Column(f"n{place}", ("a", "b", "c", "d")) for place in range(nominal)]
    target = Column("class", tuple(f"c{each}" for each in range(classes)))
    return Data(Table(columns, [*values, *(each.astype(float) for each in codes)], target, answers))


def measured(
    machines: Iterable[Machine],
    sizes: Sequence[tuple[int, int, int, int]] = SIZES,
    on_progress: Callable[[str], None] = lambda kind: None,
) -> Calibration:
    """What machines of these kinds take, on this computer, in universal seconds. It takes minutes."""
    rows: dict[tuple[str, str], list[tuple[list[float], float]]] = {}
    for machine in machines:
        kind = signature(machine)
        on_progress(kind)
        for variant in (machine, *_variants(machine)):
            for size in sizes if variant is machine else sizes[:VARIANT_SIZES]:
                data = made_data(*size)
                found = _timed(variant, data)
                if found is None:
                    continue
                inputs = inputs_of(variant, describe(data))
                for stage, seconds in zip(("run", "use"), found, strict=True):
                    if seconds is not None:
                        rows.setdefault((kind, stage), []).append((inputs, seconds))
                if found[0] > MOST_SECONDS:
                    break
    return Calibration({key: _fitted(measurements) for key, measurements in rows.items()})


def _fitted(measurements: Sequence[tuple[list[float], float]]) -> Regression:
    inputs, seconds = zip(*measurements, strict=True)
    return Regression.fitted(np.array(inputs), np.array(seconds))


def _variants(machine: Machine) -> list[Machine]:
    """The machine with the least and the greatest default value of each parameter, one at a time."""
    found = [
        machine.replace(path, value)
        for path, values in default_values(machine).items()
        for value in (values[0], values[-1])
    ]
    kind = signature(machine)
    return [each for each in found if signature(each) == kind and each != machine][:MOST_VARIANTS]


def _timed(machine: Machine, data: Data) -> tuple[float, float | None] | None:
    """Universal seconds of a run, and of the use of what it gives for one row; None if it cannot use such data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        costs = []
        for _ in range(2):  # the first may have to compile
            with Project(workers=1) as project:
                try:
                    capsule = project.run(machine, data=project.given(data))
                except MachineFailed:
                    return None
                costs.append(capsule.cpu)
                given = capsule.outputs.get("classifier") or capsule.outputs.get("transformation")
    return min(costs) * universal_power(), None if given is None else _use(given, data) * universal_power()


def _use(given: Any, data: Data) -> float:
    """CPU seconds for each row that is classified, or transformed."""
    use = given.classify if hasattr(given, "classify") else given.transform
    use(data)
    begun = time.thread_time()
    use(data)
    return (time.thread_time() - begun) / len(data)
