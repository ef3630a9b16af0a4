"""The comparison of searches by profiles, on a small synthetic knowledge base: its curves, its tests, its page."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.committee_profiles import lines
from scripts.committee_profiles_charts import curves, looks_by_kind
from scripts.committee_profiles_lines import (
    BY_MEANS,
    BY_NEIGHBOURS,
    CURVES,
    PROFILES,
    RANDOM,
    TESTS,
    Difference,
    Line,
    line_of,
)
from scripts.synthetic_knowledge import synthetic_knowledge

BASE = synthetic_knowledge(3, 0.5, seed=0, data_sets=9, configurations=80, splits=10)


@pytest.fixture(scope="module")
def found() -> dict[str, Line]:
    return {name: line_of(each, BASE, seeds=2) for name, each in {**BY_MEANS, **BY_NEIGHBOURS}.items()}


def test_there_are_six_searches_and_then_thirteen() -> None:
    assert (len(BY_MEANS), len(BY_NEIGHBOURS)) == (6, 13)


def test_curves_begin_alike_and_are_below_the_best(found: dict[str, Line]) -> None:
    for line in found.values():
        every = np.array([line.curves[curve] for curve in CURVES])
        assert every.shape == (4, 9, TESTS)
        assert (every <= 1e-12).all()
        assert (every[:, :, 0] == every[0, :, 0]).all()


def test_what_begins_at_random_begins_with_the_same_machines(found: dict[str, Line]) -> None:
    begun = [line.curves["c"][:, :5] for name, line in found.items() if name == RANDOM or name.endswith(("5NN", "ive"))]
    random = found[RANDOM].curves["c"][:, :5]
    assert sum(np.array_equal(each, random) for each in begun) == 1 + 4 + 4  # passive orders do not


def test_profiles_are_ahead_of_chance_where_data_sets_come_in_groups(found: dict[str, Line]) -> None:
    difference = Difference.of(found[PROFILES].height(), found[RANDOM].height())
    assert difference.mean > 0
    assert difference.verdict == "confirmed"


def test_a_verdict_needs_a_small_p_value() -> None:
    rising = np.linspace(0.1, 0.2, 9)
    assert Difference.of(rising, np.zeros(9)).verdict == "confirmed"
    assert Difference.of(-rising, np.zeros(9)).verdict == "**refuted**"
    assert Difference.of(np.array([1.0, -0.9, 0.1]), np.zeros(3)).verdict == "no claim"


def test_the_page_has_a_row_for_each_search_and_the_picture_a_line(found: dict[str, Line]) -> None:
    by_means = {name: found[name] for name in BY_MEANS}
    by_neighbours = {name: found[name] for name in BY_NEIGHBOURS}
    page = "\n".join(lines(BASE, by_means, by_neighbours))
    assert all(f"\n| {name} |" in page for name in found)
    figure = curves(by_neighbours, looks_by_kind())
    assert [len(axes.lines) for axes in figure.axes] == [13] * 4
