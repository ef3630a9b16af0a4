"""Means come with their deviations and numbers, and data sets are not averaged together (B7, B9)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from intemi import Project
from intemi.analysis import AverageRanks, BasicStatistics, InvalidComparison, Ranks, StandardizedDifference, Wins
from intemi.cli.main import command
from intemi.experiments import Experiment, run
from intemi.machines import ClassificationTest, CVDistributor, Majority, NaiveBayes, SklearnDataset
from intemi.series import Series, SeriesError

THYROID_AND_FLAG = Series(
    {
        "Accuracy": [0.995, 0.997, 0.61, 0.63] * 2,
        "machine": ["knn"] * 4 + ["svm"] * 4,
        "data": ["thyroid", "thyroid", "flag", "flag"] * 2,
        "Fold": [1, 2] * 4,
    },
    main="Accuracy",
)


# Data sets are not averaged together


@pytest.mark.parametrize("statistic", ["mean", "median", "sd"])
def test_averaging_over_data_sets_is_refused_by_default(statistic: str) -> None:
    with pytest.raises(SeriesError, match=rf"{statistic}: Accuracy of 2 data sets \(thyroid, flag\) has no meaningful"):
        getattr(THYROID_AND_FLAG, statistic)()
    assert getattr(THYROID_AND_FLAG, statistic)(unsafe=True) > 0


def test_statistics_over_data_sets_are_refused_by_default() -> None:
    with pytest.raises(InvalidComparison, match="BasicStatistics: Accuracy of 2 data sets"):
        BasicStatistics()(THYROID_AND_FLAG)
    assert BasicStatistics(unsafe=True)(THYROID_AND_FLAG).row(0)["n"] == 8
    with pytest.raises(InvalidComparison, match="BasicStatistics: Accuracy of 2 data sets"):
        THYROID_AND_FLAG.group_by("machine").map(BasicStatistics())


def test_differences_of_raw_values_are_raw_values() -> None:
    knn, svm = THYROID_AND_FLAG.group_by("machine")
    with pytest.raises(SeriesError, match="no meaningful mean"):
        (knn - svm).mean()


def test_one_data_set_at_a_time_is_averaged() -> None:
    assert THYROID_AND_FLAG.where(data="flag").mean() == pytest.approx(0.62)
    assert len(THYROID_AND_FLAG.group_by("machine", "data").map(BasicStatistics()).ungroup()) == 4
    assert THYROID_AND_FLAG.without("data").mean() > 0, "what does not say its data set is not known to be mixed"


def test_what_has_a_common_unit_is_averaged_over_data_sets() -> None:
    assert Ranks()(THYROID_AND_FLAG).mean() == 1.5
    assert StandardizedDifference(against="knn").of_each(THYROID_AND_FLAG).mean() == 0
    assert Wins()(THYROID_AND_FLAG).mean() == 2


def test_results_of_a_query_are_refused_as_well() -> None:
    experiment = Experiment(
        data={name: SklearnDataset(name) for name in ("iris", "wine")},
        learners={"majority": Majority(), "bayes": NaiveBayes()},
        distributor=CVDistributor(folds=2),
    )
    with Project() as project:
        outcome = run(experiment, project)
        with pytest.raises(SeriesError, match=r"Accuracy of 2 data sets \(iris, wine\)"):
            outcome.series("Accuracy").mean()
        asked = project.query(type=ClassificationTest, labels=["Accuracy", "data"])
        with pytest.raises(SeriesError, match="has no meaningful mean"):
            asked.mean()


# No mean without its deviation


@pytest.mark.parametrize("write", ["to_markdown", "to_latex"])
def test_a_table_of_means_without_deviations_is_refused(write: str) -> None:
    summary = THYROID_AND_FLAG.group_by("machine", "data").map(BasicStatistics()).ungroup()
    assert "0.620" in getattr(summary, write)()
    with pytest.raises(SeriesError, match=f"{write}: a table of means needs their deviations"):
        getattr(summary.without("sd"), write)()
    assert "0.620" in getattr(summary.without("sd"), write)(mean_only=True)


def test_every_summary_has_number_mean_and_deviation() -> None:
    assert {"n", "mean", "sd"} <= set(BasicStatistics()(THYROID_AND_FLAG.where(data="flag")).labels)
    assert {"average rank", "sd", "data sets"} <= set(AverageRanks()(THYROID_AND_FLAG).labels)
    assert {"difference", "sd", "data sets"} <= set(StandardizedDifference()(THYROID_AND_FLAG).labels)


def test_tables_of_the_command_have_number_mean_and_deviation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    protocol = "protocol: {distributor: {type: CVDistributor, folds: 3}}\n"
    Path("study.yaml").write_text(f"data: [iris, wine]\nlearners: [Majority, NaiveBayes]\n{protocol}")
    runner = CliRunner()
    assert "mean ± sd, n = 3" in runner.invoke(command, ["run", "study.yaml", "-q"]).stdout
    for form in ("text", "markdown", "latex"):
        said = runner.invoke(command, ["compare", "study.yaml", "--format", form]).stdout
        assert "ean ± sd, n = 3" in said
        assert said.replace("$\\pm$", "±").count(" ± ") >= 5, "one for each cell"
    plain = json.loads(runner.invoke(command, ["compare", "study.yaml", "--json"]).stdout)
    assert all({"n", "mean", "sd"} <= set(row) for row in plain["means"])
    assert runner.invoke(command, ["report", "study.yaml"]).exit_code == 0
    assert "Accuracy: mean ± sd, n = 3; the highest mean" in Path("study.html").read_text()
    assert runner.invoke(command, ["picture", "table", "study.yaml", "-o", "table.svg"]).exit_code == 0
    assert Path("table.svg").read_text().count("±") >= 4


def test_a_mean_of_a_single_value_says_so() -> None:
    experiment = Experiment(
        data={"iris": SklearnDataset("iris")},
        learners={"majority": Majority(), "bayes": NaiveBayes()},
        distributor=CVDistributor(folds=2),
    )
    with Project() as project:
        compared = run(experiment, project).compare()
    compared.means = compared.means.with_column("n", [1, 2])
    assert compared.shown("majority", "iris").endswith("(n = 1)")
