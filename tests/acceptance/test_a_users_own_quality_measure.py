"""A quality measure that a user writes is one like ours: ten lines, for any splitter, its source its identity."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from intemi.kernel import parameter
from intemi.machines.trees import (
    CART,
    DecisionTree,
    ExhaustiveSearch,
    Fractional,
    Gini,
    LinearDiscriminants,
    SplitQuality,
    WholeFeatures,
)
from intemi.testing import check_machine
from tests import datasets
from tests.programs import run_python
from tests.trees.examples import G14, same_tree, searched_tree, tree_of

PAGE = Path(__file__).parents[2] / "docs" / "tree-components.md"


class Purity(SplitQuality):
    """Gini gain, written by somebody else."""

    convex: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    nothing: ClassVar[float] = 1e-12

    @staticmethod
    def measure(table: Any, branches: int, classes: int, context: Any) -> float:
        weight, pure, before = 0.0, 0.0, 0.0
        for b in range(branches):
            part, squares = 0.0, 0.0
            for c in range(classes):
                part += table[b * classes + c]
                squares += table[b * classes + c] ** 2
            weight += part
            pure += squares / part
        for c in range(classes):
            total = 0.0
            for b in range(branches):
                total += table[b * classes + c]
            before += total * total
        return (pure - before / weight) / weight


class Powered(SplitQuality):
    """The powers of the class weights, summed: a measure with a parameter."""

    power: float = parameter(default=2.0, above=0)

    @staticmethod
    def measure(table: Any, branches: int, classes: int, context: Any) -> float:
        total = 0.0
        for i in range(branches * classes):
            total += table[i] ** context[2]
        return total

    def constants(self) -> tuple[float, ...]:
        return (self.power,)


def test_the_measure_of_the_documentation_has_ten_lines() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    classes = [re.search(r"^class \w+\(SplitQuality\):\n(?:(?: .*)?\n)+", block, re.MULTILINE) for block in blocks]
    first = next(each.group() for each in classes if each)
    assert len(first.strip().splitlines()) <= 10


@pytest.mark.parametrize("name", ["iris", "glass", "vote", "heart-c", "zoo"])
def test_a_measure_that_calculates_as_ours_grows_the_same_tree(name: str) -> None:
    data = datasets.load(name)
    own = CART(Purity(), surrogates=0, refinement=None)
    assert same_tree(tree_of(own, data), tree_of(CART(Gini(), surrogates=0, refinement=None), data))
    assert same_tree(tree_of(own, data), searched_tree(own, data))


def test_it_works_wherever_a_measure_does() -> None:
    data = datasets.load("heart-c")
    whole = [WholeFeatures(splitter=LinearDiscriminants(), quality=each) for each in (Purity(), Gini())]
    one, other = (tree_of(DecisionTree(splitter=each, missing_values=Fractional()), data) for each in whole)
    assert same_tree(one, other)


def test_its_parameters_reach_the_kernel() -> None:
    assert Powered(power=1.0).multi([[1, 2], [3, 0]]) == 6.0
    assert Powered(power=3.0).multi([[1, 2], [3, 0]]) == 36.0
    assert Powered(power=3.0).binary([[1, 2], [1, 0]], [[3, 0], [0, 2]]).tolist() == [36.0, 9.0]


def test_its_tree_is_a_machine_like_any_other() -> None:
    check_machine(DecisionTree(splitter=ExhaustiveSearch(quality=Powered())), data=G14)


def test_parameters_are_part_of_its_identity() -> None:
    assert Powered().digest == Powered(power=2.0).digest
    assert Powered().digest != Powered(power=3.0).digest
    assert Powered().digest != Purity().digest != Gini().digest


def test_a_measure_that_prefers_nothing_grows_nothing() -> None:
    class Indifferent(SplitQuality):
        nothing: ClassVar[float] = 0.0

        @staticmethod
        def measure(table: Any, branches: int, classes: int, context: Any) -> float:
            return 0.0

    assert len(tree_of(DecisionTree(splitter=ExhaustiveSearch(quality=Indifferent())), G14)) == 1


def test_a_measure_that_is_not_a_number_never_wins() -> None:
    class Undefined(SplitQuality):
        @staticmethod
        def measure(table: Any, branches: int, classes: int, context: Any) -> float:
            return float(np.nan)

    assert len(tree_of(DecisionTree(splitter=ExhaustiveSearch(quality=Undefined())), G14)) == 1


# A program that is edited between its runs on one project folder

PROGRAM = '''
import json
import sys

from intemi import Project
from intemi.data import Column, Data, Table
from intemi.machines import DecisionTree
from intemi.machines.trees import ExhaustiveSearch, SplitQuality
from helpers import FACTOR, weighed


class Mine(SplitQuality):
    """The weight of the first class in the first branch."""

    @staticmethod
    def measure(table, branches, classes, context):
        # As much as there is of it.
        return weighed(table[0]) * FACTOR


data = Data(Table([Column("x")], [[1, 2, 3, 4]], Column("class", ("A", "B")), [0, 1, 0, 1]))
tree = DecisionTree(splitter=ExhaustiveSearch(quality=Mine()))
with Project("project", workers=1) as project:
    done = project.run(tree, data=project.given(data))
    cut = done.outputs["tree"].parameters[0]
    print(json.dumps([Mine().digest.hex(), cut, project.counts().physical["DecisionTree"]]))
'''
HELPERS = """
from numba import njit

FACTOR = 1.0


@njit
def weighed(weight):
    return weight
"""


def ran(folder: Path) -> tuple[str, float, int]:
    """The digest of the program's measure, the first cut of its tree, and how many trees were grown for it."""
    done = run_python("program.py", cwd=folder)
    assert done.returncode == 0, done.stderr
    digest, cut, grown = json.loads(done.stdout)
    return digest, cut, grown


EDITS = [
    ("program.py", "* FACTOR", "* -FACTOR", 1.5),
    ("helpers.py", "return weight", "return -weight", 3.5),
    ("helpers.py", "FACTOR = 1.0", "FACTOR = -1.0", 1.5),
]


@pytest.mark.full
def test_an_edited_measure_is_another_one_and_grows_its_own_tree(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helpers.py").write_text(HELPERS)
    runs = [ran(tmp_path)]
    for file, old, new, _ in EDITS:
        text = (tmp_path / file).read_text()
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new))
        runs.append(ran(tmp_path))
    assert len({digest for digest, _, _ in runs}) == 4
    assert [cut for _, cut, _ in runs] == [3.5, *(cut for *_, cut in EDITS)]
    assert [grown for *_, grown in runs] == [1, 1, 1, 1]
    text = (tmp_path / "program.py").read_text()
    (tmp_path / "program.py").write_text(text.replace("# As much as there is of it.", "# Whatever there is.\n"))
    assert ran(tmp_path) == (runs[-1][0], 1.5, 0)


@pytest.mark.parametrize("way", ["an argument", "the standard input"])
def test_a_measure_can_be_typed_in(way: str, tmp_path: Path) -> None:
    program = PROGRAM.replace("from helpers import FACTOR, weighed", "").replace(
        "weighed(table[0]) * FACTOR", "table[0]"
    )
    arguments = ["-c", program] if way == "an argument" else ["-"]
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, input=program, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[1] == 3.5
