"""Make a knowledge base of cross-validation committees: 480 of them on twelve data sets, two times five folds.

    python -m scripts.committee_knowledge
    python -m scripts.committee_knowledge --one-by-one glass
    python -m scripts.committee_knowledge splits

All committees of a split are tested in blocks, and share their trees. The results are kept in the folder
`committee-knowledge`, where a run that was stopped goes on; the knowledge base is written to a file beside it.
`--one-by-one` asks for each committee on one data set as a machine of its own, in memory: it prints how many machines
exist and how many are run, and checks that their results are those of the blocks. The other plans of `PLANS` have more
splits, candidates or data sets; what they have in common with the first is not run again.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from configs.single_trees import SHARED
from intemi import Capsule, Project
from intemi.data import Data
from intemi.kernel import ConfigurationError, IntemiError, Machine
from intemi.machines import ClassificationTest, CVDistributor, DataLoader, Repeater, Scheme
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning import KnowledgeBase
from scripts.committee_space import Member, accuracies, committee_space, small_space, tested_together

DATA_SETS = (
    "flags",
    "sonar",
    "glass",
    "breast-cancer",
    "cleveland",
    "soybean-large",
    "ionosphere",
    "vote",
    "australian",
    "breast-w",
    "diabetes",
    "vowel-telugu",
)
"""Of the book's 21 data sets the twelve largest with at most 1,000 rows."""
OTHER_DATA_SETS = (
    "appendicitis",
    "iris",
    "wine",
    "segment",
    "splice",
    "kr-vs-kp",
    "waveform-21",
    "ann-thyroid",
)
"""The others of the book but for Letter, which has 20,000 rows."""
FOLDS, REPETITIONS, SEED = 5, 2, 1
FOLDER = "committee-knowledge"


@dataclass(frozen=True)
class Plan:
    """What a knowledge base is made of."""

    data_sets: tuple[str, ...]
    space: tuple[Member, ...]
    repetitions: int

    @property
    def protocol(self) -> dict[str, int]:
        """The splits."""
        return {"folds": FOLDS, "repetitions": self.repetitions}


SMALL = "small"
PLANS: Mapping[str, Plan] = {
    SMALL: Plan(DATA_SETS, tuple(small_space()), REPETITIONS),
    "splits": Plan(DATA_SETS, tuple(small_space()), 10 * REPETITIONS),
    "space": Plan(DATA_SETS, tuple(committee_space()), REPETITIONS),
    "data": Plan((*DATA_SETS, *OTHER_DATA_SETS), tuple(small_space()), REPETITIONS),
}
"""The small one, and three that have more of one thing."""


def file_of(plan: str) -> str:
    """Where the knowledge base of a plan is written."""
    return f"{FOLDER}-{plan}.npz"


def files(names: Sequence[str]) -> dict[str, Machine]:
    """What reads the data sets from their files."""
    missing = [each for each in names if not (SHARED / f"{each}.arff").exists()]
    if missing:
        raise ConfigurationError(
            f"committee_knowledge: it needs the files of {len(names)} data sets in {SHARED}, and {', '.join(missing)} "
            "are not there"
        )
    return {each: DataLoader(str(SHARED / f"{each}.arff")) for each in names}


def validated(test: Scheme, folds: int = FOLDS, repetitions: int = REPETITIONS) -> Repeater:
    """Cross-validation on the splits of the knowledge base."""
    return Repeater(CVDistributor(folds), test, repetitions, seed=SEED)


def build(
    project: Project,
    data: Mapping[str, Machine],
    space: Sequence[Member],
    folds: int = FOLDS,
    repetitions: int = REPETITIONS,
) -> KnowledgeBase:
    """Test all members of a space on all data sets. What the project has finished before is not run again."""
    request = validated(tested_together(space), folds, repetitions)
    tested = [
        project.request(request, data=project.request(loader, name=name).data, name=f"committees on {name}")
        for name, loader in data.items()
    ]
    results = np.array([_paired(each, space) for each in tested], dtype=np.float32)
    return KnowledgeBase(tuple(data), tuple(member.machine for member in space), results)


