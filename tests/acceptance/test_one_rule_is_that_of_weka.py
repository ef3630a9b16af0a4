"""OneR on the reference data sets gives WEKA's feature and errors.

Where they differ, rows of equal value stand in another order: WEKA sorts them by a method that does not keep it, so a
bucket may end elsewhere.
"""

from __future__ import annotations

import pytest

from intemi.machines import OneR
from scripts.reference_data import HOME

TIES = {"iris": 1, "digits": 2, "waveform": 2, "survey": 2}
"""Errors more or fewer, where the order of equal values counts."""
THEIRS = [each for each in HOME.rows("full_trees.csv") if each["program"].endswith("OneR")]


@pytest.mark.parametrize("theirs", THEIRS, ids=[each["dataset"] for each in THEIRS])
def test_one_rule_has_the_feature_and_the_errors_of_weka(theirs: dict[str, str]) -> None:
    data = HOME.load(theirs["dataset"])
    made = OneR().run(data)
    errors = int((made.outputs["classifier"].classify(data) != data.classes).sum())
    assert abs(errors - int(theirs["training_errors"])) <= TIES.get(theirs["dataset"], 0)
    if theirs["dataset"] != "iris":  # there two features are nearly equal
        assert theirs["root"].startswith(made.results["Feature"])


def test_every_reference_data_set_is_compared() -> None:
    assert sorted(each["dataset"] for each in THEIRS) == list(HOME.names())
