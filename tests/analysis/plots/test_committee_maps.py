from itertools import product

import numpy as np
import pytest

from intemi.analysis.plots import committee_map, filter_wins, single_squares, versus_map
from intemi.series import Series
from tests.analysis.plots.drawn import cut_off, texts

LABELS = ("Mode", "SE", "TE", "Decision", "Validator", "Size")


def series(main: dict[str, list[int]], rows: list[tuple[object, ...]]) -> Series:
    return Series({**main, **dict(zip(LABELS, map(list, zip(*rows, strict=True)), strict=True))})


def test_a_map_has_a_cell_for_each_committee_and_blanks_elsewhere() -> None:
    rows = [*product(["separate", "common"], ["0SE"], ["0TE", "1TE"], ["n", "L"], ["CC"], [1, 2, 3])]
    rows += [("separate", "0SE", te, "n", "REP", size) for te in ("0TE", "1TE") for size in (1, 2, 3)]
    figure = committee_map(series({"wins": list(range(len(rows)))}, rows), caption="5.15")
    shown = [each for each in texts(figure, "cell") if each]
    assert sorted(map(int, shown)) == list(range(len(rows)))
    assert not cut_off(figure)


def test_records_are_told_and_coloured_by_their_balance() -> None:
    rows = [("separate", "0SE", "0TE", "n", "CC", size) for size in (1, 2)]
    figure = versus_map(series({"wins": [9, 0], "draws": [8, 8], "losses": [0, 9]}, rows))
    assert texts(figure, "cell") == ["9-8-0", "0-8-9"]


def test_rows_of_filters_are_contests_of_their_own() -> None:
    wins = Series({"wins": [0, 9, 5, 5], "Filter": ["overall", "overall", "CC", "CC"], "Size": [1, 2, 1, 2]})
    assert texts(filter_wins(wins), "cell") == ["0", "9", "5", "5"]


def test_single_trees_stand_by_validator_and_margin() -> None:
    rows = [*product(["IG", "Gini"], ["CC", "OPT"], ["0SE", "1SE"])]
    criteria, validators, margins = zip(*rows, strict=True)
    wins = Series(
        {"wins": np.arange(8), "Criterion": list(criteria), "Validator": list(validators), "SE": list(margins)}
    )
    assert texts(single_squares(wins), "cell") == list(map(str, range(8)))


def test_several_items_of_one_place_are_refused() -> None:
    rows = [("separate", "0SE", "0TE", "n", "CC", 1)] * 2
    with pytest.raises(ValueError, match="there are several items of"):
        committee_map(series({"wins": [1, 2]}, rows))
