"""Stacking and Select-Best against WEKA: Stacking (logistic and linear regression) and MultiScheme, on the same folds.

A few data sets are compared here, and all of them by `scripts.parity_combiners`.
"""

from __future__ import annotations

import pytest

from intemi.kernel import Project
from intemi.machines import J48, Majority, NaiveBayes, OneR, SelectBest
from scripts.parity_combiners import COMBINERS, errors_of, errors_of_weka, standard_errors
from scripts.reference_data import HOME

FEW = ("iris", "wine", "rings", "monks-3", "grades")


@pytest.mark.full
@pytest.mark.parametrize("name", FEW)
def test_accuracies_are_within_two_standard_errors_of_wekas(name: str) -> None:
    with Project() as project:
        for program, combiner in COMBINERS.items():
            ours, theirs = errors_of(project, combiner, name), errors_of_weka(program, name)
            assert abs(standard_errors(ours, theirs)) <= 2, program


def test_the_best_on_the_training_data_is_that_of_multi_scheme() -> None:
    learners = Majority(), OneR(), NaiveBayes(), J48()
    rows = [each for each in HOME.rows("full_trees.csv") if each["program"].endswith("MultiScheme")]
    assert sorted(each["dataset"] for each in rows) == list(HOME.names())
    with Project() as project:
        for row in rows:
            data = project.given(HOME.load(row["dataset"]))
            best = project.run(SelectBest(learners, distributor=None), data=data).results["Best"]
            assert row["root"] == f"scheme {[each.kind for each in learners].index(best)} chosen", row["dataset"]
