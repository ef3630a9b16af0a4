"""Search by a sampler of Optuna, which models what was found so far to decide what to try next."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from intemi.kernel import ConfigurationError, parameter
from intemi.machines.search.candidate import Candidate
from intemi.machines.search.distributions import Choice, Distribution, Integers, LogUniform, Uniform
from intemi.machines.search.scenario import Gathered, Proposals, Scenario


class OptunaSearch(Gathered, Scenario):
    """Let a sampler of Optuna choose `count` candidates from distributions, `at_once` of them at a time.

    The sampler is named by its class in `optuna.samplers`, and seeded like anything random here. It is known by its
    options and the version of the library. Those that were asked at once are chosen without knowing each other's
    objectives: the more of them, the more can run in parallel, and the less each one profits from the others.

    >>> OptunaSearch(Uniform("svm.C", 0, 10), sampler="TPESampler", options={"n_startup_trials": 5}, library="5.0.0")
    OptunaSearch(Uniform(path='svm.C', low=0.0, high=10.0), sampler='TPESampler', options={'n_startup_trials': 5}, \
count=50, at_once=1, library='5.0.0')
    """

    random = True

    distributions: tuple[Distribution, ...]
    sampler: str = "TPESampler"
    options: Mapping[str, Any] = {}
    count: int = parameter(default=50, at_least=1)
    at_once: int = parameter(default=1, at_least=1)
    library: str | None = None
    """The version of Optuna: the one that is installed."""

    def __init__(
        self,
        *distributions: Distribution,
        sampler: str = "TPESampler",
        options: Mapping[str, Any] | None = None,
        count: int = 50,
        at_once: int = 1,
        library: str | None = None,
    ) -> None:
        self._gather(
            distributions=distributions,
            sampler=sampler,
            options=options or {},
            count=count,
            at_once=at_once,
            library=library,
        )

    def check(self) -> None:
        super().check()
        self.check_apart()
        for each in self.distributions:
            if not isinstance(each, Uniform | LogUniform | Integers | Choice):
                raise ConfigurationError(
                    f"OptunaSearch: a distribution must be Uniform, LogUniform, Integers or Choice, got {each!r}"
                )
        if self.library is None:
            self.__dict__["library"] = _installed()

    def propose(self, rng: np.random.Generator) -> Proposals:
        if self.library != _installed():
            raise ConfigurationError(
                f"OptunaSearch: it was configured for Optuna {self.library}, this is {_installed()}"
            )
        from optuna.trial import TrialState

        study = self._study(int(rng.integers(2**31)))
        space = {each.path: _in_optuna(each) for each in self.distributions}
        for begin in range(0, self.count, self.at_once):
            trials = [study.ask(space) for _ in range(min(self.at_once, self.count - begin))]
            objectives = yield [self._candidate(trial.params) for trial in trials]
            for trial, objective in zip(trials, objectives, strict=True):
                if objective == -math.inf:
                    study.tell(trial, state=TrialState.FAIL)
                else:
                    study.tell(trial, objective)

    def _candidate(self, chosen: Mapping[str, Any]) -> Candidate:
        return Candidate(
            {
                each.path: each.values[chosen[each.path]] if isinstance(each, Choice) else chosen[each.path]
                for each in self.distributions
            }
        )

    def _study(self, seed: int) -> Any:
        import optuna

        sampler = self._sampler_class()(**self.options, seed=seed)
        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # it would announce each study
        try:
            return optuna.create_study(direction="maximize", sampler=sampler)
        finally:
            optuna.logging.set_verbosity(verbosity)

    def _sampler_class(self) -> Callable[..., Any]:
        from optuna import samplers

        known = {name: getattr(samplers, name) for name in samplers.__all__ if name.endswith("Sampler")}
        seeded = {name: cls for name, cls in known.items() if "seed" in inspect.signature(cls).parameters}
        if self.sampler not in seeded:
            raise ConfigurationError(f"OptunaSearch: sampler must be one of {', '.join(seeded)}, got {self.sampler!r}")
        found: Callable[..., Any] = seeded[self.sampler]
        allowed = [name for name in inspect.signature(found).parameters if name != "seed"]
        for name in self.options:
            if name not in allowed:
                raise ConfigurationError(
                    f"OptunaSearch: {self.sampler} has no option {name!r}; there are {', '.join(allowed)}"
                )
        return found


def _installed() -> str:
    try:
        return version("optuna")
    except PackageNotFoundError:
        raise ConfigurationError(
            "OptunaSearch: Optuna is not installed; it comes with the extra optuna, pip install 'intemi[optuna]'"
        ) from None


def _in_optuna(distribution: Distribution) -> Any:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    match distribution:
        case Uniform():
            return FloatDistribution(distribution.low, distribution.high)
        case LogUniform():
            return FloatDistribution(distribution.low, distribution.high, log=True)
        case Integers():
            return IntDistribution(distribution.low, distribution.high)
        case Choice():
            return CategoricalDistribution(range(len(distribution.values)))  # their places: values may be components
    raise AssertionError(distribution)
