"""Pruning strengths and the validation of prunings, beside scikit-learn.

20 costs of a leaf, 10 × 10-fold cross-validation, as `GridSearchCV` does it over `ccp_alpha` on all cores, and as a
loop does with a job for each fold. Ours grows one tree in each fold and reads all costs off it, through the engine with
everything kept on disk; the clock stops when all accuracies are read, as it does for the others, and what closing the
project takes is told beside it. Where several splits are equally good, trees differ. Then the book's experiment with
single trees, with unification and without. Last, cost-complexity pruning with inner cross-validation and one standard
error on every data set beside the repository, which scikit-learn's users write themselves: the costs come from the tree
of the outer fold, each is tried in all inner folds, and the chosen one is fitted again. Of symbols scikit-learn gets a
column each. It would take hours, so it has a few outer folds only and tries some costs of long sequences; what it
measured is taken up in proportion.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import geometric_mean, median
from typing import Any

import numpy as np

from benchmarks.cross_validation import splits
from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from benchmarks.tables import BUILT_IN, SHARED, built_in
from benchmarks.trees import learner
from configs.single_trees import CRITERIA, all_in_one, methods
from intemi import Project
from intemi.data import Data
from intemi.machines import ClassificationTest, CVDistributor, Repeater, Scheme, SklearnDataset
from intemi.machines.trees import CostComplexity, Proportions, PruningTest, RefinedTree

COSTS = (0.0, *np.geomspace(1e-4, 0.1, 19).tolist())
GINI = CostComplexity(risk="gini", passes=None)
ONE_ERROR = CostComplexity(se=1, risk="gini")


@dataclass(frozen=True)
class Sizes:
    """What is compared on which data, and how often.

    `single_folds` are those of the experiment with single trees. scikit-learn validates `their_costs` costs, evenly
    taken from the sequence, in `their_folds` of the ten outer folds; in one of data sets with more than `few_rows`.
    """

    compared: tuple[str, ...]
    repetitions: int
    rounds: int
    single_folds: int
    inner_folds: int
    data_sets: int
    their_folds: int
    few_rows: int
    their_costs: int


FULL = Sizes(
    compared=("breast_cancer", "wine", "digits"),
    repetitions=10,
    rounds=3,
    single_folds=5,
    inner_folds=10,
    data_sets=100,
    their_folds=2,
    few_rows=1000,
    their_costs=30,
)
QUICK = Sizes(
    compared=("wine",),
    repetitions=1,
    rounds=1,
    single_folds=2,
    inner_folds=3,
    data_sets=2,
    their_folds=1,
    few_rows=1000,
    their_costs=10,
)


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    targets = [*_measure_strengths(sizes), _measure_unification(sizes), _measure_validation(sizes)]
    print_targets(targets)
    return targets


# 20 strengths, 10 × 10-fold cross-validation

OURS, GRID, FOLDS = "intemi", "GridSearchCV", "joblib, a job for each fold"


def _measure_strengths(sizes: Sizes) -> list[Target]:
    rows: list[list[str | float | None]] = []
    targets = []
    for name in sizes.compared:
        rounds = []
        for number in range(sizes.rounds):
            note_progress(f"pruning: {len(COSTS)} strengths on {name}, round {number + 1}")
            rounds.append(
                {
                    who: in_new_process(measure, name=name, repetitions=sizes.repetitions)
                    for who, measure in ((OURS, strengths_ours), (GRID, strengths_grid), (FOLDS, strengths_folds))
                }
            )
        same = np.array(in_new_process(same_trees, name=name))
        ours, theirs = (np.array(rounds[0][who]["accuracies"])[: len(same)] for who in (OURS, GRID))
        equal = float(np.isclose(ours, theirs)[same].mean()) * 100
        for who in (OURS, GRID, FOLDS):
            best = float(np.mean(rounds[0][who]["accuracies"], axis=0).max()) * 100
            checked = [float(same.mean()) * 100, equal] if who == OURS else [None, None]
            closed = median(each[who]["closed"] for each in rounds) if who == OURS else None
            seconds = median(each[who]["seconds"] for each in rounds)
            rows.append([f"{name}: {who}", seconds, closed, best, *checked])
        shares = [each[OURS]["seconds"] / min(each[GRID]["seconds"], each[FOLDS]["seconds"]) for each in rounds]
        targets.append(Target(f"20 strengths on {name} / the better of the others", median(shares), 1 / 20))
    title = f"{len(COSTS)} pruning strengths, {sizes.repetitions} × 10-fold cross-validation"
    header = ["", "s", "closed s", "best accuracy %", "trees as GridSearchCV's %", "same accuracies of these %"]
    print_table(title, header, rows)
    return targets


def strengths_ours(name: str, repetitions: int) -> dict[str, Any]:
    """In a process of its own: from the question to all accuracies, folds × costs."""
    data = built_in(name)
    test = Scheme(training=Data, test=Data)
    tree = test.add(learner(), data=test.training)
    test.add(PruningTest(COSTS, GINI), data=test.test, trees=tree.tree, name="test")
    with tempfile.TemporaryDirectory() as folder, Project(folder) as project:  # loads what is loaded when it is needed
        warm = project.run(Repeater(CVDistributor(2), test, 1, seed=1), data=project.given(built_in("iris")))
        project.query(warm, type=PruningTest, labels=["Accuracy", "Repetition", "Fold"])
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        with Project(folder) as project:
            done = project.run(Repeater(CVDistributor(10), test, repetitions, seed=1), data=project.given(data))
            found = project.query(done, type=PruningTest, labels=["Accuracy", "Repetition", "Fold"])
            seconds = time.perf_counter() - started
        closed = time.perf_counter() - started
    return {"seconds": seconds, "closed": closed, "accuracies": [each[0].tolist() for each in found["Accuracy"]]}


def strengths_grid(name: str, repetitions: int) -> dict[str, Any]:
    """In a process of its own: GridSearchCV on all cores."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    data = built_in(name)
    X, y = np.ascontiguousarray(data.features.T), data.classes
    divided = list(splits(data, repetitions, 10))
    tree = DecisionTreeClassifier(random_state=0)
    GridSearchCV(tree, {"max_depth": [1, 2]}, cv=divided[:4], n_jobs=-1, refit=False).fit(X, y)  # starts the workers
    started = time.perf_counter()
    found = GridSearchCV(tree, {"ccp_alpha": list(COSTS)}, cv=divided, n_jobs=-1, refit=False).fit(X, y)
    seconds = time.perf_counter() - started
    scores = [found.cv_results_[f"split{fold}_test_score"].tolist() for fold in range(len(divided))]
    return {"seconds": seconds, "accuracies": scores}


