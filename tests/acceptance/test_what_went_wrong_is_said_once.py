"""What went wrong is said once, with its cause and what there is instead."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
from click.testing import CliRunner

from intemi import Project
from intemi.cli.main import command
from intemi.data import Column, Data, Table
from intemi.experiments import Experiment, run
from intemi.kernel.encoding import encode
from intemi.kernel.errors import ConfigurationError, IntemiError, MachineFailed
from intemi.machines import KNN, SVM, CVDistributor, Majority, Scheme, SklearnDataset
from intemi.machines.classifiers.kernel_provider import ROOM

TABLE = "a,b,class\n" + "".join(f"{'xyz'[row % 3]},{row},{'pq'[row % 2]}\n" for row in range(12))
FILE = """
name: wrong
data: [letters.csv{others}]
learners: {{knn: {{type: KNN, vary: {{k: [1, 3, 5]}}}}, svm: {{type: SVM}}}}
protocol: {{distributor: {{type: CVDistributor, folds: 3}}}}
"""
CAUSE = "KNN: numeric columns without missing values are needed, got a (3 categories)"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "letters.csv").write_text(TABLE)
    return tmp_path / "wrong.yaml"


def test_names_that_a_finished_machine_does_not_have_are_answered_with_those_it_has() -> None:
    with Project() as project:
        iris = project.run(SklearnDataset("iris"), name="iris")
        learned = project.run(Majority(), data=iris.data, name="usual")
        with pytest.raises(IntemiError, match=r"^usual: no output is called 'clasifier'; there are classifier$"):
            learned.outputs["clasifier"]
        with pytest.raises(KeyError, match=r"^iris: no result is called 'Accuracy'; there are Rows, Numeric "):
            iris.results["Accuracy"]
        with pytest.raises(KeyError, match=r"there are none; project\.query finds those of machines inside"):
            learned.results["Accuracy"]
        assert learned.outputs.get("clasifier") is None
        assert iris.results.get("Accuracy") is None
        assert iris.results == dict(iris.results) == pickle.loads(pickle.dumps(iris.results))
        assert encode(iris.results) == encode(dict(iris.results))


def test_what_has_no_such_attribute_says_so_to_hasattr() -> None:
    scheme = Scheme(data=Data)
    part = scheme.add(KNN(), data=scheme.data)
    with Project() as project:
        for asked in (project.run(SklearnDataset("iris")), scheme, part):
            assert not hasattr(asked, "nothing_of_the_kind")


def test_data_without_names_are_refused_with_one_message() -> None:
    with pytest.raises(ConfigurationError, match=r"data must be a mapping of names, \{'name': ...\}, got a list"):
        Experiment(data=["iris"], learners={"usual": Majority()})  # type: ignore[arg-type]


def test_one_cause_is_shown_once(file: Path) -> None:
    file.write_text(FILE.format(others=", iris"))
    done = CliRunner().invoke(command, ["run", str(file)])
    failed = [line for line in done.stderr.splitlines() if line.startswith("Failed: ")]
    assert len(failed) == 2
    assert failed[0].startswith("Failed: knn k=1 on letters and 2 others: knn k=1 on letters/test/learner failed: ")
    assert CAUSE in failed[0]
    assert failed[1].startswith("Failed: svm on letters: ")
    assert done.stderr.splitlines()[-3].endswith(" 12 failed"), "learners in folds; what depends on them is not counted"


def test_if_everything_has_failed_the_cause_is_shown(tmp_path: Path) -> None:
    letters = Data(
        Table([Column("a", ("x", "y"))], [[0, 1] * 6], Column("class", ("p", "q")), [0, 1] * 6, name="letters")
    )
    experiment = Experiment(
        data={"letters": letters}, learners={"knn": KNN(), "3nn": KNN(k=3)}, distributor=CVDistributor(2)
    )
    with Project() as project:
        outcome = run(experiment, project)
        with pytest.raises(IntemiError) as raised:
            outcome.compare()
    assert str(raised.value).startswith(
        "experiment: no learner has finished on any data set, so there is nothing to show; knn on letters and 1 other: "
    )
    assert "got a (2 categories)" in str(raised.value)


def test_one_machine_is_one_machine(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("{name: one, data: [iris], requests: {usual: {type: Majority}}}")
    said = CliRunner().invoke(command, ["run", str(tmp_path / "one.yaml"), "-q"]).stdout
    assert "2 machines, 2 of them run now" in said
    with Project(tmp_path / "folder") as project:
        project.run(SklearnDataset("iris"))
    said = CliRunner().invoke(command, ["cache", "verify", str(tmp_path / "folder")]).stdout
    assert "1 machine and 1 value are in order" in said


def test_a_kernel_table_that_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=2**28))
    rows = 6000
    assert rows * rows * 8 > ROOM
    table = Table([Column("x")], [np.arange(rows) / rows], Column("class", ("p", "q")), np.arange(rows) % 2)
    with Project() as project:
        given = project.given(Data(table))
        with pytest.raises(MachineFailed) as raised:
            project.run(SVM(), data=given, name="svm")
    said = str(raised.value)
    assert "a table of 6,000 × 6,000 products takes 0.3 GiB, and 0.2 GiB of memory are available" in said
    assert "learn from fewer rows, or use another learner" in said
