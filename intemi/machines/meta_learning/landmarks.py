"""Landmarks: data described by how well simple learners do on them, and by the shape of a tree grown on them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from intemi.data import Data
from intemi.kernel import Input, Job, Machine, Model, parameter
from intemi.kernel.libraries import library
from intemi.kernel.machine import Best
from intemi.kernel.repository.query import Query
from intemi.machines.classifiers import KNN, LinearRegression, NaiveBayes
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import paired_p_values
from intemi.machines.meta_learning.validation import CANDIDATE, RESULT, cross_validation
from intemi.machines.roles import Learner
from intemi.machines.trees import CART, DecisionStump, DecisionTree
from intemi.machines.trees.splitters.random_subset import RandomSubset
from intemi.machines.trees.stop import MaxDepth, MaxErrors
from intemi.machines.trees.tree import Tree

LANDMARKERS: Mapping[str, Machine] = {
    "nearest neighbor": KNN(k=1),
    "naive Bayes": NaiveBayes(),
    "linear discriminant": LinearRegression(),
    "best split": DecisionStump(),
    "random split": DecisionTree(splitter=RandomSubset(features=1), stop=MaxDepth(2)),
    "small tree": CART(),
}
"""Learners that are quick, and as different from each other as can be."""


class Landmarks(Machine):
    """Accuracies of simple learners in cross-validation, and the shape of an unpruned tree.

    Each landmark is a result under its name. Accuracies are means over few folds: they are meant to describe data, not
    to compare learners.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import SklearnDataset
    >>> with Project() as project:
    ...     found = project.run(Landmarks(), data=project.request(SklearnDataset("iris")).data)
    >>> found.results["nearest neighbor"] > 0.9, found.results["best split"] < 0.7
    (True, True)
    """

    random = True  # the splits are drawn

    data = Input(Data)

    landmarkers: Mapping[str, Machine] = parameter(default=LANDMARKERS)
    folds: int = parameter(default=2, at_least=2)
    tree: Machine | None = parameter(default=DecisionTree(stop=MaxErrors()), role=Learner)
    """Grown for its shape; it must have the output `tree`."""

    @property
    def reports(self) -> Mapping[str, Best]:
        """Accuracies, of which the highest are best."""
        return dict.fromkeys(self.landmarkers, "highest")

    async def run(self, job: Job, data: Any) -> Model:
        validation = cross_validation(self.folds, repetitions=1)
        tests = {
            name: job.request(validation.fill({CANDIDATE: learner}), name=name, data=data)
            for name, learner in self.landmarkers.items()
        }
        grown = None if self.tree is None else job.request(self.tree, name="tree", data=data)
        await job.all(*tests.values(), *([] if grown is None else [grown]))
        question = Query(RESULT, "Accuracy")
        results = {name: float(np.mean(job.query(question, test).values)) for name, test in tests.items()}
        if grown is not None:
            results |= tree_shape(job.load(grown.tree), job.load(data))
        return Model(results=results)


def tree_shape(tree: Tree, data: Data) -> dict[str, float]:
    """The shape of a tree that was grown on data."""
    leaves, depths = tree.branch_count == 0, np.repeat(np.arange(1, tree.depth + 1), tree.levels)
    per_level = np.bincount(depths[leaves], minlength=tree.depth + 1)[1:]
    features = max(len(data.columns), 1)
    used = {int(tree.feature[tree.test_start[node]]) for node in np.flatnonzero(~leaves)}
    return {
        "nodes per feature": len(tree) / features,
        "leaves per row": tree.leaf_count / max(len(data), 1),
        "tree depth": float(tree.depth),
        "mean leaves per level": float(per_level.mean()),
        "most leaves of a level": float(per_level.max()),
        "mean branch length": float(depths[leaves].mean()) - 1.0,
        "share of features used": len(used) / features,
    }


def relative_landmarks(results: Mapping[str, ArrayLike], alpha: float = 0.05) -> dict[str, float]:
    """Landmarks relative to each other, of the results of learners on the same splits.

    For each learner its rank and the inverse of it; for each pair which one is better (1, -1, or 0 if the difference is
    not significant in a paired t-test), and the ratio of their means.

    >>> found = relative_landmarks({"knn": [0.9, 0.91, 0.89], "stump": [0.6, 0.62, 0.61]})
    >>> found["rank of knn"], found["knn against stump"], round(found["knn to stump"], 3)
    (1.0, 1.0, 1.475)
    """
    names = list(results)
    values: Floats = np.array([np.asarray(results[name], dtype=np.float64) for name in names])
    means = values.mean(axis=1)
    ranks = library("scipy.stats").rankdata(-means)
    found = {f"rank of {name}": float(rank) for name, rank in zip(names, ranks, strict=True)}
    found |= {f"inverse rank of {name}": float(1 / rank) for name, rank in zip(names, ranks, strict=True)}
    for one, other in combinations(range(len(names)), 2):
        is_significant = paired_p_values(values[one] - values[other]) < alpha
        sign = float(np.sign(means[one] - means[other])) if is_significant else 0.0
        found[f"{names[one]} against {names[other]}"] = sign
        found[f"{names[one]} to {names[other]}"] = float(means[one] / means[other]) if means[other] else float("nan")
    return found
