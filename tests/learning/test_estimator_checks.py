"""Fitted estimators of scikit-learn whose parts do not fit together are refused before compiled code follows them."""

from __future__ import annotations

import copy
import io
import json
import pickle
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn import cluster, datasets, ensemble, linear_model, neighbors, pipeline, preprocessing, svm, tree

from intemi.kernel import EncodingError
from intemi.machines.classifiers.estimator_checks import CHECKS, _own_bases, _parts, check_estimator
from intemi.machines.classifiers.packed_estimator import DESCRIPTION, pack, unpack

skops = pytest.importorskip("skops.io")

ROWS, CLASSES = datasets.load_wine(return_X_y=True)
ROWS = np.round(ROWS[:, :6])
ESTIMATORS: dict[str, Any] = {
    "tree": tree.DecisionTreeClassifier(random_state=0),
    "forest": ensemble.RandomForestClassifier(3, random_state=0),
    "extra trees": ensemble.ExtraTreesClassifier(3, random_state=0),
    "embedding": ensemble.RandomTreesEmbedding(3, random_state=0),
    "boosting": ensemble.GradientBoostingClassifier(n_estimators=3, random_state=0),
    "boosting of two": ensemble.GradientBoostingClassifier(n_estimators=3, init="zero", random_state=0),
    "histograms": ensemble.HistGradientBoostingClassifier(max_iter=3, random_state=0),
    "bagging": ensemble.BaggingClassifier(n_estimators=3, random_state=0),
    "ada": ensemble.AdaBoostClassifier(n_estimators=3, random_state=0),
    "svc": svm.SVC(),
    "nu": svm.NuSVC(nu=0.1),
    "one class": svm.OneClassSVM(),
    "brute": neighbors.KNeighborsClassifier(algorithm="brute"),
    "kd tree": neighbors.KNeighborsClassifier(algorithm="kd_tree"),
    "ball tree": neighbors.KNeighborsClassifier(algorithm="ball_tree"),
    "radius": neighbors.RadiusNeighborsClassifier(100.0, algorithm="ball_tree", outlier_label=0),
    "graph": neighbors.KNeighborsTransformer(),
    "means": cluster.KMeans(3, n_init=1, random_state=0),
    "one hot": preprocessing.OneHotEncoder(drop="first", max_categories=4, handle_unknown="infrequent_if_exist"),
    "bins": preprocessing.KBinsDiscretizer(quantile_method="averaged_inverted_cdf"),
    "pipeline": pipeline.make_pipeline(
        preprocessing.OneHotEncoder(handle_unknown="ignore"), linear_model.LogisticRegression(max_iter=50)
    ),
}


@cache
def fitted(name: str) -> Any:
    classes = np.minimum(CLASSES, 1) if name == "boosting of two" else CLASSES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return copy.deepcopy(ESTIMATORS[name]).fit(ROWS, classes)


def archive(estimator: Any) -> bytes:
    """An estimator as somebody packs it who checks nothing."""
    packed: bytes = skops.dumps(estimator, compression=zipfile.ZIP_DEFLATED)
    return packed


def used(estimator: Any) -> Any:
    """What an estimator makes of rows."""
    made = (estimator.predict if hasattr(estimator, "predict") else estimator.transform)(ROWS)
    return made.toarray() if hasattr(made, "toarray") else made


@pytest.mark.parametrize("name", ESTIMATORS)
def test_what_was_fitted_comes_back_as_it_was(name: str) -> None:
    back = unpack(pack(fitted(name)))
    check_estimator(back)
    np.testing.assert_array_equal(used(back), used(fitted(name)))


# Parts that do not fit


def wide(owner: Any) -> None:
    """Give a tree features that its rows do not have."""
    state, made = copy.deepcopy(owner.tree_.__getstate__()), owner.tree_.__reduce__()[1]
    state["nodes"] = state["nodes"].copy()
    state["nodes"]["feature"][state["nodes"]["left_child"] != -1] = 2**29
    owner.tree_ = type(owner.tree_)(2**30, *made[1:])
    owner.tree_.__setstate__(state)


def search(owner: Any, place: int, change: Callable[[Any], Any]) -> None:
    state = list(owner._tree.__getstate__())
    state[place] = change(state[place])
    owner._tree = type(owner._tree).__new__(type(owner._tree))
    owner._tree.__setstate__(tuple(state))


def put(owner: Any, **changes: Any) -> None:
    vars(owner).update(changes)


