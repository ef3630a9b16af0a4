"""A folder that someone else has written is data: whatever it names is neither imported nor executed nor opened."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from intemi.cli.main import main
from intemi.experiments import found, saved
from intemi.experiments.report import report
from intemi.kernel import ConfigurationError, Project, from_plain
from intemi.kernel.decoding import decode
from intemi.kernel.errors import IntemiError
from intemi.machines import DataLoader, SklearnClassifier
from tests.programs import run_python

PLAN = "data: [iris]\nprotocol: {distributor: {type: CVDistributor, folds: 3}}\n"
GUESS = "from intemi.machines import NaiveBayes\n\nclass Guess(NaiveBayes):\n    depth: int = 3\n"
COMMANDS = [
    ["compare", "demo"],
    ["compare", "demo", "--json"],
    ["report", "demo", "-o", "report.html"],
    ["graph", "demo"],
    ["graph", "demo", "-o", "graph.svg"],
    ["picture", "accuracies", "demo", "-o", "a.svg"],
    ["picture", "time", "demo", "-o", "t.svg"],
    ["query", "demo", "--path", "test/learner test", "-l", "Accuracy"],
    ["runs", "demo"],
    ["cache", "size", "demo"],
    ["cache", "verify", "demo"],
    ["cache", "prune", "demo"],
    ["doctor", "demo"],
]

ALL_COMMANDS = """
import json, os, sys
from click.testing import CliRunner
from intemi.cli.main import command
from intemi.kernel.errors import IntemiError

for arguments in json.loads(sys.argv[1]):
    done = CliRunner().invoke(command, arguments)
    foreign = done.exception is not None and not isinstance(done.exception, (SystemExit, IntemiError))
    print("as it should" if not foreign and not os.path.exists("PWNED") else f"{arguments}: {done.exception!r}")
