"""Learners that say that they use weights: a row of weight 2 counts as two rows, one of weight 0 as none."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import Project
from intemi.machines import (
    AlternatingTree,
    Boosting,
    GradientBoosting,
    Learner,
    LinearRegression,
    Logistic,
    OneR,
    Wagging,
)
from intemi.machines.trees import OptionTree

LEARNERS = [
    AlternatingTree(steps=5),
    GradientBoosting(steps=5, subsample=1.0),
    LinearRegression(),
    Logistic(),
    OneR(bucket=3),
    OptionTree(option_factor=0.5, min_objects=2),
]


def noisy(count: int) -> Data:
    """Rows of three classes, and values of which many are equal."""
    rng = np.random.default_rng(7)
    values = rng.normal(size=(3, count)).round(1)
    classes = np.digitize(values[0] + rng.normal(scale=0.5, size=count), [-0.5, 0.5])
    return Data(Table([Column("x"), Column("y"), Column("z")], values, Column("class", tuple("abc")), classes))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.kind)
def test_weights_are_numbers_of_rows(learner: Learner) -> None:
    data, weights = noisy(60), np.arange(60) % 3
    copies = data.select_rows(np.repeat(np.arange(60), weights))
    with Project() as project:
        runs = [project.run(learner, data=project.given(each)) for each in (data.with_weights(weights), copies, data)]
        weighted, copied, plain = (each.outputs["classifier"].probabilities(data) for each in runs)
    np.testing.assert_allclose(weighted, copied, atol=1e-9)
    assert np.abs(weighted - plain).max() > 1e-3


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.kind)
def test_committees_that_weigh_rows_draw_no_samples_for_them(learner: Learner) -> None:
    with Project() as project:
        data = project.given(noisy(30))
        project.run(Boosting(learner, size=2), data=data)
        project.run(Wagging(learner, size=2, seed=1), data=data)
        assert "BootstrapSampler" not in project.counts().physical
