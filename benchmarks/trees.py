"""Growing trees and asking them, beside scikit-learn's DecisionTreeClassifier.

Fully grown trees by Gini gain on every numeric data set beside the repository (without them on those that scikit-learn
carries) and on two large generated ones. A first tree pays for sorting the table, as scikit-learn's does every time;
further trees on the table, or on parts of it, do not. The published algorithms, as they are typed, on all data sets.
Then the growth settings that somebody would compare: 20 of them, 10 × 10-fold cross-validation, through the engine with
everything kept on disk.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import Any

import numpy as np

from benchmarks.cross_validation import splits
from benchmarks.published import measure_published
from benchmarks.report import Target, in_new_process, note_progress, print_table, print_targets
from benchmarks.tables import BUILT_IN, SHARED, built_in, fresh
from intemi import Project
from intemi.data import Column, Data, Table
from intemi.machines import CART, CVDistributor, DecisionTree, Repeater, Scheme
from intemi.machines.trees import AnyOf, Depth, MaxDepth, MaxErrors, PruningTest

DEPTHS = (2, 4, 6, 8, 12)
LEAVES = (1, 2, 5, 10)


@dataclass(frozen=True)
class Sizes:
    """How many data sets, which generated ones (rows, columns), how many repetitions and rounds."""

    data_sets: int
    generated: tuple[tuple[int, int], ...]
    growth: tuple[tuple[int, int], ...]
    compared: tuple[str, ...]
    repetitions: int
    rounds: int


FULL = Sizes(
    data_sets=100,
    generated=((100_000, 20), (1_000_000, 10)),
    growth=((1_000, 10), (10_000, 10), (100_000, 10), (10_000, 20), (10_000, 40), (10_000, 80)),
    compared=("breast_cancer", "wine", "digits"),
    repetitions=10,
    rounds=5,
)
QUICK = Sizes(
    data_sets=3, generated=((2_000, 5),), growth=((500, 5), (1_000, 5)), compared=("wine",), repetitions=1, rounds=1
)


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    learner().run(data=generated(100, 2))  # loads what is loaded when it is needed
    targets = [*_measure_fits(sizes), *measure_published(sizes.data_sets), *_measure_generated(sizes)]
    targets.append(_measure_threads(sizes))
    _measure_growth(sizes)
    targets += _measure_comparison(sizes)
    print_targets(targets)
    return targets


def learner(depth: int | None = None, leaf: int = 1) -> DecisionTree:
    """What both sides grow."""
    tree = CART(surrogates=0, min_branch=leaf, refinement=None)
    return tree if depth is None else tree.replace("stop", AnyOf((MaxErrors(), MaxDepth(depth + 1))))


def numeric_data_sets(most: int) -> list[Data]:
    """Those beside the repository that scikit-learn can learn from as they are, or its own."""
    from intemi.data.arff import read_arff

    found = []
    for file in sorted(SHARED.glob("*.arff")):
        data = read_arff(file)
        if not any(column.is_nominal for column in data.columns) and not np.isnan(data.features).any():
            found.append(data)
    return (found or [built_in(name) for name in BUILT_IN])[:most]


def generated(rows: int, columns: int) -> Data:
    """Noisy numbers: two of them tell something of the class."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(columns, rows))
    classes = (features[0] + features[1] ** 2 + rng.normal(size=rows) > 1).astype(np.int32)
    names = [Column(f"x{index}") for index in range(columns)]
    return Data(Table(names, features, Column("class", ("a", "b")), classes, name=f"{rows:,} × {columns}"))


def _seconds(action: Callable[[], object], least: float = 0.05) -> float:
    """The least of a few times: others on the computer only ever add to it."""
    times = []
    while len(times) < 3 or (sum(times) < least and len(times) < 50):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


def _fit_times(data: Data) -> dict[str, float]:
    from sklearn.tree import DecisionTreeClassifier

    X, y = np.ascontiguousarray(data.features.T), data.classes
    tables = iter([fresh(data) for _ in range(50)])
    ours = learner()
    classifier = ours.run(data=data).outputs["classifier"]
    theirs = DecisionTreeClassifier(random_state=0).fit(X, y)
    return {
        "first": _seconds(lambda: ours.run(data=next(tables))),
        "again": _seconds(lambda: ours.run(data=data)),
        "theirs": _seconds(lambda: DecisionTreeClassifier(random_state=0).fit(X, y)),
        "predict": _seconds(lambda: classifier.classify(data)),
        "their predict": _seconds(lambda: theirs.predict(X)),
    }


