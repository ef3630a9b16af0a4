"""Feature rankings: what tells the class comes first."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines.rankings import CorrelationRanking, FScoreRanking, MutualInformationRanking, ReliefFRanking
from intemi.machines.transformations import EqualFrequency, EqualWidth, Imputation
from intemi.testing import check_machine
from tests import datasets
from tests.learning.tables import classified, duplicated, mixed, nominal, numeric, outputs

RANKINGS = [
    CorrelationRanking(),
    FScoreRanking(),
    MutualInformationRanking(),
    MutualInformationRanking(EqualWidth(4)),
    ReliefFRanking(neighbours=3, samples=20),
]


def ranking(machine: Any, data: Data, seed: int = 0) -> Any:
    return outputs(machine, seed, data=data)["ranking"]


@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_ranking_does_what_any_machine_must(machine: Any, weighted: bool) -> None:
    check_machine(machine, data=mixed(weighted=weighted))


@given(data=classified())
@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
def test_a_ranking_orders_all_features_by_value_and_equal_ones_by_position(machine: Any, data: Data) -> None:
    found = ranking(machine, data)
    assert found.columns == data.columns
    assert list(found.order) == sorted(range(2), key=lambda index: (-found.values[index], index))


@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
@pytest.mark.parametrize("missing", [0, 0.2])
def test_features_that_tell_the_class_come_first_and_constant_ones_have_no_value(machine: Any, missing: float) -> None:
    found = ranking(machine, mixed(rows=120, missing=missing))
    assert set(found.order[:2]) == {0, 4}
    assert found.values[2] == pytest.approx(0, abs=0.05)
    assert all(math.isfinite(value) for value in found.values)


@given(data=classified(), scale=st.sampled_from([0.25, 8.0]))
@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
def test_units_of_measurement_do_not_matter(machine: Any, data: Data, scale: float) -> None:
    other = data.with_features(data.columns, data.features * scale)
    assert ranking(machine, other).values == pytest.approx(ranking(machine, data).values)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
@pytest.mark.parametrize("scale", [2.0**660, 2.0**-660, 2.0**1023])
def test_no_value_is_too_large_or_too_small(machine: Any, scale: float) -> None:
    unit = np.array([[-1, 1, 0.5, -0.25, 0.75, 0.1, -0.3, 0.9], [0.2, 0.3, 0.9, 0.7, 0.1, 0.4, 0.6, 0.8]])
    classes = [0, 1, 1, 0, 1, 0, 0, 1]
    expected = ranking(machine, numeric(*unit, classes=classes)).values
    assert ranking(machine, numeric(*(unit * scale), classes=classes)).values == pytest.approx(expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
def test_infinite_values_are_refused_by_the_name_of_their_column(machine: Any) -> None:
    with pytest.raises(ConfigurationError, match="the column 'x1' has infinite values"):
        ranking(machine, numeric([1, 2, 3, 4], [1, np.inf, 2, 3], classes=[0, 0, 1, 1]))


@given(data=classified(), seed=st.integers(0, 99))
@pytest.mark.parametrize("machine", RANKINGS[:4], ids=repr)
def test_the_order_of_rows_does_not_matter(machine: Any, data: Data, seed: int) -> None:
    rows = np.random.default_rng(seed).permutation(len(data))
    other = Data(Table(data.columns, data.features[:, rows], data.target, data.classes[rows], data.weights[rows]))
    assert ranking(machine, other).values == pytest.approx(ranking(machine, data).values, rel=1e-6)


@pytest.mark.parametrize("machine", [CorrelationRanking(), MutualInformationRanking(EqualFrequency(4))], ids=repr)
def test_a_weight_is_a_number_of_rows(machine: Any) -> None:
    data = mixed(weighted=True)
    assert ranking(machine, data).values == pytest.approx(ranking(machine, duplicated(data)).values)


@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
def test_rows_that_weigh_nothing_or_have_no_class_take_no_part(machine: Any) -> None:
    data = mixed(rows=40, missing=0)
    strange = data.features * 0
    features = np.hstack([data.features, strange, strange])
    classes = np.concatenate([data.classes, data.classes, np.full(40, -1)])
    weights = np.repeat([1.0, 0.0, 1.0], 40)
    more = Data(Table(data.columns, features, data.target, classes, weights))
    if isinstance(machine, ReliefFRanking):
        machine = machine.replace("samples", 1000)
    if machine == MutualInformationRanking(EqualWidth(4)):
        more = more.select_columns([3, 4])  # rows without class do count for cuts that classes do not guide
        data = data.select_columns([3, 4])
    assert ranking(machine, more).values == pytest.approx(ranking(machine, data).values)


@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
def test_features_without_values_have_no_value(machine: Any) -> None:
    data = numeric([np.nan] * 6, [5, 6, 5, 6, 1, 2], classes=[0, 0, 0, 0, 1, 1])
    assert ranking(machine, data).values[0] == 0


@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
def test_data_of_one_class_tell_nothing(machine: Any) -> None:
    values = ranking(machine, numeric([1, 2, 3, 4], classes=[1, 1, 1, 1])).values
    assert values[0] <= 0 or values[0] == pytest.approx(0)


@pytest.mark.parametrize("machine", RANKINGS, ids=repr)
def test_data_without_a_target_are_refused(machine: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"{machine.kind}: data with a target are needed, got Data"):
        ranking(machine, numeric([1, 2, 3]))


def test_the_correlation_is_pearsons() -> None:
    values, classes = [1, 4, 2, 8, 5], [0, 0, 0, 2, 2]
    expected = abs(np.corrcoef(values, classes)[0, 1])
    assert ranking(CorrelationRanking(), numeric(values, classes=classes)).values[0] == pytest.approx(expected)


def test_the_correlation_with_several_classes_is_their_weighted_mean() -> None:
    values, classes = np.array([1, 4, 2, 8, 5, 6]), np.array([0, 0, 0, 1, 1, 2])
    single = [abs(np.corrcoef(values, classes == label)[0, 1]) for label in range(3)]
    found = ranking(CorrelationRanking(), numeric(values, classes=classes)).values[0]
    assert found == pytest.approx(np.average(single, weights=[3, 2, 1]))


@pytest.mark.parametrize("machine", [CorrelationRanking(), FScoreRanking()], ids=repr)
def test_a_nominal_feature_with_two_categories_is_worth_its_indicator(machine: Any) -> None:
    codes, classes = [0, 0, 2, 2, 0, 2], [0, 0, 0, 1, 1, 1]
    as_nominal = ranking(machine, nominal(codes, classes=classes)).values[0]
    assert as_nominal == pytest.approx(ranking(machine, numeric(codes, classes=classes)).values[0])


def test_names_of_categories_do_not_matter() -> None:
    codes, classes = np.array([0, 1, 2, 1, 0, 2, 1, 1]), [0, 0, 1, 1, 0, 1, 2, 2]
    for machine in RANKINGS:
        first, second = (ranking(machine, nominal(each, classes=classes)).values for each in (codes, 2 - codes))
        assert first == pytest.approx(second)


def test_a_feature_that_never_differs_within_classes_has_an_infinite_f_score() -> None:
    assert ranking(FScoreRanking(), numeric([0.1] * 3 + [0.7] * 3, classes=[0, 0, 0, 1, 1, 1])).values == (math.inf,)


def test_mutual_information_is_that_of_the_definition_times_the_share_of_known_values() -> None:
    codes, classes = [0, 0, 1, 1, 1, 1, np.nan, np.nan], [0, 0, 0, 1, 1, 1, 0, 1]
    joint = {(0, 0): 2 / 6, (1, 0): 1 / 6, (1, 1): 3 / 6}
    expected = sum(p * math.log2(p / ({0: 2 / 6, 1: 4 / 6}[a] * 0.5)) for (a, _), p in joint.items())
    found = ranking(MutualInformationRanking(), nominal(codes, classes=classes)).values[0]
    assert found == pytest.approx(expected * 6 / 8)


def test_relief_is_that_of_the_definition() -> None:
    data = mixed(rows=30, missing=0)
    k = 3
    units = [(v - v.min()) / ((v.max() - v.min()) or 1) if i < 3 else v for i, v in enumerate(data.features)]
    priors = {label: float((data.classes == label).mean()) for label in range(3)}
    expected = np.zeros(5)
    for row in range(30):
        differences = np.array([abs(u - u[row]) if i < 3 else u != u[row] for i, u in enumerate(units)], float)
        distances = differences.sum(axis=0)
        own = data.classes[row]
        for label in range(3):
            rows = [each for each in range(30) if data.classes[each] == label and each != row]
            mean = differences[:, sorted(rows, key=lambda each: distances[each])[:k]].mean(axis=1)
            expected += (-mean if label == own else priors[label] / (1 - priors[own]) * mean) / 30
    assert ranking(ReliefFRanking(k, samples=30), data).values == pytest.approx(expected)


def test_relief_sees_what_features_tell_together() -> None:
    rng = np.random.default_rng(0)
    left, right, noise = rng.random((3, 300))
    data = numeric(noise, left, right, classes=((left > 0.5) ^ (right > 0.5)).astype(int))
    relief = ranking(ReliefFRanking(samples=300), data)
    assert set(relief.order[:2]) == {1, 2}
    assert relief.values[0] < min(relief.values[1:]) / 2


def test_relief_draws_other_rows_with_another_seed() -> None:
    machine = ReliefFRanking(samples=5)
    assert ranking(machine, mixed(), seed=1) == ranking(machine, mixed(), seed=1)
    assert ranking(machine, mixed(), seed=1) != ranking(machine, mixed(), seed=2)


def test_relief_takes_a_missing_value_for_an_average_one() -> None:
    columns = [Column("x"), Column("n", ("p", "q"))]
    features = [[0, 1, np.nan, 1], [0, 1, 1, np.nan]]
    data = Data(Table(columns, features, Column("class", ("a", "b")), [0, 0, 1, 1]))
    # of the values 0, 1, 1 two differ by 4/9 on the average; of the categories p, q, q as well
    hits = np.array([[1, 1, 4 / 9, 4 / 9], [1, 1, 4 / 9, 4 / 9]])
    misses = np.array([[(4 / 9 + 1) / 2, 2 / 9, 4 / 9, 0.5], [(1 + 4 / 9) / 2, 2 / 9, 0.5, 4 / 9]])
    assert ranking(ReliefFRanking(), data).values == pytest.approx((misses - hits).mean(axis=1))


@pytest.mark.wide
@pytest.mark.parametrize(
    ("machine", "imputed", "order"),
    [
        (FScoreRanking(), False, (6, 3, 2, 7, 1, 8, 4, 5, 9)),
        (CorrelationRanking(), True, (3, 2, 6, 7, 1, 8, 4, 5, 9)),
        (MutualInformationRanking(), False, (2, 3, 6, 7, 5, 8, 1, 4, 9)),
    ],
    ids=repr,
)
def test_the_rankings_of_breast_cancer_are_those_of_the_book(
    machine: Any, imputed: bool, order: tuple[int, ...]
) -> None:
    """Table 4.1; the sixth feature has missing values, and which of the first three is the best depends on them."""
    data = datasets.load("breast-w")
    if imputed:
        data = outputs(Imputation(), data=data)["transformed"]
    assert tuple(index + 1 for index in ranking(machine, data).order) == order
