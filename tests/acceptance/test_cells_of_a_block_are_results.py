"""The cells of a block answer questions as if each were a result of its own, and are kept, sealed and indexed once.

`Wide` leaves a block, `Narrow` one of its cells with the labels of the axes as further results; the same questions
about a wide test and about its cells, one by one, must have the same answers.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi import Block, Job, Machine, Model, Project, StoreWarning
from intemi.analysis import BasicStatistics
from intemi.kernel.encoding import digest
from intemi.kernel.errors import IncompleteError
from intemi.kernel.registry import qualified_name
from intemi.query import Comment, Qualifier, Query, Result

SIZES, RULES = (1, 2, 3), ("vote", "average")


def accuracy(fold: int, size: int, rule: str) -> float:
    """Some number for each cell."""
    return round(((fold * 7 + size * 3 + len(rule)) % 11) / 11, 3)


class Wide(Machine):
    """All sizes and rules of one fold at once."""

    version = 1
    fold: int = 0

    def run(self) -> Model:
        values = [[accuracy(self.fold, size, rule) for rule in RULES] for size in SIZES]
        axes = {"Size": SIZES, "Rule": RULES}
        return Model(results={"Accuracy": Block(values, axes), "Error": Block(1 - np.array(values), axes), "Rows": 11})


class Narrow(Machine):
    """One of them."""

    version = 1
    fold: int = 0
    size: int = 1
    rule: str = "vote"

    def run(self) -> Model:
        value = accuracy(self.fold, self.size, self.rule)
        results = {"Accuracy": value, "Error": 1 - value, "Rows": 11, "Size": self.size, "Rule": self.rule}
        return Model(results=results)


class Folds(Machine):
    """Three folds, wide or cell by cell; its children are called the same, and have the same comments."""

    version = 1
    wide: bool = True

    async def run(self, job: Job) -> Model:
        asked = []
        for fold in range(3):
            cells = [Wide(fold)] if self.wide else [Narrow(fold, *cell) for cell in product(SIZES, RULES)]
            asked += [job.request(cell, name="test", comments={"Fold": fold}) for cell in cells]
        await job.all(*asked)
        return Model()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both forms, in one folder."""
    path = tmp_path_factory.mktemp("blocks") / "project"
    with Project(path, workers=1) as project:
        project.run(Folds(wide=True), name="wide")
        project.run(Folds(wide=False), name="narrow")
        assert project.counts().physical["Wide"] == 3
        assert project.counts().physical["Narrow"] == 18
    return path


@pytest.fixture(scope="module")
def later(folder: Path) -> Iterator[Project]:
    """The folder, in a later session."""
    with Project.open(folder, workers=1) as project:
        yield project


comparisons = st.one_of(
    st.builds(lambda value: Result("Size") == value, st.integers(0, 4)),
    st.builds(lambda value: Result("Size") >= value, st.integers(0, 4)),
    st.builds(lambda rule: Result("Rule") == rule, st.sampled_from([*RULES, "median"])),
    st.builds(lambda value: Result("Accuracy") > value, st.sampled_from([0.2, 0.5, 0.9])),
    st.builds(lambda fold: Comment("Fold") == fold, st.integers(0, 3)),
    st.builds(lambda rows: Result("Rows") == rows, st.sampled_from([11, 12])),
)
qualifiers = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        st.builds(lambda one, other: one & other, inner, inner),
        st.builds(lambda one, other: one | other, inner, inner),
        st.builds(lambda one: ~one, inner),
    ),
    max_leaves=4,
)
ALL_LABELS = ("Accuracy", "Error", "Size", "Rule", "Rows", "Fold", "machine", "request")


@given(where=qualifiers, labels=st.lists(st.sampled_from(ALL_LABELS), min_size=1, unique=True))
def test_any_question_has_the_answer_that_single_results_give(
    later: Project, where: Qualifier, labels: list[str]
) -> None:
    asked = [label for label in labels if label != "request"] or ["Accuracy"]
    wide = later.query("wide", path="test", where=where, labels=asked)
    assert wide == later.query("narrow", path="test", where=where, labels=asked)


def test_a_function_of_an_item_sees_cells(later: Project) -> None:
    def is_meant(item: Any) -> bool:
        return item.name == "test" and item.result("Size") == 2 and item.results["Rule"] == "vote"

    wide, narrow = (later.query(name, where=is_meant, labels=["Accuracy", "Fold"]) for name in ("wide", "narrow"))
    assert wide == narrow
    assert len(wide) == 3


def test_without_labels_a_cell_has_its_results_and_those_of_its_axes(later: Project) -> None:
    wide, narrow = (later.query(name, path="test") for name in ("wide", "narrow"))
    assert wide == narrow
    assert wide.labels == ("Accuracy", "Error", "Rows", "Size", "Rule", "Fold", "machine")


