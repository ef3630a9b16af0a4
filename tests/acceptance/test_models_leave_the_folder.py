"""A model is saved into one file, and predicts new rows where there is no project, or says in one message why not."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import intemi
from intemi import IntemiError, Project, from_plain
from intemi.cli.main import command
from intemi.data import read
from intemi.kernel.encoding import digest
from intemi.kernel.model_files import ModelFileError
from intemi.machines import (
    CART,
    KNN,
    SVM,
    DataLoader,
    Grid,
    NaiveBayes,
    NominalToIndicators,
    ParameterSearch,
    Repeater,
    SklearnClassifier,
    Standardization,
    TransformAndClassify,
    TransformationChain,
    Values,
)
from intemi.query import Query
from tests.acceptance.test_unfair_tests_are_refused import validated

COLOURS = ("red", "green", "blue")
OPTIONS = {"decimal": ",", "drop": ["id"], "nominal": ["flag"]}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a table: an id, decimal commas, numbers that are categories."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{i};{i % 7},5;{COLOURS[i % 3]};{i % 2};{'no' if i % 3 else 'yes'}" for i in range(60)]
    Path("votes.csv").write_text("\n".join(["id;size;colour;flag;vote", *rows]) + "\n")
    return tmp_path


def numeric(learner: intemi.Machine) -> TransformAndClassify:
    return TransformAndClassify(
        transformation=TransformationChain((NominalToIndicators(), Standardization())), learner=learner
    )


def search() -> intemi.Machine:
    objective = Query("test/test", "Accuracy").mean()
    return ParameterSearch(validated(KNN()), Grid(Values("test/learner.k", [1, 3])), objective, "test/learner")


LEARNERS = {
    "bayes": NaiveBayes(),
    "tree": CART(),
    "svm": numeric(SVM()),
    "search": numeric(search()),
    "forest": SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 3}, seed=1),
}


def saved(learner: intemi.Machine, file: str = "votes.model") -> tuple[Any, Any]:
    """A classifier that is saved, and the data that it was made of."""
    with Project("votes") as project:
        data = project.run(DataLoader("votes.csv", "vote", options=OPTIONS))
        done = project.run(learner, data=data.data)
        project.save(done, file)
        return done.outputs["classifier"], data.outputs["data"]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_saved_model_answers_as_the_one_in_the_project(name: str) -> None:
    if name == "forest":
        pytest.importorskip("skops")
    classifier, data = saved(LEARNERS[name])
    model = intemi.load_model("votes.model")
    assert np.array_equal(model.classifier.probabilities(data), classifier.probabilities(data))
    assert model.classes == ("no", "yes")
    assert [column.name for column in model.columns] == ["size", "colour", "flag"]
    assert from_plain(dict(model.configuration)) == LEARNERS[name]
    assert [step["machine"] for step in model.lineage] == ["DataLoader", LEARNERS[name].kind]
    assert model.lineage[0]["outputs"]["data"] == [data.content_digest().hex()]
    assert model.about["versions"]["intemi"] == intemi.__version__


def test_a_model_is_read_by_a_process_that_knows_nothing_else(place: Path) -> None:
    saved(LEARNERS["tree"])
    (elsewhere := place / "elsewhere").mkdir()
    program = "import intemi, sys; print(intemi.load_model(sys.argv[1]).predict(sys.argv[2])['Predicted'])"
    (elsewhere / "new.csv").write_text("size;colour;flag\n3,5;red;1\n")
    told = [sys.executable, "-c", program, str(place / "votes.model"), "new.csv"]
    environment = {**os.environ, "PYTHONPATH": str(Path(intemi.__file__).parents[1])}
    done = subprocess.run(told, cwd=elsewhere, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "('yes',)"
    assert os.listdir(elsewhere) == ["new.csv"]


# New rows


@pytest.mark.parametrize(
    "text",
    [
        "size;colour;flag\n3,5;red;1\n",
        "id;flag;vote;colour;notes;size\n99;1;no;red;new;3,5\n",  # another order, and more than it needs
        "size;colour;flag\n;red;\n",
    ],
    ids=["one row", "other columns", "missing values"],
)
def test_new_rows_go_by_the_names_of_their_columns(text: str) -> None:
    saved(LEARNERS["tree"])
    Path("new.csv").write_text(text)
    rows = intemi.load_model("votes.model").predict("new.csv")
    assert rows.labels == ("Row", "Predicted", "P(no)", "P(yes)")
    assert list(rows) == [{"Row": 1, "Predicted": "yes", "P(no)": 0.0, "P(yes)": 1.0}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size;colour;flag\n3,5;violet;1\n", "'colour' was expected with the categories blue, green, red, got violet"),
        ("colour;flag\nred;1\n", "new.csv: the model needs the column 'size', got colour, flag"),
        ("size;colour;flag\n12 kg;red;1\n", "new.csv:2: found '12 kg', expected a number for 'size'"),
    ],
)
def test_rows_that_cannot_be_used_get_one_message(text: str, message: str) -> None:
    saved(LEARNERS["tree"])
    Path("new.csv").write_text(text)
    with pytest.raises(IntemiError, match=message.replace("[", r"\[")):
        intemi.load_model("votes.model").predict("new.csv")


def test_an_unknown_category_can_be_read_as_missing() -> None:
    saved(LEARNERS["bayes"])
    Path("new.csv").write_text("size;colour;flag\n3,5;violet;1\n")
    assert len(intemi.load_model("votes.model").predict("new.csv", missing=["violet"])) == 1


def test_a_frame_and_data_are_rows_as_well() -> None:
    pandas = pytest.importorskip("pandas")
    saved(LEARNERS["tree"])
    model = intemi.load_model("votes.model")
    frame = pandas.DataFrame({"flag": [0, 1], "colour": ["blue", "red"], "size": [1.5, 2.0]})
    assert model.predict(frame)["Predicted"] == ("no", "yes")
    data = read("votes.csv", "vote", decimal=",")
    assert model.predict(data)["Predicted"] == tuple(data.labels[code] for code in data.classes)


# Files


def test_every_damaged_byte_and_every_cut_is_noticed() -> None:
    saved(NaiveBayes())
    whole = Path("votes.model").read_bytes()
    for place in range(0, len(whole), 37):
        Path("votes.model").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ModelFileError, match=r"votes\.model: (it is damaged|this is no model|it was written by)"):
            intemi.load_model("votes.model")
        Path("votes.model").write_bytes(whole[:place])
        with pytest.raises(ModelFileError, match=r"votes\.model: (it is damaged|this is no model)"):
            intemi.load_model("votes.model")


def test_foreign_newer_and_unknown_files_get_one_message() -> None:
    name = type(saved(NaiveBayes())[0]).__name__.encode()
    first, rest = Path("votes.model").read_bytes().split(b"\n", 1)
    Path("pickle.model").write_bytes(b"\x80\x04\x95")
    Path("newer.model").write_bytes(b"intemi model 9\n" + rest)
    body = rest[16:].replace(name, name[:-1] + b"Z")
    Path("unknown.model").write_bytes(first + b"\n" + digest(body) + body)
    with Project() as project:
        data = project.run(DataLoader("votes.csv", "vote", options=OPTIONS))
        project.save(data, "data.model")
    for file, message in {
        "none.model": "there is no such file",
        "pickle.model": "this is no model of intemi",
        "newer.model": r"written by a newer version of intemi \(format 9",
        "unknown.model": "saved by intemi .* cannot read it here: .*Z'",
        "data.model": "a model with one classifier is needed, got data of a DataLoader",
    }.items():
        with pytest.raises(ModelFileError, match=f"{file}: .*{message}"):
            intemi.load_model(file)


@pytest.fixture
def without_skops(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Call it to have skops not installed from then on."""
    from intemi.kernel import libraries

    def remove() -> None:
        libraries.library.cache_clear()
        monkeypatch.setitem(sys.modules, "skops", None)
        monkeypatch.setitem(sys.modules, "skops.io", None)

    yield remove
    libraries.library.cache_clear()


