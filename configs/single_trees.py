"""The book's experiment with single trees: which refinement of which trees is how accurate, and how small?

    intemi run configs/single_trees.py
    python -m scripts.reproduction

Five split criteria, each grown to the end, as it is and refined in 143 ways (the book's Table 5.2): 14 direct
prunings, 54 validations by a part held out, 75 by inner cross-validation. What is held out is 30 % or 10 %, so there
are 200 methods, in two competitions of 145. Beside them an oracle, which prunes by the test data: no competitor, but
what losses are counted from.

All methods with one criterion in one fold are one machine, `AllMethods`, which runs them in a project of its own, in
memory: a training sample grows twelve trees by each criterion and no more, and of some 600 machines the store keeps
what they measured. A second program (`python -m scripts.reproduction`) runs the experiment, too, and makes tables,
charts and conclusions of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from intemi import Input, Job, Machine, Model, Output, Project
from intemi.data import Data
from intemi.experiments import Experiment
from intemi.kernel import ConfigurationError
from intemi.machines import (
    CART,
    QUEST,
    ClassificationTest,
    CVDistributor,
    DataLoader,
    FirstFold,
    HoldOutDistributor,
    Repeater,
    Scheme,
    SklearnDataset,
    SSVTree,
)
from intemi.machines.interfaces import Classifier
from intemi.machines.trees import (
    Accuracy,
    CostComplexity,
    Degree,
    DepthImpurity,
    DepthImpurityValidation,
    DescriptionLength,
    ErrorBased,
    InformationGain,
    MEstimateError,
    MEstimateValidation,
    MinimumError,
    OptimalSize,
    PessimisticError,
    ReducedError,
    RefinedTree,
    Refinement,
)
from intemi.machines.trees.refinement.machines import ErrorsOfPrunings, NodeCounts, PrunedTree

CRITERIA: Mapping[str, Any] = {
    "Acc": CART(Accuracy(), surrogates=0, refinement=None),
    "Gini": CART(surrogates=0, refinement=None),
    "IG": CART(InformationGain(), surrogates=0, refinement=None),
    "QUEST": QUEST(),
    "SSV": SSVTree(),
}
DIRECT: Mapping[str, Any] = {
    "PEP": PessimisticError,
    "EBP": ErrorBased,
    "MEP": MinimumError,
    "MEP2": MEstimateError,
}
VALIDATORS: Mapping[str, Any] = {
    "CC": CostComplexity,
    "Deg": Degree,
    "OPT": OptimalSize,
    "MEP2": MEstimateValidation,
    "DI": DepthImpurityValidation,
}
FACTORS = {"0": 0.0, "½": 0.5, "1": 1.0}
BETA = 2**-0.5
"""Of the values that DI validation tries, the median of those that it chooses in a single pass."""
LARGER, SMALLER = "30 %", "10 %"
HELD_OUT = (LARGER, SMALLER)
"""What is held out in a single pass: a part of its own, or the first of the ten inner folds, which saves a tree."""
ORACLE = "oracle"


def held_out_by(share: str, inner_folds: int) -> Machine:
    """What holds out a share of `HELD_OUT`; the smaller one is that of the first inner fold, if these are ten."""
    return HoldOutDistributor(share=0.7) if share == LARGER else FirstFold(CVDistributor(inner_folds))


class OfPart(Machine):
    """Learn from the training part alone that a distributor gives out."""

    registered_name = "single_trees.OfPart"  # however this file is imported
    version = 2
    data = Input(Data)
    classifier = Output(Classifier)

    learner: Machine
    distributor: Machine

    async def run(self, job: Job, data: Any) -> Model:
        parts = job.request(self.distributor, data=data, name="parts")
        await parts
        learned = job.request(self.learner, data=parts.training[0], name="learner")
        await learned
        return Model(classifier=learned.classifier, results=learned.results)


class Method(NamedTuple):
    """One way to come from training data to a tree, whatever the split criterion."""

    group: str
    name: str
    se: str = ""
    te: str = ""
    refinement: Refinement | None = None
    distributor: Machine | None = None
    """What holds a part out, if the tree is that of the other part."""

    @property
    def key(self) -> str:
        """What it is called among the 145 of one competition."""
        return " ".join(part for part in self[:4] if part)

    def of(self, learner: Any) -> Machine:
        """What learns like this, with the trees of a learner."""
        if self.refinement is not None:
            return RefinedTree(learner, self.refinement)
        return OfPart(learner, self.distributor) if self.distributor is not None else learner


FULL = Method("none", "full")


def methods(inner_folds: int = 10, held_out: str = LARGER) -> Iterator[Method]:
    """The 145 of the book, in the order of its tables."""
    yield FULL
    for (name, kind), (se, factor) in product(DIRECT.items(), FACTORS.items()):
        yield Method("direct", name, f"{se}SE", refinement=kind(se=factor))
    yield Method("direct", "MDLP", refinement=DescriptionLength())
    yield Method("direct", "DIP", refinement=DepthImpurity(beta=BETA))
    part = held_out_by(held_out, inner_folds)
    yield Method("single", "full", distributor=part)
    for (name, kind), (se, factor), (te, tef) in product(
        {"REP": ReducedError, **VALIDATORS}.items(), FACTORS.items(), FACTORS.items()
    ):
        refinement = kind(se=factor, tef=tef, passes=part)
        yield Method("single", name, f"{se}SE", f"{te}TE", refinement)
    passes = CVDistributor(inner_folds)
    for (name, kind), (se, factor, of), (te, tef) in product(VALIDATORS.items(), _margins(), FACTORS.items()):
        refinement = kind(se=factor, se_of=of, tef=tef, passes=passes)
        yield Method("multi", name, se, f"{te}TE", refinement)


def _margins() -> Iterator[tuple[str, float, str]]:
    """Standard errors in theory and of the sample; none of either are the same."""
    for se, factor in FACTORS.items():
        yield f"{se}SE", factor, "theory"
    for se, factor in list(FACTORS.items())[1:]:
        yield f"{se}SEs", factor, "sample"


def competitors(inner_folds: int = 10) -> dict[str, Method]:
    """The 200 methods of both competitions by name; what is held out is told of those that it matters to."""
    every = {}
    for share in HELD_OUT:
        for method in methods(inner_folds, share):
            every[named(method.key, share)] = method
    return every


def named(key: str, held_out: str) -> str:
    """The name of a method among all 200, by its key in the competition with so much held out."""
    return f"{held_out} {key}" if key.startswith("single ") else key


NAMES = (*competitors(), ORACLE)
"""Whose numbers the vectors hold that `AllMethods` leaves, in this order."""
SEVERAL = frozenset(
    name for name, method in competitors().items() if method.group == "multi" and method.name in ("CC", "Deg", "OPT")
)
"""The prunings with several passes of which it is counted how many differ."""


def all_in_one(learner: Any, every: Mapping[str, Method]) -> Scheme:
    """A test of some methods with the trees of a learner. A test has the name of its method, its tree "… tree"."""
    test = Scheme(training=Data, test=Data)
    for name, method in every.items():
        tree = test.add(method.of(learner), data=test.training, name=f"{name} tree")
        test.add(ClassificationTest(), data=test.test, classifier=tree.classifier, name=name)
        if method is FULL:
            _add_oracle(test, tree)
    return test


def _add_oracle(test: Scheme, full: Any) -> None:
    """The full tree, each node of which is cut if that makes no more errors on the test data."""
    reduced = ReducedError(passes=None)
    counts = test.add(NodeCounts(), tree=full.tree, data=test.test, name=f"{ORACLE} counts")
    errors = test.add(ErrorsOfPrunings(reduced), tree=full.tree, counts=counts.counts, name=f"{ORACLE} errors")
    tree = test.add(
        PrunedTree(reduced), tree=full.tree, data=test.training, tables=[errors.table], name=f"{ORACLE} tree"
    )
    test.add(ClassificationTest(oracle=True), data=test.test, classifier=tree.classifier, name=ORACLE)


class AllMethods(Machine):
    """Test all methods with trees by one criterion on one pair of training and test data.

    It leaves vectors, a number for each name of `NAMES`: "Accuracy", "Leaves", and what was "Chosen" (NaN where nothing
    is); and how many "Different trees" of `SEVERAL` and "Trees grown" there are. All else is in memory and forgotten.
    """

    registered_name = "single_trees.AllMethods"
    version = 1
    training = Input(Data)
    test = Input(Data)

    learner: Machine
    inner_folds: int = 10

    def run(self, training: Data, test: Data, rng: np.random.Generator) -> Model:
        with Project(workers=1, seed=int(rng.integers(2**63))) as project:
            given = {"training": project.given(training), "test": project.given(test)}
            done = project.run(_all_competitors(self.learner, self.inner_folds), **given)
            found = {each.name: each.results for each in done.children}
            grown = project.counts().physical["DecisionTree"]
        trees = {name: found[f"{name} tree"] for name in NAMES}
        different = {(trees[name]["Leaves"], trees[name]["Depth"], trees[name]["Training error"]) for name in SEVERAL}
        return Model(
            results={
                "Accuracy": np.array([found[name]["Accuracy"] for name in NAMES]),
                "Leaves": np.array([trees[name]["Leaves"] for name in NAMES]),
                "Chosen": np.array([trees[name].get("Chosen", np.nan) for name in NAMES]),
                "Different trees": len(different),
                "Trees grown": grown,
            }
        )


@lru_cache
def _all_competitors(learner: Machine, inner_folds: int) -> Scheme:
    """All methods in one test, which all folds ask for."""
    return all_in_one(learner, competitors(inner_folds))


def single_trees(
    criterion: str, folds: int = 10, inner_folds: int = 10, repetitions: int = 10, seed: int = 1
) -> Repeater:
    """Cross-validation of all methods with trees by one criterion."""
    return Repeater(CVDistributor(folds), AllMethods(CRITERIA[criterion], inner_folds), repetitions, seed=seed)


SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
DATA_SETS = (
    "iris",
    "wine",
    "zoo",
    "vote",
    "breast-w",
    "ionosphere",
    "sonar",
    "heart-statlog",
    "glass",
    "ecoli",
    "breast-cancer",
    "balance-scale",
    "credit-a",
    "diabetes",
    "vehicle",
    "vowel",
    "segment",
)
"""Those that take the least time first."""
SEEDS = (1, 2)
REQUESTS: Mapping[str, Repeater] = {
    f"{criterion}, seed {seed}": single_trees(criterion, seed=seed)
    for criteria in (("IG", "Gini"), ("SSV", "Acc"), ("QUEST",))
    for seed in SEEDS
    for criterion in criteria
}
"""What is run on each data set: ten times ten folds for each criterion and seed, in the order of the runs."""

smoke = Experiment(
    data={name: SklearnDataset(name) for name in ("iris", "wine")},
    requests={
        f"IG, seed {seed}": single_trees("IG", folds=5, inner_folds=3, repetitions=1, seed=seed) for seed in SEEDS
    },
    name="single-trees-smoke",
)
"""A look at everything, which needs no files."""

experiment: Experiment
"""The whole, on the data sets of `DATA_SETS`; made when it is asked for, since it needs their files."""


def loaders(file: str, script: str) -> dict[str, Machine]:
    """The data sets of `DATA_SETS`, for an experiment in a file that a script runs, too; all of them must be there."""
    missing = [each for each in DATA_SETS if not (SHARED / f"{each}.arff").exists()]
    if missing:
        raise ConfigurationError(
            f"{file}: it needs the files of {len(DATA_SETS)} data sets in {SHARED}, and {', '.join(missing)} "
            f"are not there; `python -m {script} --smoke` runs its small form on data of scikit-learn"
        )
    return {each: DataLoader(str(SHARED / f"{each}.arff")) for each in DATA_SETS}


def __getattr__(name: str) -> Experiment:
    if name != "experiment":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Experiment(data=loaders("single_trees.py", "scripts.reproduction"), requests=REQUESTS, name="single-trees")
