"""Knowledge bases leave and come back: arrays, CSV and ASlib folders; what is wrong with a file is said once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from intemi.data.errors import DataError
from intemi.machines import KNN, NaiveBayes
from intemi.machines.meta_learning import (
    KnowledgeBase,
    KnowledgeFolder,
    check_knowledge,
    read_arrays,
    read_aslib,
    read_csv_base,
    without_problems,
    write_arrays,
    write_aslib,
    write_csv_base,
)

NAN = float("nan")


def example() -> KnowledgeBase:
    """Configurations of ours, one of others with an awkward name, a gap, seconds and descriptions."""
    results = np.random.default_rng(2).uniform(0.5, 1, (2, 3, 4))
    results[1, 2] = NAN
    seconds = np.array([[1.0, 2.0, 4.0], [0.5, 0.25, NAN]])
    described = np.array([[2.0, 3.5], [3.0, NAN]])
    names = (KNN(k=3), NaiveBayes(), "J48 -C 0.25, 'pruned'")
    return KnowledgeBase(("iris", "my data, 2nd"), names, results, seconds, described, ("classes", "log rows"))


def through_arrays(base: KnowledgeBase, folder: Path) -> KnowledgeBase:
    write_arrays(base, folder / "base.npz")
    return read_arrays(folder / "base.npz")


def through_csv(base: KnowledgeBase, folder: Path) -> KnowledgeBase:
    write_csv_base(base, folder / "base.csv")
    return read_csv_base(folder / "base.csv")


def through_aslib(base: KnowledgeBase, folder: Path) -> KnowledgeBase:
    write_aslib(base, folder, "EXAMPLE-2026")
    return read_aslib(folder)


def through_folder(base: KnowledgeBase, folder: Path) -> KnowledgeBase:
    kept = KnowledgeFolder(folder)
    assert kept.add_base(base, "2 × 2") == 5
    assert kept.add_base(base, "2 × 2") == 0
    return kept.base()


WAYS = [through_arrays, through_csv, through_aslib, through_folder]


@pytest.mark.parametrize("way", WAYS)
def test_a_base_comes_back_as_it_was(way: Callable[[KnowledgeBase, Path], KnowledgeBase], tmp_path: Path) -> None:
    base = example()
    again = way(base, tmp_path)
    assert again.data_sets == base.data_sets
    assert again.configurations == base.configurations
    np.testing.assert_array_equal(again.results, base.results)
    assert again.seconds is not None
    np.testing.assert_allclose(again.seconds, base.seconds)
    if way is not through_csv:  # which has no place for descriptions
        assert again.described_by == base.described_by
        np.testing.assert_array_equal(again.descriptions, base.descriptions)


def test_arrays_of_others_have_names_of_their_own(tmp_path: Path) -> None:
    np.savez(tmp_path / "lcdb.npz", dataset=[3, 6], accuracy=np.ones((2, 1, 3)), traintime=np.full((2, 1, 3), 0.5))
    found = read_arrays(tmp_path / "lcdb.npz", data_sets="dataset", results="accuracy", seconds="traintime")
    assert found.data_sets == ("3", "6")
    assert found.configurations == ("0",)
    assert found.seconds is not None
    assert found.seconds.tolist() == [[1.5], [1.5]]


SCENARIO = """
scenario_id: 2013-SAT-Competition
performance_measures: [PAR10, Number_of_satisfied_clauses]
maximize: [false, true]
performance_type: [runtime, solution_quality]
"""
RUNS = """@RELATION ALGORITHM_RUNS_2013-SAT-Competition

@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE PAR10 NUMERIC
@ATTRIBUTE Number_of_satisfied_clauses NUMERIC
@ATTRIBUTE runstatus {ok, timeout, memout, not_applicable, crash, other}