def _paired(tested: Capsule, space: Sequence[Member]) -> Floats:
    """Accuracies on all splits: members × splits."""
    tested.wait()
    return np.array([accuracies(space, found) for found in _splits(tested)]).T


def _splits(tested: Capsule) -> list[dict[str, Mapping[str, Any]]]:
    """The results of all machines by name, for each split in the order of repetitions and folds."""
    tests = [child for child in tested.children if child.name == "test"]
    ordered = sorted(tests, key=lambda each: (each.comments["Repetition"], each.comments["Fold"]))
    return [{child.name: child.results for child in test.children} for test in ordered]


def save(path: str | Path, base: KnowledgeBase, space: Sequence[Member]) -> None:
    """Write a knowledge base of members of the space to a file of plain arrays."""
    factors = {name: np.array([member[place] for member in space]) for place, name in enumerate(Member._fields)}
    np.savez_compressed(path, data_sets=np.array(base.data_sets), accuracy=base.results, **factors)


def load(path: str | Path) -> tuple[KnowledgeBase, list[Member]]:
    """The knowledge base of a file, and the members of the space that its configurations are."""
    with np.load(path, allow_pickle=False) as arrays:
        columns = [arrays[name].tolist() for name in Member._fields]
        names, results = tuple(arrays["data_sets"].tolist()), arrays["accuracy"]
    space = [Member(*row) for row in zip(*columns, strict=True)]
    return KnowledgeBase(names, tuple(member.machine for member in space), results), space


def one_by_one(space: Sequence[Member]) -> Scheme:
    """A test of all members as learners of their own."""
    test = Scheme(training=Data, test=Data)
    for place, member in enumerate(space):
        learner = test.add(member.machine, data=test.training, name=f"learner {place}")
        test.add(ClassificationTest(), data=test.test, classifier=learner.classifier, name=str(place))
    return test


def check_one_by_one(
    project: Project, loader: Machine, space: Sequence[Member], expected: Floats, **protocol: int
) -> None:
    """Test all members as learners of their own on one data set; an error if their results are not the expected."""
    tested = project.run(validated(one_by_one(space), **protocol), data=project.request(loader).data)
    found = [[split[str(place)]["Accuracy"] for place in range(len(space))] for split in _splits(tested)]
    if not np.array_equal(np.array(found, dtype=np.float32).T, expected):
        raise IntemiError("committee_knowledge: results of learners of their own must be those of the blocks")


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the knowledge base of a plan, and print what was run."""
    parser = argparse.ArgumentParser(prog="python -m scripts.committee_knowledge", description=__doc__)
    parser.add_argument("plan", nargs="?", default=SMALL, choices=PLANS, help="what the knowledge base is made of")
    parser.add_argument("--project", default=FOLDER, help="the folder with the results")
    parser.add_argument("--workers", type=int, default=2, help="how many machines are run at a time")
    parser.add_argument("--one-by-one", metavar="DATA", help="a data set on which to count and check")
    chosen = parser.parse_args(arguments)
    plan, file = PLANS[chosen.plan], file_of(chosen.plan)
    if chosen.one_by_one:
        base, space = load(file)
        expected = base.results[base.data_sets.index(chosen.one_by_one)]
        with Project(workers=chosen.workers) as project:
            loader = files([chosen.one_by_one])[chosen.one_by_one]
            check_one_by_one(project, loader, space, expected, **plan.protocol)
            print(project.counts())
        return
    with Project(chosen.project, workers=chosen.workers) as project:
        base = build(project, files(plan.data_sets), plan.space, **plan.protocol)
        print(project.counts())
    save(file, base, plan.space)
    print(base)


if __name__ == "__main__":
    main()
