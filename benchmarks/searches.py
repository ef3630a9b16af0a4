"""Searches for a classifier that are compared: each gets a table, so many seconds and two cores, and gives answers.

Every one runs in a process of its own, which has imported what it needs before the clock starts. The clock runs until
the classifier has been trained on all rows that it was given.
"""

from __future__ import annotations

import json
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from intemi import Capsule, IntemiError, Limits, Project, learn
from intemi.data import Data, read
from intemi.data.exchange import features_to_pandas
from intemi.kernel import Machine
from intemi.machines.meta_learning import Flow, MetaLearner, Set, default_validation, describe
from intemi.machines.meta_learning.default_space import first_candidates
from intemi.machines.meta_learning.universal import universal_power
from intemi.machines.meta_learning.validation import CANDIDATE, RESULT
from intemi.machines.search.defaults import default_values

CORES = 2
RESERVE = 0.9
"""The share of the time after which those that know no limit of time begin with nothing more."""
MANY = 300
"""Candidates that are drawn at random: more than can be tested."""


@dataclass(frozen=True)
class Answer:
    """What a search answers, and how it was found."""

    classes: Any
    """The codes of the classes of the test rows."""
    tested: int
    """Candidates that were tested to the end."""
    useful: float | None = None
    """CPU seconds in tests that were finished, if that is known."""


Search = Callable[[Data, Data, float, int], Answer]
"""Takes training rows, test rows, seconds, and a seed."""


def ours(training: Data, test: Data, seconds: float, seed: int) -> Answer:
    """`intemi.learn` as one types it."""
    found = learn(training, minutes=seconds / 60, seed=seed, workers=CORES, knowledge=False)
    return Answer(found.model.classifier.classify(test), found.results["Tests"], _useful(found.results["Log"]))


def random_search(training: Data, test: Data, seconds: float, seed: int) -> Answer:
    """The same engine and the same tests of candidates that are drawn at random."""
    size, rng = describe(training), np.random.default_rng(seed)
    first = list(first_candidates(size))
    drawn = Set(tuple(dict.fromkeys(_drawn(first, rng) for _ in range(MANY))))
    search = MetaLearner(Flow((drawn,)), validation=default_validation(size), seconds=seconds)
    with Project(workers=CORES, seed=seed) as project:
        found = project.run(search, data=project.given(training))
        classes = found.outputs["classifier"].classify(test)
        return Answer(classes, found.results["Tests"], _useful(found.results["Log"]))


def _drawn(first: list[Machine], rng: np.random.Generator) -> Machine:
    """One of the first candidates, with random values of its default ranges."""
    candidate = first[rng.integers(len(first))]
    for path, values in default_values(candidate).items():
        candidate = candidate.replace(path, values[rng.integers(len(values))])
    return candidate


def _useful(log: Any) -> float:
    finished = [row["seconds"] for row in log if row["outcome"] == "finished"]
    return float(sum(finished)) / universal_power()


