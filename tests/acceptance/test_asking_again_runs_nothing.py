"""A finished repeater is asked for again in a new process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from intemi.kernel import Capsule, Project
from tests.machines import Log, cross_validation

PROGRAM = """
import json, sqlite3, sys

statements = []
connect = sqlite3.connect

def watched_connect(*arguments, **options):
    connection = connect(*arguments, **options)
    connection.set_trace_callback(statements.append)
    return connection

sqlite3.connect = watched_connect

from intemi.kernel import Project
from tests.acceptance.test_asking_again_runs_nothing import everything_under
from tests.machines import Log, cross_validation

folder, repetitions, folds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
calls = 0

def count_calls(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")

with Project(folder, workers=1) as project:
    log = Log(project)
    statements_to_open = len(statements)
    assert cross_validation(repetitions, folds).digest  # the sources of classes are read once in a process
    sys.setprofile(count_calls)
    repeater = project.run(cross_validation(repetitions, folds), data=project.given(3))
    sys.setprofile(None)
    statements_to_ask = len(statements) - statements_to_open
    answer = {
        "started": log.started,
        "logical": project.counts().logical.total(),
        "statements_to_open": statements_to_open,
        "statements_to_ask": statements_to_ask,
        "calls": calls,
        "tree": everything_under(repeater),
    }
print(json.dumps(answer))
"""


@dataclass
class Answer:
    """What a new process saw when it asked again."""

    started: list[str]
    logical: int
    statements_to_open: int
    statements_to_ask: int
    calls: int
    tree: Any


def everything_under(capsule: Capsule) -> list[Any]:
    """What can be seen of a finished machine and of those under it, as JSON has it."""
    outputs = {name: list(value) if isinstance(value, tuple) else value for name, value in capsule.outputs.items()}
    seen = [capsule.name, capsule.comments, capsule.results, outputs]
    return [*seen, [everything_under(child) for child in capsule.children]]


def finish(folder: Path, repetitions: int, folds: int) -> tuple[int, list[Any]]:
    """Run a repeater to its end; how many machines that took, and what they left."""
    with Project(folder, workers=2) as project:
        log = Log(project)
        repeater = project.run(cross_validation(repetitions, folds), data=project.given(3))
        return len(log.started), everything_under(repeater)


def ask_again(folder: Path, repetitions: int, folds: int) -> Answer:
    arguments = [sys.executable, "-c", PROGRAM, str(folder), str(repetitions), str(folds)]
    root = Path(__file__).parents[2]
    finished = subprocess.run(arguments, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 0, finished.stderr
    return Answer(**json.loads(finished.stdout))


def test_a_finished_repeater_runs_nothing_in_a_new_process_and_gives_the_same(tmp_path: Path) -> None:
    runs, tree = finish(tmp_path, 10, 10)
    again = ask_again(tmp_path, 10, 10)
    assert runs == 521
    assert again.started == []
    assert again.logical == 521
    assert again.tree == tree


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Answer, Answer]:
    """Asking again for 2 × 2 and for 10 × 10."""
    small, large = (tmp_path_factory.mktemp(name) for name in ("small", "large"))
    finish(small, 2, 2)
    finish(large, 10, 10)
    return ask_again(small, 2, 2), ask_again(large, 10, 10)


def test_the_store_is_asked_as_often_for_25_machines_as_for_521(answers: tuple[Answer, Answer]) -> None:
    small, large = answers
    assert (small.logical, large.logical) == (25, 521)
    assert small.statements_to_ask > 0
    assert large.statements_to_ask == small.statements_to_ask
    assert large.statements_to_open == small.statements_to_open


def test_as_much_code_runs_to_answer_for_25_machines_as_for_521(answers: tuple[Answer, Answer]) -> None:
    small, large = answers
    assert large.calls <= 1.02 * small.calls
