"""Which rows a value is made of, and which were learned from on the way, as the requests say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from intemi import Project
from intemi.data import Data, from_numpy
from intemi.kernel.explain import replayed
from intemi.kernel.lineage import Lineage
from intemi.machines import (
    MDL,
    CVDistributor,
    DecisionTree,
    Discretization,
    ExternalTransformation,
    FeatureSelection,
    FScoreRanking,
    RefinedTree,
    Scheme,
    Standardization,
)
from intemi.machines.fairness.samples import Trace, mark_of, overlap, place_of, trace


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=1) as opened:
        yield opened


def data(rows: int = 30) -> Data:
    rng = np.random.default_rng(1)
    return from_numpy(rng.normal(size=(rows, 3)), np.arange(rows) % 2 == 0)


def lineage_of(project: Project) -> Lineage:
    engine = project._engine
    return Lineage(engine.records, engine.values, partial(replayed, engine))


def traced(project: Project, source: Any) -> Trace:
    return trace(lineage_of(project), source)


def test_a_transformation_passes_its_sample_on(project: Project) -> None:
    given = project.given(data())
    scaled = project.run(Standardization(), data=given)
    way = traced(project, scaled.transformed)
    assert way.samples == way.features == {place_of(given)}
    assert way.targets == frozenset()


def test_a_part_of_a_split_is_a_sample_of_its_own(project: Project) -> None:
    given = project.given(data())
    folds = project.run(CVDistributor(3, seed=1), data=given)
    way = traced(project, folds.test[1])
    assert way.samples == {place_of(folds.test[1])}
    assert way.above == {place_of(given)}
    lineage = lineage_of(project)
    assert not overlap(lineage, place_of(folds.test[1]), place_of(folds.training[1]))
    assert overlap(lineage, place_of(folds.test[1]), place_of(folds.training[0]))


def test_what_was_learned_from_is_passed_on_by_what_was_learned(project: Project) -> None:
    given, other = project.given(data()), project.given(data(40))
    cut = project.run(Discretization(MDL()), data=given)
    ranking = project.run(FScoreRanking(), data=given)
    moved = project.run(ExternalTransformation(), data=other, transformation=cut.transformation)
    chosen = project.run(FeatureSelection(), data=other, ranking=ranking.ranking)
    for way in (traced(project, moved.transformed), traced(project, chosen.transformed)):
        assert way.samples == {place_of(other)}
        assert way.targets == {place_of(given)}


def test_a_scheme_is_looked_into_as_it_is_drawn(project: Project) -> None:
    """What is exposed depends on one of its inputs only."""
    scheme = Scheme(training=Data, test=Data)
    learned = scheme.add(DecisionTree(), data=scheme.training)
    scaled = scheme.add(Standardization(), data=scheme.test)
    scheme.expose(classifier=learned.classifier, transformed=scaled.transformed)
    training, test = project.given(data()), project.given(data(40))
    done = project.run(scheme, training=training, test=test)
    assert traced(project, done.classifier).targets == {place_of(training)}
    assert traced(project, done.transformed)[:4] == ({place_of(test)}, frozenset(), frozenset(), {place_of(test)})


def test_a_learner_has_learned_from_what_it_was_given_whatever_is_inside(project: Project) -> None:
    given = project.given(data())
    refined = project.run(RefinedTree(), data=given)
    again = project.request(RefinedTree(), data=given)  # answered by a record: there is nothing inside to look at
    for done in (refined, again):
        assert traced(project, done.classifier).targets == {place_of(given)}


def test_only_data_that_were_learned_from_are_marked(project: Project) -> None:
    given = project.given(data())
    scaled, cut = (project.run(each, data=given) for each in (Standardization(), Discretization(MDL())))
    lineage = lineage_of(project)
    assert mark_of(lineage, given) == mark_of(lineage, scaled.transformed) == b""
    assert mark_of(lineage, cut.transformed) != b""


def test_equal_selections_by_different_rankings_have_one_mark(project: Project) -> None:
    given = project.given(data())
    by_f, by_tree = (project.run(each, data=given) for each in (FScoreRanking(), DecisionTree()))
    marks = {
        mark_of(lineage_of(project), project.run(FeatureSelection(), data=given, ranking=each.ranking).transformed)
        for each in (by_f, by_tree)
    }
    assert len(marks) == 1
