"""Flows of generators: how many candidates, in which order, none twice, more in the light of what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from intemi import ConfigurationError, Project
from intemi.machines import (
    KNN,
    SVM,
    CorrelationRanking,
    CVDistributor,
    DecisionStump,
    Discretization,
    FScoreRanking,
    Imputation,
    Majority,
    NaiveBayes,
    NominalToIndicators,
    Normalization,
    SklearnDataset,
    Standardization,
    TransformAndClassify,
)
from intemi.machines.classifiers import LinearKernel
from intemi.machines.meta_learning import (
    Cycle,
    EveryPair,
    Filled,
    Flow,
    Generator,
    InParallel,
    Item,
    Loop,
    OfTheBest,
    Sampled,
    Set,
    Tuned,
    Union,
)
from intemi.machines.meta_learning.combinations import Combination
from intemi.machines.meta_learning.generators import Arrivals, Ratings
from intemi.machines.rankings import selection_by_ranking
from intemi.machines.search import ParameterSearch

LEARNERS = Set((KNN(k=1), KNN(k=5), NaiveBayes(), SVM(), SVM(C=4.0), Majority(), KNN(k=25)))
SCALINGS = Set((Standardization(), Normalization(), Imputation(), NominalToIndicators(), Discretization()))


def behind(transformations: Generator, learners: Generator, combination: Combination | None = None) -> Filled:
    slots = {"transformation": transformations, "learner": learners}
    return Filled(TransformAndClassify(), slots, combination or EveryPair())


def kinds(items: Sequence[Item]) -> list[str]:
    return [item.configuration.kind for item in items]


def test_five_transformations_and_seven_learners_give_42_candidates() -> None:
    found = Flow((LEARNERS, behind(SCALINGS, LEARNERS))).begin().poll()
    assert len(found) == 42
    assert len({item.configuration for item in found}) == 42
    assert not any(item.configuration.missing() for item in found)
    assert kinds(found)[:8] == [*(each.kind for each in LEARNERS.configurations), "TransformAndClassify"]


def test_the_first_source_is_the_outer_loop() -> None:
    found = behind(Set((Standardization(), Normalization())), Set((KNN(), Majority())))
    made = [tuple(parent.configuration.kind for parent in item.parents) for item in Flow((found,)).begin().poll()]
    first, second = "Standardization", "Normalization"
    assert made == [(first, "KNN"), (first, "Majority"), (second, "KNN"), (second, "Majority")]


def test_equal_candidates_of_two_generators_are_one() -> None:
    twice = Flow((Set((KNN(), Majority())), Set((Majority(), NaiveBayes()))))
    assert kinds(twice.begin().poll()) == ["KNN", "Majority", "NaiveBayes"]


def test_no_more_are_given_than_asked_for_and_none_is_lost() -> None:
    run = Flow((LEARNERS, behind(SCALINGS, LEARNERS))).begin()
    parts = [run.poll(10) for _ in range(6)]
    assert [len(part) for part in parts] == [10, 10, 10, 10, 2, 0]
    assert [item.configuration for part in parts for item in part] == [
        item.configuration for item in Flow((LEARNERS, behind(SCALINGS, LEARNERS))).begin().poll()
    ]


class Growing(Generator):
    """Another number of neighbours for each candidate that was rated."""

    def produce(self, arrivals: Sequence[Arrivals], ratings: Ratings) -> Iterator[Item]:
        for k in range(1, 2 + len(ratings)):
            yield Item(KNN(k=k), self)


def test_a_generator_that_grows_adds_only_what_is_new() -> None:
    growing = Growing()
    run = Flow((growing, behind(Set((Standardization(), Normalization())), growing))).begin()
    first = run.poll()
    assert len(first) == 3
    assert run.poll() == []
    run.rate(first[0], 0.9)
    second = run.poll()
    assert len(second) == 3
    assert len({item.configuration for item in (*first, *second)}) == 6


def test_sources_in_parallel_are_paired_one_by_one() -> None:
    found = Flow((behind(Set((Standardization(), Normalization())), Set((KNN(), Majority())), InParallel()),))
    assert len(found.begin().poll()) == 2
    uneven = Flow((behind(SCALINGS, LEARNERS, InParallel()),))
    with pytest.raises(ConfigurationError, match="InParallel: sources must produce equally many items, got 5, 7"):
        uneven.begin().poll()


def test_a_sample_of_combinations_is_the_same_for_the_same_seed() -> None:
    flow = Flow((behind(SCALINGS, LEARNERS, Sampled(9)),))
    one, other = ([item.configuration for item in flow.begin().poll()] for _ in range(2))
    assert len(one) == 9
    assert one == other
    assert one != [item.configuration for item in Flow((behind(SCALINGS, LEARNERS, Sampled(9, 1)),)).begin().poll()]


def test_the_best_are_combined_once_they_are_known() -> None:
    run = Flow((LEARNERS, behind(SCALINGS, LEARNERS), behind(SCALINGS, LEARNERS, OfTheBest(2)))).begin()
    found = run.poll()
    assert len(found) == 42
    only_best = Flow((LEARNERS, SCALINGS, behind(SCALINGS, LEARNERS, OfTheBest(2)))).begin()
    first = only_best.poll()
    for quality, item in enumerate(first):
        only_best.rate(item, float(quality))
    second = only_best.poll()
    assert len(second) == 4
    best = {item.configuration for item in first[5:7]} | {item.configuration for item in first[10:12]}
    assert {parent.configuration for item in second for parent in item.parents} == best


def test_what_a_candidate_is_made_of_is_rated_with_it() -> None:
    scalings, learners = Set((Standardization(), Normalization())), Set((KNN(), Majority()))
    run = Flow((behind(scalings, learners), behind(scalings, Set((NaiveBayes(),)), OfTheBest(1)), learners)).begin()
    by_parts = {tuple(parent.configuration.kind for parent in item.parents): item for item in run.poll()}
    run.rate(by_parts["Normalization", "KNN"], 0.7)
    run.rate(by_parts["Standardization", "Majority"], 0.5)
    assert run.poll() == [], "naive Bayes is not rated, so it has no best"
    rated = {item.configuration.kind for item in run.ratings}
    assert rated == {"TransformAndClassify", "Normalization", "KNN", "Standardization", "Majority"}


def test_a_placeholder_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="classifier"):
        Filled(TransformAndClassify(), {"classifiers": LEARNERS})


def test_a_cycle_ends_at_its_depth() -> None:
    body = behind(Set((Standardization(), Normalization())), Union((Set((KNN(),)), Loop())))
    for depth in (1, 2, 3):
        found = Flow((Cycle(body, max_depth=depth),)).begin().poll()
        assert len(found) == 2 ** (depth + 1) - 2
        assert max(item.depth for item in found) == depth


def experiment_flow(learners: Set) -> Flow:
    """The flow of the book's experiment: learners, each behind selections by two rankings; the same, tuned."""
    selections = Filled(selection_by_ranking(), {"ranking": Set((CorrelationRanking(), FScoreRanking()))})
    selected = behind(selections, learners)
    return Flow((learners, selected, Tuned(learners), Tuned(selected, only=("*.features",))))


