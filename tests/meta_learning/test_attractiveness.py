"""Attractiveness and corrections: what was found changes the order of what is left."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intemi import ConfigurationError, Project
from intemi.machines import KNN, SVM, Majority, NaiveBayes, SklearnDataset, Standardization, TransformAndClassify
from intemi.machines.meta_learning import (
    Attractiveness,
    Complexity,
    ComplexitySearch,
    ComponentCredit,
    DiversityGuard,
    Flow,
    GeneratorCredit,
    Item,
    KnowledgeBase,
    MetaLearner,
    Neutral,
    Outcome,
    ProfileAttractiveness,
    Set,
    Setting,
    Task,
    cross_validation,
    replay,
)
from intemi.machines.meta_learning.attractiveness import MAX_FACTOR, Candidate, Judgement

GOOD, BAD = Set(tuple(KNN(k=k) for k in range(1, 6))), Set((Majority(), NaiveBayes()))


def made(generator: Set, place: int = 0) -> Candidate:
    configuration = generator.configurations[place]
    return Candidate(configuration, Item(configuration, generator))


def told(module: Attractiveness, *found: tuple[Candidate, float]) -> Judgement:
    """What a module says after some tests."""
    judgement = module.begin(Setting())
    for candidate, quality in found:
        results = np.array([quality])
        judgement.analyze(candidate, Task(candidate.configuration, outcome=Outcome.FINISHED, results=results))
    return judgement


FOUND = ((made(GOOD), 0.9), (made(GOOD, 1), 0.9), (made(BAD), 0.5), (made(BAD, 1), 0.5))


def test_nothing_is_promising_by_default() -> None:
    judgement = told(Neutral(), *FOUND)
    assert judgement.score(made(GOOD, 3)) == judgement.score(made(BAD)) == 1


def test_a_generator_is_credited_for_what_it_has_made() -> None:
    judgement = told(GeneratorCredit(), *FOUND)
    credit = math.exp(0.7 * 1 * 2 / (2 + 5))  # one standard deviation above the mean, two tests
    assert judgement.score(made(GOOD, 4)) == pytest.approx(credit, rel=1e-4)
    assert judgement.score(made(BAD)) == pytest.approx(1 / credit, rel=1e-4)
    both = Item(KNN(), GOOD, (Item(KNN(), BAD), Item(KNN(), BAD)))
    assert judgement.score(Candidate(KNN(), both)) == pytest.approx(1.0, rel=1e-4)
    assert judgement.score(Candidate("of unknown origin")) == 1


def test_parts_are_credited_wherever_they_are() -> None:
    judgement = told(ComponentCredit(), *FOUND)
    knn, bayes = (Candidate(TransformAndClassify(Standardization(), each)) for each in (KNN(k=50), NaiveBayes()))
    assert judgement.score(knn) > 1 > judgement.score(bayes)
    assert judgement.score(Candidate(SVM())) == pytest.approx(1.0)


def test_factors_are_bounded() -> None:
    extreme = [(Candidate(KNN(k=k)), 1.0) for k in range(1, 9)] + [(Candidate(Majority()), 0.0)]
    judgement = told(ComponentCredit(beta=100.0), *extreme)
    assert judgement.score(Candidate(KNN(k=1))) == MAX_FACTOR
    assert judgement.score(Candidate(Majority())) == 1 / MAX_FACTOR


def test_what_resembles_a_bad_candidate_is_avoided() -> None:
    judgement = told(DiversityGuard(), (Candidate(KNN(k=100)), 0.5), (Candidate(Majority()), 0.9))
    assert judgement.score(Candidate(KNN(k=100))) == 0.5
    assert 0.5 < judgement.score(Candidate(KNN(k=1))) < 1
    assert judgement.score(Candidate(NaiveBayes())) == 1
    assert told(DiversityGuard(GeneratorCredit()), *FOUND).score(made(GOOD, 4)) > 1


def test_profiles_decide_between_tests_that_take_as_long() -> None:
    names = tuple("abcdefgh")
    rising, falling = np.linspace(0.5, 0.9, 8), np.linspace(0.9, 0.5, 8)
    means = np.array([rising, rising, falling, falling])
    results = means[:, :, None] + np.random.default_rng(0).normal(0, 0.01, (4, 8, 10))
    base = KnowledgeBase(("up", "up too", "down", "present"), names, results)
    strategy = ComplexitySearch(window=1, attractiveness=ProfileAttractiveness())
    course, _ = replay(strategy, base, "present", candidates=names[::-1], expected=lambda name: Complexity(1.0))
    tested = "".join(str(task.candidate) for task in course.finished)
    assert tested[:3] == "hga", "two in the order that was given; then it is known that data are of the other kind"
    with pytest.raises(ConfigurationError, match="it needs a knowledge base"):
        strategy.begin(Setting(expected=lambda name: Complexity(1.0)))


def test_what_tests_took_corrects_what_others_are_expected_to_take() -> None:
    expected = {KNN(k=1): 1.0, KNN(k=2): 1.1, KNN(k=3): 1.2, NaiveBayes(): 1.5}
    course = ComplexitySearch(window=1).begin(
        Setting(tuple(expected), expected=lambda each: Complexity(expected[each]))
    )
    order = []
    while handed_out := course.tasks():
        [task] = handed_out
        order.append(task.candidate)
        task.outcome, task.results = Outcome.FINISHED, np.array([0.5])
        task.seconds = 100.0 if isinstance(task.candidate, KNN) else 1.5
        course.analyze(task)
    assert order == [KNN(k=1), NaiveBayes(), KNN(k=2), KNN(k=3)]
    assert [task.expected for task in course.finished] == [1.0, 1.5, 1.1, 1.2], "as it was expected at first"


def test_what_is_on_record_comes_first() -> None:
    quick = cross_validation(folds=3, repetitions=1)
    with Project(workers=1) as project:
        iris = project.request(SklearnDataset("iris")).data
        for learners in ((SVM(),), (Majority(), KNN(), SVM())):
            done = project.run(MetaLearner(Flow((Set(learners),)), ComplexitySearch(), quick), data=iris)
        log = done.results["Log"]
        assert log["candidate"][0] == "SVM"
        assert log["seconds"][0] == 0 < log["expected"][0]
        assert min(done.results["Ranking"]["seconds"]) > 0, "what it took when it was run"
