"""Windowing: what is learned from a few rows is right for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.data import Data
from intemi.kernel import BindingError, Model, Project
from intemi.machines.classifiers.majority import Majority
from intemi.machines.distributors import CVDistributor
from intemi.machines.trees import ID3, DecisionTree, MaxDepth, Windowing
from intemi.machines.trees.refinement.windowing import FirstWindow, LargerWindow
from intemi.testing import check_machine
from tests import datasets
from tests.trees.examples import D1, G14, table_of, tree_of
from tests.trees.test_exhaustive_search import tables


def run(machine: Any, data: Data) -> Model:
    with Project() as project:
        model: Model = project.run(machine, data=project.given(data))
        return model


def wrong(model: Model, data: Data) -> int:
    """How many rows the classifier gets wrong."""
    return int((model.outputs["classifier"].classify(data) != data.classes).sum())


@pytest.mark.parametrize("share", [0.05, 0.2, 0.7])
def test_the_first_window_has_its_share_of_every_class(share: float) -> None:
    data = datasets.load("glass")
    model = FirstWindow(share).run(data, np.random.default_rng(3))
    window, rows = model.outputs["window"], model.outputs["rows"]
    every, drawn = (np.bincount(each.classes, minlength=len(data.labels)) for each in (data, window))
    assert drawn.tolist() == np.ceil(share * every).tolist()
    assert (np.diff(rows) > 0).all()
    assert window == data.select_rows(rows)


def test_a_window_grows_by_rows_that_are_wrong() -> None:
    data = table_of({"x": list(range(40))}, "A" * 20 + "B" * 20)
    before = np.array([0, 1, 2, 3, 4, 5, 38, 39], dtype=np.int32)
    classifier = Majority().run(data.select_rows(before)).outputs["classifier"]
    model = LargerWindow().run(data, before, classifier, np.random.default_rng(0))
    rows = model.outputs["rows"]
    assert model.results == {"Wrong": 18, "Added": 4}
    added = np.setdiff1d(rows, before)
    assert len(added) == 4
    assert (added >= 20).all()  # the majority answers A
    again = LargerWindow().run(data, before, classifier, np.random.default_rng(0))
    assert again.outputs["rows"].tolist() == rows.tolist()


def test_a_window_of_one_row_grows_by_one() -> None:
    data = table_of({"x": [1, 2, 3, 4]}, "ABBB")
    before = np.array([0], dtype=np.int32)
    classifier = Majority().run(data.select_rows(before)).outputs["classifier"]
    assert LargerWindow().run(data, before, classifier, np.random.default_rng(0)).results == {"Wrong": 3, "Added": 1}


@given(tables(missing=False), st.floats(0.05, 1.0), st.integers(0, 99))
def test_no_row_outside_the_window_is_wrong_at_the_end(data: Data, share: float, seed: int) -> None:
    model = run(Windowing(share=share, most=100, seed=seed), data)
    tree = model.outputs["tree"]
    leaves = tree.class_weights[tree.branch_count == 0]
    assert wrong(model, data) == leaves.sum() - leaves.max(axis=1).sum()
    assert leaves.sum() == model.results["Window"] <= len(data)


def test_few_rows_may_be_enough() -> None:
    data = table_of({"x": list(range(1000))}, "A" * 400 + "B" * 600)
    model = run(Windowing(share=0.02, seed=5), data)
    assert wrong(model, data) == 0
    assert model.results["Window"] < 60
    assert model.outputs["tree"].weights[0] == model.results["Window"]


def test_a_window_of_all_rows_is_learned_once() -> None:
    model = run(Windowing(ID3(), share=1.0), G14)
    assert model.results == {"Rounds": 1, "Window": 14}
    assert model.outputs["tree"] == tree_of(ID3(), G14)


def test_it_ends_when_it_must() -> None:
    stump = DecisionTree(stop=MaxDepth(depth=2))
    assert run(Windowing(stump, share=0.1, most=3, seed=1), datasets.load("glass")).results["Rounds"] == 3
    done = run(Windowing(Majority(), share=0.5, most=100), G14)
    assert done.results["Window"] <= 14


def test_another_seed_is_another_window() -> None:
    data = datasets.load("iris")
    trees = [run(Windowing(share=0.1, seed=seed), data).outputs["tree"] for seed in range(4)]
    assert any(tree != trees[0] for tree in trees)


def test_rows_without_a_class_are_left_out() -> None:
    data = datasets.load("iris")
    unknown = np.array(data.classes)
    unknown[::7] = -1
    table = type(data.table)(data.columns, data.features, data.target, unknown)
    model = run(Windowing(share=0.2, seed=2), Data(table))
    assert model.results["Window"] < 150


def test_the_learner_has_to_learn() -> None:
    with pytest.raises(BindingError, match="Windowing: learner must have the role Learner"):
        Windowing(CVDistributor())


def test_the_machines_keep_the_promises_of_all_machines() -> None:
    check_machine(Windowing, data=D1)
    check_machine(FirstWindow, data=D1)
