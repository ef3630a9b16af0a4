"""The book's experiment with complexity-driven search, in its small form: 54 candidates for data that are made.

The whole is `python -m scripts.complexity_search`, which writes `docs/complexity-search.md`.
"""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import spearmanr

from configs.complexity_search import LEARNERS, MIDDLE, NAMES, SMALL, TUNED, flow, stratified, with_missing_as_category
from intemi.analysis.plots import search_course
from intemi.data import Column, Data, Table
from intemi.machines import ParameterSearch, TransformAndClassify
from intemi.machines.meta_learning import name_of
from intemi.machines.meta_learning.calibration import shipped_calibration
from intemi.machines.meta_learning.descriptions import DataDescription
from intemi.machines.meta_learning.evaluation import evaluate
from intemi.machines.meta_learning.measuring import made_data
from scripts.complexity_search import TIES, Course, made, page, run, search

CANDIDATES = [item.configuration for item in flow(MIDDLE).begin().poll()]


def test_there_are_54_candidates_numbered_as_in_the_books_table() -> None:
    assert len(CANDIDATES) == len(set(CANDIDATES)) == len(NAMES) == len(flow(SMALL).begin().poll()) == 54
    assert len(set(map(name_of, CANDIDATES))) == 54
    for number, (name, candidate) in enumerate(zip(NAMES, CANDIDATES, strict=True), start=1):
        base = tuple(LEARNERS)[(number - 1) % 9]
        assert name.endswith(base)
        if number > 27:
            assert isinstance(candidate, ParameterSearch)
            assert candidate.get("test/test/learner") == CANDIDATES[number - 28]
            assert candidate.is_decided == (number <= 36 and base not in TUNED)
        elif number > 9:
            assert isinstance(candidate, TransformAndClassify)
        else:
            assert candidate == LEARNERS[base]
        assert not candidate.missing()


def test_what_is_tuned_has_the_size_of_the_tier() -> None:
    counts = {name: len(CANDIDATES[27 + place].scenario.begin().ask()) for place, name in enumerate(LEARNERS)}
    assert counts["SVM Gaussian"] == 9
    assert counts["kNN mixed"] == counts["LVQ+kNN"] == 3
    assert counts["NBC"] == counts["SVM linear"] == counts["boosted NBC"] == 1
    assert {len(each.scenario.begin().ask()) for each in CANDIDATES[36:]} == {6}


def test_on_many_rows_a_selection_of_features_makes_larger_machines_cheaper() -> None:
    """As many rows and features as mushroom has, all of them numbers."""
    data, tests = DataDescription(rows=8124, numeric=22, classes=2), search(MIDDLE)
    seconds = {
        number: evaluate(tests.test_of(CANDIDATES[number - 1]), {"data": data}, shipped_calibration()).seconds
        for number in (1, 3, 10, 12, 19, 21)
    }
    assert max(seconds[10], seconds[19]) < seconds[1]
    assert max(seconds[12], seconds[21]) < seconds[3] / 2


@pytest.fixture(scope="module")
def course() -> Course:
    return run("numbers", made()["numbers"], SMALL)


def test_every_candidate_is_tested_the_cheapest_first(course: Course) -> None:
    finished = course.log.where(outcome="finished")
    assert sorted(finished["number"]) == list(range(1, 55))
    first = [n for n, attempt in zip(course.log["number"], course.log["attempt"], strict=True) if attempt == 1]
    expected = [course.of(number, course.expected) for number in first]
    in_order = spearmanr(expected, range(54)).statistic
    assert in_order > 0.98, "memory counts, too, and what is on record, but for little"


def test_a_search_over_nothing_is_as_good_as_what_it_holds(course: Course) -> None:
    quality = dict(zip(course.log["number"], course.log["quality"], strict=True))
    for learner, its_search in TIES:
        assert quality[its_search] == quality[learner]
        assert course.of(its_search, course.expected) == pytest.approx(course.of(learner, course.expected), rel=0.1)


def test_estimates_are_of_the_right_size(course: Course) -> None:
    assert course.error < 2
    assert course.correlation > 0.75


def test_its_page_and_its_picture_say_what_was_found(course: Course) -> None:
    text = page([course], SMALL)
    assert "| 1 | There are 9 + 18 + 9 + 18 candidates, numbered as in its table | holds | 54 candidates |" in text
    assert text.count("\n| ") > 54
    figure = search_course(course.log)
    assert isinstance(figure, Figure)
    assert len(figure.axes[0].get_yticklabels()) == len(course.log)


def test_a_sample_has_the_shares_of_the_classes_and_no_missing_category() -> None:
    data = made_data(1000, 1, 1, 4)
    assert np.bincount(stratified(data, 100).classes) == pytest.approx(np.bincount(data.classes) / 10, abs=1)
    holes = Data(Table([Column("c", ("a", "b"))], [[0, float("nan")]], Column("class", ("x", "y")), [0, 1]))
    filled = with_missing_as_category(holes)
    assert (filled.columns[0].categories, filled.features.tolist()) == (("a", "b", "missing"), [[0, 2]])
