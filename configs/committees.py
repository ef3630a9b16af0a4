"""The book's second experiment: committees of the trees that cross-validation grows, beside single trees, bagging and
boosting.

    intemi run configs/committees.py
    python -m scripts.committees

For each split criterion (here IG and Gini) 3,390 cross-validation committees (the book's Table 5.13): six validators,
pruned separately or in common, with three or five margins of standard errors, three weights of training errors, three
decisions of leaves, sizes from 1 to 10. Beside them 75 single trees by the same validators, bagging with seven
prunings, ten sizes and two decisions, and boosting of four kinds with the same prunings and sizes.

What belongs to one split and criterion is four machines, one for each *part*. Each leaves its accuracies as a block and
runs in a project of its own, in memory: with all their trees, the members of boosting alone would take, by an estimate
of 20 kB a tree, 8 MB for each split and criterion; the blocks take 10 kB. All parts have the same seed, so their inner
folds and samples are the same. A second program (`python -m scripts.committees`) runs the experiment, too, and makes
tables, charts and conclusions of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np

from intemi import Block, Input, Machine, Model, Project
from intemi.data import Data
from intemi.experiments import Experiment
from intemi.machines import (
    AdaBoost,
    Average,
    Averaged,
    AveragedConservative,
    Bagging,
    Boosting,
    ClassificationTest,
    CommitteeTest,
    Conservative,
    CVCommitteeTest,
    CVDistributor,
    Repeater,
    Scheme,
    SklearnDataset,
    Vote,
)
from intemi.machines.committees.cv_committee import passes_for
from intemi.machines.measures import ClassificationAccuracy
from intemi.machines.trees import (
    DepthImpurity,
    DescriptionLength,
    Laplace,
    MEstimate,
    Proportions,
    ReducedError,
    RefinedTree,
)
from intemi.machines.trees.refinement.ranked_prunings import Mode

try:
    from configs.single_trees import BETA, CRITERIA, DIRECT, FACTORS, VALIDATORS, loaders
except ModuleNotFoundError:  # the command has this folder on its path, and not the one above
    from single_trees import (  # type: ignore[import-not-found, no-redef]
        BETA,
        CRITERIA,
        DIRECT,
        FACTORS,
        VALIDATORS,
        loaders,
    )

SIZE = 10
"""Members of the largest committees, and inner folds: there is a tree for each."""
SEPARATE: Mode = "separate"
COMMON: Mode = "common"
MARGINS: Mapping[str, Mapping[str, tuple[float, str]]] = {
    SEPARATE: {f"{name}SE": (factor, "theory") for name, factor in FACTORS.items()},
    COMMON: {
        **{f"{name}SE": (factor, "theory") for name, factor in FACTORS.items()},
        **{f"{name}SEs": (factor, "sample") for name, factor in FACTORS.items() if factor},
    },
}
"""By their names: how many standard errors of which kind."""
WEIGHTS = {f"{name}TE": factor for name, factor in FACTORS.items()}
DECISIONS: Mapping[str, Any] = {"n": Proportions(), "L": Laplace(), "m": MEstimate()}
VALIDATED: Mapping[str, Any] = {"REP": ReducedError, **VALIDATORS}
PRUNINGS: Mapping[str, Any] = {
    "none": None,
    **{name: kind() for name, kind in DIRECT.items()},
    "MDLP": DescriptionLength(),
    "DIP": DepthImpurity(beta=BETA),
}
VARIANTS: Mapping[str, Any] = {
    "AdaBoost": AdaBoost(),
    "averaged": Averaged(),
    "conservative": Conservative(),
    "averaged conservative": AveragedConservative(),
}
RULES = {"vote": Vote(), "average": Average()}
MEASURES = (ClassificationAccuracy(),)
DISTINGUISHED = ("CC", "Deg", "OPT")
"""The validators of whose single trees it is counted how many differ."""

Part = Literal["committees", "trees", "bagging", "boosting"]
PARTS: tuple[Part, ...] = ("committees", "trees", "bagging", "boosting")


class Committees(NamedTuple):
    """The committees of one validator and mode: all that one machine tests."""

    validator: str
    mode: Mode

    @property
    def decisions(self) -> tuple[str, ...]:
        """What leaves answer by; after validation of m by that m."""
        return ("m",) if self.validator == "MEP2" else tuple(DECISIONS)

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """Validator, mode, SE, TE and decision of each, in the order of the machine's cells."""
        return [(self.validator, self.mode, *each) for each in product(MARGINS[self.mode], WEIGHTS, self.decisions)]


