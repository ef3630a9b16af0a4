"""Meta decision trees beside other ways to combine five learners, after Todorovski and Džeroski.

    intemi run configs/meta_decision_trees.py
    python -m scripts.meta_decision_trees

Five learners and thirteen combiners of them, five times ten-fold cross-validation. All combiners share the models of
the learners: 55 for each training sample. What the paper leaves open is set here: gain ratio and gain, without the
penalty of release 8 and with it, ten inner folds, C-AC4.5 not pruned, logarithms to the base 2, ties by the parent.
Learners are stand-ins where the originals are not to be had: rules by Laplace accuracy for CN2, C4.5 with linear
discriminants for LTree, k chosen by leave-one-out for kNN, Gaussian naive Bayes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from intemi import Machine
from intemi.experiments import Experiment
from intemi.kernel import ConfigurationError
from intemi.machines import (
    C45,
    CN2,
    SCANN,
    AccuracyGrowth,
    AttributeUnion,
    Average,
    CVDistributor,
    DataLoader,
    DistributionProperties,
    Imputation,
    LinearRegression,
    LTree,
    MetaDecisionTree,
    NaiveBayes,
    NominalToIndicators,
    Normalization,
    OriginalFeatures,
    SelectBest,
    SklearnDataset,
    Stacking,
    StackingAC45,
    StackingC45,
    TransformAndClassify,
    TransformationChain,
    TunedKNN,
    Voting,
)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
DATA_SETS: Mapping[str, str] = {
    "australian": "australian",
    "balance": "balance-scale",
    "breast-w": "breast-w",
    "car": "car",
    "diabetes": "diabetes",
    "german": "credit-g",
    "glass": "glass",
    "heart": "heart-statlog",
    "hepatitis": "hepatitis",
    "ionosphere": "ionosphere",
    "iris": "iris",
    "soya": "soybean",
    "tic-tac-toe": "tic-tac-toe",
    "vote": "vote",
    "wine": "wine",
}
"""The paper's names, and those of files: all of its data sets that are there and have fewer than 2,000 rows."""

NUMBERS = TransformationChain((Imputation(), NominalToIndicators(), Normalization()))
LEARNERS: Mapping[str, Machine] = {
    "C4.5": C45(),
    "LTree": LTree(),
    "CN2": CN2(),
    "k-NN": TransformAndClassify(NUMBERS, TunedKNN()),
    "NB": NaiveBayes(),
}
FIVE = tuple(LEARNERS.values())
NAMES = tuple(LEARNERS)
BOTH = AttributeUnion((DistributionProperties(), OriginalFeatures()))

COMBINERS: Mapping[str, Machine] = {
    "MDT-CDP": MetaDecisionTree(FIVE, names=NAMES),
    "MDT-CDP, gain": MetaDecisionTree(FIVE, growth=AccuracyGrowth(criterion="gain"), names=NAMES),
    "MDT-CDP, penalty": MetaDecisionTree(FIVE, growth=AccuracyGrowth(penalty=True), names=NAMES),
    "MDT-BLA": MetaDecisionTree(FIVE, OriginalFeatures(), names=NAMES),
    "MDT-CDP+BLA": MetaDecisionTree(FIVE, BOTH, names=NAMES),
    "C-C4.5": StackingC45(FIVE, names=NAMES),
    "C-AC4.5": StackingAC45(FIVE, names=NAMES),
    "P-VOTE": Voting(FIVE, names=NAMES),
    "CD-VOTE": Voting(FIVE, Average(), names=NAMES),
    "Select-Best": SelectBest(FIVE, names=NAMES),
    "SCANN": SCANN(FIVE, names=NAMES),
    "Stacking, MLR": Stacking(FIVE, LinearRegression(), names=NAMES),
    "Stacking, logistic": Stacking(FIVE, names=NAMES),
}


def of(data: Mapping[str, Machine], name: str, folds: int = 10, repetitions: int = 1) -> Experiment:
    """The experiment on some data sets."""
    return Experiment(
        data=data,
        learners={**LEARNERS, **COMBINERS},
        distributor=CVDistributor(folds=folds),
        repetitions=repetitions,
        seed=1,
        name=name,
    )


smoke = of({name: SklearnDataset(name) for name in ("iris", "wine")}, "meta-decision-trees-smoke", folds=3)
"""A look at everything, which needs no files."""

experiment: Experiment
"""The whole; made when it is asked for, since it needs the files of its data sets."""


def __getattr__(name: str) -> Experiment:
    if name != "experiment":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    missing = [file for file in DATA_SETS.values() if not (SHARED / f"{file}.arff").exists()]
    if missing:
        raise ConfigurationError(
            f"meta_decision_trees.py: it needs the files of {len(DATA_SETS)} data sets in {SHARED}, and "
            f"{', '.join(missing)} are not there"
        )
    loaders = {each: DataLoader(str(SHARED / f"{file}.arff")) for each, file in DATA_SETS.items()}
    return of(loaders, "meta-decision-trees", repetitions=5)
