"""Cost-complexity sequences are those of scikit-learn and rpart to 1e-9, wherever the whole trees are the same.

Large data sets are left to the script that writes docs/parity.md, which also tells what rpart does differently.
"""

from __future__ import annotations

import pytest

from scripts.parity_sequences import SHARED, is_unexplained, rpart_comparisons, sklearn_comparisons

LARGEST = 400
"""Cases of the data sets that are compared here."""

has_reference = pytest.mark.skipif(
    not (SHARED / "reference" / "sklearn_ccp.jsonl").exists(), reason="the reference sequences are not there"
)


@has_reference
def test_sequences_by_impurity_are_those_of_scikit_learn() -> None:
    comparisons = list(sklearn_comparisons(most=LARGEST))
    assert len(comparisons) >= 15
    assert [each for each in comparisons if not each.of_its_tree] == []  # of the very trees that it pruned
    grown_alike = [each for each in comparisons if each.same_tree]
    assert len(grown_alike) >= 8
    assert [each for each in grown_alike if not each.is_same] == []


@has_reference
def test_sequences_by_errors_are_those_of_rpart() -> None:
    comparisons = list(rpart_comparisons(most=LARGEST))
    grown_alike = [each for each in comparisons if each.same_tree]
    assert len(grown_alike) >= 30
    assert [each for each in grown_alike if not each.by_its_rule] == []  # with its short cut
    assert sum(each.is_same for each in grown_alike) >= 15
    assert not any(is_unexplained(each) for each in comparisons)
