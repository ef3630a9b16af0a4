"""Profile search, passive search and active testing, on results that are on record."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi import ConfigurationError
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning import (
    ActiveTesting,
    BestOnAverage,
    Concordance,
    Curves,
    Eviction,
    GivenOrder,
    InverseDistance,
    KeepDiverse,
    KnowledgeBase,
    LandmarkSearch,
    MaxTests,
    Nearest,
    Outcome,
    PassiveSearch,
    Pearson,
    ProfileSearch,
    RandomOrder,
    Reason,
    Setting,
    Similarity,
    Spearman,
    Strategy,
    differences_of,
    replay,
)
from intemi.machines.meta_learning.deadlock_guard import DeadlockGuard
from intemi.machines.meta_learning.orders import by_weighted_score
from intemi.machines.meta_learning.profile import Profile
from intemi.machines.meta_learning.scores import PValueScore


def random_base(seed: int = 0, sets: int = 6, configurations: int = 12, splits: int = 8) -> KnowledgeBase:
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.5, 0.9, (sets, configurations, 1))
    results = means + rng.normal(0, 0.03, (sets, configurations, splits))
    return KnowledgeBase(tuple(f"d{row}" for row in range(sets)), tuple(range(configurations)), results)


def order_of_tests(strategy: Strategy, base: KnowledgeBase, data_set: str = "d0") -> list[Hashable]:
    course, reason = replay(strategy, base, data_set)
    assert reason is Reason.EXHAUSTED
    return [task.candidate for task in course.finished]


SIMILARITIES = [Pearson(), Spearman(), Concordance(), Nearest(), Nearest(standardize=False), InverseDistance()]


@pytest.mark.parametrize("similarity", SIMILARITIES, ids=repr)
@pytest.mark.parametrize("package", [1, 3, 5])
def test_every_candidate_is_tested_once(similarity: Similarity, package: int) -> None:
    found = order_of_tests(ProfileSearch(similarity=similarity, package=package), random_base())
    assert sorted(map(int, found)) == list(range(12))


@pytest.mark.parametrize("similarity", SIMILARITIES, ids=repr)
def test_a_data_set_with_the_same_results_is_the_most_similar_one(similarity: Similarity) -> None:
    rng = np.random.default_rng(3)
    known = rng.uniform(0.5, 0.9, (7, 6))
    weights = similarity.weights(known[4], known)
    assert weights.argmax() == 4 or weights[4] == weights.max()


@given(st.integers(0, 50))
def test_shape_counts_and_level_does_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    profile, known = rng.uniform(0.5, 0.9, 6), rng.uniform(0.5, 0.9, (7, 6))
    for similarity in (Pearson(), Spearman(), Concordance(), Nearest(count=3), InverseDistance()):
        np.testing.assert_allclose(
            similarity.weights(profile, known), similarity.weights(profile / 2 + 0.1, known), atol=1e-9
        )


def test_a_package_waits_for_all_its_tests() -> None:
    course = ProfileSearch(package=3).begin(Setting(tuple(range(12)), random_base()))
    package = course.tasks()
    assert len(package) == 3
    for task in package[:2]:
        task.outcome, task.results = Outcome.FINISHED, np.array([0.8])
        course.analyze(task)
        assert course.tasks() == []
    package[2].outcome = Outcome.FAILED
    course.analyze(package[2])
    following = course.tasks()
    assert len(following) == 3
    assert not {task.candidate for task in following} & {task.candidate for task in package}


def test_the_newest_ranking_comes_first_and_older_ones_follow() -> None:
    base = random_base()
    found = order_of_tests(ProfileSearch(package=2, ranking_size=3), base)
    assert len(found) == len(set(found))
    start = BestOnAverage().ordered(Setting(base.configurations, base.without("d0")))
    assert found[:2] == start[:2]


def test_one_result_says_nothing_and_the_start_goes_on() -> None:
    base = random_base()
    found = order_of_tests(ProfileSearch(package=1, start=GivenOrder()), base)
    assert found[:2] == [0, 1]


def test_a_constant_profile_gives_no_ranking() -> None:
    base = random_base()
    profile = Profile(base, Pearson(), PValueScore())
    for candidate in range(3):
        profile.register(candidate, 0.7)
    assert profile.ranking(base.configurations) is None


def test_a_configuration_without_a_column_enters_no_profile() -> None:
    profile = Profile(random_base(), Pearson(), PValueScore())
    profile.register("unheard of", 0.7)
    assert not profile.results
    assert not profile.has_changed


def test_a_bounded_profile_keeps_results_that_differ() -> None:
    base = random_base()
    profile = Profile(base, Pearson(), PValueScore(), max_size=3, eviction=KeepDiverse())
    for candidate, result in enumerate([0.5, 0.9, 0.7, 0.7001]):
        profile.register(candidate, result)
    assert len(profile.results) == 3
    assert {0, 1} <= set(profile.results)


class KeepTheOldest(Eviction):
    """Nothing new ever enters a full profile."""

    def evicted(self, results: Floats, known: Floats) -> int:
        return len(results) - 1


def guarded(stale_limit: int, rollback_after: int = 9) -> tuple[Profile, Callable[..., set[int]]]:
    """A profile of two results that never changes by itself, and what it has after a package of tests."""
    base = random_base()
    profile = Profile(base, Pearson(), PValueScore(), max_size=2, eviction=KeepTheOldest())
    guard = DeadlockGuard(profile, stale_limit, rollback_after)

    def after(*package: tuple[int, float]) -> set[int]:
        results = [(base.configurations[place], result) for place, result in package]
        for result in results:
            profile.register(*result)
        guard.look_at(results)
        return {base.configurations.index(each) for each in profile.results}

    return profile, after


def test_a_profile_that_does_not_change_has_to_take_the_newest_results_in() -> None:
    profile, after = guarded(stale_limit=2)
    assert after((0, 0.5), (1, 0.6)) == {0, 1}
    assert after((2, 0.7)) == {0, 1}
    assert after((3, 0.7)) == {0, 3}, "unchanged for two packages"
    assert profile.has_changed
    assert after((4, 0.7)) == {0, 3}


def test_after_weak_packages_the_profile_goes_back_and_on_in_another_way() -> None:
    profile, after = guarded(stale_limit=1, rollback_after=2)
    after((0, 0.5), (1, 0.5))
    assert after((2, 0.9), (3, 0.9)) != {0, 1}, "from {0, 1} followed the best package"
    after((4, 0.1))
    assert after((5, 0.1)) == {0}, "back to {0, 1}, without one of them"
    after((6, 0.1))
    assert after((7, 0.1)) == {1}, "and then without the other"
    assert profile.has_changed


@pytest.mark.parametrize("max_profile", [2, 5])
def test_a_bounded_profile_leaves_each_candidate_tested_once(max_profile: int) -> None:
    base = random_base()
    course, _ = replay(ProfileSearch(package=2, max_profile=max_profile), base, base.data_sets[0])
    assert sorted(map(str, base.configurations)) == sorted(str(task.candidate) for task in course.finished)


def test_profile_search_finds_what_similar_data_sets_say() -> None:
    rng = np.random.default_rng(1)
    shapes = rng.uniform(0.5, 0.9, (2, 20, 1))
    results = np.concatenate([np.repeat(shapes[:1], 4, 0), np.repeat(shapes[1:], 4, 0)])
    results = results + rng.normal(0, 0.01, (8, 20, 10))
    base = KnowledgeBase(tuple(f"d{row}" for row in range(8)), tuple(range(20)), results)
    for row in (0, 7):
        found = order_of_tests(ProfileSearch(package=2, start=GivenOrder()), base, f"d{row}")
        assert base.best[row] in found[:6]


@pytest.mark.parametrize(
    "strategy",
    [PassiveSearch(), PassiveSearch(RandomOrder()), ProfileSearch(), LandmarkSearch(), ActiveTesting()],
)
def test_curves_obey_their_laws(strategy: Strategy) -> None:
    base = random_base(2)
    course, _ = replay(strategy, base, "d1")
    curves = Curves.of(differences_of(course.finished, base, "d1"))
    lines = [curves.best, curves.best_three, curves.each, curves.mean]
    assert len({line[0] for line in lines}) == 1
    np.testing.assert_allclose(curves.best_three[:3], curves.mean[:3])
    assert (np.diff(curves.best) >= 0).all()
    assert (np.diff(curves.best_three[2:]) >= -1e-12).all()
    assert all((line <= 1e-12).all() for line in lines)
    assert curves.best[-1] == 0


def test_landmarks_come_first_and_settle_the_order_of_all_others() -> None:
    base = random_base(3)
    order = order_of_tests(LandmarkSearch(start=GivenOrder(), landmarks=4), base)
    known = base.without("d0")
    weights = Nearest().weights(base.accuracies[0, :4], known.accuracies[:, :4])
    assert order == [*range(4), *by_weighted_score(range(4, 12), known, PValueScore(), weights)]


@pytest.mark.parametrize("landmarks", [2, 11, 12, 50])
def test_any_number_of_landmarks_leaves_each_candidate_tested_once(landmarks: int) -> None:
    assert sorted(order_of_tests(LandmarkSearch(landmarks=landmarks), random_base())) == list(range(12))  # type: ignore[type-var]


def test_landmarks_on_which_all_fail_leave_the_order_as_it_was() -> None:
    base = random_base()
    course, _ = replay(LandmarkSearch(start=GivenOrder(), landmarks=2), base, "d0", candidates=["a", "b", 5, 3, 4])
    assert [task.candidate for task in course.finished] == ["a", "b", 5, 3, 4]


def test_active_testing_challenges_with_what_beat_the_best_elsewhere() -> None:
    accuracies = np.array([[0.6, 0.7, 0.9], [0.6, 0.7, 0.9], [0.6, 0.7, 0.8]])
    base = KnowledgeBase(("d0", "d1", "d2"), ("p", "q", "r"), accuracies[:, :, None] + np.array([0.01, -0.01]))
    assert order_of_tests(ActiveTesting(GivenOrder()), base) == ["p", "r", "q"]


def test_a_deadline_ends_a_replay_and_time_is_what_tests_took() -> None:
    base = random_base()
    timed = KnowledgeBase(base.data_sets, base.configurations, base.results, np.full((6, 12), 2.0))
    course, reason = replay(PassiveSearch(), timed, "d0", deadline=7.0)
    assert reason is Reason.DEADLINE
    assert len(course.finished) == 3
    assert sum(task.seconds for task in course.finished) == 6.0


def test_a_candidate_without_a_record_has_failed() -> None:
    base = random_base()
    course, _ = replay(PassiveSearch(GivenOrder()), base, "d0", candidates=["new", 3])
    assert [task.outcome for task in course.finished] == [Outcome.FAILED, Outcome.FINISHED]


def test_a_number_of_tests_ends_any_search() -> None:
    course, reason = replay(ProfileSearch(package=2, stop=(MaxTests(4),)), random_base(), "d0")
    assert reason is Reason.SATISFIED
    assert len(course.finished) == 4


@pytest.mark.parametrize("strategy", [ProfileSearch(), LandmarkSearch(), ActiveTesting()])
def test_without_knowledge_it_cannot_begin(strategy: Strategy) -> None:
    with pytest.raises(ConfigurationError, match="it needs a knowledge base, got none"):
        strategy.begin(Setting(("a", "b")))


def test_of_equal_candidates_the_first_is_best_whatever_it_took() -> None:
    base = KnowledgeBase(("d0", "d1"), ("slow", "fast"), np.full((2, 2, 3), 0.8), np.array([[9.0, 1.0], [9.0, 1.0]]))
    course, _ = replay(PassiveSearch(GivenOrder()), base, "d0")
    assert [task.candidate for task in course.ranking] == ["slow", "fast"]
