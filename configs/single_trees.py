"""The book's experiment with single trees: which refinement of which trees is how accurate, and how small?

    intemi run configs/single_trees.py

Five split criteria, each grown to the end, as it is and refined in 143 ways (the book's Table 5.2): 14 direct
prunings, 54 validations by a part held out, 75 by inner cross-validation. Beside them an oracle, which prunes by the
test data: no competitor, but what losses are counted from. All of it is one test scheme, so each training sample grows
twelve trees by each criterion and no more. The experiment has all criteria in ten-fold cross-validation, once.
`python -m scripts.reproduction` makes tables of the results, and has two criteria repeated ten times (`REPEATED`): with
these the conclusions are tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from intemi import Input, Job, Machine, Model, Output
from intemi.data import Data
from intemi.experiments import Experiment
from intemi.kernel import ConfigurationError
from intemi.machines import (
    CART,
    QUEST,
    ClassificationTest,
    CVDistributor,
    DataLoader,
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
    "Acc": CART(Accuracy(), surrogates=0),
    "Gini": CART(surrogates=0),
    "IG": CART(InformationGain(), surrogates=0),
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
HELD_OUT = HoldOutDistributor(share=0.7)
ORACLE = "oracle"


class OfPart(Machine):
    """Learn from the training part alone that a distributor gives out."""

    registered_name = "single_trees.OfPart"  # however this file is imported
    version = 1
    data = Input(Data)
    classifier = Output(Classifier)

    learner: Machine
    distributor: Machine = HELD_OUT

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

    @property
    def key(self) -> str:
        """What it is called among all of them."""
        return " ".join(part for part in self[:4] if part)

    def of(self, learner: Any) -> Machine:
        """What learns like this, with the trees of a learner."""
        if self.refinement is not None:
            return RefinedTree(learner, self.refinement)
        return OfPart(learner) if self.group == "single" else learner


FULL, FULL_OF_PART = Method("none", "full"), Method("single", "full")


def methods(inner_folds: int = 10) -> Iterator[Method]:
    """The 145 of the book, in the order of its tables."""
    yield FULL
    for (name, kind), (se, factor) in product(DIRECT.items(), FACTORS.items()):
        yield Method("direct", name, f"{se}SE", refinement=kind(se=factor))
    yield Method("direct", "MDLP", refinement=DescriptionLength())
    yield Method("direct", "DIP", refinement=DepthImpurity(beta=0.5))
    yield FULL_OF_PART
    for (name, kind), (se, factor), (te, tef) in product(
        {"REP": ReducedError, **VALIDATORS}.items(), FACTORS.items(), FACTORS.items()
    ):
        refinement = kind(se=factor, tef=tef, passes=HELD_OUT)
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


def single_trees(criteria: Mapping[str, Any], folds: int, inner_folds: int, repetitions: int) -> Repeater:
    """Cross-validation of all methods with all criteria. A test is called by criterion and key, its tree "… tree"."""
    test = Scheme(training=Data, test=Data)
    for criterion, learner in criteria.items():
        trees = {}
        for method in methods(inner_folds):
            name = f"{criterion} {method.key}"
            trees[method] = tree = test.add(method.of(learner), data=test.training, name=f"{name} tree")
            test.add(ClassificationTest(), data=test.test, classifier=tree.classifier, name=name)
        _add_oracle(test, criterion, trees[FULL])
    return Repeater(CVDistributor(folds), test, repetitions, seed=1)


def _add_oracle(test: Scheme, criterion: str, full: Any) -> None:
    """The full tree, each node of which is cut if that makes no more errors on the test data."""
    name, reduced = f"{criterion} {ORACLE}", ReducedError(passes=None)
    counts = test.add(NodeCounts(), tree=full.tree, data=test.test, name=f"{name} counts")
    errors = test.add(ErrorsOfPrunings(reduced), tree=full.tree, counts=counts.counts, name=f"{name} errors")
    tree = test.add(PrunedTree(reduced), tree=full.tree, data=test.training, tables=[errors.table], name=f"{name} tree")
    test.add(ClassificationTest(oracle=True), data=test.test, classifier=tree.classifier, name=name)


SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
DATA_SETS = (
    "balance-scale",
    "breast-cancer",
    "breast-w",
    "credit-a",
    "diabetes",
    "ecoli",
    "glass",
    "heart-statlog",
    "ionosphere",
    "iris",
    "segment",
    "sonar",
    "vehicle",
    "vote",
    "vowel",
    "wine",
    "zoo",
)
REQUEST = "single trees"
REPEATED = single_trees({name: CRITERIA[name] for name in ("Gini", "IG")}, folds=10, inner_folds=10, repetitions=10)
"""The protocol of the book, for two criteria: a hundred results for each method."""

smoke = Experiment(
    data={name: SklearnDataset(name) for name in ("iris", "wine")},
    requests={REQUEST: single_trees({"IG": CRITERIA["IG"]}, folds=5, inner_folds=3, repetitions=1)},
    name="single-trees-smoke",
)
"""A look at everything, which needs no files."""

experiment: Experiment
"""The whole, on the data sets of `DATA_SETS`; made when it is asked for, since it needs their files."""


def __getattr__(name: str) -> Experiment:
    if name != "experiment":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    missing = [each for each in DATA_SETS if not (SHARED / f"{each}.arff").exists()]
    if missing:
        raise ConfigurationError(
            f"single_trees.py: it needs the files of {len(DATA_SETS)} data sets in {SHARED}, and {', '.join(missing)} "
            "are not there; `python -m scripts.reproduction --smoke` runs its small form on data of scikit-learn"
        )
    return Experiment(
        data={each: DataLoader(str(SHARED / f"{each}.arff")) for each in DATA_SETS},
        requests={REQUEST: single_trees(CRITERIA, folds=10, inner_folds=10, repetitions=1)},
        name="single-trees",
    )
