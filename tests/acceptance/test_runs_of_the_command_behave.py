"""Interrupted, resumed, run twice, run by two at once, on a full disk, in a folder that cannot be written to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.programs import run_python

INTEMI = [sys.executable, "-m", "intemi.cli"]
QUICK = """
name: quick
data: [iris, wine]
learners: [NaiveBayes, C45, {type: KNN, vary: {k: [1, 5]}}]
protocol: {distributor: {type: CVDistributor, folds: 5}}
"""
SLOW_MACHINE = '''
import time
from intemi.machines import Majority

class Slow(Majority):
    """Takes its time."""

    number: int = 0

    def run(self, data):
        with open("begun.txt", "a") as file:
            file.write("x")
        time.sleep(0.3)
        return super().run(data)
'''
SLOW = """
name: slow
imports: slow_machine.py
data: [iris]
learners: {slow: {type: slow_machine.Slow, vary: {number: [1, 2]}}}
protocol: {distributor: {type: CVDistributor, folds: 5}, repetitions: 1}
"""


def intemi(folder: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    if not options:
        return run_python("-m", "intemi.cli", *arguments, cwd=folder)
    return subprocess.run([*INTEMI, *arguments], cwd=folder, capture_output=True, text=True, **options)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    (tmp_path / "quick.yaml").write_text(QUICK)
    (tmp_path / "slow.yaml").write_text(SLOW)
    (tmp_path / "slow_machine.py").write_text(SLOW_MACHINE)
    return tmp_path


def test_run_twice_it_runs_nothing_and_says_the_same(quick: Path) -> None:
    first = intemi(quick, "run", "quick.yaml", "--json")
    again = intemi(quick, "run", "quick.yaml", "--json")
    assert (first.returncode, again.returncode) == (0, 0), first.stderr
    before, after = json.loads(first.stdout), json.loads(again.stdout)
    assert before["run"] > 0
    assert after["run"] == 0
    assert after["machines"] == before["machines"]
    assert after["comparison"] == before["comparison"]


def test_interrupted_it_says_what_was_kept_and_goes_on_from_there(quick: Path) -> None:
    process = subprocess.Popen(
        [*INTEMI, "run", "slow.yaml", "--workers", "2"],
        cwd=quick,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )
    begun = quick / "begun.txt"
    while not begun.exists() or len(begun.read_text()) < 4:  # of two at a time, so that two have finished
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert "Whatever had finished is kept in slow; `intemi run slow.yaml` goes on from there." in error
    assert "Traceback" not in error + out

    resumed = json.loads(intemi(quick, "run", "slow.yaml", "--json").stdout)
    whole = json.loads(intemi(quick, "run", "slow.yaml", "--json", "-p", "elsewhere").stdout)
    assert resumed["comparison"] == whole["comparison"]
    assert 0 < resumed["run"] < whole["run"]


def test_two_at_once_on_one_folder_share_the_work(quick: Path) -> None:
    both = [
        subprocess.Popen([*INTEMI, "run", "slow.yaml", "--json"], cwd=quick, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert said[0]["comparison"] == said[1]["comparison"]
    alone = json.loads(intemi(quick, "run", "slow.yaml", "--json", "-p", "alone").stdout)
    slow_ones = 10
    assert said[0]["run"] + said[1]["run"] < alone["run"] + slow_ones, "the slow machines are run by one of the two"


def without_the_rights_of_root() -> None:
    """In a process about to be started: root, too, may then write only where the mode of a folder says so."""
    import ctypes

    drop_from_bounding_set, override_modes = 24, 1
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(drop_from_bounding_set, override_modes, 0, 0, 0):
        os._exit(77)


def test_a_folder_that_cannot_be_written_to_gets_one_message(quick: Path) -> None:
    locked = quick / "locked"
    locked.mkdir(mode=0o500)
    done = intemi(quick, "run", "quick.yaml", "-p", "locked/project", preexec_fn=without_the_rights_of_root)
    if done.returncode == 77:
        pytest.skip("root keeps its rights here")
    assert done.returncode == 3
    assert done.stderr.startswith("Error: ")
    assert "must be writable" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(locked.iterdir()) == []


def test_a_file_in_the_way_of_the_folder_gets_one_message(quick: Path) -> None:
    (quick / "taken").write_text("")
    done = intemi(quick, "run", "quick.yaml", "-p", "taken")
    assert done.returncode == 3
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_gets_one_message(quick: Path) -> None:
    intemi(quick, "run", "quick.yaml")
    done = intemi(quick, "report", "quick.yaml", "-o", "/dev/full")
    assert done.returncode == 3
    assert done.stderr == "Error: /dev/full: No space left on device\n"


@pytest.mark.parametrize("room", [100_000, 250_000])
def test_a_disk_that_is_full_gets_one_message_and_a_later_run_goes_on(quick: Path, room: int) -> None:
    resource = pytest.importorskip("resource")

    def no_more_than_a_little() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit fails, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    done = intemi(quick, "run", "quick.yaml", preexec_fn=no_more_than_a_little)
    assert "Traceback" not in done.stderr
    assert "on a disk that has space" in done.stderr
    later = intemi(quick, "run", "quick.yaml")
    assert later.returncode == 0
    if done.returncode not in (1, 3):  # it could compare what it had in memory; only the count of machines differs
        *table, last = done.stdout.splitlines()
        assert table == later.stdout.splitlines()[:-1]
        assert last.endswith("not all of them could be kept in quick")


def test_a_learner_that_fails_is_told_of_and_the_others_are_compared(tmp_path: Path) -> None:
    (tmp_path / "gaps.csv").write_text(
        "x,kind\n" + "".join(f"{'' if i % 5 == 0 else i % 7},{'ab'[i % 2]}\n" for i in range(40))
    )
    (tmp_path / "gaps.yaml").write_text(
        "data: [gaps.csv]\nlearners: [KNN, NaiveBayes]\nprotocol: {distributor: {type: CVDistributor, folds: 2}}\n"
    )
    done = intemi(tmp_path, "run", "gaps.yaml")
    assert done.returncode == 1
    assert "NaiveBayes" in done.stdout
    failed = [line for line in done.stderr.splitlines() if line.startswith("Failed: KNN on gaps: ")]
    assert len(failed) == 1
    assert "Imputation" in failed[0]
