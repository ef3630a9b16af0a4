"""Whatever is read from a store is checked before compiled code follows its indices: at worst it counts as absent."""

from __future__ import annotations

import pickle
import sqlite3
import zipfile
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import Machine, Project, StoreWarning
from intemi.kernel.decoding import decode
from intemi.kernel.disk.format import CONTENT, seal, unseal
from intemi.kernel.encoding import encode_once
from intemi.kernel.errors import EncodingError, MalformedError
from intemi.machines import (
    KNN,
    SVM,
    ClassificationTest,
    Discretization,
    FeatureSelection,
    FScoreRanking,
    Imputation,
    Majority,
    NaiveBayes,
    PrincipalComponents,
    SklearnClassifier,
    SklearnDataset,
    Standardization,
)
from intemi.machines.classifiers.estimator_checks import _parts
from intemi.machines.classifiers.sklearn_estimator import FittedEstimator
from intemi.machines.trees import C45, CART, QUEST, CTree, DecisionTree
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.tree import Tree
from tests.learning.tables import mixed
from tests.profiles import by_profile
from tests.programs import run_python

STORM = """
import sys
import numpy as np
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode_once
from intemi.kernel.errors import EncodingError
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.refinement.counting import counted
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.tree import Tree
from tests.acceptance.test_decoded_values_are_checked_before_compiled_code import trees

rng = np.random.default_rng(int(sys.argv[1]))
refused = used = 0
for classifier, data in trees():
    columns, labels, nodes, tests, integers, numbers = classifier.tree.state()
    for _ in range(60):
        changed, others = integers.copy(), numbers.copy()
        for place in rng.integers(len(changed), size=rng.integers(1, 3)):
            changed[place] = rng.choice([-(2**31), -2, -1, 0, 1, 2, nodes, tests, 2**31 - 1, changed[place] // 2])
        if rng.random() < 0.3:
            others[rng.integers(len(others))] = rng.choice([np.nan, np.inf, -np.inf, 1e300, -1.0, 0.5, 7.0])
        bad = Tree.from_state((columns, labels, nodes, tests, changed, others))
        try:
            tree = decode(encode_once(bad))
        except EncodingError:
            refused += 1
            continue
        used += 1
        TreeClassifier(columns, labels, tree, classifier.decision).probabilities(data)
        counted(tree, data)
        tree.levels
print(refused, used)
"""


def outputs(machine: Machine, **given: Any) -> dict[str, Any]:
    """What a machine gives."""
    with Project(workers=1) as project:
        done = project.run(machine, **{name: project.given(value) for name, value in given.items()})
        return dict(done.outputs)


def trees() -> list[tuple[Any, Data]]:
    """Trees with all kinds of tests, and data to send down."""
    data = mixed()
    numeric = outputs(SklearnDataset("wine"))["data"]
    learners = [C45(refinement=None), CART(refinement=None), DecisionTree(), CTree()]
    made = [(outputs(learner, data=data)["classifier"], data) for learner in learners]
    return [
        *made,
        *((outputs(learner, data=numeric)["classifier"], numeric) for learner in (C45(refinement=None), QUEST())),
    ]


def test_sound_trees_are_read() -> None:
    for classifier, _ in trees():
        assert decode(encode_once(classifier.tree)) == classifier.tree


