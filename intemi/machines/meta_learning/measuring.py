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
from intemi.machines.search.defaults import default_scenarios

MOST_SECONDS = 1.5
"""After a run that took longer, larger data are left out."""
MOST_VARIANTS = 3
"""How many values of parameters are tried, beside the defaults."""
SIZES: Sequence[tuple[int, int, int, int]] = (
    (60, 4, 0, 2),
    (60, 2, 6, 3),
    (150, 12, 0, 3),
    (250, 4, 4, 6),
    (400, 30, 0, 2),
    (400, 0, 15, 3),
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
    regressions = {}
    for machine in machines:
        on_progress(signature(machine))
        runs: list[tuple[list[float], float]] = []
        uses: list[tuple[list[float], float]] = []
        for variant in (machine, *_variants(machine)):
            for size in sizes if variant is machine else sizes[:6]:
                data = made_data(*size)
                found = _timed(variant, data)
                if found is None:
                    continue
                run, use = found
                inputs = inputs_of(variant, describe(data))
                runs.append((inputs, run))
                if use is not None:
                    uses.append((inputs, use))
                if run > MOST_SECONDS:
                    break
        for stage, rows in (("run", runs), ("use", uses)):
            if rows:
                given, seconds = zip(*rows, strict=True)
                regressions[signature(machine), stage] = Regression.fitted(np.array(given), np.array(seconds))
    return Calibration(regressions)


def _variants(machine: Machine) -> list[Machine]:
    """The machine with other values of its parameters, as far as it suggests some."""
    found: list[Machine] = []
    for scenario in default_scenarios(machine).values():
        if not scenario.is_random:
            candidates = scenario.begin().ask()
            step = max(1, len(candidates) // 2)
            found += [each.applied_to(machine) for each in candidates[::step]]
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
