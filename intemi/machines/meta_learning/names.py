"""Names of candidates: short enough for a table, and within one search different for different candidates."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
from typing import Any

from intemi.kernel import Component, Machine
from intemi.machines.classifiers.sklearn_estimator import SklearnLearning
from intemi.machines.classifiers.transform_and_classify import TransformAndClassify
from intemi.machines.committees.bagging import Bagging
from intemi.machines.committees.decision_rules import Vote
from intemi.machines.committees.forest_algorithms import RandomForest
from intemi.machines.search.parameter_search import ParameterSearch
from intemi.machines.search.scenario import Scenario
from intemi.machines.search.stacked import Grid
from intemi.machines.search.steps import Steps
from intemi.machines.search.values import Values
from intemi.machines.structure.scheme import Scheme
from intemi.machines.transformations.chain import TransformationChain
from intemi.machines.trees import C45, CART, ID3, QUEST, CTree, SSVTree
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.random_subset import RandomSubset

USUAL = (Vote(), ExhaustiveSearch())
"""How a forest decides and splits, unless something else is said."""


def name_of(candidate: Any) -> str:
    """What a candidate is called: its kind, and the parameters that are not as by default.

    >>> from intemi.machines import KNN, Standardization
    >>> name_of(TransformAndClassify(Standardization(), KNN(k=3)))
    'KNN(k=3) after Standardization'
    >>> name_of(RandomForest(50, "sqrt")), name_of(C45())
    ("RandomForest(50, 'sqrt')", 'C45')
    >>> from intemi.machines import LVQ, Learner, sequence, tune
    >>> name_of(tune(sequence(Learner, LVQ(), KNN(k=1)), {"k": [1, 3]}))
    'LVQ then KNN(k=1) tuned by k in [1, 3]'
    """
    if isinstance(candidate, TransformAndClassify):
        return f"{name_of(candidate.learner)} after {name_of(candidate.transformation)}"
    if isinstance(candidate, TransformationChain):
        return " + ".join(map(name_of, candidate.steps))
    if isinstance(candidate, Scheme) and candidate.children:
        return " then ".join(name_of(child.machine) for child in candidate.in_order())
    if isinstance(candidate, ParameterSearch) and candidate.winner is not None:
        return f"{name_of(candidate.test.get(candidate.winner))} tuned by {_tuning(candidate.scenario)}"
    if isinstance(candidate, SklearnLearning):
        return _called(candidate.estimator.rpartition(".")[2], candidate.options)
    if isinstance(candidate, Component):
        return _published(candidate) or _called(candidate.kind, _changed(candidate))
    if isinstance(candidate, tuple):
        return f"[{', '.join(map(name_of, candidate))}]"
    return str(candidate)


def distinct_names(candidates: Iterable[Hashable]) -> dict[Hashable, str]:
    """The names of the candidates of a search; those that share one are told apart by their digests.

    >>> from intemi.machines import KNN, tune
    >>> by_accuracy, by_log_loss = tune(KNN(), {"k": [1, 3]}), tune(KNN(), {"k": [1, 3]}, measure="Log loss")
    >>> names = distinct_names([by_accuracy, by_log_loss, KNN()])
    >>> names[by_accuracy].startswith("KNN tuned by k in [1, 3] "), names[KNN()]
    (True, 'KNN')
    """
    names = {each: name_of(each) for each in candidates}
    counts = Counter(names.values())
    return {each: name if counts[name] == 1 else name_with_digest(each) for each, name in names.items()}


def name_with_digest(candidate: Hashable) -> str:
    """The name of a candidate, and what tells it apart from another of the same name."""
    name = name_of(candidate)
    return f"{name} {candidate.digest.hex()[:8]}" if isinstance(candidate, Machine) else name


def _tuning(scenario: Scenario) -> str:
    """Which values of which parameters are tried."""
    if isinstance(scenario, Grid):
        return ", ".join(map(_tuning, scenario.scenarios))
    if isinstance(scenario, Steps | Values):
        values = scenario.values() if isinstance(scenario, Steps) else scenario.values
        return f"{scenario.path.rpartition('.')[2]} in [{', '.join(map(_value, values))}]"
    return name_of(scenario) if scenario.paths else "nothing"


def _called(kind: str, parameters: Mapping[str, Any]) -> str:
    said = ", ".join(f"{name}={_value(value)}" for name, value in parameters.items())
    return f"{kind}({said})" if said else kind


def _value(value: Any) -> str:
    return name_of(value) if isinstance(value, Component | tuple) else repr(value)


def _changed(part: Component) -> dict[str, Any]:
    """The parameters that are not as by default."""
    defaults = {each.name: each.default for each in dataclasses.fields(part)}  # type: ignore[arg-type]
    return {name: value for name, value in part.parameters().items() if value != defaults.get(name)}


def _published(machine: Component) -> str | None:
    """The name of a published algorithm, if a machine is one."""
    named = _named_trees().get(machine)
    if named is not None:
        return named
    return _forest(machine) if isinstance(machine, Bagging) else None


def _forest(machine: Bagging) -> str | None:
    """The name of a random forest, if it is one and nothing else."""
    splitter = getattr(machine.learner, "splitter", None)
    if not isinstance(splitter, RandomSubset):
        return None
    given = (machine.size, splitter.features, machine.rule, splitter.splitter)
    if RandomForest(*given) != machine:
        return None
    said = [repr(machine.size), repr(splitter.features), *(name_of(each) for each in given[2:] if each not in USUAL)]
    return f"RandomForest({', '.join(said)})"


@cache
def _named_trees() -> dict[Component, str]:
    algorithms: tuple[Callable[[], Component], ...] = (C45, CART, ID3, QUEST, CTree, SSVTree)
    return {algorithm(): algorithm.__name__ for algorithm in algorithms}