BROKEN: list[tuple[str, Callable[[Any], None]]] = [
    ("tree", wide),
    ("tree", lambda e: put(e, n_features_in_=5)),
    ("tree", lambda e: vars(e).pop("n_features_in_")),
    ("tree", lambda e: put(e, classes_=np.arange(2))),
    ("tree", lambda e: put(e, n_classes_=10**9)),
    ("tree", lambda e: put(e, tree_=None)),
    ("forest", lambda e: wide(e.estimators_[0])),
    ("forest", lambda e: put(e.estimators_[0], n_features_in_=99)),
    ("forest", lambda e: put(e, classes_=np.arange(60), n_classes_=60)),
    ("forest", lambda e: put(e, n_jobs=10**6)),
    ("embedding", lambda e: put(e.one_hot_encoder_, _n_features_outs=[1] * 3)),
    ("boosting", lambda e: wide(e.estimators_[0, 0])),
    ("boosting", lambda e: put(e, estimators_=np.repeat(e.estimators_[:, :1], 60, axis=1))),
    ("boosting", lambda e: put(e, estimators_=np.full((1, 3), fitted("tree")))),
    ("boosting", lambda e: put(e, classes_=np.arange(2), n_classes_=2)),
    ("boosting", lambda e: put(e, n_trees_per_iteration_=10**9)),
    ("boosting", lambda e: put(e, init_=fitted("tree"))),
    ("boosting", lambda e: put(e.init_, class_prior_=np.ones(1), classes_=np.arange(1), n_classes_=1)),
    ("boosting", lambda e: put(e, _loss=fitted("boosting of two")._loss)),
    ("boosting", lambda e: put(e, _loss=None)),
    ("boosting of two", lambda e: put(e, estimators_=np.repeat(e.estimators_, 2, axis=1))),
    ("histograms", lambda e: put(e, n_features_in_=1)),
    ("histograms", lambda e: put(e, _preprocessor=fitted("one hot"))),
    ("histograms", lambda e: put(e, _predictors=[row * 2 for row in e._predictors])),
    ("histograms", lambda e: put(e._bin_mapper, is_categorical_=np.ones(6, np.uint8))),
    ("histograms", lambda e: e._predictors[0][0].nodes.__setitem__("is_categorical", 1)),
    ("bagging", lambda e: wide(e.estimators_[0])),
    ("ada", lambda e: wide(e.estimators_[0])),
    ("svc", lambda e: put(e, support_=np.full(len(e.support_), 2**30, np.int32))),
    ("svc", lambda e: put(e, kernel="precomputed", shape_fit_=(2**30, 2**30))),
    ("svc", lambda e: put(e, support_vectors_=e.support_vectors_[:, :3].copy())),
    ("svc", lambda e: put(e, _dual_coef_=e._dual_coef_[:, :1].copy())),
    ("svc", lambda e: put(e, _intercept_=np.zeros(1))),
    ("svc", lambda e: put(e, _n_support=np.array([10**8, 1, 1], np.int32))),
    ("svc", lambda e: put(e, _probA=np.zeros(1), _probB=np.zeros(1))),
    ("svc", lambda e: put(e, _sparse=True)),
    ("svc", lambda e: put(e, _impl="epsilon_svr")),
    ("one class", lambda e: put(e, _dual_coef_=np.zeros((1, 1)))),
    ("brute", lambda e: put(e, _y=e._y + 10**6)),
    ("brute", lambda e: put(e, n_neighbors=10**9)),
    ("brute", lambda e: put(e, effective_metric_params_={"VI": np.zeros((1, 1))})),
    ("graph", lambda e: put(e, n_samples_fit_=10)),
    ("kd tree", lambda e: search(e, 3, lambda bounds: np.ascontiguousarray(bounds[:, :, :0]))),
    ("kd tree", lambda e: search(e, 1, lambda indices: indices + 10**6)),
    ("kd tree", lambda e: search(e, 6, lambda nodes: 10**6)),
    ("kd tree", lambda e: search(e, 0, lambda rows: np.ascontiguousarray(rows[:, :2]))),
    ("ball tree", lambda e: search(e, 11, lambda metric: odd_metric())),
    ("means", lambda e: put(e, _n_threads=-1)),
    ("means", lambda e: put(e, cluster_centers_=np.zeros((3, 1)))),
    ("one hot", lambda e: put(e, _n_features_outs=[1] * 6)),
    ("one hot", lambda e: put(e, _default_to_infrequent_mappings=[np.full(len(c), 10**9) for c in e.categories_])),
    ("one hot", lambda e: put(e, _drop_idx_after_grouping=np.full(6, -5, dtype=object))),
    ("one hot", lambda e: put(e, categories_=[c[::-1].copy() for c in e.categories_])),
    ("bins", lambda e: put(e._encoder, _n_features_outs=[1] * 6)),
    ("pipeline", lambda e: put(e[0], _n_features_outs=[1] * 6)),
    ("pipeline", lambda e: put(e[1], coef_=odd_sparse())),
]


