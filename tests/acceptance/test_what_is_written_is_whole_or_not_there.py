"""A full disk, or an error, in the middle of a file that a user has asked for leaves the one that was there.

The disk is not really full: the system refuses to let a file grow beyond a limit, in the middle of a write.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from intemi.analysis.plots import time_line
from intemi.cli.codes import UNUSABLE
from intemi.cli.main import main
from intemi.cli.opening import draw_into
from intemi.data import Data, write
from intemi.kernel import Project
from intemi.machines import SklearnDataset
from intemi.series import Series
from intemi.whole_files import write_whole

MAX_BYTES = 100
SERIES = Series({"Accuracy": [number / 7 for number in range(100)], "machine": ["knn", "svm"] * 50})
RAN = Series({"wall": [2.0, 1.0], "started": [0.0, 0.5], "kind": ["KNN", "SVM"]})


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond a few bytes; what is beyond them is refused, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def iris() -> Data:
    with Project() as project:
        data: Data = project.run(SklearnDataset("iris")).outputs["data"]
        return data


def figure_of_a_user() -> Figure:
    figure = Figure()
    figure.add_subplot().plot([1, 2], [3, 4])
    return figure


WRITERS: dict[str, Callable[[Path], Any]] = {
    "series.csv": lambda file: SERIES.to_csv(file),
    "series.json": lambda file: SERIES.to_json(file),
    "data.csv": lambda file: write(iris(), file),
    "data.arff": lambda file: write(iris(), file),
    "data.parquet": lambda file: write(iris(), file),
    "picture.svg": lambda file: time_line(RAN).savefig(file),
    "picture.png": lambda file: time_line(RAN).savefig(file),
    "picture.pdf": lambda file: time_line(RAN).savefig(file),
    "users.svg": lambda file: draw_into(str(file), figure_of_a_user),
    "tree.svg": lambda file: draw_into(str(file), lambda: "<svg>" + " " * 1000 + "</svg>"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_file_that_was_there(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text("old")
    with full_disk(), pytest.raises(Exception, match=r"(?i)file too large"):
        WRITERS[name](file)
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", [name])
    WRITERS[name](file)
    assert file.stat().st_size > MAX_BYTES
    assert os.listdir(tmp_path) == [name]


def test_an_error_while_a_picture_is_drawn_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    class Broken(Line2D):
        def draw(self, renderer: Any) -> None:
            raise ValueError("broken")

    file = tmp_path / "a.svg"
    file.write_text("old")
    figure = time_line(RAN)
    figure.axes[0].add_line(Broken([0, 1], [0, 1]))
    with pytest.raises(ValueError, match="broken"):
        figure.savefig(file)
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["a.svg"])


def test_a_picture_without_an_extension_gets_one(tmp_path: Path) -> None:
    time_line(RAN).savefig(tmp_path / "picture")
    assert os.listdir(tmp_path) == ["picture.png"]


def status_of(*arguments: str) -> int:
    """What the command ends with."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_a_template_is_written_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("old")
    with full_disk():
        assert status_of("init", str(file), "--force") == UNUSABLE
    assert f"{file}: File too large" in capsys.readouterr().err
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["mine.yaml"])


def test_a_report_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("{data: [iris], learners: [NaiveBayes, KNN]}")
    assert status_of("run", "mine.yaml", "--quiet") == 0
    assert status_of("report", "mine.yaml") == 0
    before, files = Path("mine.html").read_bytes(), sorted(os.listdir())

    def on_a_full_disk(path: str, content: str) -> None:
        with full_disk():  # not before: a project writes as well
            write_whole(path, content)

    monkeypatch.setattr("intemi.experiments.outcome.write_whole", on_a_full_disk)
    assert status_of("report", "mine.yaml") == UNUSABLE
    assert "mine.html: File too large" in capsys.readouterr().err
    assert (Path("mine.html").read_bytes(), sorted(os.listdir())) == (before, files)