def strengths_folds(name: str, repetitions: int) -> dict[str, Any]:
    """In a process of its own: joblib on all cores, one fold at a time."""
    from joblib import Parallel, delayed

    data = built_in(name)
    X, y = np.ascontiguousarray(data.features.T), data.classes
    divided = list(splits(data, repetitions, 10))
    Parallel(n_jobs=-1)(delayed(_scores)(X, y, *each, COSTS[-2:]) for each in divided[:4])  # starts the workers
    started = time.perf_counter()
    found = Parallel(n_jobs=-1)(delayed(_scores)(X, y, *each, COSTS) for each in divided)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "accuracies": found}


def _scores(X: Any, y: Any, training: Any, test: Any, costs: Sequence[float]) -> list[float]:
    """The accuracy of a tree of scikit-learn at each cost, which it can only fit one by one."""
    from sklearn.tree import DecisionTreeClassifier

    trees = [DecisionTreeClassifier(ccp_alpha=cost, random_state=0).fit(X[training], y[training]) for cost in costs]
    return [float(tree.score(X[test], y[test])) for tree in trees]


def same_trees(name: str) -> list[list[bool]]:
    """Of each fold of the first repetition and each cost, whether both have the same tree.

    It is the same if equally large nodes are split by the same features.
    """
    from sklearn.tree import DecisionTreeClassifier

    data = built_in(name)
    X, y = np.ascontiguousarray(data.features.T), data.classes
    found = []
    for training, _ in splits(data, 1, 10):
        ours = learner().run(data=data.select_rows(training)).outputs["tree"]
        critical = GINI.path(ours, Proportions()).critical
        same = []
        for cost in COSTS:
            theirs = DecisionTreeClassifier(ccp_alpha=cost, random_state=0).fit(X[training], y[training]).tree_
            inner, split = np.flatnonzero(critical > cost), np.flatnonzero(theirs.feature >= 0)
            nodes = zip(ours.feature[ours.test_start[inner]].tolist(), ours.weights[inner].tolist(), strict=True)
            others = zip(theirs.feature[split].tolist(), theirs.n_node_samples[split].tolist(), strict=True)
            same.append(sorted(nodes) == sorted(others))
        found.append(same)
    return found


