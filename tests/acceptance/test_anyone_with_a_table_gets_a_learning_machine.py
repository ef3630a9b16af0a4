"""One line, of the shell or of Python: a table goes in, a learning machine that predicts comes out."""

from __future__ import annotations

import html
import re
import threading
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from sklearn.utils.estimator_checks import parametrize_with_checks

import intemi
from intemi.cli.main import command
from intemi.experiments.learning import warnings_of_libraries
from intemi.interop import IntemiSearch
from intemi.kernel import ConfigurationError
from intemi.kernel.component import from_plain
from intemi.kernel.errors import StoreWarning

SECONDS = 1.5


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with numbers, names, a code for missing values and a column that says nothing."""
    rng = np.random.default_rng(0)
    lines = ["id;age;income;region;party"]
    for row in range(120):
        left = row % 2
        age = "n/a" if row % 11 == 3 else f"{rng.normal(35 + 20 * left, 5):.1f}".replace(".", ",")
        income = f"{rng.normal(30, 5):.1f}".replace(".", ",")
        lines.append(f"P{row};{age};{income};{'north' if rng.random() < 0.3 + 0.4 * left else 'south'};{'LR'[left]}")
    file = tmp_path_factory.mktemp("votes") / "votes.csv"
    file.write_text("\n".join([*lines, ""]))
    return file


def test_the_command_writes_a_model_that_predicts_and_a_report_and_goes_on_later(
    votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(votes.parent)
    call = ["learn", "votes.csv", "--target", "party", "--minutes", str(SECONDS / 60), "--no-knowledge"]
    done = CliRunner().invoke(command, [*call, "--picture", "votes.svg"])
    assert done.exit_code == 0, done.output
    assert "the most frequent class has 0.500" in done.stdout
    assert Path("votes.svg").read_text().startswith("<?xml")
    page = Path("votes.html").read_text()
    assert "The best machines" in page
    assert "<svg" in page
    predicted = CliRunner().invoke(command, ["predict", "votes.model", "votes.csv"])
    assert "Predicted" in predicted.stdout
    again = intemi.learn("votes.csv", "party", minutes=SECONDS / 60, folder="votes.learn", knowledge=False)
    assert 0.0 in again.results["Log"]["seconds"], "what was tested is on record"


def test_python_gets_the_winner_the_ranking_and_a_file(votes: Path, tmp_path: Path) -> None:
    learned = intemi.learn(votes, "party", tests=4, knowledge=False)
    assert learned.quality > 0.85 > learned.baseline == 0.5
    assert len(learned.best(3)) == 3
    assert "'id' is different in every row, as the name of a row is; left out" in learned.notes
    assert not any("drop" in note or "missing:" in note for note in learned.notes), "there are no such options"
    learned.save(tmp_path / "votes.model")
    learned.report(tmp_path / "votes.html")
    (winner,) = re.findall("in an experiment file.*?<pre>(.*?)</pre>", (tmp_path / "votes.html").read_text(), re.DOTALL)
    assert from_plain(yaml.safe_load(html.unescape(winner))) == learned.winner
    expected = learned.predict(votes)["Predicted"]
    assert intemi.load_model(tmp_path / "votes.model").predict(votes)["Predicted"] == expected


def test_a_winner_that_is_not_the_first_and_warnings_are_told(votes: Path, tmp_path: Path) -> None:
    learned = intemi.learn(votes, "party", tests=3, knowledge=False)
    first, second = learned.ranking["candidate"][:2]
    assert "the best of 3 machines tested" in learned.summary()
    late = "its test has finished, but it has not learned from all data: it was not done in time"
    results = {**learned.results, "Best": second, "Failures": {first: late}}
    other = replace(learned, results=results, warnings=("ConvergenceWarning: lbfgs failed",))
    assert "number 2 of 3 machines tested" in other.summary()
    assert f"This one was better, with {learned.quality:.3f}: {first}; {late}" in other.summary()
    other.report(tmp_path / "votes.html")
    assert "ConvergenceWarning: lbfgs failed" in (tmp_path / "votes.html").read_text()


def test_warnings_of_libraries_are_collected_from_all_threads_and_ours_are_shown() -> None:
    def warn(category: type[Warning], text: str) -> None:
        thread = threading.Thread(target=warnings.warn, args=(text, category))
        thread.start()
        thread.join()

    with warnings.catch_warnings(record=True, action="always") as shown, warnings_of_libraries() as found:
        warn(RuntimeWarning, "theirs")
        warn(StoreWarning, "ours")
    assert list(found) == ["RuntimeWarning: theirs"]
    assert [each.category for each in shown] == [StoreWarning]


def test_so_many_tests_find_the_same_on_one_worker_and_on_several(votes: Path) -> None:
    one, three = (intemi.learn(votes, "party", tests=4, workers=workers, knowledge=False) for workers in (1, 3))
    assert one.ranking.without("seconds") == three.ranking.without("seconds")


def test_knowledge_that_cannot_be_written_costs_no_result(
    votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTEMI_KNOWLEDGE", str(tmp_path))
    (tmp_path / "knowledge.jsonl").symlink_to(tmp_path / "nowhere" / "file")
    with pytest.warns(StoreWarning, match=r"not added to the knowledge folder: .*got a symbolic link"):
        assert len(intemi.learn(votes, "party", tests=1).ranking) == 1


def test_a_data_set_of_scikit_learn_goes_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    learned = intemi.learn("iris", tests=1, knowledge=False)
    assert (learned.data.name, len(learned.data)) == ("iris", 150)
    with pytest.raises(ConfigurationError, match="data have their target"):
        intemi.learn("iris", "species", tests=1)


def test_a_frame_needs_a_target_and_nothing_else() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [*range(10), *range(20, 30)], "kind": ["a"] * 10 + ["b"] * 10})
    assert intemi.learn(frame, "kind", tests=1, knowledge=False).quality == 1.0
    with pytest.raises(ConfigurationError, match="target must name the column of the frame"):
        intemi.learn(frame)


def test_rows_without_a_class_do_not_make_splits_without_any(tmp_path: Path) -> None:
    rows = [f"{row % 7}.5,{'ab'[row % 2] if row < 4 else ''}" for row in range(40)]
    (tmp_path / "few.csv").write_text("\n".join(["x,y", *rows, ""]))
    assert len(intemi.learn(tmp_path / "few.csv", "y", tests=1, knowledge=False).ranking) == 1


def test_interrupted_it_ends_with_the_best_so_far(votes: Path) -> None:
    def interrupt(now: Any) -> None:
        if now.finished and not now.is_learning:
            raise KeyboardInterrupt

    learned = intemi.learn(votes, "party", minutes=10, knowledge=False, watch=interrupt)
    assert learned.results["Stopped"] == "it was asked to end early"
    assert len(learned.predict(votes)) == 120


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one.csv"], "must have at least two classes"),
        (["votes.csv", "-t", "parties"], "no column called 'parties'"),
        (["votes.csv", "-t", "income"], "the target 'income' holds numbers such as"),
        (["nothing.csv"], "nothing.csv"),
        (["votes.csv", "-m", "0"], "0"),
        (["votes.csv", "-o", "nowhere/votes.model"], "nowhere/votes.model: it must be in a folder that exists"),
        (["votes.csv", "--report", "."], ".: it must be a file, got a folder"),
    ],
)
def test_what_cannot_be_learned_from_gets_one_message(
    votes: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from intemi.cli.main import main

    monkeypatch.chdir(votes.parent)
    Path("one.csv").write_text("x,class\n" + "\n".join(f"{row},same" for row in range(9)))
    with pytest.raises(SystemExit) as ended:
        main(["learn", *arguments, *(["-t", "class"] if arguments == ["one.csv"] else [])])
    assert ended.value.code in (2, 3)
    assert said in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")  # the checks provoke them
@parametrize_with_checks([IntemiSearch(tests=2)])
def test_a_search_passes_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
