"""Feature selection: the best of a ranking, as a view."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import ColumnsError, FeatureRanking
from intemi.machines.rankings import Count, FeatureSelection, GivenRanking, Share, Threshold
from intemi.testing import check_machine
from tests.learning.tables import mixed, numeric, outputs


def ranking(*order: int) -> FeatureRanking:
    given: FeatureRanking = outputs(GivenRanking(order), data=mixed())["ranking"]
    return given


def chosen(choice: Any, *order: int) -> list[int]:
    given = outputs(FeatureSelection(choice), data=mixed(), ranking=ranking(*order))
    selected: list[int] = given["transformed"].column_indices.tolist()
    return selected


@pytest.mark.parametrize("choice", [Count(2), Share(0.3), Threshold(2.5)], ids=repr)
def test_a_selection_does_what_any_machine_must(choice: Any) -> None:
    check_machine(FeatureSelection(choice), data=mixed(), ranking=ranking(3, 1, 4, 0, 2))


def test_a_given_ranking_ranks_as_given() -> None:
    given = ranking(3, 1, 4, 0, 2)
    assert given.order == (3, 1, 4, 0, 2)
    assert given.values == (2, 4, 1, 5, 3)
    assert given.columns == mixed().columns


@pytest.mark.parametrize("order", [(0, 1), (0, 1, 2, 3, 3), (1, 2, 3, 4, 5)], ids=str)
def test_a_given_order_that_is_not_one_of_all_columns_is_refused(order: tuple[int, ...]) -> None:
    with pytest.raises(ConfigurationError, match="GivenRanking: order must have each position from 0 to 4 once, got"):
        outputs(GivenRanking(order), data=mixed())


@pytest.mark.parametrize(
    ("choice", "columns"),
    [
        (Count(1), [3]),
        (Count(3), [1, 3, 4]),
        (Count(99), [0, 1, 2, 3, 4]),
        (Share(0.2), [3]),
        (Share(0.21), [1, 3]),
        (Share(0.6), [1, 3, 4]),
        (Share(1), [0, 1, 2, 3, 4]),
        (Threshold(4), [3]),
        (Threshold(2.5), [1, 3, 4]),
        (Threshold(100), [3]),
    ],
    ids=repr,
)
def test_the_best_features_are_chosen_and_one_at_least(choice: Any, columns: list[int]) -> None:
    assert chosen(choice, 3, 1, 4, 0, 2) == columns


@given(order=st.permutations(range(5)), count=st.integers(1, 5))
def test_the_order_within_the_chosen_does_not_matter(order: list[int], count: int) -> None:
    other = (*reversed(order[:count]), *order[count:])
    first, second = (
        outputs(FeatureSelection(Count(count)), data=mixed(), ranking=ranking(*each)) for each in (order, other)
    )
    assert first["transformed"] == second["transformed"]
    assert first["transformation"] == second["transformation"]


def test_what_is_selected_is_a_view_and_everything_the_data_themselves() -> None:
    data = mixed()
    part, whole = (outputs(FeatureSelection(Count(n)), data=data, ranking=ranking(3, 1, 4, 0, 2)) for n in (2, 5))
    assert part["transformed"].table is data.table
    assert whole["transformed"] == data


def test_the_same_columns_are_selected_from_other_data() -> None:
    given = outputs(FeatureSelection(Count(2)), data=mixed(), ranking=ranking(3, 1, 4, 0, 2))
    other = mixed(seed=5)
    assert given["transformation"].transform(other) == other.select_columns([1, 3])


def test_a_ranking_of_other_columns_is_refused() -> None:
    with pytest.raises(ColumnsError, match="FeatureSelection: the column 'x' is missing"):
        outputs(FeatureSelection(Count(1)), data=numeric([1, 2]), ranking=ranking(0, 1, 2, 3, 4))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Count(0), "Count: features must be at least 1, got 0"),
        (lambda: Share(0), "Share: share must be at most 1 and above 0, got 0"),
        (lambda: Share(1.1), "Share: share must be at most 1 and above 0, got 1.1"),
    ],
)
def test_choices_that_make_no_sense_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        make()
