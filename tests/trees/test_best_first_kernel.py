"""Best-first trees that the kernel grows are those that are grown node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intemi.machines.trees import BestFirstTree, InformationGain
from intemi.machines.trees.best_first import grown_best_first
from tests import datasets
from tests.trees.examples import table_of

LEARNERS: dict[str, Any] = {
    "Gini": BestFirstTree(),
    "information": BestFirstTree(InformationGain(), min_objects=1),
    "few expansions": BestFirstTree(expansions=3),
    "weighted order": BestFirstTree(scope="tree", expansions=4, min_objects=1),
    "zero gains": BestFirstTree(allow_zero_gain=True, min_objects=1),
    "few zero gains": BestFirstTree(InformationGain(), allow_zero_gain=True, expansions=6),
    "unseen symbols": BestFirstTree(unseen="missing"),
}


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("name", ["iris", "glass", "vehicle", "zoo", "tic-tac-toe", "lymph"])
def test_on_real_data(name: str, learner: Any) -> None:
    data = datasets.load(name)
    tree = grown_best_first(learner, data)
    assert tree is not None
    assert tree == learner._searched(data)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 4), learner=st.sampled_from(list(LEARNERS.values())))
def test_on_random_data(seed: int, classes: int, learner: Any) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 60))
    columns: dict[str, Any] = {
        "u": rng.integers(0, 4, size).tolist(),
        "v": rng.normal(size=size).round(1).tolist(),
        "w": rng.choice(list("pqrstu"), size).tolist(),
    }
    data = table_of(columns, rng.choice(list("ABCD"[:classes]), size).tolist(), labels="ABCD"[:classes])
    tree = grown_best_first(learner, data)
    assert tree is not None
    assert tree == learner._searched(data)


def test_what_the_kernel_cannot_do_is_searched() -> None:
    missing = table_of({"x": [1, 2, None, 4]}, "ABAB")
    weighted = table_of({"x": [1, 2, 3, 4]}, "ABAB", np.array([1.0, 2, 1, 1]))
    for data in (missing, weighted):
        assert grown_best_first(LEARNERS["Gini"], data) is None
