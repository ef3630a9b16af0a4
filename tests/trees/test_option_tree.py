"""Option trees: which splits a node keeps, and what is made of their answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Data
from intemi.kernel import ConfigurationError
from intemi.kernel.decoding import decode
from intemi.kernel.encoding import encode
from intemi.kernel.errors import MalformedError
from intemi.machines.loading import SklearnDataset
from intemi.machines.trees import (
    AverageOptions,
    BayesOptions,
    BranchForEach,
    DecisionTree,
    ExhaustiveSearch,
    Fractional,
    MaxDepth,
    OptionTree,
    OptionTreeClassifier,
    TreeOfOptions,
    VoteOptions,
)
from tests.trees.examples import table_of

# Root (4, 4); feature a makes (4, 1) and (0, 3), feature b makes (3, 1) and (1, 3).
TWO = table_of({"a": [0, 0, 0, 0, 0, 1, 1, 1], "b": [0, 0, 0, 1, 0, 1, 1, 1]}, "AAAABBBB")
ROW = TWO.select_rows([3])  # in the first child of a and the second of b
TWO_OPTIONS: dict[str, Any] = {"option_factor": 0.1, "min_objects": 2.0, "stop": MaxDepth(depth=2)}


def learned(data: Data, **parameters: Any) -> OptionTreeClassifier:
    classifier = OptionTree(**parameters).run(data).outputs["classifier"]
    assert isinstance(classifier, OptionTreeClassifier)
    return classifier


def test_evidence_weighs_options_as_worked_out() -> None:
    classifier = learned(TWO, rule=BayesOptions(), **TWO_OPTIONS)
    shares = classifier.rule.shares(classifier.tree)
    assert shares.own[0] == pytest.approx(0.226629, abs=1e-6)
    np.testing.assert_allclose(shares.options, [0.594901, 0.178470], atol=1e-6)
    np.testing.assert_allclose(classifier.probabilities(ROW), [[0.597734, 0.402266]], atol=1e-6)


def test_one_option_is_tree_smoothing() -> None:
    classifier = learned(TWO, rule=BayesOptions(), max_options=1, stop=MaxDepth(depth=2))
    shares = classifier.rule.shares(classifier.tree)
    assert (shares.own[0], shares.options[0]) == pytest.approx((0.16, 0.84))
    np.testing.assert_allclose(classifier.probabilities(ROW), [[0.68, 0.32]], atol=1e-12)


def test_options_are_averaged_or_vote() -> None:
    averaged = learned(TWO, rule=AverageOptions(), **TWO_OPTIONS)
    np.testing.assert_allclose(averaged.probabilities(ROW), [[(0.8 + 0.25) / 2, (0.2 + 0.75) / 2]])
    voted = learned(TWO, rule=VoteOptions(), **TWO_OPTIONS)
    np.testing.assert_allclose(voted.probabilities(ROW), [[0.5, 0.5]])


def test_without_options_it_is_the_tree() -> None:
    for name in ("iris", "wine"):
        data = SklearnDataset(name).run().outputs["data"]
        tree = DecisionTree().run(data).outputs["classifier"]
        alone = learned(data, max_options=1)
        assert len(alone.tree) == len(tree.tree)
        np.testing.assert_array_equal(alone.probabilities(data), tree.probabilities(data))


def test_options_are_nearly_as_good_as_the_best_and_of_other_features() -> None:
    data = SklearnDataset("wine").run().outputs["data"]
    tree = learned(data, option_factor=0.6).tree
    assert 1 < tree.option_start[1] <= 5
    first = tree.feature[: tree.option_start[1]].tolist()
    assert len(set(first)) == len(first)
    deep = tree.option_start[-1] - tree.option_start[-20]
    assert deep <= 19  # one at most below the upper levels
    assert len(learned(data, option_factor=1.0).tree) < len(tree)


def test_growth_ends_when_there_are_too_many_nodes() -> None:
    data = SklearnDataset("wine").run().outputs["data"]
    assert len(learned(data, option_factor=0.5, max_nodes=9).tree) <= 9
    assert len(learned(data, max_nodes=1).tree) == 1


def test_missing_values_and_symbols_go_somewhere() -> None:
    data = table_of({"x": [1, 2, None, 4, 5, 6, 7, 8] * 3, "s": list("abcabcab") * 3}, "AABBAABB" * 3)
    splitter = ExhaustiveSearch(nominal=BranchForEach(empty=True))
    classifier = learned(data, option_factor=0.0, splitter=splitter, min_objects=2.0)
    np.testing.assert_allclose(classifier.probabilities(data).sum(axis=1), 1.0)
    assert (classifier.classify(data) == data.classes).mean() > 0.8
    with pytest.raises(ConfigurationError, match="missing_values"):
        OptionTree(missing_values=Fractional())  # type: ignore[arg-type]


def test_trees_that_lead_astray_are_refused_when_they_are_read() -> None:
    classifier = learned(TWO, **TWO_OPTIONS)
    again = decode(encode(classifier))
    np.testing.assert_array_equal(again.probabilities(TWO), classifier.probabilities(TWO))
    parts = {name: value for name, value in vars(classifier.tree).items() if name != "parent"}
    for name in ("first_child", "feature", "default_branch"):
        wrong = parts[name].copy()
        wrong[0] = 99
        with pytest.raises(MalformedError):
            decode(encode(TreeOfOptions(**{**parts, name: wrong})))