@pytest.mark.parametrize("seed", range(1, by_profile(quick=2, full=5)))
def test_tampered_trees_never_lead_out_of_their_arrays(seed: int) -> None:
    done = run_python("-c", STORM, str(seed), cwd=Path.cwd(), timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    refused, used = map(int, done.stdout.split())
    assert refused > used > 0


def state_of(tree: Tree) -> dict[str, Any]:
    return dict(zip(("columns", "labels", "nodes", "tests", "integers", "numbers"), tree.state(), strict=True))


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": 0},
        {"nodes": -1},
        {"nodes": 10**9},
        {"nodes": 1.0},
        {"tests": 10**9},
        {"labels": ()},
        {"labels": ("a",) * 5000},
        {"columns": ()},
        {"columns": (1, 2)},
        {"integers": np.zeros(3, np.int32)},
        {"integers": np.zeros(300, np.int64)},
        {"numbers": np.zeros(3)},
        {"numbers": "text"},
    ],
)
def test_pieces_of_other_sizes_and_types_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(EncodingError):
        decode(forged({**state_of(trees()[0][0].tree), **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": 0},
        {"nodes": 10**9},
        {"tests": 10**9},
        {"labels": ("a",) * 5000},
        {"labels": 7},
        {"columns": ()},
        {"integers": np.zeros(3, np.uint8)},
        {"integers": np.full(2000, 255, np.uint8)},
        {"integers": "text"},
        {"which weights": np.zeros(3, np.uint8)},
        {"which weights": np.full(10**4, 255, np.uint8)},
        {"weights": np.zeros(3, np.uint8)},
        {"weights": np.array(["text"])},
        {"which others": np.zeros(0, np.uint8)},
        {"others": np.zeros((2, 2))},
        {"others": None},
    ],
)
def test_pieces_of_large_trees_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    state = large_tree().state()
    assert len(state) == len(COMPACT)
    assert decode(forged(dict(zip(COMPACT, state, strict=True)))) == large_tree()
    with pytest.raises(EncodingError):
        decode(forged({**dict(zip(COMPACT, state, strict=True)), **changes}))


def test_tampered_large_trees_never_lead_out_of_their_arrays() -> None:
    rng = np.random.default_rng(1)
    classifier, data = large()
    sound = dict(zip(COMPACT, large_tree().state(), strict=True))
    refused = used = 0
    for _ in range(150):
        name = rng.choice([each for each in COMPACT if isinstance(sound[each], np.ndarray)])
        changed = sound[name].copy()
        changed[rng.integers(len(changed), size=2)] = rng.integers(0, 100, 2)
        try:
            tree = decode(forged({**sound, name: changed}))
        except EncodingError:
            refused += 1
            continue
        used += 1
        TreeClassifier(tree.columns, tree.labels, tree, classifier.decision).probabilities(data)
    assert refused > 0
    assert used > 0


COMPACT = (
    "columns",
    "labels",
    "nodes",
    "tests",
    "integers",
    "which weights",
    "weights",
    "which others",
    "others",
)


@cache
def large() -> tuple[Any, Data]:
    """A tree of several hundred nodes, and its data."""
    rng = np.random.default_rng(0)
    target = Column("class", ("a", "b", "c"))
    data = Data(Table([Column("x"), Column("y")], rng.random((2, 600)), target, rng.integers(3, size=600)))
    return outputs(CART(refinement=None), data=data)["classifier"], data


def large_tree() -> Tree:
    tree: Tree = large()[0].tree
    return tree


def forged(parts: dict[str, Any]) -> bytes:
    """The bytes of a tree with such a state."""
    tree = object.__new__(Tree)
    tree.__dict__["state"] = lambda: tuple(parts.values())
    return encode_once(tree)


KINDS = ["tree", "bayes", "majority", "neighbours", "vectors", "scaling", "imputation", "intervals", "projection"]
KINDS += ["ranking", "selection", "estimator"]


@cache
def values() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Values that machines leave, and what an attacker puts into their fields."""
    wine = outputs(SklearnDataset("wine"))["data"]
    data = mixed()
    short = np.zeros(1)
    return {
        "tree": (trees()[0][0], {"columns": (), "labels": ("a",), "tree": 1, "decision": None}),
        "bayes": (outputs(NaiveBayes(), data=data)["classifier"], {"log_priors": short, "features": (short,)}),
        "majority": (outputs(Majority(), data=data)["classifier"], {"shares": short, "labels": 5}),
        "neighbours": (outputs(KNN(), data=wine)["classifier"], {"known": data, "k": 0, "distance": 3}),
        "vectors": (
            outputs(SVM(), data=wine)["classifier"],
            {"classes": np.array([0, 1, 99], np.int32), "coefficients": short, "offsets": short, "vectors": data},
        ),
        "scaling": (outputs(Standardization(), data=wine)["transformation"], {"center": short, "factor": short}),
        "imputation": (outputs(Imputation(), data=data)["transformation"], {"values": short, "columns": 1}),
        "intervals": (outputs(Discretization(), data=wine)["transformation"], {"thresholds": (None,)}),
        "projection": (outputs(PrincipalComponents(), data=wine)["transformation"], {"directions": np.zeros((2, 2))}),
        "ranking": (outputs(FScoreRanking(), data=wine)["ranking"], {"order": (0, 99), "values": (1.0,)}),
        "selection": (
            outputs(FeatureSelection(), data=wine, ranking=outputs(FScoreRanking(), data=wine)["ranking"])[
                "transformation"
            ],
            {"chosen": (-1, 99)},
        ),
        "estimator": (
            outputs(SklearnClassifier("sklearn.tree.DecisionTreeClassifier"), data=wine)["classifier"],
            {"classes": np.array([0, 1, 7], np.int32), "fitted": 1},
        ),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_values_whose_parts_do_not_fit_are_refused(kind: str) -> None:
    value, changes = values()[kind]
    decode(encode_once(value), lambda name: found(parts_of(value), name))
    for field, wrong in changes.items():
        forged = object.__new__(type(value))
        forged.__dict__.update({**vars(value), field: wrong})
        shared = parts_of(forged)
        with pytest.raises(EncodingError):
            decode(encode_once(forged), lambda name, shared=shared: found(shared, name))  # type: ignore[misc]


def parts_of(value: Any) -> list[Any]:
    """Parts that the store keeps apart."""
    every = [*vars(value).values()]
    return [*every, *(each.table for each in every if isinstance(each, Data))]


def found(parts: list[Any], name: bytes) -> Any:
    return next(part for part in parts if hasattr(part, "content_digest") and part.content_digest() == name)


@pytest.mark.parametrize("rows", [np.array([0, 10**6]), np.array([-1]), np.array([0.5]), np.zeros((2, 2), int)])
def test_views_of_rows_that_there_are_not_are_refused(rows: Any) -> None:
    with pytest.raises((EncodingError, ValueError)):
        Data.from_state((mixed().table, rows, None))


SKLEARN = {
    "tree.DecisionTreeClassifier": {},
    "ensemble.RandomForestClassifier": {"n_estimators": 3, "random_state": 0},
    "ensemble.GradientBoostingClassifier": {"n_estimators": 3, "random_state": 0},
    "ensemble.AdaBoostClassifier": {"n_estimators": 3, "random_state": 0},
}


def forged_archive(estimator: Any) -> bytes:
    """An estimator as somebody packs it who checks nothing."""
    packed: bytes = pytest.importorskip("skops.io").dumps(estimator, compression=zipfile.ZIP_DEFLATED)
    return packed


def sklearn_trees(whole: Any) -> list[Any]:
    return [part for part in _parts(whole) if type(part).__name__ == "Tree"]


@pytest.mark.parametrize("path", SKLEARN)
@pytest.mark.parametrize("field", ["left_child", "right_child", "feature"])
def test_trees_of_scikit_learn_are_checked(path: str, field: str) -> None:
    wine = outputs(SklearnDataset("wine"))["data"]
    fitted = outputs(SklearnClassifier(f"sklearn.{path}", SKLEARN[path]), data=wine)["classifier"].fitted
    assert decode(encode_once(fitted)).estimator.predict(wine.features.T).shape == (len(wine),)
    for wrong in (10**9, -5, 0):
        estimator = pickle.loads(pickle.dumps(fitted.estimator))
        tree = sklearn_trees(estimator)[0]
        state = tree.__getstate__()
        state["nodes"] = state["nodes"].copy()
        state["nodes"][field][0] = wrong if field != "feature" or wrong else 13
        tree.__setstate__(state)
        with pytest.raises(EncodingError):
            decode(encode_once(FittedEstimator(fitted.origin, packed=forged_archive(estimator))))


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("svm.SVC", {}),
        ("svm.NuSVC", {}),
        ("ensemble.HistGradientBoostingClassifier", {"max_iter": 3, "random_state": 0}),
        ("neighbors.KNeighborsClassifier", {"algorithm": "kd_tree"}),
        ("neighbors.KNeighborsClassifier", {"algorithm": "ball_tree"}),
        ("naive_bayes.GaussianNB", {}),
        ("ensemble.ExtraTreesClassifier", {"n_estimators": 3, "random_state": 0}),
    ],
)
def test_sound_estimators_of_scikit_learn_are_read(path: str, options: dict[str, Any]) -> None:
    wine = outputs(SklearnDataset("wine"))["data"]
    fitted = outputs(SklearnClassifier(f"sklearn.{path}", options), data=wine)["classifier"].fitted
    again = decode(encode_once(fitted)).estimator
    assert (again.predict(wine.features.T) == fitted.estimator.predict(wine.features.T)).all()


def test_support_vectors_of_other_sizes_are_refused() -> None:
    wine = outputs(SklearnDataset("wine"))["data"]
    fitted = outputs(SklearnClassifier("sklearn.svm.SVC"), data=wine)["classifier"].fitted
    for field, wrong in {
        "support_vectors_": np.zeros((2, 13)),
        "_n_support": np.array([10**8, 1, 1], np.int32),
    }.items():
        estimator = pickle.loads(pickle.dumps(fitted.estimator))
        setattr(estimator, field, wrong)
        with pytest.raises(EncodingError):
            decode(encode_once(FittedEstimator(fitted.origin, packed=forged_archive(estimator))))


def test_a_tampered_tree_in_a_folder_is_a_miss_and_a_warning(tmp_path: Path) -> None:
    def accuracy(folder: Path | None) -> Any:
        with Project(folder, workers=1) as project:
            data = project.request(SklearnDataset("wine"))
            tree = project.run(C45(refinement=None), data=data.data)
            return project.run(ClassificationTest(), data=data.data, classifier=tree.classifier).results["Accuracy"]

    with Project(tmp_path, workers=1) as project:
        project.run(C45(refinement=None), data=project.request(SklearnDataset("wine")).data)
    count = 0
    with closing(sqlite3.connect(tmp_path / "machines.sqlite", isolation_level=None)) as db:
        for content, sealed in db.execute("SELECT id, bytes FROM contents").fetchall():
            payload = unseal(CONTENT, content, sealed)
            if b"Tree" in payload[:40]:
                columns, labels, nodes, tests, integers, numbers = decode(payload).state()
                integers = integers.copy()
                integers[nodes : 2 * nodes][integers[nodes : 2 * nodes] > 0] = 1_500_000_000
                bad = encode_once(Tree.from_state((columns, labels, nodes, tests, integers, numbers)))
                db.execute("UPDATE contents SET bytes = ? WHERE id = ?", (seal(CONTENT, content, bad), content))
                count += 1
    assert count == 1
    with pytest.warns(StoreWarning, match="is treated as absent: the nodes of a tree are numbered breadth first"):
        assert accuracy(tmp_path) == accuracy(None)


def test_a_type_of_ones_own_may_check_itself() -> None:
    from dataclasses import dataclass

    from intemi.kernel import storable

    @storable
    @dataclass(frozen=True)
    class Share:
        part: float

        def check_decoded(self) -> None:
            if not 0 <= self.part <= 1:
                raise MalformedError(f"a share is at most 1, got {self.part}")

    assert decode(encode_once(Share(0.5))) == Share(0.5)
    with pytest.raises(MalformedError, match="a share is at most 1"):
        decode(encode_once(Share(7.0)))
