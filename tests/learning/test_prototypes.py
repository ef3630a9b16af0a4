"""Prototypes: expected classes are means and most frequent categories, LVQ moves as it is defined."""

from __future__ import annotations

import numpy as np
import pytest

from intemi import ConfigurationError, Project
from intemi.data import Column, Data, Table
from intemi.machines import KNN, LVQ, ExpectedClass, Mixed, SklearnDataset
from tests.learning.tables import mixed, outputs

NAN = float("nan")
DATA = Data(
    Table(
        [Column("x"), Column("colour", ("red", "blue"))],
        [[1, 3, NAN, 10, 20, 7], [0, 1, 1, 0, NAN, 1]],
        Column("class", ("a", "b", "c")),
        [0, 0, 0, 2, 2, -1],
        [1, 3, 1, 1, 1, 1],
    )
)


def test_expected_classes_are_weighted_means_and_most_frequent_categories() -> None:
    found = outputs(ExpectedClass(), data=DATA)["prototypes"]
    assert found.features.tolist() == [[2.5, 15.0], [1.0, 0.0]]
    assert found.classes.tolist() == [0, 2], "nothing is to be expected of a class without rows"
    assert (found.columns, found.labels) == (DATA.columns, DATA.labels)


def test_what_nothing_is_known_of_stays_missing() -> None:
    unknown = Data(Table([Column("x")], [[NAN, 1.0]], Column("class", ("a", "b")), [0, 1]))
    assert np.isnan(outputs(ExpectedClass(), data=unknown)["prototypes"].features[0, 0])


def points(seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    classes = np.array([0] * 20 + [1] * 20 + [2] * 2)
    columns = [Column("x"), Column("y")]
    return Data(Table(columns, rng.normal(size=(2, 42)) + 4 * classes, Column("class", ("a", "b", "c")), classes))


def test_there_are_as_many_prototypes_of_each_class_as_asked_for_or_as_it_has_rows() -> None:
    found = outputs(LVQ(per_class=4), data=points())["prototypes"]
    assert found.classes.tolist() == [0] * 4 + [1] * 4 + [2] * 2


def test_prototypes_move_as_lvq1_says() -> None:
    data, lvq = points(), LVQ(per_class=1, epochs=2, rate=0.5)
    found = lvq.run(data, np.random.default_rng(7)).outputs["prototypes"].features.T
    rows, classes, rng = data.features.T, data.classes, np.random.default_rng(7)
    expected = np.array([rows[rng.choice(np.flatnonzero(classes == label), 1, replace=False)[0]] for label in range(3)])
    steps = [place for _ in range(2) for place in rng.permutation(42)]
    for step, place in enumerate(steps):
        nearest = min(range(3), key=lambda label: np.linalg.norm(rows[place] - expected[label]))
        share = 0.5 * (1 - step / 84) * (1 if nearest == classes[place] else -1)
        expected[nearest] = expected[nearest] + share * (rows[place] - expected[nearest])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_prototypes_end_where_their_class_is() -> None:
    data = points()
    found = outputs(LVQ(per_class=1, epochs=30), data=data)["prototypes"]
    means = outputs(ExpectedClass(), data=data)["prototypes"]
    assert np.abs(found.features - means.features).max() < 1.0


def test_another_seed_gives_other_prototypes_and_the_same_one_the_same() -> None:
    found = []
    for seed in (1, 1, 2):
        with Project() as project:
            wine = project.request(SklearnDataset("wine"))
            found.append(project.run(LVQ(seed=seed), data=wine.data).outputs["prototypes"])
    assert found[0] == found[1] != found[2]


def test_lvq_refuses_what_is_no_number() -> None:
    with pytest.raises(ConfigurationError, match="LVQ: numeric columns without missing values are needed"):
        LVQ().run(mixed(), np.random.default_rng(0))


def test_mixed_distances_are_the_sum_of_squares_and_of_different_categories() -> None:
    data = mixed(missing=0).select_columns([0, 1, 3, 4])
    values = Mixed().numbers("test", data)
    found = Mixed().between(values, values)
    x, y, first, second = data.features
    expected = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2
    expected += (first[:, None] != first).astype(float) + (second[:, None] != second)
    np.testing.assert_allclose(found**2, expected, atol=1e-9)


def test_a_missing_category_is_one_more_category() -> None:
    data = Data(Table([Column("colour", ("red", "blue"))], [[0, 1, NAN, NAN]], Column("class", ("a", "b")), [0] * 4))
    values = Mixed().numbers("test", data)
    assert Mixed().between(values, values).round(9)[2].tolist() == [1.0, 1.0, 0.0, 0.0]


def test_missing_numbers_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="some of 'x' are missing; Imputation fills them in"):
        KNN(k=1, distance=Mixed()).run(DATA)
