"""Cost-complexity sequences are those of scikit-learn and rpart to 1e-9, wherever the whole trees are the same.

Large data sets of the wide check are left to the script that writes docs/parity.md, which also tells what rpart does
differently.
"""

from __future__ import annotations

import pytest

from scripts import parity_home
from scripts.parity_sequences import (
    ComparedSequence,
    is_unexplained,
    rpart_comparisons,
    sklearn_comparisons,
    wide_ties,
)
from scripts.reference_data import HOME, WIDE

LARGEST = 400
"""Cases of the data sets of the wide check that are compared here."""


def check_sklearn(comparisons: list[ComparedSequence], least: int, alike: int) -> None:
    assert len(comparisons) >= least
    assert [each for each in comparisons if not each.of_its_tree] == []  # of the very trees that it pruned
    grown_alike = [each for each in comparisons if each.same_tree]
    assert len(grown_alike) >= alike
    assert [each for each in grown_alike if not each.is_same] == []


def check_rpart(comparisons: list[ComparedSequence], alike: int, same: int) -> None:
    grown_alike = [each for each in comparisons if each.same_tree]
    assert len(grown_alike) >= alike
    assert [each for each in grown_alike if not each.by_its_rule] == []  # with its short cut
    assert sum(each.is_same for each in grown_alike) >= same
    assert not any(is_unexplained(each) for each in comparisons)


def test_sequences_by_impurity_are_those_of_scikit_learn() -> None:
    check_sklearn(list(sklearn_comparisons(HOME)), least=14, alike=10)


def test_sequences_by_errors_are_those_of_rpart() -> None:
    comparisons = [each for each in parity_home.sequences() if each.program.startswith("R rpart")]
    assert len(comparisons) == 36
    check_rpart(comparisons, alike=34, same=15)


@pytest.mark.wide
def test_sequences_of_the_wide_check_are_those_of_scikit_learn() -> None:
    check_sklearn(list(sklearn_comparisons(WIDE, most=LARGEST)), least=15, alike=8)


@pytest.mark.wide
def test_sequences_of_the_wide_check_are_those_of_rpart() -> None:
    check_rpart(list(rpart_comparisons(WIDE, most=LARGEST, ties=wide_ties())), alike=30, same=15)
