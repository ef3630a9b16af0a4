"""Default scenarios: found wherever a part suggests one, moved to where it is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from intemi.kernel import Component, ConfigurationError, Input, Machine, Model, Output
from intemi.machines import KNN, SVM, Count, FeatureSelection, Repeater, Scheme
from intemi.machines.search import Grid, Scenario, Steps, Values, default_scenarios
from tests.search.driving import candidates_of


class Bump(Component):
    """A part with a parameter."""

    sigma: float = 1.0

    def default_scenario(self) -> Scenario:
        return Steps("sigma", base=2, start=-1, step=1, count=3)


class Plain(Component):
    """A part that suggests nothing."""


class Learner(Machine):
    """A machine with a part."""

    data = Input(np.ndarray)
    model = Output(np.ndarray)

    C: float = 1.0
    bump: Bump | Plain = Bump()
    searched: bool = True

    def default_scenario(self) -> Scenario | None:
        return Values("C", [1, 10]) if self.searched else None

    def run(self, data: np.ndarray) -> Model:
        return Model(model=data)


class Several(Component):
    """Parts in a tuple and in a mapping."""

    bumps: tuple[Bump, ...] = (Bump(), Bump())
    named: Mapping[str, Bump] = {"one": Bump()}


class Wrong(Component):
    """A part that suggests something else."""

    def default_scenario(self) -> object:
        return "C"


def cross_validation(learner: Learner) -> Repeater:
    test = Scheme(data=np.ndarray)
    test.add(learner, name="svm", data=test.data)
    return Repeater(test=test)


def test_defaults_are_found_in_schemes_inside_of_machines() -> None:
    config = cross_validation(Learner())
    found = default_scenarios(config)
    assert found == {
        "test/svm": Values("test/svm.C", [1, 10]),
        "test/svm.bump": Steps("test/svm.bump.sigma", base=2, start=-1, step=1, count=3),
    }
    all_of_them = candidates_of(Grid(*found.values()))
    assert len(all_of_them) == 6
    assert all_of_them[-1].applied_to(config).get("test/svm") == Learner(C=10.0, bump=Bump(sigma=2.0))


def test_a_configuration_suggests_for_itself_and_for_what_is_in_it_now() -> None:
    assert list(default_scenarios(Learner())) == ["", "bump"]
    assert list(default_scenarios(Learner(bump=Plain()))) == [""]
    assert list(default_scenarios(Learner(searched=False))) == ["bump"]
    assert default_scenarios(Plain()) == {}


def test_defaults_are_found_in_tuples_and_mappings() -> None:
    found = default_scenarios(Several())
    assert list(found) == ["bumps.0", "bumps.1", "named.one"]
    changed = candidates_of(Grid(*found.values()))[0].applied_to(Several())
    assert changed == Several(bumps=[Bump(sigma=0.5)] * 2, named={"one": Bump(sigma=0.5)})


def test_a_default_that_is_no_scenario_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Wrong: default_scenario must give a Scenario or None, got 'C'"):
        default_scenarios(Wrong())


def test_the_default_scenarios_of_shipped_machines_lead_to_configurations_that_can_be_run() -> None:
    shipped = (SVM(), KNN(), FeatureSelection(choice=Count()))
    for config in shipped:
        scenarios = default_scenarios(config)
        assert scenarios
        for candidate in Grid(*scenarios.values()).begin().ask():
            assert type(candidate.applied_to(config)) is type(config)
