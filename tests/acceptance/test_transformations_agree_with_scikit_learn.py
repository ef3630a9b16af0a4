"""Where scikit-learn has the same transformation, ours gives the same numbers, on ten data sets and to 1e-9.

What is learned on one half of the rows is compared on both halves, so the transformation of other data is, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_selection import f_classif
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, OneHotEncoder, StandardScaler

from intemi.data import Data, Table
from intemi.kernel import Machine, Project
from intemi.machines.rankings import FScoreRanking
from intemi.machines.transformations import (
    Discretization,
    EqualFrequency,
    EqualWidth,
    ExternalTransformation,
    Imputation,
    Mean,
    Median,
    MostFrequent,
    NominalToIndicators,
    Normalization,
    PrincipalComponents,
    Standardization,
)
from tests import datasets

NUMERIC = (
    *("breast-w", "diabetes", "ecoli", "glass", "ionosphere"),
    *("iris", "segment", "sonar", "vehicle", "wine"),
)
MISSING = (
    *("autos", "breast-cancer", "breast-w", "cleveland", "colic"),
    *("credit-a", "heart-h", "hepatitis", "labor", "vote"),
)
NOMINAL = (
    *("australian", "car", "credit-g", "flags", "kr-vs-kp"),
    *("lymph", "splice", "tic-tac-toe", "vowel", "zoo"),
)


@pytest.fixture(scope="module")
def project() -> Iterator[Project]:
    with Project() as opened:
        yield opened


@cache
def numeric(name: str) -> Data:
    """A data set without missing values."""
    data = datasets.load(name)
    return data.select_rows(~np.isnan(data.features).any(axis=0))


def halves(data: Data) -> tuple[Data, Data]:
    rows = np.random.default_rng(0).permutation(len(data))
    return data.select_rows(rows[: len(data) // 2]), data.select_rows(rows[len(data) // 2 :])


def transformed(project: Project, machine: Machine, data: Data) -> tuple[Any, Any]:
    """The two halves (rows by columns), transformed as learned on the first."""
    first, second = (project.given(half) for half in halves(data))
    learned = project.request(machine, data=first)
    external = project.run(ExternalTransformation(), data=second, transformation=learned.transformation)
    (own,) = [value for value in learned.outputs.values() if isinstance(value, Data)]
    return own.features.T, external.outputs["transformed"].features.T


def expected(estimator: Any, data: Data, **options: Any) -> tuple[Any, Any]:
    """The same by scikit-learn."""
    first, second = halves(data)
    return estimator.fit_transform(first.features.T, **options), estimator.transform(second.features.T)


def assert_agree(ours: tuple[Any, Any], theirs: tuple[Any, Any]) -> None:
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(our, their, rtol=1e-9, atol=1e-9 * max(1.0, np.nanmax(np.abs(their))))


@pytest.mark.parametrize("name", NUMERIC)
def test_standardization(project: Project, name: str) -> None:
    data = numeric(name)
    assert_agree(transformed(project, Standardization(ddof=0), data), expected(StandardScaler(), data))


@pytest.mark.parametrize("name", NUMERIC)
def test_standardization_of_weighted_data(project: Project, name: str) -> None:
    plain = numeric(name)
    weights = np.random.default_rng(1).integers(0, 4, size=len(plain)) / 2
    data = Data(Table(plain.columns, plain.features, plain.target, plain.classes, weights))
    theirs = expected(StandardScaler(), data, sample_weight=halves(data)[0].weights)
    assert_agree(transformed(project, Standardization(ddof=0), data), theirs)


@pytest.mark.parametrize("name", NUMERIC)
def test_normalization(project: Project, name: str) -> None:
    data = numeric(name)
    assert_agree(transformed(project, Normalization(), data), expected(MinMaxScaler(), data))
    assert_agree(transformed(project, Normalization(-2, 3), data), expected(MinMaxScaler((-2, 3)), data))


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("bins", [4, 5, 10])  # with thirds, numpy's percentages are rounded and do not divide
@pytest.mark.filterwarnings("ignore:Feature .* is constant", "ignore:Bins whose width are too small")
def test_discretization(project: Project, name: str, bins: int) -> None:
    data = numeric(name)
    wide = KBinsDiscretizer(bins, encode="ordinal", strategy="uniform")
    assert_agree(transformed(project, Discretization(EqualWidth(bins)), data), expected(wide, data))
    frequent = KBinsDiscretizer(
        bins, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf", subsample=None
    )
    assert_agree(transformed(project, Discretization(EqualFrequency(bins)), data), expected(frequent, data))


@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize(
    ("typical", "strategy"), [(Mean(), "mean"), (Median(), "median"), (MostFrequent(), "most_frequent")], ids=str
)
def test_imputation(project: Project, name: str, typical: Any, strategy: str) -> None:
    data = datasets.load(name)
    nominal = np.array([column.is_nominal for column in data.columns])
    ours = transformed(project, Imputation(typical), data)
    for columns, their_strategy in ((nominal, "most_frequent"), (~nominal, strategy)):
        if columns.any():
            theirs = expected(
                SimpleImputer(strategy=their_strategy, keep_empty_features=True), data.select_columns(columns)
            )
            assert_agree((ours[0][:, columns], ours[1][:, columns]), theirs)


@pytest.mark.parametrize("name", NOMINAL)
def test_indicators(project: Project, name: str) -> None:
    data = datasets.load(name)
    data = data.select_columns([column.is_nominal for column in data.columns])
    categories = [np.arange(len(column.categories or ())) for column in data.columns]
    theirs = expected(OneHotEncoder(categories=categories, sparse_output=False), data)
    assert_agree(transformed(project, NominalToIndicators(), data), theirs)


@pytest.mark.parametrize("name", NUMERIC)
def test_principal_components(project: Project, name: str) -> None:
    data = numeric(name)
    count = min(3, len(data.columns))
    theirs = expected(PCA(count, svd_solver="full"), data)
    assert_agree(transformed(project, PrincipalComponents(count=count), data), theirs)
    theirs = expected(PCA(0.9, svd_solver="full"), data)
    assert_agree(transformed(project, PrincipalComponents(variance=0.9), data), theirs)


@pytest.mark.parametrize("name", NUMERIC)
def test_f_scores(project: Project, name: str) -> None:
    data = numeric(name)
    varying = data.select_columns(data.features.min(axis=1) < data.features.max(axis=1))
    found = project.run(FScoreRanking(), data=project.given(varying)).outputs["ranking"].values
    centered = varying.features.T - varying.features.mean(axis=1)  # or scikit-learn's sums of squares lose digits
    np.testing.assert_allclose(found, f_classif(centered, varying.classes)[0], rtol=1e-9)