def test_groups_means_and_objectives_are_those_of_single_results(later: Project) -> None:
    wide, narrow = (later.query(name, path="test", labels=["Accuracy", "Size", "Rule"]) for name in ("wide", "narrow"))
    by_size = wide.group_by("Size").map(BasicStatistics()).ungroup()
    assert by_size == narrow.group_by("Size").map(BasicStatistics()).ungroup()
    query = Query("test", "Accuracy", where=(Result("Size") == 2) & (Result("Rule") == "average"))
    series = later.query("wide", path="test", where=query.where, labels="Accuracy")
    assert query.mean().of(series) == np.mean([accuracy(fold, 2, "average") for fold in range(3)])


class Chooses(Machine):
    """A composite that asks about the cells of what it has requested."""

    version = 1

    async def run(self, job: Job) -> Model:
        folds = job.request(Folds(), name="folds")
        await folds
        query = Query("test", "Accuracy", where=Result("Size") == 3, labels=("Rule",))
        return Model(results={"Found": job.query(query, folds)})


def test_a_composite_asks_about_cells_of_its_children() -> None:
    with Project(workers=1) as project:
        found = project.run(Chooses()).results["Found"]
    assert found.values.tolist() == [accuracy(fold, 3, rule) for fold in range(3) for rule in RULES]


def test_what_has_just_finished_is_answered_in_the_same_way(later: Project) -> None:
    with Project(workers=1) as project:
        done = project.run(Folds())
        where = (Result("Size") > 1) & (Result("Accuracy") > 0.3)
        recent = project.query(done, path="test", where=where, labels=["Accuracy", "Rule", "Fold"])
    assert recent == later.query("wide", path="test", where=where, labels=["Accuracy", "Rule", "Fold"])


def test_the_index_holds_no_cells(folder: Path, later: Project) -> None:
    later.query("wide", path="test", labels="Accuracy")
    copy = folder.with_name("of the index")
    shutil.copytree(folder, copy)
    with Project.open(copy) as project:
        project.query(labels="machine")
    content = (copy / "results.sqlite").read_bytes()
    with closing(sqlite3.connect(":memory:")) as index:
        index.deserialize(content[: -12 - 16])
        rows = index.execute(
            "SELECT DISTINCT label, value FROM results JOIN machines ON number = machine WHERE kind = 'Wide'"
        ).fetchall()
    assert sorted(rows) == [("Accuracy", b""), ("Error", b""), ("Rows", 11)]


def test_an_index_of_before_there_were_blocks_is_made_anew(folder: Path, later: Project) -> None:
    expected = later.query("wide", path="test", labels=["Accuracy", "Size"])
    old = folder.with_name("with an old index")
    shutil.copytree(folder, old)
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE TABLE mark (number INTEGER)")
        index.execute(f"PRAGMA application_id = {(int.from_bytes(b'ir', 'big') << 16) + 4}")
        index.execute("PRAGMA user_version = 4")
        image = index.serialize()
    (old / "results.sqlite").write_bytes(image + b"intemi index" + digest(image))
    with Project.open(old) as project:
        assert project.query("wide", path="test", labels=["Accuracy", "Size"]) == expected


@pytest.mark.parametrize("by_name", [True, False])
def test_a_block_that_was_tampered_with_is_run_again_and_never_served(
    folder: Path, later: Project, by_name: bool
) -> None:
    expected = later.query("wide", path="test", labels=["Accuracy", "Size", "Fold"])
    damaged = folder.with_name(f"damaged, {by_name}")
    shutil.copytree(folder, damaged)
    with Project.open(damaged) as project:  # so that the index is there, and nobody reads the records
        project.query("wide", path="test", labels="Accuracy")
    with closing(sqlite3.connect(damaged / "machines.sqlite")) as store, store:
        block = qualified_name(Block).encode()
        (record,) = store.execute("SELECT record FROM machines WHERE instr(record, ?) LIMIT 1", (block,)).fetchone()
        at = record.index(block) + 400
        changed = record[:at] + bytes([record[at] ^ 1]) + record[at + 1 :]
        store.execute("UPDATE machines SET record = ? WHERE record = ?", (changed, record))
    if by_name:
        with (
            Project.open(damaged) as project,
            pytest.warns(StoreWarning),
            pytest.raises(IncompleteError, match="damaged or gone"),
        ):
            project.query("wide", path="test", labels="Accuracy")
    with Project.open(damaged, workers=1) as project:
        capsule = project.request(Folds(wide=True), name="wide")
        with pytest.warns(StoreWarning):
            again = project.query(capsule, path="test", labels=["Accuracy", "Size", "Fold"])
        assert again == expected
        assert project.counts().physical["Wide"] == 1


def test_a_later_process_that_does_not_know_the_machine_reads_its_blocks(folder: Path) -> None:
    program = (
        "import sys; from intemi import Project; from intemi.query import Result\n"
        "with Project.open(sys.argv[1]) as project:\n"
        "    found = project.query('wide', path='test', where=Result('Size') == 2, labels=['Accuracy', 'Rule'])\n"
        "print(found.values.tolist())"
    )
    answer = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True).stdout
    assert answer.strip() == str([accuracy(fold, 2, rule) for fold in range(3) for rule in RULES])