"""


def intemi(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_python("-c", "from intemi.cli.main import main; main()", *arguments, cwd=cwd)


def edit(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = folder / "experiments" / "demo.json"
    plan = json.loads(file.read_text())
    change(plan)
    file.write_text(json.dumps(plan))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a learner of the package and one of a user were run; the user's file is no longer there."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "study.py").write_text(GUESS)
    learners = "learners: {bayes: NaiveBayes, guess: {type: study.Guess, depth: 7}}\n"
    (folder / "demo.yaml").write_text(f"imports: study.py\n{PLAN}{learners}")
    done = intemi("run", "demo.yaml", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    (folder / "study.py").rename(folder / "elsewhere.py")
    return folder


@pytest.fixture
def demo(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return shutil.copytree(made, tmp_path / "copy")


def test_no_command_imports_what_a_folder_names(demo: Path) -> None:
    trap = "from pathlib import Path\nPath('PWNED').write_text('executed')\n"
    for file in ("demo/study.py", "study.py", "demo/experiments/study.py", "demo/evil.py"):
        (demo / file).write_text(trap)
    names = ["demo/evil.py", "evil.py", str(demo / "demo" / "evil.py"), "study.py", "study", "demo.evil"]
    edit(demo / "demo", lambda plan: plan.update(imports=names))
    done = run_python("-c", ALL_COMMANDS, json.dumps(COMMANDS), cwd=demo, timeout=250)
    assert not (demo / "PWNED").exists()
    assert done.stdout.split() == ["as", "it", "should"] * len(COMMANDS), done.stdout + done.stderr


def test_what_is_not_known_is_shown_as_it_was_written_with_one_note(demo: Path) -> None:
    graph = intemi("graph", "demo", cwd=demo)
    assert graph.returncode == 0, graph.stderr
    assert "study.Guess(" in graph.stdout
    assert "depth=7" in graph.stdout
    assert graph.stderr.count("study.Guess is not known here") == 1
    assert "--import FILE" in graph.stderr
    compared = intemi("compare", "demo", cwd=demo)
    assert compared.returncode == 0, compared.stderr
    assert "bayes" in compared.stdout
    drawn = intemi("report", "demo", "-o", "report.html", cwd=demo)
    assert drawn.returncode == 0, drawn.stderr
    page = (demo / "report.html").read_text()
    assert "study.Guess(" in page
    assert "depth=7" in page
    asked = intemi("query", "demo", "--under", "guess on iris", "--path", "test/learner test", "--json", cwd=demo)
    assert len(json.loads(asked.stdout)) == 3, asked.stderr


def test_the_user_names_the_code_and_sees_everything(demo: Path) -> None:
    (demo / "elsewhere.py").rename(demo / "study.py")
    done = intemi("compare", "demo", "--import", "study.py", "--json", cwd=demo)
    assert done.returncode == 0, done.stderr
    assert {row["machine"] for row in json.loads(done.stdout)["means"]} == {"bayes", "guess"}
    assert "not known" not in done.stderr
    wrong = intemi("compare", "demo", "--import", "nothing.py", cwd=demo)
    assert (wrong.returncode, wrong.stderr) == (2, "Error: --import: there is no file nothing.py\n")


@pytest.mark.parametrize("place", ["data", "distributor", "test"])
def test_unknown_machines_in_other_places_are_shown_too(demo: Path, place: str) -> None:
    def change(plan: dict[str, Any]) -> None:
        strange = {"type": "lab.Strange", "parts": [{"type": "lab.Part", "x": 1}]}
        plan[place] = {"iris": strange} if place == "data" else strange

    edit(demo / "demo", change)
    graph = intemi("graph", "demo", cwd=demo)
    assert graph.returncode == 0, graph.stderr
    assert "lab.Strange, lab.Part" in graph.stderr
    written = intemi("report", "demo", "-o", "r.html", cwd=demo)
    assert written.returncode == 0, written.stderr
    assert "lab.Strange(parts=[lab.Part(x=1)])" in (demo / "r.html").read_text()


def test_looking_at_a_folder_runs_no_loader(demo: Path) -> None:
    os.mkfifo(demo / "data.csv")
    loader = {"type": "DataLoader", "path": str(demo / "data.csv"), "target": None, "options": {}, "content": "0" * 32}
    edit(demo / "demo", lambda plan: plan.update(data={"iris": loader}))
    with Project.open(demo / "demo") as project:
        outcome = found(saved(demo / "demo"), project)
        assert [cell.state for cell in outcome.cells] == ["not run", "not known"]
    edit(demo / "demo", lambda plan: plan["data"]["iris"].pop("content"))
    assert saved(demo / "demo").unknown is not None, (
        "a loader that does not say what its file held would have to read it"
    )


def test_a_plan_that_would_run_for_ever_is_only_looked_at(demo: Path) -> None:
    edit(demo / "demo", lambda plan: plan.update(repetitions=10**9))
    done = intemi("report", "demo", "-o", "r.html", cwd=demo)
    assert done.returncode == 0, done.stderr
    assert "bayes on iris was run with other settings" in done.stderr


def test_a_kept_loader_reads_no_file(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b\n1,x\n2,y\n")
    loader = DataLoader(str(tmp_path / "data.csv"))
    os.remove(tmp_path / "data.csv")
    assert from_plain(loader.to_plain()) == decode(loader.encoding) == loader
    with pytest.raises(ConfigurationError, match="content must be given"):
        from_plain({**loader.to_plain(), "content": ""})
    named = dict(loader.parameters(), content="")
    with pytest.raises(IntemiError, match="content must be given"):
        DataLoader.restored(named)


def test_names_of_a_folder_are_escaped(demo: Path) -> None:
    bad = "<script>alert(1)</script>"

    def change(plan: dict[str, Any]) -> None:
        plan["name"] = f"../../outside {bad}"
        plan["learners"] = {bad.replace("/", ""): plan["learners"]["bayes"], "odd": {"type": bad, "k": bad}}

    edit(demo / "demo", change)
    with Project.open(demo / "demo") as project:
        page = report(found(saved(demo / "demo"), project))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    done = intemi("report", "demo", cwd=demo)
    assert done.returncode == 0, done.stderr
    assert [file.name for file in demo.glob("*.html")] == ["outside-script-alert-1-script.html"]


@pytest.mark.parametrize(
    "text",
    ["[]", "3", "{", '{"data": 1}', "[" * 100_000, '{"a":' * 100_000, "\x00", '{"type": {}}', "null", ""],
)
def test_a_plan_of_another_shape_is_one_clear_error(
    demo: Path, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (demo / "demo" / "experiments" / "demo.json").write_text(text)
    monkeypatch.chdir(demo)
    with pytest.raises(SystemExit) as ended:
        main(["compare", "demo"])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.startswith("Error: demo/experiments/demo.json: this is not the plan of an experiment")
    assert len(said) < 500


def test_scikit_learn_is_given_no_folder_to_load_pickles_from() -> None:
    with pytest.raises(ConfigurationError, match="memory must be None"):
        SklearnClassifier("sklearn.pipeline.Pipeline", {"steps": (), "memory": "demo/contents"})
