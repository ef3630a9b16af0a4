"""Nine combiners of five learners in nested cross-validation, beside scikit-learn's `StackingClassifier` for each.

Both have the same five learners, the same nine meta-learners and ten folds inside and outside. Where a combiner trains
its learners anew in scikit-learn, here all of them share 55 models for each training sample. One process each, one
thread, by CPU time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from intemi import Project
from intemi.data import Data
from intemi.kernel import Machine
from intemi.machines import (
    CART,
    KNN,
    ClassificationTest,
    CVDistributor,
    LinearRegression,
    Logistic,
    NaiveBayes,
    Repeater,
    Scheme,
    SklearnDataset,
    Stacking,
)
from intemi.machines.trees import DecisionStump, InformationGain


@dataclass(frozen=True)
class Sizes:
    """Data sets of scikit-learn, and the number of outer folds."""

    data: tuple[str, ...]
    folds: int


FULL = Sizes(data=("wine", "breast_cancer"), folds=10)
QUICK = Sizes(data=("wine",), folds=2)
TIMES = 5.0
"""How many times as fast it is to be."""
INNER_FOLDS = 10


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    rows: list[list[str | float | None]] = []
    targets = []
    for name in sizes.data:
        note_progress(f"stacking: {name}")
        ours = in_new_process(measure_ours, name=name, folds=sizes.folds)
        theirs = in_new_process(measure_theirs, name=name, folds=sizes.folds)
        ratio = theirs["cpu"] / ours["cpu"]
        rows.append([name, ours["cpu"], theirs["cpu"], ratio, ours["models"], theirs["models"]])
        rows[-1] += [ours["accuracy"], theirs["accuracy"]]
        targets.append(Target(f"ours / scikit-learn, {name}", 1 / ratio, 1 / TIMES))
    head = ["", "ours, CPU s", "scikit-learn, CPU s", "times as fast", "models trained", "by scikit-learn"]
    title = f"Nine stackings of five learners, {sizes.folds} × {INNER_FOLDS} folds"
    print_table(title, [*head, "mean accuracy", "of scikit-learn"], rows)
    print_targets(targets)
    return targets


def learners() -> tuple[Machine, ...]:
    """Five learners."""
    gain = CART(InformationGain(), surrogates=0, refinement=None)
    return CART(surrogates=0, refinement=None), gain, DecisionStump(), KNN(), NaiveBayes()


def combiners() -> dict[str, Machine]:
    """Nine combiners of them."""
    metas: tuple[Machine, ...] = (Logistic(C=0.1), Logistic(), Logistic(C=10), LinearRegression(), *learners())
    return {f"stacking {number}": Stacking(learners(), meta) for number, meta in enumerate(metas)}


def measure_ours(name: str, folds: int) -> dict[str, float]:
    """In a process of its own: a cross-validation for each combiner, one worker."""
    test = {each: _tested(combiner) for each, combiner in combiners().items()}
    _warm_up()
    started = time.process_time()
    with Project(workers=1) as project:
        data = project.request(SklearnDataset(name)).data
        found = []
        for each in test.values():
            done = project.run(Repeater(CVDistributor(folds=folds), each, seed=1), data=data)
            found.append(project.query(done, path="test/test", labels=["Accuracy", "Fold"]).mean())
        cpu = time.process_time() - started
        physical = project.counts().physical
    # Meta-learners of the same kinds are counted with the learners.
    trained = sum(physical.get(each.kind, 0) for each in {each.kind: each for each in learners()}.values())
    return {"cpu": cpu, "models": trained - 5 * folds, "accuracy": sum(found) / len(found)}


def _tested(combiner: Machine) -> Scheme:
    test = Scheme(training=Data, test=Data)
    learned = test.add(combiner, data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="test")
    return test


def _warm_up() -> None:
    """Load compiled code and libraries, which is not what is compared."""
    with Project(workers=1) as project:
        data = project.request(SklearnDataset("iris")).data
        for each in combiners().values():
            project.run(each, data=data)


def measure_theirs(name: str, folds: int) -> dict[str, float]:
    """In a process of its own: `cross_val_score` of a `StackingClassifier` for each meta-learner."""
    from sklearn import datasets
    from sklearn.ensemble import StackingClassifier
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    def trees() -> list[DecisionTreeClassifier]:
        options = ({}, {"criterion": "entropy"}, {"max_depth": 1})
        return [DecisionTreeClassifier(random_state=0, **each) for each in options]

    base = [(str(i), each) for i, each in enumerate([*trees(), KNeighborsClassifier(), GaussianNB()])]
    logistic = [LogisticRegression(C=C, max_iter=1000) for C in (0.1, 1.0, 10.0)]
    metas = [*logistic, RidgeClassifier(), *trees(), KNeighborsClassifier(), GaussianNB()]
    rows, classes = getattr(datasets, f"load_{name}")(return_X_y=True)
    started = time.process_time()
    found = [cross_val_score(StackingClassifier(base, meta, cv=INNER_FOLDS), rows, classes, cv=folds) for meta in metas]
    cpu = time.process_time() - started
    return {
        "cpu": cpu,
        "models": float(len(metas) * folds * len(base) * (INNER_FOLDS + 1)),
        "accuracy": float(sum(each.mean() for each in found) / len(found)),
    }
