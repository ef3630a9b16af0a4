"""The book's experiment with complexity-driven search: 54 candidates, the cheapest tests first.

    python -m scripts.complexity_search

Nine learners, each of them behind the selection of features by two rankings, and the same again with their parameters
tuned inside: 9 + 18 + 9 + 18 candidates, numbered as in the book's table. The tuning of what is behind a selection is
that of the number of features; of the learners alone those are tuned that the book tunes, so three searches choose
nothing and must be as good as what they hold.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from intemi import Machine
from intemi.data import Column, Data, Table, read
from intemi.machines import (
    KNN,
    LVQ,
    SVM,
    Boosting,
    CorrelationRanking,
    Count,
    CVDistributor,
    ExpectedClass,
    FScoreRanking,
    Learner,
    LinearKernel,
    Mahalanobis,
    Mixed,
    NaiveBayes,
    NominalToIndicators,
    TransformAndClassify,
    selection_by_ranking,
    sequence,
)
from intemi.machines.meta_learning import (
    ComplexitySearch,
    Filled,
    Flow,
    MetaLearner,
    Set,
    Tuned,
    Union,
    cross_validation,
)

SHARED = Path(__file__).parents[2] / "shared" / "data"
DATA_SETS = {
    "mushroom": "mushroom",
    "german-numeric": "german-numeric",
    "glass": "glass",
    "splice": "splice",
    "thyroid-all": "ann-thyroid",
}
"""The book's names, and those of files."""


class Tier(NamedTuple):
    """How large the experiment is."""

    rows: int | None
    outer: int
    inner: int
    values: int
    """How many values of each parameter are tried."""
    features: Count
    counts: int
    """How many numbers of features are tried."""


SMALL = Tier(rows=None, outer=2, inner=2, values=2, features=Count(2), counts=4)
MIDDLE = Tier(rows=600, outer=3, inner=3, values=3, features=Count(3), counts=8)


def of_numbers(learner: Machine) -> Machine:
    """A learner that needs numbers: categories become indicators."""
    return TransformAndClassify(NominalToIndicators(), learner)


LEARNERS: dict[str, Machine] = {
    "kNN Euclid": of_numbers(KNN()),
    "kNN mixed": KNN(distance=Mixed()),
    "kNN Mahalanobis": of_numbers(KNN(distance=Mahalanobis())),
    "NBC": NaiveBayes(),
    "SVM Gaussian": of_numbers(SVM()),
    "SVM linear": of_numbers(SVM(kernel=LinearKernel())),
    "ExpectedClass+kNN": sequence(Learner, ExpectedClass(), KNN(k=1, distance=Mixed())),
    "LVQ+kNN": of_numbers(sequence(Learner, LVQ(), KNN(k=1))),
    "boosted NBC": Boosting(NaiveBayes(), size=10),
}
"""In the order of the book's numbers."""
TUNED = {
    "kNN Euclid": ("*k",),
    "kNN mixed": ("*k",),
    "kNN Mahalanobis": ("*k",),
    "SVM Gaussian": ("*C", "*sigma"),
    "ExpectedClass+kNN": ("*k",),
    "LVQ+kNN": ("*per_class",),
}
"""What the book tunes of which learner; the others have nothing to tune there."""
NAMES = tuple(f"{kind}{name}" for kind in ("", "CC ", "F ", "MPS ", "MPS CC ", "MPS F ") for name in LEARNERS)
"""What the candidates are called, in the order of their numbers."""


def flow(tier: Tier) -> Flow:
    """The generators of the 54 candidates."""
    learners = Set(tuple(LEARNERS.values()))
    rankings = Set((CorrelationRanking(), FScoreRanking()))
    selections = Filled(selection_by_ranking(tier.features), {"ranking": rankings})
    selected = Filled(TransformAndClassify(), {"transformation": selections, "learner": learners})
    inner = CVDistributor(tier.inner)
    tuned = [Tuned(Set((learner,)), TUNED.get(name, ()), tier.values, inner) for name, learner in LEARNERS.items()]
    selected_tuned = Tuned(selected, ("*.features",), tier.counts, inner)
    return Flow((learners, selected, Union(tuple(tuned)), selected_tuned))


def search(tier: Tier) -> MetaLearner:
    """The experiment: one test at a time, until nothing is left."""
    return MetaLearner(
        flow(tier), ComplexitySearch(window=1, learns_times=False), cross_validation(tier.outer, repetitions=1), seed=1
    )


def table(name: str, rows: int | None) -> Data:
    """A data set of the book, or as many rows of it as wanted, with the same shares of classes."""
    data = with_missing_as_category(read(SHARED / f"{DATA_SETS[name]}.arff", target="class"))
    return data if rows is None or len(data) <= rows else stratified(data, rows)


def with_missing_as_category(data: Data) -> Data:
    """A missing value of a nominal column is one more category."""
    values, columns = data.features.copy(), list(data.columns)
    for index, column in enumerate(columns):
        missing = np.isnan(values[index])
        if column.categories is not None and missing.any():
            columns[index] = Column(column.name, (*column.categories, "missing"))
            values[index, missing] = len(column.categories)
    return Data(Table(columns, values, data.target, data.classes, name=data.name))


def stratified(data: Data, rows: int) -> Data:
    """At most so many rows, drawn at random: of each class its share, but two at the least."""
    rng = np.random.default_rng(1)
    chosen: list[int] = []
    for label in range(len(data.labels)):
        own = np.flatnonzero(data.classes == label)
        count = min(len(own), max(2, rows * len(own) // len(data)))
        chosen += rng.choice(own, count, replace=False).tolist()
    return data.select_rows(sorted(chosen))
