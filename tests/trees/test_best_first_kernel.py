"""Best-first trees that the kernel grows are those that are grown node by node."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.machines.trees import (
    AllOf,
    BestFirstTree,
    InformationGain,
    MajorityBranch,
    MaxErrors,
    MaxLeaves,
    MinBranchSize,
)
from intemi.machines.trees.fast import grown
from tests import datasets
from tests.trees.examples import incomplete, table_of

LEARNERS: dict[str, Any] = {
    "Gini": BestFirstTree(),
    "information": BestFirstTree(InformationGain(), min_objects=1),
    "few expansions": BestFirstTree(expansions=3),
    "weighted order": BestFirstTree(scope="tree", expansions=4, min_objects=1),
    "zero gains": BestFirstTree(allow_zero_gain=True, min_objects=1),
    "few zero gains": BestFirstTree(InformationGain(), allow_zero_gain=True, expansions=6),
    "unseen symbols": BestFirstTree(unseen="missing", enumerated=6),
}


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("name", ["iris", "glass", "zoo", "tic-tac-toe", "lymph", "vote", "labor", "heart-h"])
def test_on_real_data(name: str, learner: Any) -> None:
    data = datasets.load(name)
    tree = grown(learner, data)
    assert tree is not None
    assert tree == learner._searched(data)


@given(seed=st.integers(0, 10_000), classes=st.integers(2, 9), learner=st.sampled_from(list(LEARNERS.values())))
def test_on_random_data(seed: int, classes: int, learner: Any) -> None:
    data = incomplete(seed, classes)
    tree = grown(learner, data)
    assert tree is not None
    assert tree == learner._searched(data)


def test_what_the_kernel_cannot_do_is_searched() -> None:
    data = table_of({"x": [1, 2, 3, 4]}, "ABAB")
    first = BestFirstTree()
    assert grown(first.replace("missing_values", MajorityBranch()), data) is None
    assert grown(first.replace("acceptor", MinBranchSize(which="two")), data) is None
    assert grown(first.replace("stop", AllOf((MaxErrors(), MaxLeaves(leaves=3)))), data) is None
