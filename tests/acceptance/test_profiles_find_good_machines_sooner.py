"""On a synthetic knowledge base, profile search is ahead of the best passive order, and that one of chance."""

from __future__ import annotations

from functools import lru_cache

import pytest

from intemi.machines.meta_learning import KnowledgeBase, Nearest, PassiveSearch, ProfileSearch, RandomOrder
from scripts.synthetic_knowledge import SETTINGS, mean_area, synthetic_knowledge
from tests.profiles import by_profile

SEEDS = range(4)


@lru_cache
def base_of(groups: int, own: float, seed: int) -> KnowledgeBase:
    return synthetic_knowledge(groups, own, seed, configurations=400)


@pytest.mark.parametrize(("groups", "own"), SETTINGS[: by_profile(quick=1, full=2)])
def test_active_is_ahead_of_passive_and_passive_of_random(groups: int, own: float) -> None:
    in_order = 0
    for seed in SEEDS:
        base = base_of(groups, own, seed)
        active, passive = mean_area(ProfileSearch(), base), mean_area(PassiveSearch(), base)
        in_order += active > passive > mean_area(PassiveSearch(RandomOrder()), base)
    assert in_order >= 3


@pytest.mark.parametrize(("groups", "own"), SETTINGS[: by_profile(quick=1, full=2)])
def test_shapes_of_profiles_tell_more_than_their_levels(groups: int, own: float) -> None:
    better = 0
    for seed in SEEDS:
        base = base_of(groups, own, seed)
        shapes, levels = Nearest(), Nearest(standardize=False)
        better += mean_area(ProfileSearch(similarity=shapes), base) > mean_area(ProfileSearch(similarity=levels), base)
    assert better >= 3
