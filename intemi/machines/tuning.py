"""Tuning: a learner whose parameters are chosen by an inner cross-validation, each time it learns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import ConfigurationError, Machine
from intemi.kernel.adoption import adopted
from intemi.kernel.errors import IntemiError
from intemi.kernel.repository import Query
from intemi.machines.classifiers import ClassificationTest
from intemi.machines.classifiers.sklearn_estimator import SklearnLearning
from intemi.machines.classifiers.sklearn_objects import option
from intemi.machines.distributors import CVDistributor
from intemi.machines.roles import Learner
from intemi.machines.search.defaults import default_scenarios, parts_of
from intemi.machines.search.parameter_search import ParameterSearch
from intemi.machines.search.scenario import Scenario
from intemi.machines.search.stacked import Grid
from intemi.machines.search.steps import Steps
from intemi.machines.search.values import Unchanged, Values
from intemi.machines.structure.repeater import Repeater
from intemi.machines.structure.scheme import Scheme

FIVE_FOLDS = CVDistributor(folds=5)


def tune(
    learner: Machine,
    values: Mapping[str, Sequence[Any]] | None = None,
    *,
    distributor: Machine = FIVE_FOLDS,
    measure: str = "Accuracy",
) -> ParameterSearch:
    """The learner with the parameters that are best in an inner test on the data it learns from.

    `values` are those to try, by the names of parameters, each with each; a name may stand for a parameter anywhere
    inside the learner, if there is one only. Without `values`, all default ranges of the learner are tried. With the
    best ones the learner learns from all its data.

    >>> from intemi.machines import KNN, Standardization, TransformAndClassify
    >>> best = tune(TransformAndClassify(transformation=Standardization(), learner=KNN()), {"k": [1, 5, 25]})
    >>> best.scenario.paths
    ('test/learner.learner.k',)
    """
    learner = adopted(learner)
    Learner.demand(learner, "tune: the learner")
    if values is None:
        scenario = default_ranges(learner)
        if not scenario.paths:
            raise ConfigurationError(f"tune: {learner.kind} has no default ranges; say which values to try")
    else:
        paths = {}
        for name, tried in values.items():
            learner, path = _found(learner, name)
            paths[path] = tried
        if not paths:
            raise ConfigurationError("tune: values must name at least one parameter, got none")
        scenario = _each_with_each([Values(path, tuple(tried)) for path, tried in paths.items()])
    return tuned_by(scenario, learner, distributor, measure)


def tuned_by(scenario: Scenario, learner: Machine, distributor: Machine, measure: str) -> ParameterSearch:
    """The learner with the parameters that a scenario finds best in an inner test on the data it learns from."""
    test = Scheme(training=Data, test=Data)
    learned = test.add(learner, data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="inner test")
    return ParameterSearch(
        test=Repeater(distributor=distributor, test=test),
        scenario=scenario.at("test/learner"),
        objective=Query("test/inner test", measure).mean(),
        winner="test/learner",
    )


def default_ranges(learner: Machine, only: Sequence[str] = ("*",), max_values: int | None = None) -> Scenario:
    """The default ranges of a learner and everything in it, each value with each; `Unchanged` if there are none.

    `only` are patterns of the paths that are wanted, in which "*" stands for anything. Of a parameter with more than
    `max_values` that many are taken, evenly spaced.

    >>> from intemi.machines import SVM
    >>> default_ranges(SVM(), only=("*sigma",), max_values=3)
    Values(path='kernel.sigma', values=(0.0009765625, 0.25, 16.0))
    >>> default_ranges(SVM(), only=("*features",))
    Unchanged()
    """
    declared = [part for scenario in default_scenarios(learner).values() for part in _parts_of_grid(scenario)]
    wanted = [part for part in declared if all(_is_like(path, only) for path in part.paths)]
    return _each_with_each([part if max_values is None else _thinned(part, max_values) for part in wanted])


def _parts_of_grid(scenario: Scenario) -> Iterator[Scenario]:
    if isinstance(scenario, Grid):
        for part in scenario.scenarios:
            yield from _parts_of_grid(part)
    else:
        yield scenario


def _is_like(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path.replace("/", "."), pattern.replace("/", ".")) for pattern in patterns)


def _thinned(scenario: Scenario, count: int) -> Scenario:
    """Evenly spaced ones of the values of one parameter; a scenario that draws, or goes by feedback, as it is."""
    if not isinstance(scenario, Steps | Values):
        return scenario
    values = [candidate[scenario.path] for candidate in scenario.begin().ask()]
    places = dict.fromkeys(np.linspace(0, len(values) - 1, min(count, len(values))).round().astype(int).tolist())
    return Values(scenario.path, tuple(values[place] for place in places))


def _each_with_each(scenarios: Sequence[Scenario]) -> Scenario:
    if not scenarios:
        return Unchanged()
    return Grid(*scenarios) if len(scenarios) > 1 else scenarios[0]


def _found(learner: Machine, name: str) -> tuple[Machine, str]:
    """The learner and the path of a parameter in it.

    Options of scikit-learn that are as by default are written down, so that they have a path.
    """
    places = {place: path for place, part in parts_of(learner) if (path := _path_in(part, name)) is not None}
    if not places:
        learner.get(name)  # says what there is
    chosen = "" if "" in places else next(iter(places))
    if chosen and len(places) > 1:
        listed = ", ".join(_joined(place, path) for place, path in places.items())
        raise ConfigurationError(f"tune: {name!r} stands for several parameters; there are {listed}")
    owner = learner.get(chosen) if chosen else learner
    if isinstance(owner, SklearnLearning) and places[chosen] == f"options.{name}" and name not in owner.options:
        written = {**owner.options, name: option(name, owner.build().get_params()[name])}
        learner = learner.replace(_joined(chosen, "options"), written)
    return learner, _joined(chosen, places[chosen])


def _path_in(part: Any, name: str) -> str | None:
    """The path of a parameter, or of an option of scikit-learn, seen from a component; None if it has none."""
    try:
        part.get(name)
    except IntemiError:
        is_option = isinstance(part, SklearnLearning) and name in part.build().get_params()
        return f"options.{name}" if is_option else None
    return name


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
