"""Calibration: how long single machines took on this computer, and what that says of others.

For each kind of machine two numbers are predicted, the seconds of its run and those of the use of what it gives, by
regression of their logarithms on those of the sizes of data and of its numeric parameters.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import numpy as np

from intemi.data.openml import cache_folder as downloads
from intemi.kernel import Component, Machine
from intemi.machines.classifiers.sklearn_estimator import SklearnLearning
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.descriptions import DataDescription
from intemi.whole_files import write_whole

SIZES = ("rows", "features", "indicators", "classes", "nominal share")
"""What is known of data, in the order of the weights of a regression."""
Stage = Literal["run", "use"]
"""A machine runs; then what it gives is used, on as many rows as there are."""
RIDGE = 1e-2
LEAST_SECONDS = 1e-6
MOST_BELOW, MOST_ABOVE = 10.0, 1000.0
"""How far a prediction may be outside of what was measured."""


class MachineWarning(UserWarning):
    """Nothing was measured of a kind of machine, so what it takes is a guess."""


@dataclass(frozen=True)
class Regression:
    """ln seconds as a linear function of logarithms: weights, and the range of what was measured."""

    weights: tuple[float, ...]
    least: float
    most: float

    @classmethod
    def fitted(cls, inputs: Floats, seconds: Floats) -> Regression:
        """Ridge regression; the constant is not held small."""
        targets = np.log(np.maximum(seconds, LEAST_SECONDS))
        design = np.column_stack([np.ones(len(inputs)), inputs])
        held = RIDGE * np.eye(design.shape[1])
        held[0, 0] = 0.0
        weights = np.linalg.solve(design.T @ design + held, design.T @ targets)
        return cls(tuple(map(float, weights)), float(targets.min()), float(targets.max()))

    def predicted(self, inputs: Sequence[float]) -> float:
        """Seconds."""
        value = self.weights[0] + sum(map(float.__mul__, self.weights[1:], map(float, inputs)))
        within = max(self.least - math.log(MOST_BELOW), min(self.most + math.log(MOST_ABOVE), value))
        return math.exp(within)


@dataclass(frozen=True)
class Calibration:
    """A regression for each kind of machine and stage.

    >>> from intemi.machines import NaiveBayes
    >>> inputs = inputs_of(NaiveBayes(), DataDescription(rows=150, numeric=4, classes=3))
    >>> 0 < shipped_calibration().seconds("NaiveBayes", "run", inputs) < 0.1
    True
    """

    regressions: Mapping[tuple[str, str], Regression] = field(default_factory=dict)

    def seconds(self, kind: str, stage: Stage, inputs: Sequence[float]) -> float:
        """What a machine of a kind takes; the middle of all kinds if nothing was measured of it."""
        known = self.regressions.get((kind, stage))
        if known is not None and len(known.weights) == len(inputs) + 1:
            return known.predicted(inputs)
        _warn_once(kind)
        count = len(SIZES)
        others = [each for (_, its), each in self.regressions.items() if its == stage]
        guesses = [
            Regression(each.weights[: count + 1], each.least, each.most).predicted(inputs[:count]) for each in others
        ]
        return float(np.median(guesses)) if guesses else 1e-6 * math.exp(sum(inputs[:2]))

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        plain = [
            {"kind": kind, "stage": stage, "weights": each.weights, "least": each.least, "most": each.most}
            for (kind, stage), each in sorted(self.regressions.items())
        ]
        write_whole(path, json.dumps({"sizes": SIZES, "regressions": plain}, indent=0) + "\n")

    @classmethod
    def of_text(cls, text: str) -> Calibration:
        """What was saved."""
        saved = json.loads(text)
        if tuple(saved["sizes"]) != SIZES:
            raise ValueError(f"the sizes of a calibration must be {', '.join(SIZES)}, got {', '.join(saved['sizes'])}")
        return cls(
            {
                (each["kind"], each["stage"]): Regression(tuple(each["weights"]), each["least"], each["most"])
                for each in saved["regressions"]
            }
        )


@cache
def shipped_calibration() -> Calibration:
    """What was measured on another computer, in universal seconds; it serves until this one is calibrated."""
    return Calibration.of_text(files(__package__).joinpath("calibration.json").read_text("utf-8"))


def own_calibration_file() -> Path:
    """Where the calibration of this computer is kept, once `intemi calibrate` has measured it."""
    return downloads().parent / "calibration.json"


@cache
def current_calibration() -> Calibration:
    """That of this computer, if it was measured, else the shipped one."""
    try:
        own = own_calibration_file().read_text("utf-8")
    except OSError:
        return shipped_calibration()
    try:
        return Calibration({**shipped_calibration().regressions, **Calibration.of_text(own).regressions})
    except (ValueError, KeyError, TypeError):
        warnings.warn(f"{own_calibration_file()}: it is damaged and not used; intemi calibrate renews it", stacklevel=2)
        return shipped_calibration()


@cache
def _warn_once(kind: str) -> None:
    warnings.warn(
        f"nothing was measured of {kind}, so what it takes is a guess; intemi calibrate measures", MachineWarning, 4
    )


def signature(part: Component) -> str:
    """What parts a machine is made of, without their numbers: what was measured of one says something of another.

    >>> from intemi.machines import KNN
    >>> signature(KNN(k=7))
    'KNN(Euclidean)'
    """
    inner = [signature(each) for each in part.components()]
    if isinstance(part, SklearnLearning):
        inner = [part.estimator.rpartition(".")[2], *inner]
    return f"{part.kind}({', '.join(inner)})" if inner else part.kind


def inputs_of(machine: Machine, data: DataDescription) -> list[float]:
    """What the time of a machine is predicted from: logarithms of sizes, and of its numeric parameters.

    Features are counted together, and once more with an indicator for each category, since what most machines take is
    a sum over them.
    """
    indicators = data.numeric + data.nominal * data.symbols
    sizes = [data.rows, data.features, indicators, data.classes]
    share = data.nominal / max(data.features, 1.0)
    return [*map(_log, sizes), share, *map(_log, numbers_in(machine))]


def _log(number: float) -> float:
    return math.log1p(max(0.0, number))


def numbers_in(part: Any) -> list[float]:
    """The numeric parameters of a machine and of its components, in order; 0 stands for what is no number.

    So machines that are made of the same parts have equally many.
    """
    if isinstance(part, Component):
        return [number for name, value in part.parameters().items() if name != "seed" for number in numbers_in(value)]
    if isinstance(part, Mapping):
        return [number for name in sorted(part) for number in numbers_in(part[name])]
    if isinstance(part, tuple):
        return [number for value in part for number in numbers_in(value)]
    is_number = isinstance(part, int | float) and not isinstance(part, bool) and math.isfinite(part)
    return [abs(float(part)) if is_number else 0.0]
