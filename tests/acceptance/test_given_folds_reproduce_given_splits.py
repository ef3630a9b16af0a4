"""Given folds give out exactly the splits of a file, so that results compare with those of other programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi.data import Data
from intemi.kernel import Input, Machine, Model, Project
from intemi.machines import Repeater
from intemi.machines.distributors import GivenFolds
from tests import datasets


class Rows(Machine):
    """Which rows of the table it was given."""

    training = Input(Data)
    test = Input(Data)

    def run(self, training: Data, test: Data) -> Model:
        return Model(results={"Training": training.rows, "Test": test.rows})


@pytest.mark.parametrize("name", ["iris", "breast-w", "audiology", "labor", "primary-tumor", "wdbc"])
def test_the_splits_are_those_of_the_file(name: str) -> None:
    folds = datasets.folds(name)
    with Project() as project:
        data = project.given(datasets.load(name))
        given = project.run(GivenFolds(folds), data=data).outputs
    assert len(given["training"]) == len(given["test"]) == 10
    for fold, (training, test) in enumerate(zip(given["training"], given["test"], strict=True)):
        assert test.rows.tolist() == [row for row, each in enumerate(folds) if each == fold]
        assert training.rows.tolist() == [row for row, each in enumerate(folds) if each != fold]
        assert test.table is training.table


def test_a_cross_validation_with_given_folds_tests_each_fold_in_its_order() -> None:
    folds = datasets.folds("iris")
    with Project() as project:
        data = project.given(datasets.load("iris"))
        repeater = project.run(Repeater(distributor=GivenFolds(folds), test=Rows()), data=data)
        tests: list[Any] = [child for child in repeater.children if child.name == "test"]
        for fold, test in enumerate(tests):
            assert test.results["Test"].tolist() == np.flatnonzero(np.array(folds) == fold).tolist()
            assert test.results["Training"].tolist() == np.flatnonzero(np.array(folds) != fold).tolist()
        assert len(tests) == 10


def test_given_folds_are_not_random_so_repetitions_are_one() -> None:
    with Project() as project:
        data = project.given(datasets.load("iris"))
        config = Repeater(distributor=GivenFolds(datasets.folds("iris")), test=Rows(), repetitions=3)
        project.run(config, data=data)
        counts = project.counts()
        assert counts.logical["GivenFolds"] == 3
        assert counts.physical["GivenFolds"] == 1
        assert counts.logical["Rows"] == 30
        assert counts.physical["Rows"] == 10
