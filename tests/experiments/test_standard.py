"""Standard experiments in one line: what can be given, how it is called, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest

from intemi import ConfigurationError, Project
from intemi.data import from_numpy
from intemi.experiments import Comparison, compare_learners, ten_by_ten
from intemi.machines import KNN, Majority, NaiveBayes, SklearnDataset

FRAME = pandas.DataFrame({"x": range(20), "kind": ["ab"[i % 2] for i in range(20)]})


def test_ten_times_ten_folds_are_one_line() -> None:
    compared = ten_by_ten({"majority": Majority(), "bayes": NaiveBayes()}, ["iris"])
    cell = compared.cell("bayes", "iris")
    assert cell is not None
    assert cell["n"] == 100
    assert len(compared.series) == 200, "every split is kept"


def test_data_may_be_anything_that_gives_data(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text("x,party\n" + "1,a\n2,b\n" * 5)
    table = from_numpy([[float(i)] for i in range(10)], ["a", "b"] * 5, name="table")
    given = ["iris", tmp_path / "votes.csv", SklearnDataset("wine"), table, FRAME]
    assert compare_learners([Majority()], given, folds=2).data == ["iris", "votes", "wine", "table", "data"]
    assert compare_learners([Majority()], {"mine": FRAME, "flowers": "iris"}, folds=2).data == ["mine", "flowers"]


def test_learners_of_one_class_are_numbered() -> None:
    assert compare_learners([KNN(k=1), KNN(k=5), Majority()], ["iris"], folds=2).learners == [
        "KNN",
        "KNN 2",
        "Majority",
    ]


def test_everything_is_kept_in_a_project(tmp_path: Path) -> None:
    learners = {"majority": Majority(), "bayes": NaiveBayes()}
    first = compare_learners(learners, ["iris"], folds=3, project=tmp_path / "study")
    assert (tmp_path / "study" / "experiments" / "experiment.plan-1").exists()
    with Project(tmp_path / "study") as project:
        again = compare_learners(learners, ["iris"], folds=3, project=project)
        assert project.counts().physical.total() == 0
    assert again.means == first.means


def test_the_comparison_is_said_as_in_an_experiment() -> None:
    compared = compare_learners(
        [KNN(k=1), KNN(k=5)], ["iris"], folds=3, measure="Kappa", comparison=Comparison(control="KNN 2", vary="k")
    )
    assert (compared.measure, compared.control) == ("Kappa", "KNN 2")
    with pytest.raises(ConfigurationError, match="learners must differ in k only"):
        compare_learners([KNN(k=1), KNN(weights="distance")], ["iris"], comparison=Comparison(vary="k"))


@pytest.mark.parametrize(
    ("learners", "data", "said"),
    [
        (Majority(), ["iris"], "learners must be several machines, got one"),
        ([Majority()], "iris", "data must be several data sets"),
        ([Majority()], FRAME, "data must be several data sets"),
        ([Majority()], ["irs"], "no data set is called 'irs'; did you mean 'iris'?"),
        ([Majority()], ["nowhere.csv"], "path must be a file that can be read"),
        ([Majority()], [], "data must name at least one data set"),
    ],
)
def test_mistakes_get_one_message(learners: object, data: object, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        compare_learners(learners, data)  # type: ignore[arg-type]
    assert said in str(refused.value)
