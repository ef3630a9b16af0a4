"""Principal components: a rotation, the greatest variance first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, Project
from intemi.machines.transformations import PrincipalComponents
from intemi.testing import check_machine
from tests.learning.tables import duplicated, mixed, nominal, numeric, outputs


def cloud(seed: int = 0, rows: int = 50) -> Data:
    rng = np.random.default_rng(seed)
    return numeric(*(rng.normal(size=(4, 4)) @ rng.normal(size=(4, rows))), classes=rng.integers(3, size=rows))


@pytest.mark.parametrize("machine", [PrincipalComponents(), PrincipalComponents(count=2, variance=0.9)], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_principal_components_do_what_any_machine_must(machine: PrincipalComponents, weighted: bool) -> None:
    check_machine(machine, data=mixed(missing=0, weighted=weighted))


@given(seed=st.integers(0, 999))
def test_all_components_are_a_rotation_with_descending_variances(seed: int) -> None:
    data = cloud(seed)
    after = outputs(PrincipalComponents(), data=data)["transformed"].features
    centered = data.features - data.features.mean(axis=1, keepdims=True)
    np.testing.assert_allclose((after**2).sum(axis=0), (centered**2).sum(axis=0))
    covariance = np.cov(after)
    np.testing.assert_allclose(covariance - np.diag(np.diag(covariance)), 0, atol=1e-9)
    assert (np.diff(np.diag(covariance)) <= 0).all()


@given(seed=st.integers(0, 999))
def test_signs_do_not_depend_on_the_order_of_rows(seed: int) -> None:
    data = cloud(seed)
    reverse = Data(Table(data.columns, data.features[:, ::-1].copy()))
    once, again = (outputs(PrincipalComponents(), data=each)["transformation"] for each in (data, reverse))
    np.testing.assert_allclose(once.directions, again.directions, atol=1e-8)


def test_a_weight_is_a_number_of_rows() -> None:
    data = mixed(missing=0, weighted=True).select_columns([0, 1])
    once, often = (outputs(PrincipalComponents(), data=each)["transformation"] for each in (data, duplicated(data)))
    np.testing.assert_allclose(once.center, often.center)
    np.testing.assert_allclose(once.directions, often.directions, atol=1e-12)


def test_count_and_variance_bound_how_many_are_kept() -> None:
    data = numeric([-10, 10, 0, 0], [0, 0, -1, 1])  # variances of 100 and 1
    kept = {
        machine: len(outputs(machine, data=data)["transformed"].columns)
        for machine in (
            PrincipalComponents(),
            PrincipalComponents(count=1),
            PrincipalComponents(count=9),
            PrincipalComponents(variance=0.95),
            PrincipalComponents(variance=0.999),
            PrincipalComponents(count=1, variance=0.999),
        )
    }
    assert list(kept.values()) == [2, 1, 2, 1, 2, 1]
    with Project() as project:
        results = project.run(PrincipalComponents(count=1), data=project.given(data)).results
        assert results == {"Components": 1, "Explained variance": pytest.approx(100 / 101)}


def test_nominal_columns_follow_as_they_are() -> None:
    data = mixed(missing=0)
    after = outputs(PrincipalComponents(count=2), data=data)["transformed"]
    assert [column.name for column in after.columns] == ["component 1", "component 2", "n", "m"]
    np.testing.assert_array_equal(after.features[2:], data.features[3:])


def test_data_without_numeric_columns_stay_the_same_data() -> None:
    data = nominal([0, 1, 2])
    given = outputs(PrincipalComponents(), data=data)
    assert given["transformed"] is data
    assert given["transformation"].transform(data) is data


def test_constant_data_have_components_too() -> None:
    after = outputs(PrincipalComponents(variance=0.5), data=numeric([1, 1, 1], [2, 2, 2]))["transformed"]
    assert (after.features == 0).all()


def test_missing_values_are_refused_with_advice() -> None:
    words = "PrincipalComponents: the column 'x0' has 1 missing values; put an Imputation before it"
    with pytest.raises(ConfigurationError, match=words):
        outputs(PrincipalComponents(), data=numeric([1, np.nan, 2]))
    learned = outputs(PrincipalComponents(), data=numeric([1, 3, 2]))["transformation"]
    with pytest.raises(ConfigurationError, match=words):
        learned.transform(numeric([1, np.nan]))


def test_rows_that_weigh_nothing_are_no_data() -> None:
    with pytest.raises(ConfigurationError, match="rows with a weight above 0 are needed, got none"):
        outputs(PrincipalComponents(), data=numeric([1, 2], classes=[0, 1], weights=[0, 0]))


@pytest.mark.filterwarnings("error")
def test_infinite_values_and_values_too_far_apart_are_refused_by_the_name_of_their_column() -> None:
    with pytest.raises(ConfigurationError, match="PrincipalComponents: the column 'x1' has infinite values"):
        outputs(PrincipalComponents(), data=numeric([1, 2, 3], [1, np.inf, 2]))
    with pytest.raises(
        ConfigurationError, match="PrincipalComponents: the values of the column 'x1' are too far apart"
    ):
        outputs(PrincipalComponents(), data=numeric([1, 2, 3], [1.7e308, -1.7e308, -1.7e308]))


@pytest.mark.filterwarnings("error")
def test_units_of_measurement_do_not_change_directions_nor_how_many_are_kept() -> None:
    data, machine = cloud(), PrincipalComponents(variance=0.9)
    expected = outputs(machine, data=data)["transformation"].directions
    for scale in (1e200, 1e-200):
        other = data.with_features(data.columns, data.features * scale)
        np.testing.assert_allclose(outputs(machine, data=other)["transformation"].directions, expected, atol=1e-9)


def test_a_nominal_column_may_be_called_like_a_component() -> None:
    columns = [Column("x"), Column("component 1", ("p", "q"))]
    after = outputs(PrincipalComponents(), data=Data(Table(columns, [[1, 2, 3], [0, 1, 0]])))["transformed"]
    assert [column.name for column in after.columns] == ["component 1 (2)", "component 1"]