def test_what_has_no_safe_encoding_is_refused_and_nothing_is_written(without_skops: Callable[[], None]) -> None:
    without_skops()
    with pytest.raises(ModelFileError, match=r"not written.*SklearnClassifier.*pip install 'intemi\[skops\]'"):
        saved(LEARNERS["forest"])
    assert not Path("votes.model").exists()


def test_a_model_that_needs_skops_says_so_where_there_is_none(without_skops: Callable[[], None]) -> None:
    pytest.importorskip("skops")
    saved(LEARNERS["forest"])
    without_skops()
    with pytest.raises(ModelFileError, match=r"cannot read it here: .*skops.*pip install 'intemi\[skops\]'"):
        intemi.load_model("votes.model")


# The commands

EXPERIMENT = """
data: {votes: {path: votes.csv, target: vote, decimal: ",", drop: [id], nominal: [flag]}}
learners:
  bayes: NaiveBayes
  tree: CART
protocol: {distributor: {type: CVDistributor, folds: 4}}
"""


def ran(*arguments: str) -> str:
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def table(file: str) -> list[dict[str, str]]:
    with open(file, newline="") as opened:
        return list(csv.DictReader(opened))


def test_one_command_fits_and_another_one_predicts() -> None:
    Path("votes.yaml").write_text(EXPERIMENT)
    said = ran("fit", "votes.yaml", "--learner", "tree", "-o", "votes.model")
    assert "votes, 60 rows" in said
    assert "answers: no, yes" in said
    Path("new.csv").write_text("flag;colour;size\n1;red;3,5\n0;blue;1\n")
    ran("predict", "votes.model", "new.csv", "-o", "predictions.csv")
    assert table("predictions.csv") == [
        {"Row": "1", "Predicted": "yes", "P(no)": "0.0", "P(yes)": "1.0"},
        {"Row": "2", "Predicted": "no", "P(no)": "1.0", "P(yes)": "0.0"},
    ]
    assert "made" in ran("predict", "votes.model")
    ran("fit", "votes.yaml", "--learner", "tree", "-o", "again.model")
    trained = [intemi.load_model(file).about["made"] for file in ("votes.model", "again.model")]
    assert trained[0] == trained[1]  # once
    wrong = CliRunner().invoke(command, ["fit", "votes.yaml", "--learner", "three", "-o", "x.model"])
    assert "no learner is called 'three'; did you mean 'tree'?" in str(wrong.exception)


