"""A file that was made to harm costs a moment and a few megabytes, and gets one clear error."""

from __future__ import annotations

import gzip
import io
import pickle
import re
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import intemi
from intemi import IntemiError, Project
from intemi.cli.main import command
from intemi.data import DataError
from intemi.data.files import parse
from intemi.experiments import parse_experiment
from intemi.kernel import StoreWarning
from intemi.kernel.decoding import decode
from intemi.kernel.disk.format import CONTENT, seal
from intemi.kernel.encoding import digest, encode, encode_parts
from intemi.kernel.model_files import ModelFileError
from intemi.machines import C45, ClassificationTest, NaiveBayes, SklearnClassifier, SklearnDataset
from intemi.machines.classifiers.sklearn_classifier import FittedClassifier
from intemi.machines.classifiers.sklearn_estimator import FittedEstimator

pytestmark = pytest.mark.timeout(120)

SIZE = struct.Struct("<Q").pack
DEEP = (b"U" + SIZE(1)) * 10**6 + b"N"
"""A tuple in a tuple in a tuple, a million times."""


# Model files


def saved(folder: Path, learner: intemi.Machine) -> dict[str, Any]:
    """What a model file holds."""
    with Project(workers=1) as project:
        wine = project.request(SklearnDataset("wine"))
        project.save(project.run(learner, data=wine.data), folder / "sound.model")
    held: dict[str, Any] = decode((folder / "sound.model").read_bytes()[31:])
    return held


def written(folder: Path, body: bytes) -> str:
    """A model file with such a content; its checksum has no key, so anybody can make one."""
    (folder / "hostile.model").write_bytes(b"intemi model 1\n" + digest(body) + body)
    return str(folder / "hostile.model")


@pytest.mark.parametrize("body", [b"M" + SIZE(1) + DEEP + b"N", b"H" + SIZE(1) + DEEP, b"L" + SIZE(1) + DEEP])
def test_a_model_that_is_nested_a_million_deep_is_refused(body: bytes, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"hostile\.model: .* nested more than 25,000 deep"):
        intemi.load_model(written(tmp_path, body))


def test_a_model_whose_parts_name_the_next_twice_is_refused(tmp_path: Path) -> None:
    held = saved(tmp_path, NaiveBayes())
    shared = {bytes([i]) * 16: b"U" + SIZE(2) + (b"R" + bytes([i + 1]) * 16) * 2 for i in range(1, 40)}
    shared[bytes([40]) * 16] = b"N"
    body = encode({"about": held["about"], "outputs": {"classifier": b"R" + bytes([1]) * 16}, "shared": shared})
    with pytest.raises(ModelFileError, match="which is never shared"):
        intemi.load_model(written(tmp_path, body))


def test_a_model_whose_part_contains_itself_is_refused(tmp_path: Path) -> None:
    held, name = saved(tmp_path, NaiveBayes()), b"1" * 16
    outputs, shared = {"classifier": b"R" + name}, {name: b"U" + SIZE(1) + b"R" + name}
    with pytest.raises(ModelFileError, match="contains itself"):
        intemi.load_model(written(tmp_path, encode({"about": held["about"], "outputs": outputs, "shared": shared})))


@pytest.mark.parametrize(
    "change",
    [
        lambda about: 5,
        lambda about: {},
        lambda about: {**about, "lineage": 5},
        lambda about: {**about, "lineage": [{"inputs": {}}]},
        lambda about: {**about, "results": 5},
        lambda about: {**about, "results": {"Accuracy": [1]}},
        lambda about: {**about, "made": 1 << 10**6},
        lambda about: {**about, "configuration": {"x": 1 << 10**6}},
        lambda about: {**about, "configuration": {"x": decode((b"L" + SIZE(1)) * 2000 + b"N")}},
        lambda about: {**about, "configuration": {1: 2}},
        lambda about: {**about, "outputs": {"classifier": 5}},
        lambda about: {**about, "versions": {"intemi": 5}},
    ],
)
def test_a_model_with_another_description_is_refused(change: Callable[[Any], Any], tmp_path: Path) -> None:
    held = saved(tmp_path, NaiveBayes())
    with pytest.raises(
        ModelFileError, match=r"hostile\.model: .*cannot read it here: its (content|description|lineage)"
    ):
        intemi.load_model(written(tmp_path, encode({**held, "about": change(held["about"])})))


