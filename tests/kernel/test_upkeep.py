"""What a folder keeps is shown by kind of machines, and values can be dropped by kind; results stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from intemi import Project
from intemi.experiments import Experiment, found, run
from intemi.kernel.decoding import shared_in
from intemi.kernel.encoding import encode_parts
from intemi.kernel.errors import MalformedError
from intemi.kernel.upkeep import prune, survey
from intemi.machines import CART, CVDistributor, NaiveBayes, SklearnClassifier, SklearnDataset

FOREST = SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 5})


def experiment() -> Experiment:
    learners = {"forest": FOREST, "bayes": NaiveBayes()}
    return Experiment(data={"iris": SklearnDataset("iris")}, learners=learners, distributor=CVDistributor(3))


def test_estimators_count_for_the_machines_that_fitted_them_and_can_be_dropped(tmp_path: Path) -> None:
    pytest.importorskip("skops")
    with Project(tmp_path) as project:
        before = run(experiment(), project).series()
    sizes = survey(tmp_path).values
    assert sizes["SklearnClassifier"] > 3 * 5000, "an estimator is a part of its classifier"
    dropped = prune(tmp_path, values=True, kinds=["SklearnClassifier"])
    assert dropped.bytes > 0.9 * sizes["SklearnClassifier"]
    left = survey(tmp_path).values
    assert left["SklearnClassifier"] == 0
    assert {kind: left[kind] for kind in sizes if kind != "SklearnClassifier"} == {
        kind: size for kind, size in sizes.items() if kind != "SklearnClassifier"
    }
    with Project(tmp_path) as project:
        outcome = found(experiment(), project)
        assert outcome.series() == before
        assert not project.counts().physical
        assert len(outcome.predictions("bayes")) == 150
        assert not project.counts().physical
        assert len(outcome.predictions("forest")) == 150
        assert project.counts().physical == {"SklearnClassifier": 3}, "made again, since they were asked"


def test_the_parts_of_a_value_are_found_without_building_it() -> None:
    with Project() as project:
        iris = project.run(SklearnDataset("iris"))
        done = project.run(CART(), data=iris.data)
        for value in (iris.outputs["data"].select_rows([1, 2]), done.outputs["classifier"]):
            shared: dict[bytes, object] = {}
            encoded = b"".join(encode_parts(value, shared))
            assert shared_in(encoded) == set(shared)
            assert shared
    with pytest.raises(MalformedError):
        shared_in(encoded[:-3])
