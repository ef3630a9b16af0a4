"""The book's space of committees has as many members as the book says, and any part of it makes a knowledge base."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from intemi import IntemiError, Project
from intemi.kernel import Machine
from intemi.machines import DataLoader
from scripts.committee_knowledge import build, check_one_by_one, load, save
from scripts.committee_space import Member, committee_space, in_blocks, single_trees, small_space

CUT = [
    each
    for each in small_space()
    if (each.criterion, each.se) == ("Gini", "1SE") and each.validator in ("CC", "MEP2") and each.size in (1, 3, 10)
]
SPLITS = {"folds": 2, "repetitions": 2}


def made(folder: Path, name: str, seed: int) -> Machine:
    """A file with 60 rows, of which a tree can learn something."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(60, 3)).round(3)
    labels = np.where(rows[:, 0] + rows[:, 1] + 0.7 * rng.normal(size=60) > 0, "yes", "no")
    text = "\n".join(",".join([*map(str, row), label]) for row, label in zip(rows.tolist(), labels, strict=True))
    (folder / f"{name}.csv").write_text(f"a,b,c,class\n{text}\n")
    return DataLoader(str(folder / f"{name}.csv"), target="class")


@pytest.fixture
def data(tmp_path: Path) -> dict[str, Machine]:
    return {name: made(tmp_path, name, seed) for seed, name in enumerate(("one", "other"))}


def test_the_space_has_as_many_committees_as_in_the_book() -> None:
    """A18."""
    space = list(committee_space())
    assert Counter(each.validator for each in space) == {
        "REP": 1080,
        "CC": 2880,
        "Deg": 2880,
        "OPT": 2880,
        "DI": 2880,
        "MEP2": 960,
    }
    assert len({each.machine for each in space}) == 13_560
    assert len(set(single_trees())) == 100


def test_the_small_space_has_480_of_them_in_24_tests() -> None:
    space = small_space()
    assert len(set(space)) == 4 * 3 * 2 * 2 * 10
    assert set(space) < set(committee_space())
    assert len(in_blocks(space)) == 24


def test_a_second_run_computes_nothing_and_gives_the_same_base(tmp_path: Path, data: dict[str, Machine]) -> None:
    with Project(tmp_path / "project", workers=1) as project:
        base = build(project, data, CUT, **SPLITS)
        assert project.counts().physical["DecisionTree"] == 2 * 4 * 10
        assert project.counts().logical["DecisionTree"] == 2 * 4 * 10 * 2  # for each of two validators
    with Project(tmp_path / "project", workers=1) as project:
        again = build(project, data, CUT, **SPLITS)
        assert project.counts().physical.total() == 0
    assert base.results.shape == again.results.shape == (2, len(CUT), 4)
    assert np.array_equal(base.results, again.results)
    assert base.data_sets == ("one", "other")
    assert base.configurations == tuple(each.machine for each in CUT)
    assert 0.5 < base.accuracies.mean() < 1


def test_cells_are_the_results_of_learners_of_their_own(data: dict[str, Machine]) -> None:
    with Project(workers=1) as project:
        base = build(project, data, CUT, **SPLITS)
        check_one_by_one(project, data["one"], CUT, base.results[0], **SPLITS)
        with pytest.raises(IntemiError, match="those of the blocks"):
            check_one_by_one(project, data["other"], CUT, base.results[0], **SPLITS)


def test_a_base_is_read_as_it_was_written(tmp_path: Path, data: dict[str, Machine]) -> None:
    with Project(workers=1) as project:
        base = build(project, data, CUT, folds=2, repetitions=1)
    save(tmp_path / "base.npz", base, CUT)
    read, space = load(tmp_path / "base.npz")
    assert space == CUT
    assert isinstance(space[0], Member)
    assert (read.data_sets, read.configurations) == (base.data_sets, base.configurations)
    assert np.array_equal(read.results, base.results)
