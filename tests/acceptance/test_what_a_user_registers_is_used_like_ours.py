"""A file format, a test of hypotheses, a picture: each is defined in one place, by us or by a user's program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from intemi.analysis.hypothesis_test import TESTS
from intemi.cli.main import command
from intemi.data.files import FORMATS
from intemi.experiments.pictures import PICTURES
from intemi.experiments.schema import experiment_schema
from intemi.kernel import ConfigurationError
from intemi.kernel.registered import Registered
from tests.programs import run_python

OWN = '''
from intemi.analysis import Transformation, hypothesis_test
from intemi.data import Column, Data, FileFormat, Table
from intemi.experiments import picture
from intemi.series import Series


class Words(FileFormat):
    """A line for each row: its class, then numbers."""

    extensions = (".words",)

    def parse(self, content, file, target=None, *, scale=1.0):
        lines = [line.split() for line in content.decode().splitlines()]
        labels = tuple(sorted({line[0] for line in lines}))
        values = [[scale * float(line[index]) for line in lines] for index in (1, 2)]
        classes = [labels.index(line[0]) for line in lines]
        return Data(Table([Column("a"), Column("b")], values, Column("class", labels), classes, name="words"))


@hypothesis_test
class ByMeans(Transformation):
    """Different if the means are."""

    def __call__(self, first, second):
        return Series({"p": [float(first.mean() == second.mean())], "variant": ["by the means"]}, main="p")


@picture("counts", "how many values each learner has")
def draw_counts(asked):
    from matplotlib.figure import Figure

    figure = Figure()
    means = asked.compared.means
    figure.add_subplot().bar([f"{row['machine']} {row['data']}" for row in means], [row["n"] for row in means])
    return figure
'''
FILE = """
imports: own_kinds.py
data:
  - some.words
  - {path: more.words, scale: 2.0}
learners: [Majority, NaiveBayes]
protocol: {distributor: {type: CVDistributor, folds: 3}, seed: 1}
comparison: {test: ByMeans}
"""


def rows(shift: float) -> str:
    return "\n".join(f"{'ab'[i % 2]} {i % 2 * shift + i % 5} {i % 7}" for i in range(40))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "own_kinds.py").write_text(OWN, "utf-8")
    (folder / "kinds.yaml").write_text(FILE, "utf-8")
    (folder / "some.words").write_text(rows(3), "utf-8")
    (folder / "more.words").write_text(rows(5), "utf-8")
    return folder


@pytest.fixture
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def said(*words: str, code: int = 0) -> Result:
    found = CliRunner().invoke(command, list(words))
    assert found.exit_code == code, (found.output, found.exception)
    return found


def test_an_experiment_file_uses_a_format_a_test_and_a_picture_of_its_user(there: Path) -> None:
    assert "ByMeans" in said("run", "kinds.yaml").output
    found = json.loads(said("compare", "kinds.yaml", "--json").output)
    assert {row["data"] for row in found["means"]} == {"some", "more"}
    said("picture", "counts", "kinds.yaml")
    assert Path("counts.svg").read_text("utf-8").startswith("<?xml")
    assert "ByMeans" in TESTS
    assert ".words" in FORMATS


def test_help_and_lists_name_them(there: Path) -> None:
    listed = said("picture", "--import", "own_kinds.py", "--help").output
    assert "how many values each learner has" in listed
    assert all(each.shows.split()[0] in listed for each in PICTURES.values())
    assert "own_kinds.Words" in said("machines", "fileformat", "--import", "own_kinds.py").output
    schema = experiment_schema()["properties"]
    assert "ByMeans" in schema["comparison"]["properties"]["test"]["anyOf"][0]["enum"]
    assert any("words" in json.dumps(each) for each in schema["data"]["anyOf"])
    assert "did you mean 'counts'?" in str(said("picture", "count", "kinds.yaml", code=1).exception)


EDITED = """
import sys
from intemi import Project
from intemi.machines import DataLoader
import own_format

with Project("cache") as project:
    loaded = project.run(DataLoader("some.words"))
    print(loaded.outputs["data"].features.max(), project.counts().physical.total())
"""


def test_an_edited_format_reads_its_files_again(there: Path) -> None:
    format_only = OWN[: OWN.index("@hypothesis_test")]

    def ran(source: str) -> list[str]:
        Path("own_format.py").write_text(source, "utf-8")
        Path("program.py").write_text(EDITED, "utf-8")
        done = run_python("program.py", cwd=Path.cwd())
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert ran(format_only) == ["7.0", "1"]
    assert ran(format_only) == ["7.0", "0"]
    assert ran(format_only.replace("scale * float", "10 * scale * float")) == ["70.0", "1"]


def test_a_name_belongs_to_one_definition() -> None:
    names: Registered[Any] = Registered("picture")
    names.add("mine", test_a_name_belongs_to_one_definition)
    names.add("mine", test_a_name_belongs_to_one_definition)
    with pytest.raises(ConfigurationError, match=r"the picture 'mine' is that of .*choose another name"):
        names.add("mine", rows)
    with pytest.raises(ConfigurationError, match="no picture is called 'mime'; did you mean 'mine'"):
        names.named("mime")