# The experiment with single trees


def _measure_unification(sizes: Sizes) -> Target:
    rounds = []
    for number in range(sizes.rounds):
        note_progress(f"pruning: unification on and off, round {number + 1}")
        rounds.append(
            [
                in_new_process(refine, folds=sizes.single_folds, inner=sizes.inner_folds, unification=level)
                for level in (2, 0)
            ]
        )
    rows: list[list[str | float | None]] = [
        [what, median(each[place]["seconds"] for each in rounds), *(rounds[0][place][count] for count in COUNTED)]
        for place, what in enumerate(("unification", "none"))
    ]
    folds = f"{sizes.single_folds} outer and {sizes.inner_folds} inner folds"
    title = f"145 refinements of trees by information gain, iris, {folds}"
    print_table(title, ["", "s", *COUNTED], rows)
    if rounds[0][0]["accuracies"] != rounds[0][1]["accuracies"]:
        raise AssertionError("results must be the same with unification and without it")
    share = median(each[0]["seconds"] / each[1]["seconds"] for each in rounds)
    return Target("single trees, unification / none", share, 1 / 3)


COUNTED = ("machines run", "trees grown")


def refine(folds: int, inner: int, unification: Any) -> dict[str, Any]:
    """In a process of its own: all refinements of one criterion, in memory."""
    with Project() as project:  # loads what is loaded when it is needed
        project.run(_refinements(folds=2, inner=2), data=project.request(SklearnDataset("wine")).data)
    with Project(unification=unification) as project:
        data = project.request(SklearnDataset("iris")).data
        started = time.perf_counter()
        done = project.run(_refinements(folds, inner), data=data)
        seconds = time.perf_counter() - started
        ran = project.counts().physical
        found = project.query(done, type=ClassificationTest, labels=["Accuracy", "machine", "Fold"])
    return {
        "seconds": seconds,
        "machines run": ran.total(),
        "trees grown": ran["DecisionTree"],
        "accuracies": [float(each) for each in found["Accuracy"]],
    }


def _refinements(folds: int, inner: int) -> Repeater:
    every = {method.key: method for method in methods(inner)}
    return Repeater(CVDistributor(folds), all_in_one(CRITERIA["IG"], every), seed=1)


# Cost-complexity with inner cross-validation and one standard error


def _measure_validation(sizes: Sizes) -> Target:
    names = ([file.stem for file in sorted(SHARED.glob("*.arff"))] or list(BUILT_IN))[: sizes.data_sets]
    note_progress(f"pruning: validation on {len(names)} data sets")
    ours = in_new_process(validate_ours, names=names)
    note_progress("pruning: validation with scikit-learn")
    theirs = in_new_process(
        validate_theirs, names=names, folds=sizes.their_folds, few=sizes.few_rows, most=sizes.their_costs
    )
    rows: list[list[str | float | None]] = []
    for name in names:
        mine, other = ours[name], theirs[name]
        accuracies = mine["accuracies"][: len(other["accuracies"])], other["accuracies"]
        rows.append(
            [
                name,
                float(mine["rows"]),
                mine["seconds"],
                other["seconds"],
                other["seconds"] / mine["seconds"],
                other["measured"],
                *(float(np.mean(each)) * 100 for each in accuracies),
            ]
        )
    header = ["", "rows", "ours s", "scikit-learn s", "times faster", "measured s", "ours %", "scikit-learn %"]
    title = "Ten-fold cross-validation of cost-complexity pruning, inner folds and one standard error"
    print_table(title, header, rows)
    print(
        f"\nscikit-learn: {sizes.their_folds} of 10 outer folds (one of more than {sizes.few_rows} rows), "
        f"{sizes.their_costs} costs of longer sequences; its seconds are what was measured, taken up to all folds and "
        "costs. Accuracies are of these folds."
    )
    shares = [ours[name]["seconds"] / theirs[name]["seconds"] for name in names]
    return Target("validation / scikit-learn, geometric mean", geometric_mean(shares), 1 / 20)