def odd_metric() -> Any:
    return neighbors.BallTree(np.zeros((4, 2)), metric="seuclidean", V=np.ones(2)).__getstate__()[11]


def odd_sparse() -> Any:
    from scipy.sparse import csr_matrix

    made = csr_matrix(np.eye(3))
    made.indices[:] = 2**30
    return made


@pytest.mark.parametrize(("name", "change"), BROKEN, ids=[f"{i} {name}" for i, (name, _) in enumerate(BROKEN)])
def test_parts_that_do_not_fit_together_are_refused(name: str, change: Callable[[Any], None]) -> None:
    estimator = pickle.loads(pickle.dumps(fitted(name)))
    change(estimator)
    with pytest.raises(EncodingError):
        pack(estimator)
    with pytest.raises(Exception, match=r".") as refused:  # skops has no format for some of these
        check_estimator(unpack(archive(estimator)))
    assert not isinstance(refused.value, AssertionError)


def test_a_class_that_nothing_can_check_is_neither_written_nor_read() -> None:
    density = neighbors.KernelDensity().fit(ROWS)
    with pytest.raises(EncodingError, match="KernelDensity has no safe encoding: nothing can check it"):
        pack(density)
    with pytest.raises(EncodingError, match="nothing can check it"):
        check_estimator(unpack(archive(density)))


def test_compiled_objects_that_are_not_checked_are_not_built() -> None:
    packed = archive(fitted("tree"))
    for name in ("sklearn.tree._splitter.BestSplitter", "sklearn.neighbors._quad_tree._QuadTree"):
        module, _, kind = name.rpartition(".")
        odd = {"__class__": kind, "__module__": module, "__loader__": "ConstructorFromReduceNode"}
        described = {**description_of(packed), **odd, "content": {**empty_tuple(), "__id__": 1}}
        with pytest.raises(EncodingError, match=f"types {name} is not read"):
            unpack(with_description(packed, described))


