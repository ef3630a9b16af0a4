"""The command itself: help, exit codes, mistakes, completion."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from intemi.cli.main import SUBCOMMANDS, command, main

PYTHON = sys.executable


def status_of(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_has_help_with_examples(name: str) -> None:
    done = CliRunner().invoke(command, [name, "--help"])
    assert done.exit_code == 0
    assert "Examples:" in done.output
    assert f"intemi {name}" in done.output


def test_help_lists_every_subcommand_and_loads_none_of_them() -> None:
    program = (
        "import sys\nfrom intemi.cli.main import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n"
        "    print([name for name in sys.modules if name.startswith('intemi.cli.') or name in "
        "('rich', 'yaml', 'sklearn', 'matplotlib', 'scipy', 'numba', 'intemi.machines')])"
    )
    done = subprocess.run([PYTHON, "-c", program], capture_output=True, text=True, check=True)
    *said, loaded = done.stdout.splitlines()
    assert all(any(line.split()[:1] == [name] for line in said) for name in SUBCOMMANDS)
    assert loaded == "['intemi.cli.codes', 'intemi.cli.main']"


def test_a_misspelt_subcommand_is_told_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of("comapre") == 2
    assert "did you mean 'compare'?" in capsys.readouterr().err


def test_a_missing_file_is_a_wrong_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("votes.yaml").write_text("")
    assert status_of("run", "vote.yaml") == 2
    assert "did you mean 'votes.yaml'?" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["runs", "query", "doctor", "report", "compare"])
def test_a_folder_without_a_project_is_told_so(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    if name == "doctor":
        assert status_of(name, "empty") == 1
        assert "there is no project in this folder" in capsys.readouterr().out
    else:
        assert status_of(name, "empty") == 2
        assert "empty: " in capsys.readouterr().err
    assert list(Path("empty").iterdir()) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_completion_script_for_each_shell(shell: str) -> None:
    done = CliRunner().invoke(command, ["completion", shell])
    assert done.exit_code == 0
    assert f"_INTEMI_COMPLETE={shell}_complete" in done.output


def test_the_shell_completes_subcommands() -> None:
    done = subprocess.run(
        [PYTHON, "-m", "intemi.cli"],
        env={"_INTEMI_COMPLETE": "bash_complete", "COMP_WORDS": "intemi co", "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == {"compare", "completion"}


def test_a_reader_who_has_read_enough_is_no_error() -> None:
    done = subprocess.run(
        f"{PYTHON} -m intemi.cli machines --json | head -1", shell=True, capture_output=True, text=True
    )
    assert done.stdout == "[\n"
    assert done.stderr == ""


def test_machines_are_described_as_they_declare_themselves() -> None:
    described = json.loads(CliRunner().invoke(command, ["machines", "SVM", "--json"]).output)
    parameters = {each["name"]: each for each in described["parameters"]}
    assert (described["is"], described["takes"], described["gives"]) == (
        "machine",
        ["data (Data)"],
        ["classifier (Classifier)"],
    )
    assert (parameters["C"]["type"], parameters["C"]["range"], parameters["C"]["default"]) == ("float", "above 0", "1")
    assert parameters["kernel"]["type"] == "Kernel"


def test_every_machine_and_component_can_be_described() -> None:
    listed = json.loads(CliRunner().invoke(command, ["machines", "--json"]).output)
    assert len(listed) > 100
    assert all(each["description"] for each in listed)
    assert {"KNN", "C45", "GaussianKernel", "Gini"} <= {each["name"] for each in listed}


def test_init_writes_a_file_that_can_be_read_and_overwrites_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from intemi.experiments import read_experiment

    monkeypatch.chdir(tmp_path)
    assert status_of("init", "my study.yaml", "-d", "iris", "-d", "wine") == 0
    found = read_experiment("my study.yaml")
    assert (found.name, list(found.data)) == ("my study", ["iris", "wine"])
    assert status_of("init", "my study.yaml") == 2
    assert "--force" in capsys.readouterr().err
    assert status_of("init", "my study.yaml", "--force") == 0
