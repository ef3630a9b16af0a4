"""Trees that kernels grow of rows that are divided, weigh differently or follow surrogates are those that are searched.

Not just but for rounding: fractions are added up in the same order, so the trees are the same to the last digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.machines.trees import (
    C45,
    CART,
    AnyOf,
    AUCTree,
    DecisionTree,
    ExhaustiveSearch,
    Fractional,
    InformationGain,
    MaxDepth,
    MaxErrors,
    MaxLeaves,
    SmallSets,
    SSVTree,
    Surrogates,
    Twoing,
)
from intemi.machines.trees.fast import grown, plan_of
from intemi.machines.trees.kernels.best_first import order_of_gains
from intemi.machines.trees.kernels.sums import sum_of
from intemi.machines.trees.kernels.values import move_to_values
from intemi.machines.trees.statistics.rounding import largest_values
from tests import datasets
from tests.trees.examples import incomplete, same_tree

SHALLOW = AnyOf((MaxErrors(), MaxDepth(depth=4)))
LEARNERS: dict[str, Any] = {
    "surrogates": CART(refinement=None),
    "one surrogate, twoing": CART(Twoing(), surrogates=1, refinement=None),
    "surrogates, information": CART(InformationGain(), min_size=6, min_branch=3, refinement=None),
    "surrogates, shallow": CART(refinement=None).replace("stop", SHALLOW),
    "surrogates of many branches": AUCTree().replace("missing_values", Surrogates(most=3)),
    "surrogates, cuts at values": C45(binary=True, collapse=False, refinement=None).replace(
        "missing_values", Surrogates()
    ),
    "C4.5": C45(collapse=False, refinement=None),
    "C4.5, binary": C45(binary=True, mdl=False, collapse=False, refinement=None),
    "AUC": AUCTree(),
    "parts, shallow": AUCTree().replace("stop", SHALLOW),
    "parts, small sets": SSVTree().replace("missing_values", Fractional()),
    "parts, scaled": DecisionTree(
        splitter=ExhaustiveSearch(scale=True, nominal=SmallSets(), min_branch=2.0), missing_values=Fractional()
    ),
}


@pytest.mark.parametrize("name", LEARNERS)
@given(seed=st.integers(0, 100_000), classes=st.integers(2, 9))
def test_on_random_data(name: str, seed: int, classes: int) -> None:
    learner, data = LEARNERS[name], incomplete(seed, classes)
    tree, plan = grown(learner, data), plan_of(learner)
    assert tree is not None
    assert plan is not None
    if data.is_weighted and not plan.divides(data):  # then the order of weights does not matter
        assert same_tree(tree, learner._searched(data))
    else:
        assert tree == learner._searched(data)


@pytest.mark.parametrize("name", ["labor", "vote", "heart-h", "audiology", "iris", "glass", "zoo"])
def test_on_real_data(name: str) -> None:
    data = datasets.load(name)
    for learner in LEARNERS.values():
        assert grown(learner, data) == learner._searched(data)


def test_of_a_view_in_which_rows_are_repeated() -> None:
    data = incomplete(3, 3)
    view = data.select_rows(np.random.default_rng(0).integers(0, len(data), 2 * len(data))).select_columns([1, 3])
    for learner in LEARNERS.values():
        assert grown(learner, view) == learner._searched(view)


@given(seed=st.integers(0, 100_000))
def test_surrogates_of_a_tree_with_few_leaves(seed: int) -> None:
    learner, data = (
        CART(refinement=None).replace("stop", AnyOf((MaxErrors(), MaxLeaves(leaves=5)))),
        incomplete(seed, 3),
    )
    tree = grown(learner, data)
    assert tree == learner._searched(data) if not data.is_weighted else tree is None


@given(seed=st.integers(0, 100_000), size=st.integers(1, 2000))
def test_sums_are_those_of_numpy(seed: int, size: int) -> None:
    numbers = np.random.default_rng(seed).random(size)
    assert sum_of(numbers, 0, size) == numbers.sum()


@given(seed=st.integers(0, 100_000))
def test_cuts_move_to_values_of_the_rows_that_are_there(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = (rng.integers(0, 60, 40) * rng.choice([1.0, 0.01])).reshape(1, -1)
    values[0, rng.random(40) < 0.2] = np.nan
    is_there = rng.random(40) < 0.7
    known = np.unique(values[0, is_there & ~np.isnan(values[0])])
    if len(known) < 2:
        return
    low = rng.integers(0, len(known) - 1, 5)
    cuts = known[low] + (known[low + 1] - known[low]) / 2
    expected = largest_values(values[0, is_there], cuts)
    order = np.argsort(values, axis=1, kind="stable").astype(np.int32)
    move_to_values(order, values, is_there.astype(np.uint8), np.zeros(5, dtype=np.int32), cuts)
    assert cuts.tolist() == expected.tolist()


def test_of_equal_gains_the_first_or_the_last_comes_first() -> None:
    first_child, branches = np.array([1, 3, 5, -1, -1, -1, -1], np.int32), np.array([2, 2, 2, 0, 0, 0, 0], np.int32)
    gains = np.array([0.5, 0.1, 0.1, 0, 0, 0, 0])
    assert order_of_gains(gains, first_child, branches, False).tolist() == [1, 2, 3, 0, 0, 0, 0]
    assert order_of_gains(gains, first_child, branches, True).tolist() == [1, 3, 2, 0, 0, 0, 0]
