"""Trees grown on all cases have the leaves, the training errors and the root that WEKA, R and scikit-learn gave.

Where a tree may differ, docs/parity.md tells why; all others must be exact. Large data sets are left to the script that
writes that page.
"""

from __future__ import annotations

import pytest

from scripts.parity import ROOT, SHARED, compared, reference
from scripts.parity_programs import PROGRAMS, Program
from scripts.parity_reasons import known_reason
from tests.datasets import load

LARGEST = 1000
"""Cases of the data sets that are compared here."""

has_reference = pytest.mark.skipif(
    not (SHARED / "reference" / "full_trees.csv").exists(), reason="the reference trees are not there"
)


@has_reference
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.title)
def test_trees_are_those_of_a_trusted_program(program: Program) -> None:
    comparisons = [
        compared(program, name, theirs, data)
        for name, theirs in reference(program)
        if known_reason(program.name, program.options, name) is None and len(data := load(name)) <= LARGEST
    ]
    assert len(comparisons) >= 15
    if program.name.startswith("scikit-learn"):  # it takes any of equally good splits, at random
        assert [each for each in comparisons if not each.is_exact and not each.is_a_tie] == []
    else:
        assert [each for each in comparisons if not each.is_exact] == []


def test_every_difference_on_the_page_has_a_reason() -> None:
    page = (ROOT / "docs" / "parity.md").read_text()
    assert "not explained" not in page
    assert all(program.title in page for program in PROGRAMS)
