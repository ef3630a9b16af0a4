"""Machines of a saved plan whose classes are not loaded."""

from __future__ import annotations

import pytest

from intemi.experiments import Comparison, Experiment
from intemi.experiments.unknown import Unknown, is_known, restored
from intemi.kernel import ConfigurationError
from intemi.machines import KNN, CVDistributor, SklearnDataset

MINE = {"type": "lab.Mine", "k": 3, "parts": [{"type": "lab.Part"}], "near": {"type": "KNN", "k": 1}}


def plan(**changes: object) -> Experiment:
    known = Experiment(
        data={"iris": SklearnDataset()}, learners={"knn": KNN(), "other": KNN(k=3)}, distributor=CVDistributor(3)
    )
    return Experiment.from_plain({**known.to_plain(), **changes})


def test_what_is_known_is_made() -> None:
    assert restored("learners", KNN(k=3).to_plain()) == KNN(k=3)
    assert plan().unknown is None


def test_what_is_not_known_keeps_its_place_and_its_plain_data() -> None:
    found = plan(learners={"knn": KNN().to_plain(), "mine": MINE})
    assert found.to_plain()["learners"]["mine"] == MINE
    assert repr(found.learners["mine"]) == "lab.Mine(k=3, near=KNN(k=1), parts=[lab.Part()])"
    assert [is_known(machine) for _, _, machine in found.cells()] == [True, False]
    assert found.unknown is not None
    assert found.unknown.startswith("lab.Mine, lab.Part are not known here")


def test_parameters_that_do_not_fit_are_shown_with_the_reason() -> None:
    found = plan(learners={"knn": {"type": "KNN", "neighbours": 3}})
    assert isinstance(found.learners["knn"], Unknown)
    assert found.unknown == "KNN(neighbours=3) is shown as written: " + found.learners["knn"].reason


@pytest.mark.parametrize("plain", [3, {}, {"type": 3}, {"type": "Gini"}])
def test_what_is_no_machine_is_refused(plain: object) -> None:
    with pytest.raises(ConfigurationError):
        restored("learners", plain)  # type: ignore[arg-type]


def test_an_unknown_machine_cannot_be_run() -> None:
    with pytest.raises(ConfigurationError, match="because"):
        Unknown("learners", MINE, "because").run()


def test_a_test_that_is_not_registered_stays_as_written_and_is_refused_when_computed() -> None:
    found = plan(comparison={**Comparison().to_plain(), "test": "RangeTest"})
    assert found.to_plain()["comparison"]["test"] == "RangeTest"
    assert found.unknown is not None
    assert found.unknown.startswith("RangeTest is not known here")
    assert Experiment.from_plain(found.to_plain()).digest == found.digest
    with pytest.raises(ConfigurationError, match="--import FILE"):
        found.comparison.test_for(found.distributor)
    with pytest.raises(ConfigurationError, match="test must be one of"):
        Comparison(test="RangeTest")