def _rows_of(names: list[str], found: list[dict[str, float]]) -> list[list[str | float | None]]:
    return [
        [
            name,
            *(each[what] * 1e3 for what in ("first", "again", "theirs")),
            each["theirs"] / each["first"],
            each["their predict"] / each["predict"],
        ]
        for name, each in zip(names, found, strict=True)
    ]


HEADER = ["", "first ms", "again ms", "scikit-learn ms", "times faster", "predict, times faster"]


def _measure_fits(sizes: Sizes) -> list[Target]:
    data_sets = numeric_data_sets(sizes.data_sets)
    found = []
    for data in data_sets:
        note_progress(f"trees: {data.table.name}")
        found.append(_fit_times(data))
    print_table("Growing a tree on all rows", HEADER, _rows_of([data.table.name for data in data_sets], found))
    return [
        Target("fit / scikit-learn, all data sets", geometric_mean(e["first"] / e["theirs"] for e in found), 1 / 5),
        Target("predict / scikit-learn", geometric_mean(e["predict"] / e["their predict"] for e in found), 1 / 2),
    ]


def _measure_generated(sizes: Sizes) -> list[Target]:
    found = {}
    for rows, columns in sizes.generated:
        note_progress(f"trees: {rows:,} × {columns}")
        found[f"{rows:,} × {columns}"] = _fit_times_of_large(rows, columns)
    print_table("Growing a tree on generated tables", HEADER, _rows_of(list(found), list(found.values())))
    return [
        Target(f"fit / scikit-learn, {name}", each["first"] / each["theirs"], 1 / 2) for name, each in found.items()
    ]


def _fit_times_of_large(rows: int, columns: int) -> dict[str, float]:
    """Each tree is grown once, which takes its time; asking is short, and the least of a few times."""
    from sklearn.tree import DecisionTreeClassifier

    data = generated(rows, columns)
    X, y = np.ascontiguousarray(data.features.T), data.classes
    found: dict[str, float] = {}
    kept: dict[str, Any] = {}

    def note(what: str, action: Callable[[], Any]) -> None:
        started = time.perf_counter()
        kept[what] = action()
        found[what] = time.perf_counter() - started

    note("first", lambda: learner().run(data=data))
    note("again", lambda: learner().run(data=data))
    note("theirs", lambda: DecisionTreeClassifier(random_state=0).fit(X, y))
    found["predict"] = _seconds(lambda: kept["first"].outputs["classifier"].classify(data))
    found["their predict"] = _seconds(lambda: kept["theirs"].predict(X))
    return found


def _measure_threads(sizes: Sizes) -> Target:
    """The same trees on one thread and on two."""
    data = generated(min(20_000, sizes.generated[0][0]), 10)
    learner().run(data=data)
    shares = []
    for _ in range(sizes.rounds):
        times = []
        for threads in (1, 2):
            with ThreadPoolExecutor(threads) as pool:
                started = time.perf_counter()
                list(pool.map(lambda _: learner().run(data=data), range(8)))
                times.append(time.perf_counter() - started)
        shares.append(times[1] / times[0])
    print(f"\nTwo threads are {1 / median(shares):.2f} times as fast as one.")
    return Target("two threads / one", median(shares), 1 / 1.7)


def _measure_growth(sizes: Sizes) -> None:
    rows: list[list[str | float | None]] = []
    for number, columns in sizes.growth:
        found = _fit_times(generated(number, columns))
        rows.append([f"{number:,} × {columns}", *(found[what] * 1e3 for what in ("first", "again", "theirs"))])
    print_table("How the time grows with rows and columns", HEADER[:4], rows)


# 20 settings, 10 × 10-fold cross-validation

OURS, GRID, FOLDS = "intemi", "GridSearchCV", "joblib, a job for each fold"