def _load(name: str) -> Data:
    from intemi.data.arff import read_arff

    file = SHARED / f"{name}.arff"
    return read_arff(file) if file.exists() else built_in(name)


def validate_ours(names: Sequence[str]) -> dict[str, Any]:
    """In a process of its own: for each data set until the accuracies of all outer folds are read."""
    test = Scheme(training=Data, test=Data)
    tree = test.add(RefinedTree(learner(), ONE_ERROR), data=test.training)
    test.add(ClassificationTest(), data=test.test, classifier=tree.classifier)
    with tempfile.TemporaryDirectory() as folder, Project(folder) as project:  # loads what is loaded when it is needed
        project.run(Repeater(CVDistributor(2), test, seed=1), data=project.given(built_in("iris")))
    found = {}
    for name in names:
        data = _load(name)
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            with Project(folder) as project:
                done = project.run(Repeater(CVDistributor(10), test, seed=1), data=project.given(data))
                series = project.query(done, type=ClassificationTest, labels=["Accuracy", "Fold"])
            seconds = time.perf_counter() - started
        accuracies = [float(each) for each in series["Accuracy"]]
        found[name] = {"seconds": seconds, "rows": len(data), "accuracies": accuracies}
    return found


def validate_theirs(names: Sequence[str], folds: int, few: int, most: int) -> dict[str, Any]:
    """In a process of its own: the same with scikit-learn, a job for each inner fold on all cores."""
    from joblib import Parallel

    with Parallel(n_jobs=-1) as parallel:
        _validate_theirs(parallel, built_in("iris"), folds=1, few=1000, most=2)  # starts the workers
        return {name: _validate_theirs(parallel, _load(name), folds, few, most) for name in names}


def _validate_theirs(parallel: Any, data: Data, folds: int, few: int, most: int) -> dict[str, Any]:
    X, y = _numbers(data)
    divided = list(islice(splits(data, 1, 10), folds if len(data) <= few else 1))
    measured, needed, accuracies = 0.0, 0.0, []
    for training, test in divided:
        started = time.perf_counter()
        accuracy, share = _validated(parallel, X, y, training, test, most)
        seconds = time.perf_counter() - started
        measured, needed = measured + seconds, needed + seconds / share
        accuracies.append(accuracy)
    return {"seconds": needed * 10 / len(divided), "measured": measured, "accuracies": accuracies}


def _validated(parallel: Any, X: Any, y: Any, training: Any, test: Any, most: int) -> tuple[float, float]:
    """The accuracy of the chosen tree, and the share of all costs that were tried."""
    from joblib import delayed
    from sklearn.model_selection import StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    X_t, y_t = X[training], y[training]
    costs = np.unique(DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X_t, y_t).ccp_alphas)
    between = np.append(np.sqrt(costs[:-1] * costs[1:]), 1.0)
    tried = np.unique(np.linspace(0, len(costs) - 1, min(most, len(costs))).round().astype(int))
    inner = StratifiedKFold(10, shuffle=True, random_state=0).split(X_t, y_t)
    scores = np.array(parallel(delayed(_scores)(X_t, y_t, *each, between[tried]) for each in inner))
    errors = 1 - scores.mean(axis=0)
    allowed = errors.min() + np.sqrt(errors.min() * (1 - errors.min()) / len(y_t))
    chosen = costs[tried[np.flatnonzero(errors <= allowed)[-1]]]
    [accuracy] = _scores(X, y, training, test, [chosen])
    return accuracy, len(tried) / len(costs)


def _numbers(data: Data) -> tuple[Any, Any]:
    """What scikit-learn gets: rows × columns, one of them for each symbol; missing numbers stay missing."""
    columns = []
    for column, values in zip(data.columns, data.features, strict=True):
        symbols = range(len(column.categories or ()))
        columns += [(values == symbol).astype(float) for symbol in symbols] if column.is_nominal else [values]
    return np.ascontiguousarray(np.array(columns).T), data.classes
