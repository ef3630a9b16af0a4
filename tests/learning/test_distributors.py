"""Distributors: every row where it belongs, once or as often as drawn, and never a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, Project
from intemi.machines.distributors import (
    BootstrapDistributor,
    CVDistributor,
    FirstFold,
    GivenFolds,
    HoldOutDistributor,
    LeaveOneOutDistributor,
)
from intemi.testing import check_machine
from tests.learning.tables import classified, mixed, numeric, outputs

DISTRIBUTORS = [
    CVDistributor(folds=4),
    CVDistributor(folds=4, stratified=False),
    BootstrapDistributor(samples=3),
    HoldOutDistributor(share=0.7, samples=2),
    HoldOutDistributor(stratified=False),
    LeaveOneOutDistributor(),
    GivenFolds(tuple(index % 3 for index in range(60))),
]


def suits(machine: Any, data: Data, seed: int = 0) -> list[tuple[Data, Data]]:
    given = outputs(machine, seed, data=data)
    return list(zip(given["training"], given["test"], strict=True))


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


@pytest.mark.parametrize("machine", DISTRIBUTORS, ids=repr)
def test_a_distributor_does_what_any_machine_must(machine: Any) -> None:
    check_machine(machine, data=mixed())


@pytest.mark.parametrize("machine", DISTRIBUTORS, ids=repr)
def test_what_is_given_out_are_views_of_the_same_table(machine: Any) -> None:
    data = mixed()
    for training, test in suits(machine, data):
        assert training.table is data.table
        assert test.table is data.table


@given(data=classified(), folds=st.integers(2, 12), stratified=st.booleans(), seed=st.integers(0, 99))
def test_folds_are_a_partition_and_training_data_the_rest(data: Data, folds: int, stratified: bool, seed: int) -> None:
    given = suits(CVDistributor(min(folds, len(data)), stratified), data, seed)
    tested = np.concatenate([test.rows for _, test in given])
    assert sorted(tested) == list(range(len(data)))
    for training, test in given:
        assert sorted(np.concatenate([training.rows, test.rows])) == list(range(len(data)))


@given(data=classified(), folds=st.integers(2, 12), stratified=st.booleans(), seed=st.integers(0, 99))
def test_folds_differ_in_size_by_one_at_most(data: Data, folds: int, stratified: bool, seed: int) -> None:
    given = suits(CVDistributor(min(folds, len(data)), stratified), data, seed)
    assert spread([len(test) for _, test in given]) <= 1


@given(data=classified(), folds=st.integers(2, 12), seed=st.integers(0, 99))
def test_stratified_folds_differ_by_at_most_one_row_of_each_class(data: Data, folds: int, seed: int) -> None:
    given = suits(CVDistributor(min(folds, len(data))), data, seed)
    for label in range(3):
        assert spread([int((test.classes == label).sum()) for _, test in given]) <= 1


def test_folds_are_stratified_by_any_number_of_classes_known_or_not() -> None:
    classes = np.arange(900) % 301 - 1
    target = Column("class", tuple(f"c{label}" for label in range(300)))
    data = Data(Table([Column("x")], [np.arange(900)], target, classes))
    for folds in (3, 300):
        given = suits(CVDistributor(folds), data)
        for label in range(-1, 300):
            assert spread([int((test.classes == label).sum()) for _, test in given]) <= 1


@given(data=classified(), share=st.floats(0.05, 0.95), stratified=st.booleans(), seed=st.integers(0, 99))
def test_a_hold_out_has_its_share_of_all_rows(data: Data, share: float, stratified: bool, seed: int) -> None:
    machine = HoldOutDistributor(share, stratified)
    for training, test in suits(machine, data, seed):
        assert sorted(np.concatenate([training.rows, test.rows])) == list(range(len(data)))
        assert len(training)
        assert len(test)
        assert abs(len(training) - share * len(data)) <= 1


@given(data=classified(least=10), share=st.floats(0.1, 0.9), seed=st.integers(0, 99))
def test_a_stratified_hold_out_has_its_share_of_each_class(data: Data, share: float, seed: int) -> None:
    ((training, _),) = suits(HoldOutDistributor(share), data, seed)
    actual = len(training) / len(data)
    for label in range(3):
        wanted = actual * (data.classes == label).sum()
        assert abs((training.classes == label).sum() - wanted) < 1 + 1e-9


@given(data=classified(), seed=st.integers(0, 99))
def test_a_bootstrap_tests_on_exactly_what_it_did_not_draw(data: Data, seed: int) -> None:
    for training, test in suits(BootstrapDistributor(5), data, seed):
        assert len(training) == len(data)
        assert len(test)
        assert sorted({*training.rows, *test.rows}) == list(range(len(data)))
        assert not {*training.rows} & {*test.rows}


def test_leaving_one_out_tests_each_row_by_all_others() -> None:
    for row, (training, test) in enumerate(suits(LeaveOneOutDistributor(), mixed(rows=7))):
        assert test.rows.tolist() == [row]
        assert training.rows.tolist() == [each for each in range(7) if each != row]


def test_the_first_fold_is_that_of_the_cross_validation() -> None:
    data, folds = mixed(), CVDistributor(folds=5)
    check_machine(FirstFold(folds), data=data)
    with Project(seed=3) as project:
        given = project.given(data)
        every, first = (project.run(machine, data=given).outputs for machine in (folds, FirstFold(folds)))
        assert project.counts().physical["CVDistributor"] == 1
    for part in ("training", "test"):
        assert first[part] == every[part][:1]


def test_given_folds_are_test_data_in_the_order_of_their_numbers() -> None:
    given = suits(GivenFolds((7, 2, 7, 2, 5)), numeric([0, 1, 2, 3, 4]))
    assert [test.rows.tolist() for _, test in given] == [[1, 3], [4], [0, 2]]


def test_folds_of_a_fold_are_rows_of_the_same_table() -> None:
    data = mixed()
    training, _ = suits(CVDistributor(3), data)[0]
    inner = suits(CVDistributor(4), training)
    assert sorted(np.concatenate([test.rows for _, test in inner])) == training.rows.tolist()


def test_a_row_that_was_drawn_twice_is_left_out_at_once() -> None:
    data = numeric([1, 2, 3], classes=[0, 0, 1]).select_rows([0, 0, 2, 2])
    given = suits(LeaveOneOutDistributor(), data)
    assert [test.rows.tolist() for _, test in given] == [[0, 0], [2, 2]]
    assert [training.rows.tolist() for training, _ in given] == [[2, 2], [0, 0]]


def test_rows_of_unknown_class_are_stratified_like_a_class() -> None:
    data = numeric(range(40), classes=[-1] * 20 + [0] * 20)
    assert [int((test.classes == -1).sum()) for _, test in suits(CVDistributor(10), data)] == [2] * 10


@pytest.mark.parametrize("machine", [CVDistributor(5), BootstrapDistributor(), HoldOutDistributor()], ids=repr)
def test_another_seed_gives_out_other_rows(machine: Any) -> None:
    data = mixed()
    assert suits(machine, data, seed=1)[0][0] == suits(machine, data, seed=1)[0][0]
    assert suits(machine, data, seed=1)[0][0] != suits(machine, data, seed=2)[0][0]


def test_the_larger_folds_are_not_always_the_first() -> None:
    data = mixed(rows=11)
    larger = {
        max(range(5), key=lambda fold: len(given[fold][1]))
        for given in (suits(CVDistributor(5), data, s) for s in range(20))
    }
    assert len(larger) > 1


@pytest.mark.parametrize(
    ("machine", "data", "words"),
    [
        (CVDistributor(10), numeric([1, 2], classes=[0, 1]), "CVDistributor: folds must be at most the 2 rows, got 10"),
        (CVDistributor(2), numeric([1, 2]), "CVDistributor: data without a target cannot be stratified"),
        (HoldOutDistributor(), numeric([1, 2]), "HoldOutDistributor: data without a target cannot be stratified"),
        (HoldOutDistributor(), numeric([1], classes=[0]), "HoldOutDistributor: at least 2 rows are needed, got 1"),
        (BootstrapDistributor(), numeric([1]), "BootstrapDistributor: at least 2 rows are needed, got 1"),
        (LeaveOneOutDistributor(), numeric([1]), "LeaveOneOutDistributor: at least 2 rows are needed, got 1"),
        (GivenFolds((0, 1)), numeric([1, 2, 3]), "GivenFolds: folds must have one number for each of 3 rows, got 2"),
    ],
    ids=repr,
)
def test_data_that_cannot_be_distributed_are_refused(machine: Any, data: Data, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        suits(machine, data)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: CVDistributor(1), "CVDistributor: folds must be at least 2, got 1"),
        (lambda: BootstrapDistributor(0), "BootstrapDistributor: samples must be at least 1, got 0"),
        (lambda: HoldOutDistributor(1.0), "HoldOutDistributor: share must be above 0 and below 1, got 1.0"),
        (lambda: GivenFolds((1, 1)), "GivenFolds: folds must name at least 2 folds, got 1"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        make()


def test_folds_can_be_bound_one_by_one() -> None:
    with Project() as project:
        data = project.given(mixed())
        folds = project.run(CVDistributor(3, seed=1), data=data)
        assert len(folds.outputs["training"]) == len(folds.outputs["test"]) == 3
        inner = project.run(CVDistributor(2, seed=1), data=folds.training[1])
        assert {len(test) for test in inner.outputs["test"]} == {20}
