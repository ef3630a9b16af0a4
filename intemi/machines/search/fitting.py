"""Whether candidates can be bound: a search refuses those that cannot, before it runs anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from intemi.kernel import BindingError, Component, ConfigurationError, InfeasibleError, Machine
from intemi.kernel.ports import misfit
from intemi.machines.search.candidate import Candidate
from intemi.machines.search.scenario import AtPath, Scenario


def fitted(test: Machine, candidate: Candidate) -> Machine:
    """The test with the values of a candidate put in: as complete as it was, and for the same inputs."""
    config = candidate.applied_to(test)
    known = test.missing()
    missing = [each for each in config.missing() if each not in known]
    if missing:
        raise InfeasibleError("; ".join(missing))
    if wrong := misfit(test.inputs, {}, config.inputs, {}):
        raise BindingError(f"{config.kind} {wrong}")
    return config


def fitted_alternatives(test: Machine, scenario: Scenario) -> dict[Candidate, Machine | ConfigurationError]:
    """The tests with each machine or component that a scenario may put in, as far as that is known beforehand.

    For one that does not fit its place there is the reason. What is inside of another choice depends on it, and is
    looked at when it is proposed.
    """
    found: dict[Candidate, Machine | ConfigurationError] = {}
    for part in _at_paths(scenario):
        if not part.alternatives or not _is_in(test, part.path):
            continue
        holds_machine = isinstance(test.get(part.path), Machine)
        for value in part.alternatives:
            if holds_machine or isinstance(value, Component):
                candidate = Candidate({part.path: value})
                try:
                    found[candidate] = fitted(test, candidate)
                except ConfigurationError as error:
                    found[candidate] = error
    return found


def refuse(kind: str, candidates: Mapping[Candidate, object]) -> None:
    """One error for all candidates for which there is an error, if there are any."""
    unfit = {candidate: each for candidate, each in candidates.items() if isinstance(each, ConfigurationError)}
    if unfit:
        shown = [", ".join(f"{path} = {value!r}" for path, value in candidate.items()) for candidate in unfit]
        listed = "".join(f"\n  {each}: {error}" for each, error in zip(shown, unfit.values(), strict=True))
        raise BindingError(f"{kind}: nothing is run, because these candidates cannot be bound:{listed}")


def _at_paths(component: Component) -> Iterator[AtPath]:
    if isinstance(component, AtPath):
        yield component
    for part in component.components():
        yield from _at_paths(part)


def _is_in(test: Machine, path: str) -> bool:
    try:
        test.get(path)
    except ConfigurationError:
        return False
    return True
