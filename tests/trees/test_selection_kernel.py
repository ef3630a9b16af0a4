"""Trees whose features are chosen by tests are the same from the kernel and node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Data, Table
from intemi.kernel import ConfigurationError
from intemi.machines.trees import (
    CRUISE1D,
    CRUISE2D,
    FACT,
    QUEST,
    AnyOf,
    Cal5,
    ClassGrouping,
    CTree,
    MaxDepth,
    MaxErrors,
    MaxLeaves,
    SmallestP,
)
from intemi.machines.trees.fast import grown
from intemi.machines.trees.selectors.ranking import rounded
from tests import datasets
from tests.trees.examples import incomplete, table_of

LEARNERS: dict[str, Any] = {
    "QUEST": QUEST(),
    "QUEST with large branches": QUEST(min_branch=3.0, alpha=0.5),
    "CRUISE": CRUISE1D(),
    "FACT": FACT(min_class=2.0),
    "FACT of a large F": FACT(threshold=8.0, min_class=1.0),
    "CTree": CTree(alpha=0.5, min_split=5.0, min_bucket=2.0),
    "CTree without adjustment": CTree(adjustment="none", enumerated=4, min_split=2.0, min_bucket=1.0),
    "Cal5": Cal5(),
    "Cal5 in doubt": Cal5(threshold=0.6, alpha=0.1),
    "Cal5 of few levels": Cal5().replace("stop", AnyOf((MaxErrors(), MaxDepth(depth=3)))),
}


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("name", ["iris", "glass", "zoo", "tic-tac-toe", "lymph", "vote", "labor", "heart-h"])
def test_on_real_data(name: str, learner: Any) -> None:
    data = datasets.load(name)
    tree = grown(learner, data)
    assert tree is not None
    assert tree == learner._searched(data)


@given(
    seed=st.integers(0, 10_000),
    classes=st.integers(2, 9),
    learner=st.sampled_from(list(LEARNERS.values())),
    is_weighted=st.booleans(),
    exponent=st.sampled_from([0, 0, 500, -500]),
)
def test_on_random_data(seed: int, classes: int, learner: Any, is_weighted: bool, exponent: int) -> None:
    table = incomplete(seed, classes).table
    features = table.features.copy()
    for index, column in enumerate(table.columns):
        if not column.is_nominal:
            features[index] = np.ldexp(features[index], exponent)
    weights = np.random.default_rng(seed).integers(1, 20, len(table)) / 7 if is_weighted else None
    data = Data(Table(table.columns, features, table.target, table.classes, weights))
    tree = grown(learner, data)
    assert tree is not None
    assert tree == learner._searched(data)


def test_of_equal_scores_the_first_feature_is_taken_in_spite_of_rounding() -> None:
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    data = table_of({"x": (x * 3).tolist(), "same": (3 - x * 3).tolist(), "again": x.tolist()}, "AAABABBB")
    for learner in QUEST(), CTree(alpha=0.5, min_split=5.0):
        tree = grown(learner, data)
        assert tree is not None
        assert tree == learner._searched(data)
        assert set(tree.feature.tolist()) <= {0}


@given(st.floats(allow_nan=False, min_value=-1e250, max_value=1e250).filter(lambda each: abs(each) > 1e-250))
def test_numbers_are_rounded_as_they_are_printed(number: float) -> None:
    from intemi.machines.trees.kernels.selecting import rounded as compiled

    assert compiled(number) == pytest.approx(rounded(number), rel=1e-15)


class HighestNumber(SmallestP):
    """A selector of one's own, made of another one."""

    def rank(self, data: Any) -> Any:
        return super().rank(data)[::-1]


class FirstAlone(ClassGrouping):
    """The first class, and the others."""

    def lower(self, means: Any, weights: Any) -> Any:
        return np.arange(len(means)) == 0


@pytest.mark.parametrize(
    "learner",
    [
        QUEST().replace("splitter.selector", HighestNumber()),
        QUEST().replace("splitter.splitter.grouping", FirstAlone()),
        QUEST().replace("stop", AnyOf((MaxErrors(), MaxLeaves(leaves=3)))),
        CTree(statistic="maximum"),
        FACT(cost=((0, 1), (2, 0))),
        CRUISE2D(),
    ],
)
def test_what_the_kernel_cannot_do_is_searched(learner: Any) -> None:
    assert grown(learner, table_of({"x": [1, 2, 3, 4]}, "ABAB")) is None


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_infinite_values_are_refused(learner: Any) -> None:
    data = table_of({"x": [1, 2, 3, 4], "y": [1, float("inf"), 3, 4]}, "ABAB")
    with pytest.raises(ConfigurationError, match="'y' are infinite"):
        learner.run(data)
