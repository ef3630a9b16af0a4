"""Tuning: a learner whose parameters are chosen by an inner cross-validation, each time it learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
from intemi.machines.search.values import Values
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
        scenarios: Sequence[Scenario] = tuple(default_scenarios(learner).values())
        if not scenarios:
            raise ConfigurationError(f"tune: {learner.kind} has no default ranges; say which values to try")
    else:
        paths = {}
        for name, tried in values.items():
            learner, path = _found(learner, name)
            paths[path] = tried
        scenarios = [Values(path, tuple(tried)) for path, tried in paths.items()]
        if not scenarios:
            raise ConfigurationError("tune: values must name at least one parameter, got none")
    test = Scheme(training=Data, test=Data)
    learned = test.add(learner, data=test.training, name="learner")
    test.add(ClassificationTest(), data=test.test, classifier=learned.classifier, name="inner test")
    return ParameterSearch(
        test=Repeater(distributor=distributor, test=test),
        scenario=Grid(*scenarios).at("test/learner") if len(scenarios) > 1 else scenarios[0].at("test/learner"),
        objective=Query("test/inner test", measure).mean(),
        winner="test/learner",
    )


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
