"""Candidates near the best ones, and committees of the best."""

from intemi.machines import KNN, Logistic, NaiveBayes, Voting
from intemi.machines.meta_learning import CommitteesOfTheBest, Cycle, Flow, Item, Loop, Neighbours, Set, Union
from intemi.machines.meta_learning.refining import neighbours
from intemi.machines.meta_learning.task import QUALITY_OF_FAILED

FIRST = Set((Logistic(C=1.0), NaiveBayes(), KNN(k=5)))


def rate_new(flow_run, qualities) -> list[Item]:
    """Take new candidates, and say how good they are."""
    items = flow_run.poll()
    for item in items:
        flow_run.rate(item, qualities(item.configuration))
    return items


def test_a_neighbour_has_one_parameter_changed_by_one_step() -> None:
    assert [each.C for each in neighbours(Logistic(C=1.0))] == [0.1, 10.0]
    assert [each.C for each in neighbours(Logistic(C=3.0))] == [1.0, 10.0]
    assert [each.C for each in neighbours(Logistic(C=100.0))] == [10.0]
    assert list(neighbours(Logistic(), without=("C",))) == []


def test_neighbours_wait_until_enough_was_tested() -> None:
    flow = Flow((FIRST, Neighbours(FIRST, count=2, share=1.0))).begin()
    first = flow.poll()
    flow.rate(first[0], 0.9)
    assert flow.poll() == []
    flow.rate(first[1], 0.8)
    flow.rate(first[2], 0.7)
    assert [item.configuration for item in flow.poll()] == [Logistic(C=0.1), Logistic(C=10.0)]


def test_candidates_that_fail_do_not_keep_neighbours_and_committees_waiting() -> None:
    committees = CommitteesOfTheBest(FIRST, sizes=(2,), share=1.0)
    flow = Flow((FIRST, Neighbours(FIRST, count=2, share=1.0), committees)).begin()
    rate_new(flow, lambda each: QUALITY_OF_FAILED if isinstance(each, NaiveBayes) else 0.9)
    found = [item.configuration for item in flow.poll()]
    assert found[:2] == [Logistic(C=0.1), Logistic(C=10.0)]
    assert {each.learners for each in found[2:]} == {(Logistic(C=1.0), KNN(k=5))}


def test_in_a_cycle_neighbours_of_the_best_are_tested_first_and_then_all_others() -> None:
    climbing = Cycle(Neighbours(Union((FIRST, Loop())), count=2, share=1.0))
    flow = Flow((FIRST, climbing)).begin()

    def quality(candidate) -> float:
        return candidate.C / 1000 if isinstance(candidate, Logistic) else 0.0

    found = [item.configuration for _ in range(30) for item in rate_new(flow, quality)]
    assert found[3:7] == [Logistic(C=0.1), Logistic(C=10.0), Logistic(C=100.0), Logistic(C=0.01)]
    assert {each.k for each in found if isinstance(each, KNN)} == set(range(1, 20, 2))
    assert len(found) == len(set(found)) == 5 + 10 + 12, "all values of C, of k, and of two parameters of naive Bayes"


def test_committees_are_made_of_the_best_and_of_the_best_of_each_kind() -> None:
    first = Set((Logistic(C=1.0), Logistic(C=10.0), NaiveBayes()))
    flow = Flow((first, CommitteesOfTheBest(first, sizes=(2,)))).begin()
    rate_new(flow, lambda candidate: 0.9 if isinstance(candidate, Logistic) else 0.8)
    committees = flow.poll()
    assert all(isinstance(item.configuration, Voting) and item.attractiveness > 1 for item in committees)
    members = {item.configuration.learners for item in committees}
    assert members == {(Logistic(C=1.0), Logistic(C=10.0)), (Logistic(C=1.0), NaiveBayes())}