def optuna_search(training: Data, test: Data, seconds: float, seed: int) -> Answer:
    """Optuna's TPE: which of the first candidates, and which values of its default ranges; tested by our engine."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    ends = time.time() + seconds
    size = describe(training)
    first, validation = list(first_candidates(size)), default_validation(size)
    with Project(workers=CORES, seed=seed) as project:
        data = project.given(training)
        tests: list[Capsule] = []

        def candidate_of(trial: Any) -> Machine:
            kind = trial.suggest_categorical("kind", list(range(len(first))))
            candidate = first[kind]
            for path, values in default_values(candidate).items():
                place = trial.suggest_int(f"{kind} {path}", 0, len(values) - 1)
                candidate = candidate.replace(path, values[place])
            return candidate

        def objective(trial: Any) -> float:
            candidate = candidate_of(trial)
            limits = Limits(deadline=ends - (1 - RESERVE) * seconds)
            request = project.request(validation.fill({CANDIDATE: candidate}), data=data, limits=limits)
            try:
                done = request.wait()
            except IntemiError:
                raise optuna.TrialPruned from None
            tests.append(done)
            return float(project.query(done, path=RESULT, labels="Accuracy").mean())

        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        study.optimize(objective, timeout=RESERVE * seconds, n_jobs=CORES)
        learned = project.run(candidate_of(study.best_trial), data=data)
        return Answer(learned.outputs["classifier"].classify(test), len(tests), sum(each.cpu for each in tests))


def flaml_search(training: Data, test: Data, seconds: float, seed: int) -> Answer:
    """FLAML with its own learners: LightGBM, XGBoost, forests, extra trees and linear models."""
    from flaml import AutoML

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        search = AutoML()
        search.fit(
            features_to_pandas(training),
            training.classes,
            task="classification",
            metric="accuracy",
            time_budget=seconds,
            n_jobs=CORES,
            seed=seed,
            verbose=0,
            log_file_name=str(log),
            log_type="all",
        )
        tested = sum("record_id" in json.loads(line) for line in log.read_text().splitlines())
    return Answer(np.asarray(search.predict(features_to_pandas(test))).astype(int), tested)


def halving_search(training: Data, test: Data, seconds: float, seed: int) -> Answer:
    """`HalvingRandomSearchCV` of scikit-learn, with 9, 27, 81, … candidates as long as there is time."""
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingRandomSearchCV

    begun, tested, best = time.monotonic(), 0, None
    pipeline, space = _sklearn_space(training, seed)
    rows, classes = features_to_pandas(training), training.classes
    candidates, took = 9, 0.0
    while best is None or time.monotonic() - begun + 3 * took < RESERVE * seconds:
        started = time.monotonic()
        search = HalvingRandomSearchCV(
            pipeline, space, n_candidates=candidates, factor=3, cv=5, random_state=seed + candidates, n_jobs=CORES
        ).fit(rows, classes)
        took, tested = time.monotonic() - started, tested + candidates
        if best is None or search.best_score_ > best.best_score_:
            best = search
        candidates *= 3
    return Answer(best.predict(features_to_pandas(test)), tested)


def _sklearn_space(data: Data, seed: int) -> tuple[Any, list[dict[str, list[Any]]]]:
    """A space like ours: the same kinds of learners with similar ranges."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.ensemble import (
        AdaBoostClassifier,
        ExtraTreesClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    names = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    )
    prepared = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (names, make_column_selector(dtype_exclude="number")),
    )
    powers = [2.0**power for power in range(-10, 5, 2)]
    kinds: list[tuple[Any, dict[str, list[Any]]]] = [
        (GaussianNB(), {"var_smoothing": [1e-9, 1e-6, 1e-3]}),
        (KNeighborsClassifier(), {"n_neighbors": list(range(1, 20, 2)), "weights": ["uniform", "distance"]}),
        (LogisticRegression(max_iter=1000), {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}),
        (SVC(), {"C": [2.0**power for power in range(-1, 12, 2)], "gamma": powers}),
        (SVC(kernel="poly", degree=2, coef0=1.0), {"C": [2.0**power for power in range(-1, 12, 2)]}),
        (
            DecisionTreeClassifier(random_state=seed),
            {"min_samples_leaf": [1, 2, 5, 10], "ccp_alpha": [0.0, 0.001, 0.01]},
        ),
        (RandomForestClassifier(random_state=seed), {"max_features": ["sqrt", 0.33], "min_samples_leaf": [1, 2, 5]}),
        (ExtraTreesClassifier(random_state=seed), {"max_features": ["sqrt", 0.33], "min_samples_leaf": [1, 3, 5]}),
        (AdaBoostClassifier(random_state=seed), {"n_estimators": [10, 20, 50]}),
        (
            HistGradientBoostingClassifier(random_state=seed),
            {"max_iter": [20, 50, 100, 200], "max_leaf_nodes": [4, 6, 8, 16, 31], "learning_rate": [0.03, 0.1, 0.3]},
        ),
        (QuadraticDiscriminantAnalysis(), {"reg_param": [0.01, 0.1, 0.5]}),
    ]
    space = [
        {"learner": [kind], **{f"learner__{name}": values for name, values in ranges.items()}} for kind, ranges in kinds
    ]
    return Pipeline([("prepared", prepared), ("learner", kinds[0][0])]), space


SEARCHES: dict[str, Search] = {
    "intemi": ours,
    "random": random_search,
    "Optuna TPE": optuna_search,
    "halving": halving_search,
    "FLAML": flaml_search,
}


def tried(search: str, file: str, fold: int, seconds: float) -> dict[str, Any]:
    """What a search finds in one half of a file, and how many rows of the other half it gets wrong.

    One that fails answers with the most frequent class.
    """
    warnings.simplefilter("ignore")
    data = read(file)
    training, test = list(_halves(data))[fold]
    _warm_up(search, training)
    begun = time.monotonic()
    failure = None
    try:
        answer = SEARCHES[search](training, test, seconds, fold)
    except Exception as error:  # whatever it is, the others go on
        failure = str(error)
        answer = Answer(np.bincount(training.classes).argmax(), 0, 0.0)
    took = time.monotonic() - begun
    wrong = int(np.sum(np.asarray(answer.classes) != test.classes))
    counts = {"wrong": wrong, "rows": len(test), "tested": answer.tested}
    return {**counts, "took": took, "useful": answer.useful, "failure": failure}


def _halves(data: Data) -> Iterator[tuple[Data, Data]]:
    from sklearn.model_selection import StratifiedKFold

    warnings.simplefilter("ignore")
    folds = StratifiedKFold(2, shuffle=True, random_state=1).split(data.classes, data.classes)
    for training, test in folds:
        yield data.select_rows(training), data.select_rows(test)


def _warm_up(search: str, training: Data) -> None:
    """Import and load what the search needs: that is not measured."""
    universal_power()
    if search == "FLAML":
        import xgboost  # noqa: F401
    elif search == "halving":
        from joblib import Parallel, delayed

        _sklearn_space(training, 0)
        Parallel(n_jobs=CORES)(delayed(_sklearn_space)(training, each) for each in range(CORES))
    else:
        if search == "Optuna TPE":
            import optuna  # noqa: F401
        list(first_candidates(describe(training)))
