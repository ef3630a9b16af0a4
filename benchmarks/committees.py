"""AdaBoost of decision stumps beside scikit-learn, as one types them with their defaults.

Ours runs through the engine, with the committee and each member a machine that is kept in a folder. First one committee
of 50, then committees of 10, 20, … 50, whose members ours have in common. Training only; CPU time, the best of several
rounds, in one process.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from benchmarks.report import Target, note_progress, print_table, print_targets
from benchmarks.tables import built_in, fresh
from intemi import Project
from intemi.data import Data
from intemi.machines import SAMME, Boosting, DecisionStump

MEMBERS = 50
SEVERAL = (10, 20, 30, 40, 50)


@dataclass(frozen=True)
class Sizes:
    """Which data sets, and how often."""

    compared: tuple[str, ...]
    rounds: int


FULL = Sizes(compared=("iris", "wine", "breast_cancer", "digits"), rounds=5)
QUICK = Sizes(compared=("wine",), rounds=1)


def run(sizes: Sizes = FULL) -> list[Target]:
    """Print the times of both, and what became of the targets."""
    rows, alone, together = [], [], []
    for name in sizes.compared:
        note_progress(f"committees: {name}")
        data = built_in(name)
        times = [
            _best(sizes.rounds, each, data, members) for members in ((MEMBERS,), SEVERAL) for each in (_ours, _theirs)
        ]
        alone.append(times[0] / times[1])
        together.append(times[2] / times[3])
        milliseconds = [f"{1000 * seconds:.1f}" for seconds in times]
        ratios = [f"{1 / ratios[-1]:.1f}" for ratios in (alone, together)]
        rows.append([name, *milliseconds[:2], ratios[0], *milliseconds[2:], ratios[1]])
    header = ["", "50, ours (ms)", "scikit-learn", "ratio", "10 … 50, ours (ms)", "scikit-learn", "ratio"]
    print_table("AdaBoost of stumps, CPU time of training", header, rows)
    targets = [
        Target("AdaBoost of 50 stumps: CPU time / scikit-learn's", geometric_mean(alone), 1 / 5),
        Target("AdaBoost of 10, 20, … 50 stumps: CPU time / scikit-learn's", geometric_mean(together), 1 / 5),
    ]
    print_targets(targets)
    return targets


Train = Callable[[Data, Sequence[int]], None]


def _best(rounds: int, train: Train, data: Data, members: Sequence[int]) -> float:
    train(data, (2,))  # what is loaded or compiled once
    times = []
    for _ in range(rounds):
        given = fresh(data)
        begun = time.process_time()
        train(given, members)
        times.append(time.process_time() - begun)
    return min(times)


def _ours(data: Data, members: Sequence[int]) -> None:
    with tempfile.TemporaryDirectory() as folder, Project(folder) as project:
        given = project.given(data)
        committees = [Boosting(DecisionStump(), size=size, variant=SAMME(), zero="sklearn") for size in members]
        project.wait(*[project.request(each, data=given) for each in committees])


def _theirs(data: Data, members: Sequence[int]) -> None:
    from sklearn.ensemble import AdaBoostClassifier

    features, classes = data.features.T.copy(), data.classes
    for size in members:
        AdaBoostClassifier(n_estimators=size).fit(features, classes)