def test_no_control_character_of_a_model_reaches_the_terminal(tmp_path: Path) -> None:
    held = saved(tmp_path, NaiveBayes())
    odd = "\x1b]0;pwned\x07\x9b31m\r\n\u202e"
    about = {**held["about"], "machine": odd, "configuration": {"type": odd}, "results": {"Leak": odd}}
    file = written(tmp_path, encode({**held, "about": about}))
    for options in ([], ["--json"]):
        done = CliRunner().invoke(command, ["predict", file, *options])
        assert done.exit_code == 0
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", done.output)
        assert "pwned" in done.output


def test_no_control_character_of_an_error_reaches_the_terminal(tmp_path: Path, capfd: Any) -> None:
    from intemi.cli.main import main

    (tmp_path / "odd.csv").write_text("\x1b[31ma,class\nx,y\n")
    with pytest.raises(SystemExit):
        main(["predict", "\x1b[31m.model"])
    with pytest.raises(SystemExit):
        main(["data", str(tmp_path / "odd.csv")])
    said = capfd.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "\\x1b" in said.err
    assert "\\x1b" in said.out


# Estimators in model files


def with_estimator(folder: Path, learner: SklearnClassifier, change: Callable[[Any], None]) -> str:
    """A model file with an estimator that was changed, packed as somebody packs it who checks nothing."""
    skops = pytest.importorskip("skops.io")
    held = saved(folder, learner)
    classifier = intemi.load_model(folder / "sound.model").classifier
    assert isinstance(classifier, FittedClassifier)
    estimator = pickle.loads(pickle.dumps(classifier.fitted.estimator))
    change(estimator)
    packed = skops.dumps(estimator, compression=zipfile.ZIP_DEFLATED)
    vars(classifier)["fitted"] = FittedEstimator(classifier.fitted.origin, packed=packed)
    parts: dict[bytes, object] = {}
    output = b"".join(encode_parts(classifier, parts))
    shared = {name: encode(part) for name, part in parts.items()}
    return written(folder, encode({"about": held["about"], "outputs": {"classifier": output}, "shared": shared}))


def columns_of_trees(estimator: Any) -> None:
    estimator.estimators_ = np.repeat(estimator.estimators_[:, :1], 60, axis=1)


BOOSTING = SklearnClassifier("sklearn.ensemble.GradientBoostingClassifier", {"n_estimators": 3}, seed=1)
NEIGHBOURS = SklearnClassifier("sklearn.neighbors.KNeighborsClassifier")
FOREST = SklearnClassifier("sklearn.ensemble.RandomForestClassifier", {"n_estimators": 3}, seed=1)
VECTORS = SklearnClassifier("sklearn.svm.SVC")


@pytest.mark.parametrize(
    ("learner", "change", "message"),
    [
        (BOOSTING, columns_of_trees, "boosting has a column of trees for each class"),
        (NEIGHBOURS, lambda e: setattr(e, "n_neighbors", 10**9), "at most as many neighbours as rows"),
        (FOREST, lambda e: setattr(e, "n_classes_", 10**9), "n_classes_ is the number of classes"),
        (FOREST, lambda e: setattr(e, "n_jobs", 10**9), "n_jobs is at most 1024"),
        (VECTORS, lambda e: setattr(e, "classes_", e.classes_ + 7), "an estimator is of its classes"),
        (VECTORS, lambda e: setattr(e, "more_", np.zeros(2**22)), "INTEMI_MAX_UNPACKED"),
    ],
)
def test_an_estimator_that_does_not_fit_is_refused(
    learner: SklearnClassifier, change: Callable[[Any], None], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelFileError, match=rf"hostile\.model: .*{message}"):
        intemi.load_model(with_estimator(tmp_path, learner, change))


def test_an_odd_but_harmless_estimator_predicts_or_gets_one_error(tmp_path: Path) -> None:
    wine = SklearnDataset("wine").run().outputs["data"]
    model = intemi.load_model(with_estimator(tmp_path, FOREST, lambda e: setattr(e, "estimators_", [])))
    with pytest.raises(ModelFileError, match=r"hostile\.model: it cannot predict these rows: "):
        model.predict(wine)


# Folders of projects