def committees() -> Iterator[Committees]:
    """The eleven of a split and criterion: REP has no strength that trees could have in common."""
    for validator in VALIDATED:
        for mode in (SEPARATE,) if validator == "REP" else (SEPARATE, COMMON):
            yield Committees(validator, mode)


COMMITTEE_AXES: Mapping[Any, Any] = {
    ("Validator", "Mode", "SE", "TE", "Decision"): [labels for each in committees() for labels in each.labels],
    "Size": range(1, SIZE + 1),
}
TREE_AXES: Mapping[Any, Any] = {"Validator": tuple(VALIDATORS), "SE": tuple(MARGINS[COMMON]), "TE": tuple(WEIGHTS)}
BAGGING_AXES: Mapping[Any, Any] = {
    "Pruning": tuple(PRUNINGS),
    "Size": range(1, SIZE + 1),
    "Rule": tuple(RULES),
}
BOOSTING_AXES: Mapping[Any, Any] = {
    "Variant": tuple(VARIANTS),
    "Pruning": tuple(PRUNINGS),
    "Size": range(1, SIZE + 1),
}


class SplitTest(Machine):
    """Test one part of the experiment, with trees by one criterion, on one pair of training and test data.

    It leaves blocks, "Accuracy" and of trees and their committees also "Leaves"; and how many "Trees grown" and
    machines there were ("Requested", "Run"). All else is in memory and forgotten.
    """

    registered_name = "committees.SplitTest"  # however this file is imported
    version = 1
    training = Input(Data)
    test = Input(Data)

    tested: Part
    learner: Machine

    def run(self, training: Data, test: Data, rng: np.random.Generator) -> Model:
        with Project(workers=1, seed=int(rng.integers(2**63))) as project:
            given: dict[str, Any] = {"training": project.given(training), "test": project.given(test)}
            scheme, read = _parts()[self.tested]
            done = project.run(scheme(self.learner), **given)
            results = read({each.name: each.results for each in done.children})
            counts = project.counts()
        return Model(
            results={
                **results,
                "Trees grown": counts.physical["DecisionTree"],
                "Requested": counts.logical.total(),
                "Run": counts.physical.total(),
            }
        )


Found = Mapping[str, Mapping[str, Any]]
"""The results of machines by their names."""


@lru_cache
def committees_in_one(learner: Any) -> Scheme:
    """A test of all cross-validation committees, which all splits ask for."""
    test = Scheme(training=Data, test=Data)
    folds = CVDistributor(SIZE)
    for validator, kind in VALIDATED.items():
        made = test.add(passes_for(learner, kind(passes=None), folds), data=test.training, name=f"{validator} passes")
        for each in committees():
            if each.validator == validator:
                wide = CVCommitteeTest(
                    kind(passes=None),
                    each.mode,
                    tuple(MARGINS[each.mode].values()),
                    tuple(WEIGHTS.values()),
                    tuple(DECISIONS[name] for name in each.decisions),
                )
                test.add(
                    wide,
                    data=test.test,
                    trees=made.trees,
                    tables=made.tables,
                    training=test.training,
                    name=f"{validator} {each.mode}",
                )
    return test


def read_committees(found: Found) -> dict[str, Any]:
    """All committees as one block."""
    read = {}
    for label in ("Accuracy", "Leaves"):
        parts = [found[f"{each.validator} {each.mode}"][label].values.reshape(-1, SIZE) for each in committees()]
        read[label] = Block(np.concatenate(parts), COMMITTEE_AXES)
    return read


@lru_cache
def trees_in_one(learner: Any) -> Scheme:
    """A test of the single trees that several passes validate."""
    test = Scheme(training=Data, test=Data)
    for name, machine in _trees(learner).items():
        tree = test.add(machine, data=test.training, name=f"{name} tree")
        test.add(ClassificationTest(measures=MEASURES), data=test.test, classifier=tree.classifier, name=name)
    return test


def _trees(learner: Any) -> dict[str, RefinedTree]:
    return {
        f"{validator} {margin} {weight}": RefinedTree(
            learner, VALIDATORS[validator](se=se, se_of=se_of, tef=tef, passes=CVDistributor(SIZE))
        )
        for validator, (margin, (se, se_of)), (weight, tef) in product(
            VALIDATORS, MARGINS[COMMON].items(), WEIGHTS.items()
        )
    }


