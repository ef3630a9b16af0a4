from __future__ import annotations

import numpy as np
import pytest

from intemi.series import Series, SeriesError
from intemi.series.pairing import partners, shared_labels

LEFT = Series({"Accuracy": [0.9, 0.8], "Fold": [0, 1], "seed": [1, 1]})


def test_main_labels_do_not_pair() -> None:
    right = Series({"Error": [0.1], "Accuracy": [0.9], "Fold": [0]})
    assert shared_labels(LEFT, right) == ("Fold",)


def test_partners_are_found_by_cells_of_all_kinds() -> None:
    keys = [1, "1", None, True, float("nan"), np.array([1, 2]), np.array([[1, 2]])]
    left = Series({"a": range(7), "key": keys})
    right = left[::-1]
    assert partners(left, right, ["key"], "join", "hint").tolist() == [6, 5, 4, 3, 2, 1, 0]


def test_the_first_row_without_a_partner_is_named() -> None:
    with pytest.raises(SeriesError, match="join: rows are paired by Fold; Fold=1 has no partner on the right; hint"):
        partners(LEFT, LEFT[:1], ["Fold"], "join", "hint")
    with pytest.raises(SeriesError, match="join: rows are paired by Fold; Fold=1 has no partner on the left; hint"):
        partners(LEFT[:1], LEFT, ["Fold"], "join", "hint")
    with pytest.raises(SeriesError, match="seed=1 is there twice on the left, in rows 0 and 1; hint"):
        partners(LEFT, LEFT, ["seed"], "join", "hint")
