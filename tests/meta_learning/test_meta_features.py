"""Meta-features and landmarks agree with what is computed by hand, and with published numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from intemi import ConfigurationError, Project
from intemi.data import Column, Data, Table
from intemi.machines import SklearnDataset
from intemi.machines.meta_learning import Landmarks, MetaFeatures, meta_features, relative_landmarks
from intemi.machines.meta_learning.landmarks import tree_shape

NOMINAL = ("no", "yes")


def table(columns: Sequence[Column], values: Sequence[Sequence[float]], classes: Sequence[int]) -> Data:
    return Data(Table(columns, values, Column("class", ("a", "b")), classes))


def iris() -> Data:
    data: Data = SklearnDataset("iris").run().outputs["data"]
    return data


def test_information_is_that_of_a_table_computed_by_hand() -> None:
    columns = [Column("tells all", NOMINAL), Column("tells nothing", NOMINAL)]
    found = meta_features(table(columns, [[0, 0, 1, 1], [0, 1, 0, 1]], [0, 0, 1, 1]), ["information"])
    assert found == {
        "class entropy": 1.0,
        "mean feature entropy": 1.0,
        "mean mutual information": 0.5,
        "equivalent features": 2.0,
        "noise ratio": 1.0,
    }


def test_sizes_and_shares_are_those_of_a_table_computed_by_hand() -> None:
    columns = [Column("x"), Column("color", ("red", "green", "blue"))]
    found = meta_features(table(columns, [[1, math.nan, 3, 4], [0, 1, 2, math.nan]], [0, 0, 0, 1]), ["simple"])
    assert found == pytest.approx(
        {
            "log rows": math.log10(4),
            "log features": math.log10(2),
            "classes": 2,
            "features per row": 0.5,
            "share of symbolic features": 0.5,
            "symbols per symbolic feature": 3,
            "share of missing cells": 0.25,
            "share of largest class": 0.75,
            "imbalance": 3,
        }
    )


def test_shapes_within_classes_agree_with_scipy() -> None:
    data = iris()
    found = meta_features(data, ["statistical"])
    groups = [data.features[:, data.classes == each] for each in range(3)]
    assert found["mean absolute skewness"] == pytest.approx(np.mean([abs(stats.skew(g, axis=1)) for g in groups]))
    assert found["mean kurtosis"] == pytest.approx(np.mean([stats.kurtosis(g, axis=1, fisher=False) for g in groups]))
    pairs = np.triu_indices(4, 1)
    assert found["mean absolute correlation"] == pytest.approx(np.mean([abs(np.corrcoef(g)[pairs]) for g in groups]))


def test_outliers_are_far_from_the_median() -> None:
    data = table([Column("x"), Column("constant")], [[1, 2, 3, 4, 100], [7, 7, 7, 7, 9]], [0, 0, 0, 1, 1])
    assert meta_features(data, ["statistical"])["share of outliers"] == 0.2


def test_equal_covariances_have_a_ratio_of_one() -> None:
    rng = np.random.default_rng(1)
    half = rng.normal(size=(3, 20))
    data = table([Column(name) for name in "xyz"], np.hstack([half, half + 5]), [0] * 20 + [1] * 20)
    assert meta_features(data, ["homogeneity"])["SD ratio"] == pytest.approx(1.0)


def test_covariances_of_iris_differ_as_published() -> None:
    """Box's M test of iris has a chi-squared of 140.94 (the R package heplots, among others)."""
    found = meta_features(iris(), ["homogeneity"])["SD ratio"]
    assert math.log(found) * 4 * 147 == pytest.approx(140.94, abs=0.01)


def test_canonical_correlation_is_that_of_a_table_computed_by_hand() -> None:
    found = meta_features(table([Column("x")], [[0, 2, 4, 6]], [0, 0, 1, 1]), ["discriminant"])
    assert found["first canonical correlation"] == pytest.approx(math.sqrt(4 / 5), abs=1e-5)  # W = 4, B = 16
    assert found["first share of variation"] == 1.0


def test_canonical_correlation_of_iris_is_the_published_one() -> None:
    """0.984821, with 0.991 of the variation (SAS/STAT, CANDISC)."""
    found = meta_features(iris(), ["discriminant"])
    assert found["first canonical correlation"] == pytest.approx(0.984821, abs=1e-6)
    assert found["first share of variation"] == pytest.approx(0.991, abs=5e-4)


def test_what_is_not_defined_is_missing() -> None:
    found = meta_features(table([Column("x", NOMINAL)], [[0, 0, 0]], [0, 0, 0]))
    undefined = {name for name, value in found.items() if math.isnan(value)}
    assert undefined == {
        *("mean absolute skewness", "mean kurtosis", "mean absolute correlation", "share of outliers", "SD ratio"),
        *("first canonical correlation", "first share of variation", "equivalent features", "noise ratio"),
    }


def test_a_group_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="MetaFeatures: groups must be some of simple, statistical"):
        MetaFeatures(("fancy",))


def test_landmarks_are_accuracies_and_the_shape_of_a_tree() -> None:
    with Project() as project:
        found = project.run(Landmarks(), data=project.given(iris())).results
        again = project.run(Landmarks(), data=project.given(iris())).results
    assert found == again
    assert all(0.3 < found[name] <= 1 for name in Landmarks().landmarkers)
    assert found["nearest neighbor"] > found["best split"]
    assert found["tree depth"] > 2


def test_the_shape_of_a_tree_is_counted() -> None:
    with Project() as project:
        data = table([Column("x"), Column("noise")], [[1, 2, 8, 9], [1, 1, 1, 1]], [0, 0, 1, 1])
        tree = project.run(Landmarks().tree, data=project.given(data)).outputs["tree"]  # type: ignore[arg-type]
    assert tree_shape(tree, data) == {
        "nodes per feature": 1.5,
        "leaves per row": 0.5,
        "tree depth": 2.0,
        "mean leaves per level": 1.0,
        "most leaves of a level": 2.0,
        "mean branch length": 1.0,
        "share of features used": 0.5,
    }


def test_differences_that_are_not_significant_have_no_sign() -> None:
    found = relative_landmarks({"x": [0.9, 0.5, 0.7], "y": [0.6, 0.8, 0.6], "z": [0.1, 0.11, 0.09]})
    assert (found["x against y"], found["x against z"]) == (0.0, 1.0)
    assert (found["rank of z"], found["inverse rank of z"]) == (3.0, 1 / 3)
    assert found["x to z"] == pytest.approx(7.0)