def read_trees(found: Found) -> dict[str, Any]:
    """All trees as blocks, and how many of them differ."""
    names = [" ".join(each) for each in product(*TREE_AXES.values())]
    shape = tuple(map(len, TREE_AXES.values()))
    accuracies = np.array([found[name]["Accuracy"] for name in names]).reshape(shape)
    leaves = np.array([found[f"{name} tree"]["Leaves"] for name in names]).reshape(shape)
    told = [found[f"{name} tree"] for name in names if name.split()[0] in DISTINGUISHED]
    different = {(each["Leaves"], each["Depth"], each["Training error"]) for each in told}
    return {
        "Accuracy": Block(accuracies, TREE_AXES),
        "Leaves": Block(leaves, TREE_AXES),
        "Different trees": len(different),
    }


def _pruned(learner: Any, pruning: Any) -> Machine:
    return learner if pruning is None else RefinedTree(learner, pruning)


@lru_cache
def bagging_in_one(learner: Any) -> Scheme:
    """A test of bagging with all prunings."""
    test = Scheme(training=Data, test=Data)
    for name, pruning in PRUNINGS.items():
        bagged = test.add(Bagging(_pruned(learner, pruning), SIZE), data=test.training, name=f"{name} committee")
        wide = CommitteeTest(tuple(RULES.values()), SIZE, measures=MEASURES)
        test.add(wide, data=test.test, classifier=bagged.classifier, name=name)
    return test


def read_bagging(found: Found) -> dict[str, Any]:
    """All of it as one block."""
    return {"Accuracy": Block(np.array([found[name]["Accuracy"].values for name in PRUNINGS]), BAGGING_AXES)}


@lru_cache
def boosting_in_one(learner: Any) -> Scheme:
    """A test of all variants of boosting with all prunings; samples are drawn by weight, as in the book."""
    test = Scheme(training=Data, test=Data)
    for (variant, rule), (name, pruning) in product(VARIANTS.items(), PRUNINGS.items()):
        machine = Boosting(_pruned(learner, pruning), SIZE, rule, mode="resample")
        boosted = test.add(machine, data=test.training, name=f"{variant} {name} committee")
        wide = CommitteeTest(sizes=SIZE, measures=MEASURES)
        test.add(wide, data=test.test, classifier=boosted.classifier, name=f"{variant} {name}")
    return test


def read_boosting(found: Found) -> dict[str, Any]:
    """All of it as one block."""
    every = [[found[f"{variant} {name}"]["Accuracy"].values[:, 0] for name in PRUNINGS] for variant in VARIANTS]
    return {"Accuracy": Block(np.array(every), BOOSTING_AXES)}


def _parts() -> Mapping[Part, tuple[Callable[[Any], Scheme], Callable[[Found], dict[str, Any]]]]:
    return {
        "committees": (committees_in_one, read_committees),
        "trees": (trees_in_one, read_trees),
        "bagging": (bagging_in_one, read_bagging),
        "boosting": (boosting_in_one, read_boosting),
    }


def validated(part: Part, criterion: str, folds: int = 10, repetitions: int = 10, seed: int = 1) -> Repeater:
    """Cross-validation of one part of the experiment with trees by one criterion."""
    return Repeater(CVDistributor(folds), SplitTest(part, CRITERIA[criterion]), repetitions, seed=seed)


STUDIED = ("IG", "Gini")
REQUESTS: Mapping[str, Repeater] = {
    f"{part}, {criterion}": validated(part, criterion) for part, criterion in product(PARTS, STUDIED)
}
"""What is run on each data set: ten times ten folds for each part and criterion, in the order of the runs."""

smoke = Experiment(
    data={name: SklearnDataset(name) for name in ("iris", "wine")},
    requests={
        f"{part}, {criterion}": validated(part, criterion, folds=2, repetitions=2)
        for part, criterion in product(PARTS, STUDIED)
    },
    name="committees-smoke",
)
"""A look at everything, which needs no files."""

experiment: Experiment
"""The whole, on the data sets of `DATA_SETS`; made when it is asked for, since it needs their files."""


def __getattr__(name: str) -> Experiment:
    if name != "experiment":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Experiment(data=loaders("committees.py", "scripts.committees"), requests=REQUESTS, name="committees")