def _measure_comparison(sizes: Sizes) -> list[Target]:
    rows: list[list[str | float | None]] = []
    targets = []
    for name in sizes.compared:
        rounds = []
        for number in range(min(3, sizes.rounds)):
            note_progress(f"trees: {len(DEPTHS) * len(LEAVES)} settings on {name}, round {number + 1}")
            rounds.append(
                {
                    who: in_new_process(measure, name=name, repetitions=sizes.repetitions)
                    for who, measure in ((OURS, compare_ours), (GRID, compare_grid), (FOLDS, compare_folds))
                }
            )
        for who in (OURS, GRID, FOLDS):
            best = max(rounds[0][who]["accuracies"]) * 100
            rows.append([f"{name}: {who}", median(each[who]["seconds"] for each in rounds), best])
        shares = [each[OURS]["seconds"] / min(each[GRID]["seconds"], each[FOLDS]["seconds"]) for each in rounds]
        targets.append(Target(f"20 settings on {name} / the better of the others", median(shares), 1 / 5))
    title = f"{len(DEPTHS) * len(LEAVES)} growth settings, {sizes.repetitions} × 10-fold cross-validation"
    print_table(title, ["", "s", "best accuracy %"], rows)
    return targets


def settings() -> dict[str, tuple[int, int]]:
    """Depth and least size of a leaf, by name."""
    return {f"depth {depth}, leaf {leaf}": (depth, leaf) for depth in DEPTHS for leaf in LEAVES}


def compare_ours(name: str, repetitions: int) -> dict[str, Any]:
    """In a process of its own: from the question to all accuracies. A tree of some depth is a deeper one, cut there."""
    data = built_in(name)
    test = Scheme(training=Data, test=Data)
    depths = PruningTest([depth + 1 for depth in DEPTHS], Depth(passes=None))  # there the root has depth 0
    grown = [test.add(learner(max(DEPTHS), leaf), name=f"leaf {leaf}", data=test.training) for leaf in LEAVES]
    test.add(depths, name="depths", data=test.test, trees=[each.tree for each in grown])
    with tempfile.TemporaryDirectory() as folder, Project(folder) as project:  # loads what is loaded when it is needed
        done = project.run(Repeater(CVDistributor(2), test, 1, seed=1), data=project.given(built_in("iris")))
        project.query(done, type=PruningTest, labels=["Accuracy"])
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        with Project(folder) as project:
            done = project.run(Repeater(CVDistributor(10), test, repetitions, seed=1), data=project.given(data))
            found = np.mean(project.query(done, type=PruningTest, labels=["Accuracy"])["Accuracy"], axis=0)
        seconds = time.perf_counter() - started
    return {"seconds": seconds, "accuracies": found.T.ravel().tolist()}


def compare_grid(name: str, repetitions: int) -> dict[str, Any]:
    """In a process of its own: GridSearchCV on all cores."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    data = built_in(name)
    X, y = np.ascontiguousarray(data.features.T), data.classes
    divided = list(splits(data, repetitions, 10))
    grid = {"max_depth": list(DEPTHS), "min_samples_leaf": list(LEAVES)}
    tree = DecisionTreeClassifier(random_state=0)
    GridSearchCV(tree, {"max_depth": [1, 2]}, cv=divided[:4], n_jobs=-1, refit=False).fit(X, y)  # starts the workers
    started = time.perf_counter()
    found = GridSearchCV(tree, grid, cv=divided, n_jobs=-1, refit=False).fit(X, y)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "accuracies": found.cv_results_["mean_test_score"].tolist()}


def compare_folds(name: str, repetitions: int) -> dict[str, Any]:
    """In a process of its own: joblib on all cores, one fold at a time."""
    from joblib import Parallel, delayed

    data = built_in(name)
    X, y = np.ascontiguousarray(data.features.T), data.classes
    divided = list(splits(data, repetitions, 10))
    Parallel(n_jobs=-1)(delayed(_scores)(X, y, *each) for each in divided[:4])  # starts the workers
    started = time.perf_counter()
    found = Parallel(n_jobs=-1)(delayed(_scores)(X, y, *each) for each in divided)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "accuracies": np.mean(found, axis=0).tolist()}


def _scores(X: Any, y: Any, training: Any, test: Any) -> list[float]:
    from sklearn.tree import DecisionTreeClassifier

    found = []
    for depth, leaf in settings().values():
        tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        found.append(float(tree.fit(X[training], y[training]).score(X[test], y[test])))
    return found
