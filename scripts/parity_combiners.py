"""Stacking and Select-Best beside WEKA's, on the same outer folds: how far accuracies are apart.

    python -m scripts.parity_combiners

It compares all data sets of `tests/reference`, which takes a minute or two. Inner folds are drawn by each program.
WEKA's nearest neighbour is the mean of all that are equally near, ours the first of them: on nominal data, where many
are, the learners differ, and so do the combiners.
"""

from __future__ import annotations

import numpy as np

from intemi import Project
from intemi.data import Data
from intemi.kernel import Machine
from intemi.machines import (
    J48,
    KNN,
    ClassificationTest,
    GivenFolds,
    Imputation,
    LinearRegression,
    Logistic,
    NaiveBayes,
    NominalToIndicators,
    Normalization,
    Repeater,
    Scheme,
    SelectBest,
    Stacking,
    TransformAndClassify,
    TransformationChain,
)
from scripts.reference_data import HOME

NUMBERS = TransformationChain((Imputation(), NominalToIndicators(), Normalization()))
LEARNERS: tuple[Machine, ...] = (J48(), NaiveBayes(), TransformAndClassify(NUMBERS, KNN(k=1)))
COMBINERS: dict[str, Machine] = {
    "WEKA Stacking Logistic": Stacking(LEARNERS, Logistic(C=50)),  # WEKA's ridge of 0.01
    "WEKA Stacking MLR": Stacking(LEARNERS, LinearRegression()),
    "WEKA MultiScheme 10": SelectBest(LEARNERS),
}


def errors_of(project: Project, combiner: Machine, name: str) -> np.ndarray:
    """The share of rows that are wrong in each of WEKA's folds."""
    test = Scheme(training=Data, test=Data)
    learned = test.add(combiner, data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="test")
    repeater = Repeater(GivenFolds(HOME.folds(name)), test, seed=1)
    done = project.run(repeater, data=project.given(HOME.load(name)))
    return 1 - np.array(project.query(done, path="test/test", labels=["Accuracy", "Fold"]).values, dtype=np.float64)


def errors_of_weka(program: str, name: str) -> np.ndarray:
    """The same, of WEKA."""
    [row] = [each for each in HOME.rows("cv10.csv") if each["program"] == program and each["dataset"] == name]
    return np.array(row["errors_per_fold"].split(), dtype=np.float64) / np.bincount(HOME.folds(name))


def standard_errors(one: np.ndarray, other: np.ndarray) -> float:
    """The difference of mean errors in standard errors of both together; above 0, the first is worse."""
    spread = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / len(one))
    difference = float(one.mean() - other.mean())
    return difference / spread if spread > 0 else np.sign(difference) * np.inf if difference else 0.0


def main() -> None:
    """Print the differences."""
    with Project(workers=1) as project:
        for name in HOME.names():
            for program, combiner in COMBINERS.items():
                ours, theirs = errors_of(project, combiner, name), errors_of_weka(program, name)
                told = f"{100 - 100 * ours.mean():.2f} and {100 - 100 * theirs.mean():.2f} %"
                print(f"{name:24}{program:24}{told:22}{standard_errors(ours, theirs):+.2f}", flush=True)


if __name__ == "__main__":
    main()
