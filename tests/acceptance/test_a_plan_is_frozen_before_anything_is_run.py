"""The plan is hashed and written before the first machine runs; whatever is changed in it later is flagged (B5)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from intemi import Event, EventKind, Machine, Project
from intemi.cli.main import command
from intemi.experiments import Experiment, found, read_experiment, run
from intemi.experiments.frozen import freeze, history
from intemi.machines import KNN, CVDistributor, Majority, SklearnDataset
from intemi.machines.roles import Learner

FILE = """
name: study
data: [iris, wine]
learners: {majority: Majority, bayes: NaiveBayes}
protocol: {distributor: {type: CVDistributor, folds: 3}, seed: 1}
"""


def said(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


def digests(text: str) -> list[str]:
    """The digests of plans that a text shows."""
    return re.findall(r"\b[0-9a-f]{32}\b", text)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, and the folder in which it was run."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "study.yaml"
    file.write_text(FILE)
    assert said("run", "study.yaml", "-q").exit_code == 0
    return file


def report() -> str:
    assert said("report", "study.yaml").exit_code in (0, 1)
    return Path("study.html").read_text()


# Before anything is run


def test_the_plan_is_in_the_folder_when_the_first_machine_starts(tmp_path: Path) -> None:
    experiment = Experiment(
        data={"iris": SklearnDataset()}, learners={"majority": Majority()}, distributor=CVDistributor(folds=2)
    )
    plans_then: list[int] = []

    def watch(event: Event) -> None:
        if event.kind is EventKind.STARTED:
            plans_then.append(len(history(tmp_path / "project", "experiment").plans))

    with Project(tmp_path / "project") as project:
        project.listen(watch)
        run(experiment, project)
    assert len(plans_then) > 3
    assert set(plans_then) == {1}
    assert history(tmp_path / "project", "experiment").plans[0].digest == experiment.digest


# The negative test: a data set disappears


def test_deleting_a_data_set_of_a_finished_experiment_changes_the_hash_and_is_flagged(study: Path) -> None:
    before, compared_before = report(), said("compare", "study.yaml").stdout
    first = read_experiment(study).digest
    assert first in before
    assert first in compared_before
    assert "was changed" not in before + compared_before

    study.write_text(FILE.replace("[iris, wine]", "[iris]"))
    after, compared_after = report(), said("compare", "study.yaml").stdout
    second = read_experiment(study).digest
    assert second != first
    assert second in after
    assert second in compared_after
    for text in (after, compared_after):
        assert re.search("plan was changed after the last run: data set wine was removed", text)
    assert first in after, "the first plan is shown beside the new one"


def test_it_is_still_flagged_after_it_was_run_again_and_seen_from_the_folder(study: Path) -> None:
    study.write_text(FILE.replace("[iris, wine]", "[iris]"))
    assert said("run", "study.yaml", "-q").exit_code == 0
    assert re.search(r"plan was changed on \d{4}-.*: data set wine was removed", report())
    assert re.search(r"plan was changed on \d{4}-.*: data set wine was removed", said("compare", "study").stdout)
    study.write_text(FILE)
    assert said("run", "study.yaml", "-q").exit_code == 0
    text = said("compare", "study").stdout
    assert "data set wine was removed" in text, "a change that was taken back is a change"
    assert "data set wine was added" in text


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("[iris, wine]", "[iris, wine, breast_cancer]", "data set breast_cancer was added"),
        ("bayes: NaiveBayes", "bayes: {type: NaiveBayes, smoothing: 2}", "learner bayes was changed: smoothing: "),
        (", bayes: NaiveBayes", "", "learner bayes was removed"),
        ("bayes: NaiveBayes", "bayes: NaiveBayes, knn: KNN", "learner knn was added"),
        ("seed: 1", "seed: 2", "seed: 1 ≠ 2"),
        ("folds: 3", "folds: 4", "distributor.folds: 3 ≠ 4"),
        ("name: study", "name: study\nmeasures: [Accuracy, Kappa]", "measure Kappa was added"),
        ("name: study", "name: study\nmeasures: Kappa", "measure Accuracy was removed"),
        ("name: study", "name: study\ncomparison: {alpha: 0.1}", "comparison.alpha: 0.05 ≠ 0.1"),
    ],
)
def test_every_change_has_its_sentence(study: Path, old: str, new: str, change: str) -> None:
    first = read_experiment(study)
    study.write_text(FILE.replace(old, new))
    changed = read_experiment(study)
    assert changed.digest != first.digest
    (said_of_it,) = [each for each in history("study", "study").changes_until(changed) if change in each]
    assert said_of_it.startswith("the plan was changed after the last run: ")


def test_the_same_plan_in_another_order_and_files_in_another_place_are_the_same_plan(tmp_path: Path) -> None:
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "mine.csv").write_text("x,kind\n" + "1,a\n2,b\n" * 5)
        (tmp_path / place / "study.yaml").write_text(FILE.replace("[iris, wine]", "[iris, mine.csv]"))
    here, there = (read_experiment(tmp_path / place / "study.yaml") for place in ("here", "there"))
    assert here.digest == there.digest
    (tmp_path / "there" / "study.yaml").write_text(
        FILE.replace("[iris, wine]", "[mine.csv, iris]").replace(
            "majority: Majority, bayes: NaiveBayes", "bayes: NaiveBayes, majority: Majority"
        )
    )
    assert read_experiment(tmp_path / "there" / "study.yaml").digest == here.digest
    (tmp_path / "there" / "mine.csv").write_text("x,kind\n" + "1,b\n2,a\n" * 5)
    assert read_experiment(tmp_path / "there" / "study.yaml").digest != here.digest, "a file counts by its content"


# Every cell is listed


class Fails(Learner):
    def run(self, data: Any) -> Any:
        raise ValueError("on purpose")


def test_every_cell_is_listed_failed_and_missing_ones_included(tmp_path: Path) -> None:
    learners: dict[str, Machine] = {"majority": Majority(), "fails": Fails()}
    data = {"iris": SklearnDataset("iris"), "wine": SklearnDataset("wine")}
    experiment = Experiment(data=data, learners=learners, distributor=CVDistributor(folds=2))
    more = Experiment(data=data, learners={**learners, "knn": KNN()}, distributor=CVDistributor(folds=2))
    with Project(tmp_path / "project") as project:
        run(experiment, project)
        outcome = found(more, project)
        compared = outcome.compare()
        from intemi.experiments.report import report

        page = report(outcome)
    states = {
        (learner, data): {"majority": "finished", "fails": "failed", "knn": "not run"}[learner]
        for learner in more.learners
        for data in more.data
    }
    assert compared.cells == states
    assert [row["state"] for row in compared.to_plain()["cells"]].count("failed") == 2
    text = str(compared)
    assert len(re.findall("failed  ", text)) == 2
    assert len(re.findall("not run\n", text)) >= 2
    assert f"Plan {more.digest}: 6 cells, 2 finished, 2 failed, 2 not run" in text
    for (learner, name), state in states.items():
        assert f"<tr><td>{name}</td><td>{learner}</td><td>{state}</td></tr>" in page


def test_tables_for_papers_have_the_hash_with_them(study: Path) -> None:
    digest = read_experiment(study).digest
    assert f"Plan {digest}" in said("compare", "study.yaml", "--format", "markdown").stdout
    assert f"% plan {digest}" in said("compare", "study.yaml", "--format", "latex").stdout
    assert json.loads(said("compare", "study.yaml", "--json").stdout)["plan"] == digest


# What is written is not lost in silence


def test_the_same_plan_is_written_once(study: Path) -> None:
    for _ in range(2):
        assert said("run", "study.yaml", "-q").exit_code == 0
    assert [plan.number for plan in history("study", "study").plans] == [1]


@pytest.mark.parametrize("damage", ["edited", "gone", "a link"])
def test_a_plan_that_is_damaged_or_gone_is_flagged(study: Path, damage: str) -> None:
    study.write_text(FILE.replace("[iris, wine]", "[iris]"))
    assert said("run", "study.yaml", "-q").exit_code == 0
    first = Path("study/experiments/study.plan-1")
    kept = first.read_text()
    first.unlink()
    if damage == "edited":  # as if there had never been a second data set
        plan = json.loads(kept)
        del plan["plan"]["data"]["wine"]
        first.write_text(json.dumps(plan))
    elif damage == "a link":
        first.symlink_to("study.json")
    text = said("compare", "study").stdout
    assert "Plan 1 of study is lost, what it changed is not known" in text
    verified = said("cache", "verify", "study")
    assert verified.exit_code == 1
    assert "Damaged: plan 1 of study is lost" in verified.stderr
    assert said("run", "study.yaml", "-q").exit_code == 0, "it is flagged, and nothing stops working"


def test_a_plan_that_was_replaced_by_another_sealed_one_is_flagged(study: Path) -> None:
    other = read_experiment(study)
    study.write_text(FILE.replace("[iris, wine]", "[iris]"))
    freeze(read_experiment(study), "elsewhere")
    assert said("run", "study.yaml", "-q").exit_code == 0
    Path("study/experiments/study.plan-1").write_bytes(Path("elsewhere/experiments/study.plan-1").read_bytes())
    assert history("study", "study").changes_until(other)[0] == (
        "plan 1 of study is not the one that was there when plan 2 was run"
    )


def test_a_plan_that_was_edited_in_the_folder_is_flagged(study: Path) -> None:
    file = Path("study/experiments/study.json")
    plan = json.loads(file.read_text())
    del plan["data"]["wine"]
    file.write_text(json.dumps(plan))
    assert "data set wine was removed" in said("compare", "study").stdout


def test_in_memory_there_is_a_digest_and_no_history() -> None:
    experiment = Experiment(
        data={"iris": SklearnDataset()}, learners={"majority": Majority()}, distributor=CVDistributor(folds=2)
    )
    with Project() as project:
        compared = run(experiment, project).compare()
    assert digests(str(compared)) == [experiment.digest]
    assert compared.changes == []
