"""Alternating decision trees, against numbers worked out by hand and WEKA's trees."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines.committees import AlternatingClassifier, AlternatingTree
from intemi.machines.loading import DataLoader
from tests.trees.examples import table_of

REFERENCE = Path(__file__).parents[1] / "reference"
TOY = table_of({"x": range(10)}, [1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
PRINTED = {part.partition(":")[0]: part for part in (REFERENCE / "adtree.txt").read_text().split("### ")[1:]}


def learned(data: Data, **parameters: float) -> AlternatingClassifier:
    classifier = AlternatingTree(**parameters).run(data).outputs["classifier"]  # type: ignore[arg-type]
    assert isinstance(classifier, AlternatingClassifier)
    return classifier


def test_the_toy_of_ten_rows_comes_out_as_worked_out() -> None:
    classifier = learned(TOY, steps=3, smoothing=0.0)
    [tree] = classifier.trees
    assert tree.root == pytest.approx(0.168236, abs=1e-6)
    assert tree.cut.tolist() == [2.5, 5.5, 8.5]
    assert tree.parent.tolist() == [0, 2, 4]  # each below the upper outcome of the one before
    numbers = [[0.631422, -0.241686], [-0.665860, 0.392392], [0.578559, -0.432640]]
    np.testing.assert_allclose(tree.values, numbers, atol=1e-6)
    np.testing.assert_allclose(tree.z, [6.928203, 4.812549, 2.780779], atol=1e-6)
    assert (classifier.classify(TOY) == TOY.classes).all()


@pytest.mark.parametrize("name", PRINTED)
def test_trees_are_those_that_weka_prints(name: str) -> None:
    printed, data = PRINTED[name], DataLoader(str(REFERENCE / "data" / f"{name}.arff")).run().outputs["data"]
    classifier = learned(data)
    ours, theirs = _nodes(str(classifier)), _nodes(printed)
    assert [place for place, _ in ours] == [place for place, _ in theirs]
    np.testing.assert_allclose([number for _, number in ours], [number for _, number in theirs], atol=1e-3)
    errors, right = re.search(r"errors (\d+), sum of the true class's probability ([\d.]+)", printed).groups()  # type: ignore[union-attr]
    answers, probabilities = classifier.answers(data)
    assert (answers != data.classes).sum() == int(errors)
    assert probabilities[np.arange(len(data)), data.classes].sum() == pytest.approx(float(right), abs=1e-5)


def _nodes(text: str) -> list[tuple[tuple[str, ...], float]]:
    """Of each prediction node its place (depth, rule and feature) and its number."""
    found = re.findall(r"^((?:\|  )*)(?:\((\d+)\) ?(\w+).*)?: (-?[\d.]+)$", text, flags=re.M)
    return [((str(len(bars) // 3), rule, feature), float(number)) for bars, rule, feature, number in found]


def test_rows_that_miss_a_value_take_no_part_in_the_rule() -> None:
    missing = table_of({"x": [None, 0]}, [0, 1])
    [tree] = learned(TOY, steps=1).trees
    np.testing.assert_allclose(tree.scores(missing), [tree.root, tree.root + tree.values[0, 0]])
    half = table_of({"x": [1, 2, None, None], "y": [1, 2, 1, 2]}, "ABAB")
    assert (learned(half, steps=2).classify(half) == half.classes).all()


def test_each_of_several_classes_is_told_from_the_others() -> None:
    data = table_of({"x": [1, 2, 3, 4, 5, 6], "s": list("aabbcc")}, "AABBCC")
    classifier = learned(data, steps=4)
    assert len(classifier.trees) == 3
    assert (classifier.classify(data) == data.classes).all()
    np.testing.assert_allclose(classifier.probabilities(data).sum(axis=1), 1.0)


def test_one_class_needs_no_rules() -> None:
    data = Data(Table([Column("x")], [[1, 2, 3]], Column("class", ("a", "b")), [1, 1, 1]))
    classifier = learned(data)
    assert len(classifier.trees[0]) == 0
    assert classifier.classify(data).tolist() == [1, 1, 1]


def test_weights_are_numbers_of_copies() -> None:
    rng = np.random.default_rng(1)
    values, classes, weights = rng.normal(size=(2, 30)).round(1), rng.integers(0, 2, 30), rng.integers(1, 4, 30)
    columns, target = [Column("x"), Column("y")], Column("class", ("a", "b"))
    weighted = Data(Table(columns, values, target, classes, weights.astype(float)))
    copied = Data(Table(columns, values.repeat(weights, axis=1), target, classes.repeat(weights)))
    assert str(learned(weighted)) == str(learned(copied))


def test_infinite_values_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="'x' are infinite"):
        AlternatingTree().run(table_of({"x": [1, float("inf")]}, "AB"))
