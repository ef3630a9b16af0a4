"""A learner whose results carry a stamp (Leak, Oracle) is shown with its mark; it neither wins nor is best (B10)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from intemi import Model, Project
from intemi.analysis import (
    InvalidComparison,
    MannWhitney,
    PairedTTest,
    Ranks,
    SignTest,
    StandardizedDifference,
    TTest,
    Wilcoxon,
    Wins,
    WinsDrawsLosses,
    competing,
    stamps_of,
)
from intemi.analysis.plots import accuracies
from intemi.cli.main import command
from intemi.data import Data, from_numpy
from intemi.experiments import Comparison, Experiment, Outcome, run
from intemi.experiments.report import report
from intemi.experiments.tables import latex_of, markdown_of, results_table
from intemi.machines import (
    ClassificationTest,
    Count,
    CVDistributor,
    FeatureSelection,
    FScoreRanking,
    Majority,
    NaiveBayes,
    Repeater,
    Scheme,
    SklearnDataset,
)
from intemi.series import Series

PEEKING = '''
from intemi import Model
from intemi.data import Data
from intemi.machines import NaiveBayes


class Peeking(NaiveBayes):
    """Naive Bayes that says it has seen what it must not see."""

    stamp: str = "Leak"

    def run(self, data: Data) -> Model:
        model = super().run(data)
        return Model(**model.outputs, results={self.stamp: "a ranking read the targets of test rows"})
'''


class Peeking(NaiveBayes):
    """Naive Bayes that says it has seen what it must not see."""

    stamp: str = "Leak"

    def run(self, data: Data) -> Model:
        model = super().run(data)
        return Model(**model.outputs, results={self.stamp: "a ranking read the targets of test rows"})


def outcome(project: Project, control: str | None = None) -> Outcome:
    """Two fair learners and two that are not; those that are not are as good as the best."""
    experiment = Experiment(
        data={name: SklearnDataset(name) for name in ("iris", "wine")},
        learners={
            "majority": Majority(),
            "peeking": Peeking(),
            "seer": Peeking(stamp="Oracle"),
            "bayes": NaiveBayes(smoothing=0.5),
        },
        distributor=CVDistributor(folds=3),
        comparison=Comparison(control=control, test="PairedTTest"),
    )
    return run(experiment, project)


def test_stamps_travel_with_the_series() -> None:
    with Project() as project:
        series = outcome(project).series("Accuracy")
    assert series.labels == ("Accuracy", "machine", "data", "Repetition", "Fold", "Leak", "Oracle")
    assert stamps_of(series) == {"peeking": "leak", "seer": "oracle"}
    assert set(competing(series)["machine"]) == {"majority", "bayes"}
    assert competing(series).labels == ("Accuracy", "machine", "data", "Repetition", "Fold")


def test_they_are_shown_with_their_mark_and_are_never_the_best() -> None:
    with Project() as project:
        compared = outcome(project).compare()
    assert compared.not_competing == {"peeking": "leak", "seer": "oracle"}
    for data in ("iris", "wine"):
        best = [learner for learner in compared.learners if compared.is_best(learner, data)]
        assert best == ["bayes"]
        assert compared.shown("peeking", data).endswith(" (leak)")
        assert compared.shown("seer", data).endswith(" (oracle)")
    table = results_table(compared)
    assert not any("*" in cell for cell in (*table["peeking"], *table["seer"]))
    for text in (str(compared), markdown_of(compared), latex_of(compared)):
        assert "ot competing: peeking (leak), seer (oracle)" in text
        assert text.count("(leak)") == 3, "beside each of its values, and in the list"


def test_they_have_no_wins_no_ranks_and_are_in_no_test() -> None:
    with Project() as project:
        compared = outcome(project).compare()
    assert compared.views is not None
    assert compared.ranks is not None
    assert compared.wins is not None
    assert compared.pairs is not None
    for series in (compared.views.table, compared.ranks, compared.wins):
        assert set(series["machine"]) == {"majority", "bayes"}
    assert set(compared.wins.labels) == {"machine", "majority", "bayes"}
    assert set(compared.tested["machine"]) == {"majority", "bayes"}
    assert [row["wins"] for row in compared.views.table if row["machine"] == "bayes"] == [2]


def test_an_oracle_may_be_the_reference() -> None:
    with Project() as project:
        compared = outcome(project, control="seer").compare()
    assert compared.views is not None
    assert (compared.views.reference, compared.views.baseline) == ("seer", "seer")
    rows = {row["machine"]: row for row in compared.views.table}
    assert set(rows) == {"majority", "bayes"}, "but it does not win"
    assert rows["majority"]["difference"] < 0
    assert rows["majority"]["W-D-L"] == "0-0-2"


def test_the_report_marks_and_lists_them() -> None:
    with Project() as project:
        page = report(outcome(project))
    assert "Not competing: peeking (leak), seer (oracle)" in page
    marked = re.findall(r'<td class="number( best)?" title="[^"]*">([^<]*)</td>', page)
    assert len(marked) == 8
    assert [text for best, text in marked if best and ("leak" in text or "oracle" in text)] == []
    assert len([text for best, text in marked if best]) == 2


def test_pictures_mark_them_and_none_of_them_as_the_best() -> None:
    series = Series(
        {"Accuracy": [0.9, 0.8, 0.7], "machine": ["seer", "knn", "svm"], "Oracle": ["reads test targets", None, None]}
    )
    axes = accuracies(series).axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["seer (oracle)", "knn", "svm"]
    (best,) = [line for line in axes.lines if line.get_gid() == "best"]
    assert list(np.asarray(best.get_ydata())) == [1]


@pytest.mark.parametrize("transformation", [Wins(test=None), Ranks(), StandardizedDifference(), WinsDrawsLosses()])
def test_an_oracle_among_competitors_is_an_error(transformation: object) -> None:
    series = Series(
        {
            "Accuracy": [0.9, 0.8, 0.7, 0.6],
            "machine": ["seer", "seer", "knn", "knn"],
            "data": ["iris"] * 4,
            "Fold": [1, 2] * 2,
            "Oracle": ["reads test targets", "reads test targets", None, None],
        },
        main="Accuracy",
    )
    with pytest.raises(InvalidComparison, match=r"machine seer does not compete \(oracle\)"):
        transformation(series)  # type: ignore[operator]
    for against in (StandardizedDifference(against="seer"), WinsDrawsLosses(against="seer")):
        assert set(against(series)["machine"]) == {"seer", "knn"}, "as a reference it is allowed"


def test_if_fewer_than_two_compete_there_is_nothing_to_compare() -> None:
    experiment = Experiment(
        data={"iris": SklearnDataset()},
        learners={"peeking": Peeking(), "bayes": NaiveBayes()},
        distributor=CVDistributor(folds=3),
    )
    with Project() as project:
        compared = run(experiment, project).compare()
    assert "there is one learner that competes, so there is nothing to compare" in compared.notes
    assert compared.is_best("bayes", "iris")


def test_the_command_lists_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("peeking_study.py").write_text(PEEKING)
    Path("study.yaml").write_text(
        "imports: peeking_study.py\ndata: [iris, wine]\nlearners: [Majority, NaiveBayes, peeking_study.Peeking]\n"
        "protocol: {distributor: {type: CVDistributor, folds: 3}}\n"
    )
    runner = CliRunner()
    done = runner.invoke(command, ["run", "study.yaml", "-q"])
    assert done.exit_code == 0, done.output
    assert "Not competing: peeking_study.Peeking (leak)" in done.stdout
    for what in ("accuracies", "ranks", "table", "wins"):
        drawn = runner.invoke(command, ["picture", what, "study.yaml", "-o", f"{what}.svg"])
        assert drawn.exit_code == 0, drawn.output
    assert runner.invoke(command, ["report", "study.yaml"]).exit_code == 0


def test_a_test_of_two_series_says_that_one_of_them_was_not_fair() -> None:
    seer = Series({"Accuracy": [0.9, 0.8, 0.9], "Fold": [1, 2, 3], "Oracle": ["reads test targets"] * 3})
    knn = Series({"Accuracy": [0.7, 0.7, 0.6], "Fold": [1, 2, 3]})
    for test in (PairedTTest(), TTest(), Wilcoxon(), SignTest(), MannWhitney()):
        assert test(seer, knn).row(0)["variant"].endswith(", not fair (oracle)")
        assert "not fair" not in test(knn, knn).row(0)["variant"]


def test_what_the_engine_has_found_to_be_a_leak_does_not_compete() -> None:
    """All rows are ranked, with their targets, before they are divided."""
    rng = np.random.default_rng(0)
    noise = from_numpy(rng.normal(size=(60, 200)), rng.integers(0, 2, 60).astype(str), name="noise")
    test = Scheme(training=Data, test=Data)
    for learner in (NaiveBayes(), Majority()):
        learned = test.add(learner, data=test.training)
        test.add(ClassificationTest(allow_leak=True), data=test.test, classifier=learned.classifier, name=learner.kind)
    with Project() as project:
        rows = project.given(noise)
        ranking = project.request(FScoreRanking(), data=rows)
        best = project.request(FeatureSelection(Count(5)), data=rows, ranking=ranking.ranking)
        done = project.run(Repeater(CVDistributor(folds=5), test, seed=1), data=best.transformed)
        found = project.query(done, type=ClassificationTest, labels=["Accuracy", "machine", "Fold", {"data": "noise"}])
    assert stamps_of(found) == {"NaiveBayes": "leak", "Majority": "leak"}
    with pytest.raises(InvalidComparison, match=r"NaiveBayes does not compete \(leak\)"):
        Wins()(found)
    bayes, majority = found.without("data").group_by("machine")
    assert "not fair (leak)" in PairedTTest()(bayes, majority).row(0)["variant"]