def test_nine_learners_in_the_experiment_flow_give_54_candidates_in_the_order_of_the_books_table() -> None:
    nine = (*LEARNERS.configurations, SVM(kernel=LinearKernel()), DecisionStump())
    found = experiment_flow(Set(nine)).begin().poll()
    assert len({item.configuration for item in found}) == len(found) == 54
    assert not any(item.configuration.missing() for item in found)
    by_number = dict(enumerate(found, start=1))
    for number, learner in enumerate(nine, start=1):
        assert by_number[number].configuration == learner
        assert by_number[number + 27].configuration.get("test/test/learner") == learner
        for offset, ranking in ((9, CorrelationRanking()), (18, FScoreRanking())):
            selected = by_number[number + offset]
            selection, behind_it = selected.parents
            assert (selection.parents[0].configuration, behind_it.configuration) == (ranking, learner)
            tuned = by_number[number + offset + 27].configuration
            assert tuned.get("test/test/learner") == selected.configuration
            assert tuned.part("scenario").paths == ("test/learner.transformation/scheme/selection.choice.features",)


def test_only_what_a_pattern_names_is_tuned() -> None:
    learners = Set((KNN(), SVM(), Majority()))
    paths = {
        only: [item.configuration.scenario.paths for item in Flow((Tuned(learners, only),)).begin().poll()]
        for only in (("*",), ("C",), ("*sigma", "k"))
    }
    k, penalty, sigma = "test/learner.k", "test/learner.C", "test/learner.kernel.sigma"
    assert paths == {
        ("*",): [(k,), (penalty, sigma), ()],
        ("C",): [(), (penalty,), ()],
        ("*sigma", "k"): [(k,), (sigma,), ()],
    }


def test_no_more_values_are_tried_than_asked_for() -> None:
    [item] = Flow((Tuned(Set((SVM(),)), max_values=3),)).begin().poll()
    assert isinstance(item.configuration, ParameterSearch)
    assert len(item.configuration.scenario.begin().ask()) == 9


def test_what_has_nothing_to_tune_learns_without_an_inner_test() -> None:
    [item] = Flow((Tuned(Set((Majority(),)), distributor=CVDistributor(3)),)).begin().poll()
    with Project() as project:
        found = project.run(item.configuration, data=project.request(SklearnDataset("iris")).data)
        assert project.counts().physical == {"SklearnDataset": 1, "ParameterSearch": 1, "Majority": 1}
        assert found.results["Best"] == {}
        assert found.outputs["classifier"].labels == ("setosa", "versicolor", "virginica")
