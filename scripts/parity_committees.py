"""Ten-fold accuracies of committees beside those of trusted programs, on the folds of the tests' data sets.

`python -m scripts.parity_committees` prints the table of `docs/parity.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from intemi import Machine, Project
from intemi.data import Data
from intemi.machines import (
    Average,
    Bagging,
    Boosting,
    DecisionStump,
    DecisionTree,
    Imputation,
    NominalToIndicators,
    RandomForest,
    TransformAndClassify,
    TransformationChain,
)
from intemi.machines.trees import J48
from scripts.reference_data import HOME

FOREST, STUMPS, TREES = (
    "scikit-learn RandomForest 500 mean of 3 seeds",
    "WEKA AdaBoostM1 DecisionStump 10",
    "WEKA AdaBoostM1 J48 10",
)
LEARNERS: dict[str, Machine] = {
    FOREST: RandomForest(trees=100, features="sqrt", rule=Average(), seed=1),
    STUMPS: Boosting(DecisionStump(), size=10, zero="weka"),
    TREES: Boosting(J48(), size=10, zero="weka"),
}
"""What stands for each program whose results come with the tests."""
BAGGING = "scikit-learn BaggingClassifier 50"
BAGGED = Bagging(DecisionTree(), size=50, rule=Average(), seed=1)
INDICATED = TransformationChain((Imputation(), NominalToIndicators()))
"""What scikit-learn gets: means for missing numbers, indicators for symbols."""


@dataclass(frozen=True)
class Compared:
    """Accuracies in percent, and the standard error of the program's, by its ten folds."""

    program: str
    name: str
    theirs: float
    error: float
    ours: float

    @property
    def difference(self) -> float:
        """In standard errors, which are at least that of a few cases."""
        return (self.ours - self.theirs) / max(self.error, 0.1)


def compared(project: Project, program: str) -> Iterator[Compared]:
    """A committee on the folds of all data sets."""
    for row in HOME.rows("cv10.csv"):
        if row["program"] != program:
            continue
        data, fold_of = HOME.load(row["dataset"]), np.array(HOME.folds(row["dataset"]))
        wrong = 0
        for fold in range(10):
            test, training = data.select_rows(fold_of == fold), data.select_rows(fold_of != fold)
            classifier = project.run(LEARNERS[program], data=project.given(training)).outputs["classifier"]
            wrong += int((classifier.classify(test) != test.classes).sum())
        error = float(row["fold_sd"]) / np.sqrt(10)
        yield Compared(program, row["dataset"], float(row["accuracy"]), error, 100 - 100 * wrong / len(data))


def compared_bagging(project: Project) -> Iterator[Compared]:
    """Bagging beside scikit-learn's, which is run here: both on numbers and indicators."""
    from sklearn.ensemble import BaggingClassifier
    from sklearn.tree import DecisionTreeClassifier

    learner = TransformAndClassify(INDICATED, BAGGED)
    for name in HOME.names():
        data, fold_of = HOME.load(name), np.array(HOME.folds(name))
        shares, wrong = [], 0
        for fold in range(10):
            test, training = data.select_rows(fold_of == fold), data.select_rows(fold_of != fold)
            classifier = project.run(learner, data=project.given(training)).outputs["classifier"]
            wrong += int((classifier.classify(test) != test.classes).sum())
            transformation = project.run(INDICATED, data=project.given(training)).outputs["transformation"]
            theirs = BaggingClassifier(DecisionTreeClassifier(), n_estimators=50, random_state=fold)
            theirs.fit(_matrix(transformation.transform(training)), training.classes)
            answers = theirs.predict(_matrix(transformation.transform(test)))
            shares.append(float((answers == test.classes).mean()))
        right = 100 * float(np.average(shares, weights=np.bincount(fold_of)))
        error = 100 * float(np.std(shares, ddof=1)) / np.sqrt(10)
        yield Compared(BAGGING, name, right, error, 100 - 100 * wrong / len(data))


def _matrix(data: Data) -> np.ndarray:
    return np.ascontiguousarray(data.features.T)


def main() -> None:
    """Print all, a table for each program."""
    with Project() as project:
        for program in (*LEARNERS, BAGGING):
            print(f"\n### {program}\n\n| data set | accuracy: theirs ± se | ours | difference, se |")
            print("| --- | ---: | ---: | ---: |")
            rows = list(compared_bagging(project) if program == BAGGING else compared(project, program))
            for each in rows:
                accuracies = f"{each.theirs:.2f} ± {each.error:.2f} | {each.ours:.2f}"
                print(f"| {each.name} | {accuracies} | {each.difference:+.2f} |")
            near = sum(abs(each.difference) <= 2 for each in rows)
            print(f"\nWithin two standard errors: {near} of {len(rows)}.")


if __name__ == "__main__":
    main()
