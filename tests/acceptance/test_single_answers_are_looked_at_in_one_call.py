"""ROC, calibration, classes, importance and effect sizes: one command each, with the numbers of the tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from intemi.cli.main import command

FILE = """
name: flowers
data: [iris, wine]
learners: {bayes: {type: NaiveBayes}, neighbours: {type: KNN}, usual: {type: Majority}}
requests:
  what matters: {type: PermutationRanking, learner: {type: NaiveBayes}, repeats: 2}
protocol: {distributor: {type: CVDistributor, folds: 3}}
measures: [Accuracy, AUC]
"""


def said(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("looking") / "flowers.yaml"
    file.write_text(FILE)
    done = said("run", str(file), "-q")
    assert done.exit_code == 0, done.output
    assert "Importance" in done.stdout
    return str(file)


def drawn(file: str, what: str, folder: Path, *options: str) -> str:
    done = said("picture", what, file, "-o", str(folder / "drawn.svg"), *options)
    assert done.exit_code == 0, done.output
    return (folder / "drawn.svg").read_text()


def test_areas_under_roc_curves_are_the_means_of_the_table(file: str, tmp_path: Path) -> None:
    picture = drawn(file, "roc", tmp_path, "--data", "wine")
    plain = json.loads(said("compare", file, "--measure", "AUC", "--json").stdout)
    areas = {row["machine"]: row["mean"] for row in plain["means"] if row["data"] == "wine"}
    for learner, area in areas.items():
        assert re.search(rf">{learner} {area:.3f}<", picture), (learner, area)


def test_one_learner_can_be_chosen(file: str, tmp_path: Path) -> None:
    picture = drawn(file, "calibration", tmp_path, "--data", "iris", "--learner", "bayes")
    assert ">bayes<" in picture
    assert ">usual<" not in picture


def test_classes_have_a_table(file: str, tmp_path: Path) -> None:
    picture = drawn(file, "classes", tmp_path)
    for text in ("versicolor", "precision", "recall", "F1", "neighbours"):
        assert f">{text}<" in picture


def test_features_that_matter_are_drawn(file: str, tmp_path: Path) -> None:
    picture = drawn(file, "importance", tmp_path, "--data", "wine")
    assert ">flavanoids<" in picture


def test_effect_sizes_are_printed_and_are_in_the_report(file: str, tmp_path: Path) -> None:
    text = said("compare", file, "--effect", "CliffsDelta").stdout
    assert "Effect sizes against bayes" in text
    assert re.search(r"^usual +-1\.000 large +-1\.000 large$", text, re.M)
    plain = json.loads(said("compare", file, "--effect", "CohensD", "--json").stdout)
    assert {row["machine"] for row in plain["effects"]} == {"neighbours", "usual"}
    assert all(row["d"] < -2 for row in plain["effects"] if row["machine"] == "usual" and row["data"] == "wine")
    assert said("report", file, "-o", str(tmp_path / "r.html")).exit_code == 0
    assert "A₁₂ of Vargha and Delaney" in (tmp_path / "r.html").read_text()
    assert "did you mean" in str(said("compare", file, "--effect", "CohenD").exception)