def test_a_folder_with_a_value_that_is_nested_a_million_deep_is_a_miss_and_a_warning(tmp_path: Path) -> None:
    def accuracy() -> Any:
        with Project(tmp_path / "project", workers=1) as project:
            wine = project.request(SklearnDataset("wine"))
            tree = project.run(C45(), data=wine.data)
            return project.run(ClassificationTest(), data=wine.data, classifier=tree.classifier).results["Accuracy"]

    with Project(tmp_path / "project", workers=1) as project:
        project.run(C45(), data=project.request(SklearnDataset("wine")).data)
    bad = b"M" + SIZE(1) + DEEP + b"N"
    with closing(sqlite3.connect(tmp_path / "project" / "machines.sqlite", isolation_level=None)) as db:
        for (content,) in db.execute("select id from contents").fetchall():
            db.execute("update contents set bytes = ? where id = ?", (seal(CONTENT, content, bad), content))
    with pytest.warns(StoreWarning, match="nested more than 25,000 deep"):
        assert accuracy() > 0.95


# Tables


@pytest.mark.parametrize("extension", ["csv", "arff"])
def test_a_packed_file_that_unpacks_to_a_thousand_times_its_size_is_refused(extension: str) -> None:
    bomb = gzip.compress(b"a,b\n" + b"1,x\n" * 10_000_000)
    with pytest.raises(DataError, match=r"more than 16,777,216 bytes when unpacked; .* set INTEMI_MAX_UNPACKED"):
        parse(bomb, f"bomb.{extension}.gz")


def test_a_packed_file_that_is_right_is_read_after_the_limit_was_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    table = gzip.compress(b"a,b\n" + b"1,x\n2,y\n" * 2_200_000)
    with pytest.raises(DataError, match="INTEMI_MAX_UNPACKED"):
        parse(table, "table.csv.gz")
    monkeypatch.setenv("INTEMI_MAX_UNPACKED", "20_000_000")
    with pytest.raises(IntemiError, match="INTEMI_MAX_UNPACKED must be a number of bytes, got '20_000_000'"):
        parse(table, "table.csv.gz")
    monkeypatch.setenv("INTEMI_MAX_UNPACKED", "20000000")
    assert len(parse(table, "table.csv.gz")) == 4_400_000


def book(old: bytes, new: bytes) -> bytes:
    """An Excel file of which the sheet was changed."""
    pandas, made, changed = pytest.importorskip("pandas"), io.BytesIO(), io.BytesIO()
    pytest.importorskip("openpyxl")
    pandas.DataFrame({"a": range(20), "kind": list("pq") * 10}).to_excel(made, index=False)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith("sheet1.xml"):
                assert old in content
                content = content.replace(old, new)
            target.writestr(name, content)
    return changed.getvalue()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'<row r="21"', b'<row r="999999999"', "a cell in row 999,999,999, column 2, expected at most 1,048,576"),
        (b'<row r="21"', b'<row r="1e9"', "a cell in row 1,000,000,000"),
        (b'<row r="21"', b'<row r="inf"', "no Excel file"),
        (
            b'<row r="21"',
            b'<row r="1048576"><c r="XFD1" t="n"><v>1</v></c></row><row r="1048576"',
            "cells when unpacked",
        ),
        (b'r="B21"', b'r="ZZZZ21"', "column 475,254"),
        (b"</sheetData>", b"</sheetData>" + b" " * 2**25, "bytes when unpacked"),
    ],
)
def test_an_excel_file_with_a_cell_far_away_is_refused(old: bytes, new: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse(book(old, new), "table.xlsx", "kind")


def test_a_parquet_file_of_a_hundred_million_equal_values_is_refused() -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    made = io.BytesIO()
    parquet.write_table(
        pyarrow.table({"a": pyarrow.repeat(1.0, 50_000_000), "b": pyarrow.repeat("x", 50_000_000)}), made
    )
    with pytest.raises(DataError, match=r"more than .* cells when unpacked; .* INTEMI_MAX_UNPACKED"):
        parse(made.getvalue(), "table.parquet")


# Experiment files


@pytest.mark.parametrize("name", ["../../x", "/tmp/x", "a/../../x", '"a\\0b"', '"\\e[31m"'])
def test_the_name_of_an_experiment_leads_nowhere_else(name: str) -> None:
    with pytest.raises(IntemiError, match=r"^study\.yaml:2: name: names a folder beside this file, .* got '"):
        parse_experiment(f"data: [iris]\nname: {name}\nlearners: [NaiveBayes]\n", "study.yaml")


@pytest.mark.parametrize("control", ["{a: b}", "[a]"])
def test_a_control_that_is_no_name_is_refused_with_its_line(control: str) -> None:
    text = f"data: [iris]\nlearners: [NaiveBayes, Majority]\ncomparison: {{control: {control}}}\n"
    with pytest.raises(IntemiError, match=r"^x\.yaml:3: comparison\.control: must be a single value, got a"):
        parse_experiment(text, "x.yaml")