def test_every_test_row_is_shown_with_its_number_and_nothing_is_trained() -> None:
    Path("votes.yaml").write_text(EXPERIMENT)
    ran("run", "votes.yaml", "--quiet")
    ran("predictions", "votes.yaml", "-o", "rows.csv")
    rows = table("rows.csv")
    assert list(rows[0]) == ["Row", "Class", "Predicted", "P(no)", "P(yes)", "machine", "data", "Repetition", "Fold"]
    data = read("votes.csv", "vote", decimal=",")
    for learner in ("bayes", "tree"):
        own = [row for row in rows if row["machine"] == learner]
        assert sorted(int(row["Row"]) for row in own) == list(range(1, 61))
        assert all(row["Class"] == data.labels[data.classes[int(row["Row"]) - 1]] for row in own)
        with Project("votes", workers=1) as project:
            accuracy = project.query(f"{learner} on votes", path="*/*/learner test", labels=["Accuracy", "Fold"])
            for found, fold in zip(accuracy["Accuracy"], accuracy["Fold"], strict=True):
                right = [row["Class"] == row["Predicted"] for row in own if row["Fold"] == str(fold)]
                assert found == pytest.approx(np.mean(right))


def test_predictions_are_one_call_in_python() -> None:
    from intemi.experiments import fit, found, read_experiment, run

    Path("votes.yaml").write_text(EXPERIMENT)
    experiment = read_experiment("votes.yaml")
    with Project("votes") as project:
        run(experiment, project)
        model = fit(experiment, project, "bayes")
        project.save(model, "bayes.model")
    with Project("votes") as project:
        outcome = found(experiment, project)
        assert len(outcome.predictions("bayes")) == 60
        assert len(outcome.predictions()) == 120
        assert not project.counts().physical
        with pytest.raises(IntemiError, match="predictions: no learner is called 'bays'; did you mean 'bayes'"):
            outcome.predictions("bays")
        assert Repeater.kind in {cell.machine.kind for cell in outcome.cells}
