"""Default scenarios: what the author of a machine or component suggests to try for its own parameters.

A class suggests values where it declares a parameter, `k: int = parameter(default=5, search=(1, 5, 25))`; or, where a
list of values is not enough, by a method `default_scenario(self)`, which gives a scenario with paths relative to it, or
None. It speaks of its own parameters only; those of its parts are theirs to speak of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from intemi.kernel import Component, ConfigurationError, Machine
from intemi.machines.search.scenario import Scenario
from intemi.machines.search.stacked import Grid
from intemi.machines.search.steps import Steps
from intemi.machines.search.values import Values


def default_scenarios(configuration: Component) -> dict[str, Scenario]:
    """The default scenarios of everything in a configuration, by the path of what suggests them; "" is itself.

    The paths in the scenarios are relative to the configuration, so that `Grid(*default_scenarios(test).values())`
    searches everything that has a default.

    >>> from intemi.kernel import parameter
    >>> from intemi.machines.search import Grid, Steps
    >>> class Stump(Component):
    ...     share: float = parameter(default=0.5, search=(0.1, 0.5, 0.9))
    >>> class Forest(Component):
    ...     trees: int = 10
    ...     tree: Stump = Stump()
    ...     def default_scenario(self):
    ...         return Steps("trees", base=2, start=3, step=1, count=4)
    >>> for path, scenario in default_scenarios(Forest()).items():
    ...     print(repr(path), scenario.paths)
    '' ('trees',)
    'tree' ('tree.share',)
    """
    found = {}
    for path, part in parts_of(configuration):
        scenario = _suggested_by(part)
        if scenario is not None:
            found[path] = scenario.at(path) if path else scenario
    return found


def _suggested_by(part: Component) -> Scenario | None:
    suggest = getattr(type(part), "default_scenario", None)
    if suggest is not None:
        scenario = suggest(part)
        if not isinstance(scenario, Scenario | None):
            raise ConfigurationError(f"{part.kind}: default_scenario must give a Scenario or None, got {scenario!r}")
        return scenario
    declared = {field.name: field.metadata.get("search") for field in dataclasses.fields(part)}  # type: ignore[arg-type]
    values = [Values(name, tried) for name, tried in declared.items() if tried is not None]
    return values[0] if len(values) == 1 else Grid(*values) if values else None


def default_values(configuration: Component) -> dict[str, tuple[Any, ...]]:
    """The values of each parameter in a configuration that default scenarios list, by the path of the parameter.

    >>> from intemi.machines import SVM, LinearKernel
    >>> default_values(SVM(kernel=LinearKernel()))
    {'C': (0.5, 2.0, 8.0, 32.0, 128.0, 512.0, 2048.0)}
    """
    return {
        path: values for scenario in default_scenarios(configuration).values() for path, values in _listed_by(scenario)
    }


def _listed_by(scenario: Scenario) -> Iterator[tuple[str, tuple[Any, ...]]]:
    if isinstance(scenario, Steps):
        yield scenario.path, scenario.values()
    elif isinstance(scenario, Values):
        yield scenario.path, tuple(scenario.values)
    elif isinstance(scenario, Grid):
        for part in scenario.scenarios:
            yield from _listed_by(part)


def parts_of(value: Any, path: str = "") -> Iterator[tuple[str, Component]]:
    """Every component in a value with its path, outer ones first."""
    if isinstance(value, Component):
        yield path, value
        # What has named parts beside its parameters (a scheme) has everything of interest in these.
        names = [name for name in value.part_names() if name not in value.parameter_names()] or value.parameter_names()
        for name in names:
            inner = value.part(name)
            between = "/" if isinstance(value, Machine) and isinstance(inner, Machine) else "."
            yield from parts_of(inner, f"{path}{between}{name}" if path else name)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from parts_of(inner, f"{path}.{name}")
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from parts_of(inner, f"{path}.{index}")
