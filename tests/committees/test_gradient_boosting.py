"""Gradient boosting, against numbers worked out by hand and scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, Project
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode
from intemi.kernel.errors import MalformedError
from intemi.machines.committees import BoostedTrees, GradientBoosting
from intemi.machines.loading import SklearnDataset
from tests.trees.examples import table_of

TOY = table_of({"x": range(10)}, [1, 1, 1, 0, 0, 0, 1, 1, 1, 0])


def learned(data: Data, **parameters: Any) -> BoostedTrees:
    classifier = GradientBoosting(**{"subsample": 1.0, **parameters}).run(data).outputs["classifier"]
    assert isinstance(classifier, BoostedTrees)
    return classifier


def single(data: Data) -> Data:
    """The data with numbers as scikit-learn's trees keep them."""
    return data.with_features(data.columns, data.features.astype(np.float32).astype(np.float64))


def test_one_step_on_the_toy_comes_out_as_worked_out() -> None:
    classifier = learned(TOY, steps=1, leaves=2, rate=1.0)
    assert classifier.start[0] == pytest.approx(0.202733, abs=1e-6)
    assert classifier.cut[0] == 2.5
    np.testing.assert_allclose(classifier.number[1:], [0.833333, -0.357143], atol=1e-6)
    np.testing.assert_allclose(classifier.scores(TOY)[[0, 9], 0], [1.036066, -0.154410], atol=1e-6)


@pytest.mark.parametrize(("name", "leaves"), [("breast_cancer", 2), ("wine", 2), ("iris", 2), ("iris", 6)])
def test_probabilities_are_those_of_scikit_learn(name: str, leaves: int) -> None:
    """Trees of more leaves may differ where two features separate equally well: there scikit-learn draws."""
    from sklearn.ensemble import GradientBoostingClassifier

    data = single(SklearnDataset(name).run().outputs["data"])
    theirs = GradientBoostingClassifier(n_estimators=20, max_leaf_nodes=leaves, max_depth=None, random_state=0)
    theirs.fit(data.features.T, data.classes)
    probabilities = learned(data, steps=20, leaves=leaves).probabilities(data)
    np.testing.assert_allclose(probabilities, theirs.predict_proba(data.features.T), atol=1e-12)


def test_the_first_steps_are_those_of_fewer_steps() -> None:
    data = SklearnDataset("wine").run().outputs["data"]
    few, many = learned(data, steps=3), learned(data, steps=8)
    np.testing.assert_array_equal(many.scores(data, steps=3), few.scores(data))


def test_rows_are_drawn_by_the_seed() -> None:
    data = SklearnDataset("wine").run().outputs["data"]
    with Project() as project:
        source = project.given(data)
        runs = [project.run(GradientBoosting(steps=3, seed=seed), data=source) for seed in (1, 2, 1)]
        scores = [run.outputs["classifier"].scores(data) for run in runs]
    np.testing.assert_array_equal(scores[0], scores[2])
    assert (scores[0] != scores[1]).any()


def test_weights_are_numbers_of_copies() -> None:
    rng = np.random.default_rng(1)
    values, classes, weights = rng.normal(size=(2, 40)), rng.integers(0, 3, 40), rng.integers(1, 4, 40)
    columns, target = [Column("x"), Column("y")], Column("class", tuple("abc"))
    weighted = Data(Table(columns, values, target, classes, weights.astype(float)))
    copied = Data(Table(columns, values.repeat(weights, axis=1), target, classes.repeat(weights)))
    ours, theirs = (learned(each, steps=5).scores(weighted) for each in (weighted, copied))
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_one_class_needs_no_trees_and_a_class_without_rows_is_unlikely() -> None:
    data = Data(Table([Column("x")], [[1, 2, 3]], Column("class", ("a", "b")), [1, 1, 1]))
    assert len(learned(data).roots) == 0
    assert learned(data).classify(data).tolist() == [1, 1, 1]
    third = Data(Table([Column("x")], [[1, 2, 3]], Column("class", tuple("abc")), [0, 1, 1]))
    assert (learned(third, steps=5).probabilities(third)[:, 2] < 1e-6).all()


def test_symbols_and_missing_values_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="NominalToIndicators"):
        learned(table_of({"s": list("ab")}, "AB"))
    with pytest.raises(ConfigurationError, match="Imputation"):
        learned(table_of({"x": [1, None]}, "AB"))


def test_trees_that_lead_astray_are_refused_when_they_are_read() -> None:
    classifier = learned(TOY, steps=2)
    assert (decode(encode(classifier)).scores(TOY) == classifier.scores(TOY)).all()
    wrong = classifier.left.copy()
    wrong[0] = 1000
    parts = {**classifier.__dict__, "left": wrong}
    with pytest.raises(MalformedError):
        decode(encode(BoostedTrees(**parts)))
