"""Orders by descriptions of data: what was best on data that look alike comes first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from intemi import ConfigurationError, Project
from intemi.machines import KNN, Majority, NaiveBayes, SklearnDataset
from intemi.machines.meta_learning import (
    ClusteringTree,
    Flow,
    KnowledgeBase,
    KnowledgeFolder,
    MetaLearner,
    NearestDescriptions,
    Order,
    PairwiseWins,
    PassiveSearch,
    Regressed,
    Set,
    Setting,
    cross_validation,
    replay,
)
from intemi.machines.meta_learning.description_orders import description_distances, selected_features

ORDERS = [NearestDescriptions(), Regressed(), PairwiseWins(), ClusteringTree()]


def base_of_two_kinds(count: int = 16, noise: int = 12) -> KnowledgeBase:
    """On data sets with many rows the first configurations are best, on others the last ones."""
    rng = np.random.default_rng(3)
    sizes = np.where(np.arange(count) % 2 == 0, 1.0, 0.0) + rng.normal(0, 0.05, count)
    means = 0.7 + 0.05 * np.outer(2 * sizes - 1, np.linspace(1, -1, 6))
    results = means[:, :, None] + rng.normal(0, 0.01, (count, 6, 8))
    descriptions = np.column_stack([rng.normal(size=(count, noise)), sizes])
    names = (*(f"noise {n}" for n in range(noise)), "log rows")
    return KnowledgeBase(tuple(f"d{n}" for n in range(count)), tuple("abcdef"), results, None, descriptions, names)


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: str(order.kind))
def test_the_best_of_similar_data_come_first(order: Order) -> None:
    base = base_of_two_kinds(noise=1)
    for place, name in enumerate(base.data_sets):
        course, _ = replay(PassiveSearch(order), base, name)
        assert course.finished[0].candidate in ("ab" if place % 2 == 0 else "ef")


@pytest.mark.parametrize("order", ORDERS[1:3], ids=lambda order: str(order.kind))
def test_meta_features_that_tell_nothing_are_left_out(order: Order) -> None:
    base = base_of_two_kinds()
    assert base.descriptions is not None
    assert 12 in selected_features(base.descriptions, base, 3)
    few = order.replace("max_features", 3)
    assert replay(PassiveSearch(few), base, "d0")[0].finished[0].candidate in "ab"
    assert replay(PassiveSearch(few), base, "d1")[0].finished[0].candidate in "ef"


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: str(order.kind))
def test_candidates_that_are_not_known_come_last(order: Order) -> None:
    base = base_of_two_kinds()
    setting = Setting(("new", *base.configurations), base, describe=lambda: {"log rows": 1.0})
    found = order.ordered(setting)
    assert found[-1] == "new"
    assert set(found) == {"new", *base.configurations}


def test_distances_are_by_ranges_and_gaps_count_as_one() -> None:
    known = np.array([[0.0, 1.0, np.nan], [10.0, 3.0, 2.0], [5.0, 2.0, np.nan]])
    assert description_distances(known, np.array([5.0, 3.0, np.nan])).tolist() == [1.5, 1.5, 0.5]


def test_descriptions_are_needed() -> None:
    base = KnowledgeBase(("d",), ("a",), [[[0.5, 0.6]]])
    with pytest.raises(ConfigurationError, match="Regressed: it needs descriptions of data sets"):
        Regressed().ordered(Setting(("a",), base))
    many = KnowledgeBase(("d",), tuple(range(51)), np.full((1, 51, 2), 0.5), None, np.ones((1, 1)), ("rows",))
    with pytest.raises(ConfigurationError, match="PairwiseWins: at most 50 candidates are compared, got 51"):
        PairwiseWins().ordered(Setting(many.configurations, many, describe=lambda: {"rows": 1.0}))


def test_descriptions_grow_with_searches_and_are_used_by_them(tmp_path: Path) -> None:
    candidates, quick = Flow((Set((Majority(), KNN(k=5), NaiveBayes())),)), cross_validation(2, 1)
    kept = KnowledgeFolder(tmp_path)
    with Project(workers=1) as project:
        for name in ("wine", "breast_cancer"):
            found = project.run(MetaLearner(candidates, validation=quick), data=data_of(project, name))
            kept.add_search(project, found)
        described = kept.base().description_of("wine")
        assert described is not None
        assert described["classes"] == 3
        search = MetaLearner(candidates, PassiveSearch(NearestDescriptions(count=1)), quick, knowledge=kept.knowledge())
        found = project.run(search, data=data_of(project, "iris"))
        first = found.children[0].config.get("test/candidate").children[0].machine
    assert first == NaiveBayes(), "it is the best on wine, which iris resembles more"


def data_of(project: Project, name: str) -> object:
    return project.request(SklearnDataset(name)).data  # type: ignore[arg-type]