def empty_tuple() -> dict[str, Any]:
    return {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": []}


def description_of(packed: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        found: dict[str, Any] = json.loads(opened.read(DESCRIPTION))
    return found


def with_description(packed: bytes, described: dict[str, Any]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, json.dumps(described) if name == DESCRIPTION else old.read(name))
    return made.getvalue()


# Bombs


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    estimator = pickle.loads(pickle.dumps(fitted("tree")))
    estimator.more_ = np.zeros(2**22)
    bomb = archive(estimator)
    with pytest.raises(EncodingError, match=r"more than 16,777,216 bytes when unpacked; .* INTEMI_MAX_UNPACKED"):
        unpack(bomb)
    monkeypatch.setenv("INTEMI_MAX_UNPACKED", str(2**26))
    assert unpack(bomb).more_.shape == (2**22,)


def test_a_regular_estimator_is_packed_so_that_it_can_be_read() -> None:
    estimator = pickle.loads(pickle.dumps(fitted("tree")))
    estimator.more_ = np.zeros(2**22)
    assert unpack(pack(estimator)).more_.shape == (2**22,)


def test_one_array_that_is_named_many_times_counts_each_time() -> None:
    estimator = pickle.loads(pickle.dumps(fitted("tree")))
    estimator.more_ = np.zeros(2**18)
    packed = archive(estimator)
    described = description_of(packed)
    array = described["content"]["content"]["more_"]
    others = [{**array, "__id__": 10**6 + index} for index in range(100)]
    described["content"]["content"]["more_"] = {**empty_tuple(), "__id__": 5, "content": others}
    with pytest.raises(EncodingError, match="bytes when unpacked"):
        unpack(with_description(packed, described))


def test_objects_that_name_the_next_twice_are_refused_at_once() -> None:
    packed = archive(fitted("tree"))
    described = description_of(packed)
    part: dict[str, Any] = {**empty_tuple(), "__id__": 10**6}
    for level in range(1, 60):
        part = {**empty_tuple(), "__id__": 10**6 + level, "content": [part, {"__id__": part["__id__"]}]}
    described["content"]["content"]["more_"] = part
    with pytest.raises(EncodingError, match="several objects of one name"):
        unpack(with_description(packed, described))


# Fuzzing


STORM = """
import sys
import warnings

from tests.learning.test_estimator_checks import storm

warnings.simplefilter("ignore")
print(*storm(int(sys.argv[1]), int(sys.argv[2])))
"""


def storm(seed: int, tries: int) -> tuple[int, int]:
    """Change parts of estimators at random; how many were refused, and how many were used without harm."""
    from intemi.kernel.errors import IntemiError

    rng = np.random.default_rng(seed)
    refused = harmless = 0
    for _ in range(tries):
        name = str(rng.choice(list(ESTIMATORS)))
        estimator = pickle.loads(pickle.dumps(fitted(name)))
        try:
            change(estimator, rng)
            check_estimator(estimator)
        except (IntemiError, ValueError, TypeError, OverflowError):  # the last ones by `__setstate__`
            refused += 1
            continue
        with suppress(Exception):  # of Python, which is what is allowed: a model file makes one error of it
            used(estimator)
        harmless += 1
    return refused, harmless


def change(estimator: Any, rng: np.random.Generator) -> None:
    """Change one part of an estimator, as somebody who knows its state."""
    places = [part for part in _parts(estimator) if state_of(part)]
    part = places[rng.integers(len(places))]
    state = dict(state_of(part))
    key = list(state)[rng.integers(len(state))]
    state[key] = changed(state[key], rng)
    if hasattr(part, "__dict__") and not hasattr(part, "get_arrays"):
        vars(part)[key] = state[key]
    else:
        part.__setstate__(state if type(part).__name__ == "Tree" else tuple(state.values()))


def state_of(part: Any) -> dict[Any, Any]:
    """The parts of an object that may be changed: those that it has after it was fitted."""
    if type(part).__name__ == "Tree":
        return dict(part.__getstate__())
    if hasattr(part, "get_arrays"):
        return dict(enumerate(part.__getstate__()))
    kept = vars(part) if hasattr(part, "__dict__") else {}
    return {name: value for name, value in kept.items() if name.endswith("_") or name.startswith("_")}


def changed(value: Any, rng: np.random.Generator) -> Any:
    odd = [-1, 0, 1, 2, 7, 200, 2**31 - 1, -(2**31)]
    if isinstance(value, np.ndarray) and value.size:
        made = value.copy()
        if rng.random() < 0.4:
            axis = int(rng.integers(made.ndim))
            return np.ascontiguousarray(
                np.take(made, np.arange(made.shape[axis] // 2), axis)
                if rng.random() < 0.5
                else np.repeat(made, 3, axis)
            )
        flat = made.reshape(-1)
        place = int(rng.integers(len(flat)))
        if made.dtype.names:
            names = [each for each in made.dtype.names if made.dtype[each].kind in "iu"]
            field = names[rng.integers(len(names))]
            info = np.iinfo(made.dtype[field])
            flat[field][place] = np.clip(odd[rng.integers(len(odd))], info.min, info.max)
        elif made.dtype.kind in "iu":
            info = np.iinfo(made.dtype)
            flat[place] = np.clip(odd[rng.integers(len(odd))], info.min, info.max)
        elif made.dtype.kind == "f":
            flat[place] = rng.choice([np.nan, np.inf, -1e300, 0.0])
        return made
    if isinstance(value, list | tuple) and value:
        if rng.random() < 0.5:
            return type(value)([*value, value[0]])
        return type(value)(changed(each, rng) if i == 0 else each for i, each in enumerate(value))
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | np.integer):
        return odd[rng.integers(len(odd))]
    return value


@pytest.mark.parametrize("seed", [1, 2])
def test_changed_estimators_never_lead_out_of_their_arrays(seed: int) -> None:
    done = subprocess.run([sys.executable, "-c", STORM, str(seed), "400"], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-2000:]
    refused, harmless = map(int, done.stdout.split())
    assert refused > 100
    assert harmless > 50


def test_every_class_of_the_table_exists() -> None:
    from sklearn.utils import all_estimators

    known = {base.__name__ for _, cls in all_estimators() for base in _own_bases(cls)}
    inside = {base.__name__ for name in ESTIMATORS for part in _parts(fitted(name)) for base in _own_bases(type(part))}
    rare = {"BinaryTree32", "DistanceMetric", "CyLossFunction"}
    assert set(CHECKS) <= known | inside | rare
