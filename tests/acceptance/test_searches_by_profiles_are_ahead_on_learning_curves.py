"""The comparison on a knowledge base of learning curves, on a small generated file of the same form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scripts.profile_curves import DRAWN, TIMED_TABLE, Compared, Difference, by_tests_picture, by_time_picture, lines
from scripts.profile_curves_bases import COUNTS, Part, parts_of
from scripts.profile_curves_runs import AP, PROFILES, RANDOM, SHARES, STRATEGIES, TIMED, searched

LEARNERS, SIZES, DATA_SETS, SPLITS = 12, (64, 256, 512), 21, 6
CHOSEN = {name: STRATEGIES[name] for name in (*DRAWN, *TIMED_TABLE)}


def write_learning_curves(path: Path) -> None:
    """Data sets of seven kinds, on which different learners are best; larger samples are better, and take longer."""
    rng = np.random.default_rng(5)
    kinds = np.arange(DATA_SETS) % 7
    skill = rng.normal(0, 0.05, (7, LEARNERS))[kinds] + rng.normal(0, 0.01, (DATA_SETS, LEARNERS))
    gain = np.log2(SIZES) / 60
    means = 0.6 + skill[:, :, None] + gain
    results = means.reshape(DATA_SETS, -1)[:, :, None] + rng.normal(0, 0.01, (DATA_SETS, LEARNERS * len(SIZES), SPLITS))
    seconds = np.outer(np.logspace(-3, 0, LEARNERS), np.array(SIZES) / 512).ravel()
    times = np.broadcast_to(seconds[:, None], results.shape) * rng.uniform(0.9, 1.1, results.shape)
    np.savez(
        path,
        dataset=np.arange(1, DATA_SETS + 1),
        family=np.arange(DATA_SETS) // 2,
        learner=np.array([f"learner {n}" for n in range(LEARNERS)]),
        config_learner=np.repeat(np.arange(LEARNERS), len(SIZES)),
        config_size=np.tile(SIZES, LEARNERS),
        accuracy=results.astype(np.float32),
        traintime=times.astype(np.float32),
        accuracy_full=results[:, len(SIZES) - 1 :: len(SIZES)].astype(np.float32),
        traintime_full=times[:, len(SIZES) - 1 :: len(SIZES)].astype(np.float32),
        dense_dataset=np.ones(DATA_SETS, dtype=bool),
        dense_config=np.ones(LEARNERS * len(SIZES), dtype=bool),
        about_dataset=np.arange(1, DATA_SETS + 1),
        **{f"about_{name}": rng.uniform(10, 1000, DATA_SETS) + 500 * kinds for name in COUNTS},
    )


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> list[Compared]:
    path = tmp_path_factory.mktemp("curves") / "lcdb.npz"
    write_learning_curves(path)
    whole, _, largest = parts_of(path)
    return [compared_on(replace(whole, tests=20)), compared_on(largest)]


def compared_on(part: Part) -> Compared:
    known = {name: searched(strategy, part) for name, strategy in CHOSEN.items()}
    return Compared(part, known, {name: searched(strategy, part, True) for name, strategy in CHOSEN.items()})


def test_profiles_are_ahead_of_chance_and_of_the_passive_order(compared: list[Compared]) -> None:
    for by_family in (False, True):
        heights = {name: compared[0].heights(name, "points", by_family) for name in (RANDOM, AP, PROFILES)}
        assert Difference.of(heights[PROFILES], heights[RANDOM]).verdict == "above"
        assert heights[PROFILES].mean() > heights[AP].mean()


def test_what_looks_at_time_is_ahead_by_time(compared: list[Compared]) -> None:
    for each in compared:
        assert each.by_time(TIMED).shape == (DATA_SETS, len(SHARES))
        assert each.by_time(TIMED).mean() > each.by_time(AP).mean()


def test_every_search_tests_everything_once(compared: list[Compared]) -> None:
    for each in compared:
        every = list(range(len(each.part.base.configurations)))
        for found in (*each.found.values(), *each.by_family.values()):
            assert (np.sort(found.tests, axis=2) == every).all()
            curve = found.best(found.points, each.part.tests)
            assert (np.diff(curve, axis=1) >= 0).all()


def test_relatives_are_unknown_where_families_are_left_out(compared: list[Compared]) -> None:
    assert sum(len(others) == 1 for others in compared[0].part.relatives.values()) == DATA_SETS - 1
    differ = [
        not np.array_equal(compared[0].found[name].tests, compared[0].by_family[name].tests) for name in (AP, PROFILES)
    ]
    assert all(differ)


def test_the_page_has_tables_and_pictures(compared: list[Compared]) -> None:
    page = "\n".join(lines(compared))
    assert page.count("\n| PBML, packages of 2 |") == 2
    assert "| PBML against | of | unit |" in page
    assert len(by_tests_picture(compared).axes) == len(by_time_picture(compared).axes) == 2
