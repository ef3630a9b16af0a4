"""Search by samplers of Optuna: the same as Optuna by itself, seeded, and clear where Optuna is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from intemi.kernel import ConfigurationError, from_plain
from intemi.machines.classifiers import GaussianKernel, LinearKernel
from intemi.machines.search import (
    Candidate,
    Choice,
    Distribution,
    Grid,
    Integers,
    LogUniform,
    OptunaSearch,
    Uniform,
    Values,
    optuna_search,
)
from tests.search.driving import batches_of, candidates_of

with_optuna = pytest.mark.skipif(find_spec("optuna") is None, reason="Optuna is not installed")
SPACE: Sequence[Distribution] = (
    Uniform("x", -5, 5),
    LogUniform("C", 0.01, 100),
    Integers("k", 1, 9),
    Choice("kernel", [LinearKernel(), GaussianKernel()]),
)


def objective(candidate: Candidate) -> float | None:
    if candidate["k"] == 5:
        return None
    return -((candidate["x"] - 1) ** 2) - math.log(candidate["C"]) ** 2 - (candidate["kernel"] == LinearKernel())


@with_optuna
@pytest.mark.parametrize("at_once", [1, 4])
@pytest.mark.parametrize("sampler", ["TPESampler", "RandomSampler", "QMCSampler"])
@pytest.mark.filterwarnings("ignore:.*is experimental")
def test_candidates_are_those_of_the_sampler_itself(sampler: str, at_once: int) -> None:
    import optuna

    options = {"warn_independent_sampling": False} if sampler == "QMCSampler" else {}
    scenario = OptunaSearch(*SPACE, sampler=sampler, options=options, count=18, at_once=at_once)
    batches, _ = batches_of(scenario, objective, seed=3)

    seed = int(np.random.default_rng(3).integers(2**31))
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=getattr(optuna.samplers, sampler)(**options, seed=seed))
    kernels = [LinearKernel(), GaussianKernel()]
    expected = []
    for begin in range(0, 18, at_once):
        trials = [study.ask() for _ in range(min(at_once, 18 - begin))]
        for trial in trials:
            trial.suggest_float("x", -5, 5)
            trial.suggest_float("C", 0.01, 100, log=True)
            trial.suggest_int("k", 1, 9)
            trial.suggest_categorical("kernel", [0, 1])
        chosen = [Candidate({**each.params, "kernel": kernels[each.params["kernel"]]}) for each in trials]
        expected.append(chosen)
        for trial, candidate in zip(trials, chosen, strict=True):
            value = objective(candidate)
            if value is None:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, value)
    assert batches == expected


@with_optuna
def test_the_same_generator_gives_the_same_search_whatever_is_told_first() -> None:
    scenario = OptunaSearch(*SPACE, count=20, at_once=5)
    first, search = batches_of(scenario, objective, seed=1)
    again, other = batches_of(scenario, objective, seed=1, shuffle=4)
    assert first == again
    assert search.best == other.best
    assert batches_of(scenario, objective, seed=2)[0] != first


@with_optuna
def test_feedback_matters() -> None:
    scenario = OptunaSearch(Uniform("x", 0, 1), options={"n_startup_trials": 5}, count=12)
    up, down = (candidates_of(scenario, lambda each, sign=sign: sign * each["x"]) for sign in (1, -1))
    assert up[:5] == down[:5]
    assert np.mean([each["x"] for each in up[5:]]) > np.mean([each["x"] for each in down[5:]])


@with_optuna
def test_what_is_suggested_again_is_not_asked_for_again() -> None:
    asked = candidates_of(OptunaSearch(Integers("k", 1, 3), count=20), lambda each: each["k"])
    assert sorted(each["k"] for each in asked) == [1, 2, 3]


@with_optuna
def test_it_can_be_stacked_and_moved() -> None:
    inner = OptunaSearch(Uniform("x", 0, 1), count=3)
    batches, _ = batches_of(Grid(Values("w", ["a", "b"]), inner.at("svm")), lambda each: 0.0)
    assert [[tuple(each) for each in batch] for batch in batches] == [[("w", "svm.x")] * 2] * 3
    assert inner.is_random


@with_optuna
def test_searching_says_nothing_and_leaves_the_log_of_optuna_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.INFO)
    candidates_of(OptunaSearch(Uniform("x", 0, 1), count=3))
    assert capsys.readouterr() == ("", "")
    assert optuna.logging.get_verbosity() == optuna.logging.INFO


@with_optuna
def test_the_version_of_the_library_is_part_of_the_identity() -> None:
    import optuna

    scenario = OptunaSearch(Uniform("x", 0, 1))
    assert scenario.library == optuna.__version__
    assert scenario == from_plain(scenario.to_plain())
    assert scenario != scenario.replace("library", "1.0")
    with pytest.raises(ConfigurationError, match=r"OptunaSearch: it was configured for Optuna 1\.0, this is"):
        candidates_of(scenario.replace("library", "1.0"))


@with_optuna
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampler": "Nothing"}, "OptunaSearch: sampler must be one of .*TPESampler.*, got 'Nothing'"),
        ({"sampler": "PartialFixedSampler"}, "sampler must be one of"),
        ({"options": {"startup": 1}}, "TPESampler has no option 'startup'; there are .*n_startup_trials"),
        ({"options": {"seed": 1}}, "TPESampler has no option 'seed'"),
    ],
)
def test_a_sampler_that_cannot_be_used_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        candidates_of(OptunaSearch(Uniform("x", 0, 1), **options))


class Normal(Distribution):
    """One that Optuna does not know."""

    def draw(self, rng: np.random.Generator) -> float:
        return float(rng.normal())


def test_a_distribution_that_optuna_does_not_know_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="must be Uniform, LogUniform, Integers or Choice, got Normal"):
        OptunaSearch(Normal("x"), library="1.0")


def test_without_optuna_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(optuna_search, "version", missing)
    with pytest.raises(
        ConfigurationError, match=r"Optuna is not installed; .* extra optuna, pip install 'intemi\[optuna\]'"
    ):
        OptunaSearch(Uniform("x", 0, 1))
    recorded = OptunaSearch(Uniform("x", 0, 1), library="1.0")  # what was searched elsewhere can still be read
    with pytest.raises(ConfigurationError, match="Optuna is not installed"):
        candidates_of(recorded)