@DATA
inst1.cnf, 1, lingeling, 5.0, 24, ok
"inst1.cnf", 1, clasp, 5.8, 24, ok
inst1.cnf, 1, sparrow, 900, 20, timeout
inst1.cnf, 2, sparrow, 1.7, 24, ok
inst2.cnf, 1, lingeling, 588.1, 105, ok
% the end
"""


def test_a_scenario_of_others_is_read(tmp_path: Path) -> None:
    (tmp_path / "description.txt").write_text(SCENARIO)
    (tmp_path / "algorithm_runs.arff").write_text(RUNS)
    times = read_aslib(tmp_path)
    assert times.configurations == ("lingeling", "clasp", "sparrow")
    np.testing.assert_array_equal(times.results[0], [[-5.0, NAN], [-5.8, NAN], [NAN, -1.7]])
    satisfied = read_aslib(tmp_path, "Number_of_satisfied_clauses")
    assert satisfied.results[1, 0, 0] == 105
    assert satisfied.seconds is not None
    assert satisfied.seconds[1, 0] == 588.1
    assert satisfied.descriptions is None


def test_all_files_of_a_scenario_are_written(tmp_path: Path) -> None:
    write_aslib(example(), tmp_path, "EXAMPLE-2026")
    names = {"readme.txt", "description.txt", "algorithm_runs.arff", "feature_values.arff", "feature_runstatus.arff"}
    assert {file.name for file in tmp_path.iterdir()} == names
    runs = (tmp_path / "algorithm_runs.arff").read_text("utf-8")
    assert "?" not in runs, "the format allows no missing values of runs"
    assert runs.count(",other\n") == 4
    assert "@RELATION FEATURE_VALUES_EXAMPLE-2026" in (tmp_path / "feature_values.arff").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data set,split,value\n", "base.csv:1: found 'data set, split, value', expected a column 'configuration'"),
        ("data set,configuration,split,value\na,b,1,high\n", "base.csv:2: found 'high', expected a number for value"),
        ("data set,configuration,split,value\na,b,1\n", "base.csv:2: found 3 cells, expected 4"),
        ("data set,configuration,split,value\na,b,1,1\na,b,1,2\n", "found two results of 'b on split 1 of a'"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "base.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        read_csv_base(tmp_path / "base.csv")


def test_what_is_wrong_with_arrays_is_said(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("no arrays")
    with pytest.raises(DataError, match="expected an npz file of plain arrays"):
        read_arrays(tmp_path / "text.npz")
    np.savez(tmp_path / "objects.npz", results=np.array([{}], dtype=object))
    with pytest.raises(DataError, match="expected an npz file of plain arrays"):
        read_arrays(tmp_path / "objects.npz")
    np.savez(tmp_path / "flat.npz", results=np.zeros(3))
    with pytest.raises(DataError, match=r"'results' of shape \(3,\), expected data sets × configurations × splits"):
        read_arrays(tmp_path / "flat.npz")
    with pytest.raises(DataError, match="found the arrays results, expected one that is called 'accuracy'"):
        read_arrays(tmp_path / "flat.npz", results="accuracy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("runstatus {", "status {"), "expected one that is called 'runstatus'"),
        (("5.0, 24, ok", "5.0, 24"), "algorithm_runs.arff:11: found 5 cells, expected 6"),
        (("5.0, 24", "five, 24"), "algorithm_runs.arff:11: found 'five', expected a number for PAR10"),
        (("@DATA", "@END"), "found no @DATA"),
        (("maximize: [false, true]", "maximize: [false]"), "found 2, 1, 2 entries, expected as many"),
        (("scenario_id: 2013-SAT-Competition", "scenario_id: ["), "description.txt: found"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_said(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    (tmp_path / "description.txt").write_text(SCENARIO.replace(*change))
    (tmp_path / "algorithm_runs.arff").write_text(RUNS.replace(*change))
    with pytest.raises(DataError, match=message):
        read_aslib(tmp_path)


def test_what_would_make_rankings_wrong_is_found() -> None:
    good, other = [[0.5, 0.7], [0.4, 0.5], [0.1, 0.2]], [[0.6, 0.7], [0.4, 0.6], [NAN, NAN]]
    flat = [[1.0, 1.0], [0.2, 0.3], [NAN, NAN]]
    base = KnowledgeBase(("a", "b", "c", "d", "e"), ("x", "y", "z"), [good, other, good, flat, np.full((3, 2), NAN)])
    report = check_knowledge(base)
    assert report.constant == ("d",)
    assert report.duplicated == (("a", "c"),)
    assert report.empty == ("e",)
    assert report.incomplete == ()
    assert report.gaps == pytest.approx(1 / 3)
    assert not report.is_clean
    assert str(report).splitlines()[-1] == "33.3% of results are not known"
    rest = without_problems(base)
    assert rest.data_sets == ("a", "b")
    assert check_knowledge(rest).is_clean
    assert check_knowledge(base.select([1, 3])).incomplete == ("z",)
