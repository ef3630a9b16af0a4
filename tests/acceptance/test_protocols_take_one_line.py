"""Groups, time, files of their own for training and test, and learning curves: one line in a file, one call each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi import Project
from intemi.analysis.plots import accuracy_against_size
from intemi.data import Data, from_numpy
from intemi.experiments import Experiment, learning_curve, parse_experiment, read_experiment, run
from intemi.kernel import ConfigurationError, MachineFailed
from intemi.machines import (
    KNN,
    FromShare,
    GivenSplit,
    GroupCVDistributor,
    JoinedFiles,
    NaiveBayes,
    SklearnDataset,
    TimeOrderedDistributor,
)
from tests.learning.tables import outputs


def grouped(groups: list[int]) -> Data:
    """Rows with a number of their own, a group and a class."""
    rows = [[float(row), float(group)] for row, group in enumerate(groups)]
    return from_numpy(rows, [row % 2 for row in range(len(rows))], names=["row", "group"], labels=["a", "b"])


def rows_of(data: Data) -> list[int]:
    return [int(each) for each in data.feature(0)]


@given(groups=st.lists(st.integers(0, 8), min_size=12, max_size=60), folds=st.integers(2, 4), seed=st.integers(0, 9))
def test_a_group_is_in_one_fold_only_and_each_row_is_tested_once(groups: list[int], folds: int, seed: int) -> None:
    if len(set(groups)) < folds:
        return
    found = outputs(GroupCVDistributor("group", folds), seed, data=grouped(groups))
    assert len(found["test"]) == folds
    tested: list[int] = []
    for training, test in zip(found["training"], found["test"], strict=True):
        assert [column.name for column in test.columns] == ["row"]
        assert not {groups[row] for row in rows_of(training)} & {groups[row] for row in rows_of(test)}
        assert sorted(rows_of(training) + rows_of(test)) == list(range(len(groups)))
        tested += rows_of(test)
    assert sorted(tested) == list(range(len(groups)))


@given(times=st.lists(st.integers(0, 30), min_size=12, max_size=60), folds=st.integers(1, 5))
def test_what_is_learned_from_is_always_earlier_than_what_is_tested(times: list[int], folds: int) -> None:
    if len(set(times)) <= folds:
        return
    found = outputs(TimeOrderedDistributor("group", folds), data=grouped(times))
    assert 1 <= len(found["test"]) <= folds
    for training, test in zip(found["training"], found["test"], strict=True):
        assert max(times[row] for row in rows_of(training)) < min(times[row] for row in rows_of(test))


def test_without_a_column_rows_come_in_their_order() -> None:
    found = outputs(TimeOrderedDistributor(folds=3), data=grouped(list(range(8))))
    assert [rows_of(test) for test in found["test"]] == [[2, 3], [4, 5], [6, 7]]
    assert [len(training) for training in found["training"]] == [2, 4, 6]


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        (GroupCVDistributor("patient"), "GroupCVDistributor: column must be one of row, group, got 'patient'"),
        (GroupCVDistributor("group", 9), "folds must be at most the 2 groups, got 9"),
        (TimeOrderedDistributor("group", 2), "folds must be below the 2 different times, got 2"),
        (GivenSplit("group"), "the column 'group' must be nominal"),
    ],
)
def test_what_does_not_fit_the_data_is_refused(machine: Any, said: str) -> None:
    with pytest.raises((ConfigurationError, MachineFailed), match=said):
        outputs(machine, data=grouped([0, 1] * 6))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [f"{row},{'xyz'[row % 3]},{row % 4},{'no' if row < 20 else 'yes'}" for row in range(40)]
    (tmp_path / "first.csv").write_text("\n".join(["size,colour,patient,class", *rows[::2], ""]))
    (tmp_path / "second.csv").write_text("\n".join(["size,colour,patient,class", *rows[1:14:3], *rows[27::3], ""]))
    return tmp_path


def test_a_learner_learns_from_one_file_and_is_tested_on_another(files: Path) -> None:
    (files / "two.yaml").write_text("data: [{train: first.csv, test: second.csv}]\nlearners: [NaiveBayes]\n")
    read = read_experiment(files / "two.yaml")
    assert read.distributor == GivenSplit()
    assert isinstance(read.data["first"], JoinedFiles)
    with Project() as project:
        outcome = run(read, project)
        assert not outcome.failed
        [accuracy] = outcome.series("Accuracy")["Accuracy"]
        assert accuracy > 0.8
        joined = project.run(read.data["first"]).outputs["data"]
        assert joined.columns[-1].name == "part"
        assert len(joined) == 20 + 10


def test_groups_and_time_take_one_line_of_a_file(files: Path) -> None:
    by_group = "{type: GroupCVDistributor, column: patient, folds: 2}"
    by_time = "{type: TimeOrderedDistributor, column: size}"
    for protocol, tests in ((by_group, 2), (by_time, 5)):
        read = parse_experiment(
            f"data: [{files}/first.csv]\nlearners: [NaiveBayes]\nprotocol: {{distributor: {protocol}}}\n"
        )
        with Project() as project:
            outcome = run(read, project)
            assert not outcome.failed
            assert len(outcome.series("Accuracy")) == tests


def test_a_file_that_is_missing_is_named(files: Path) -> None:
    with pytest.raises(ConfigurationError, match="test is missing"):
        parse_experiment(f"data: [{{train: {files}/first.csv}}]\nlearners: [KNN]\n")


def test_a_learning_curve_is_one_call_and_a_picture() -> None:
    curve = learning_curve([NaiveBayes(), KNN(k=1)], ["iris"], shares=(0.2, 1), folds=3)
    assert set(curve["machine"]) == {"NaiveBayes", "KNN"}
    assert len(curve) == 12
    assert curve.where(lambda row: row["Share"] == 1).mean() > curve.where(lambda row: row["Share"] < 1).mean()
    figure = accuracy_against_size(curve, size="Share", along="Share")
    for line in figure.axes[0].lines:
        assert list(line.get_xdata()) == pytest.approx([0.2, 1.0])
    read = parse_experiment(
        "data: [iris]\nlearners: {nb: {type: FromShare, learner: NaiveBayes, vary: {share: [0.2, 1]}}}"
    )
    assert read.learners == {"nb share=0.2": FromShare(NaiveBayes(), 0.2), "nb share=1": FromShare(NaiveBayes(), 1)}


def test_all_rows_are_the_learner_itself() -> None:
    with Project() as project:
        data = {"iris": SklearnDataset("iris")}
        run(Experiment(data=data, learners={"all": FromShare(KNN(), 1.0), "plain": KNN()}), project)
        assert project.counts().physical["KNN"] == 10
