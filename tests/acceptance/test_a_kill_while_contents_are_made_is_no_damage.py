"""A kill, or a full disk, while `contents` is being made or written leaves nothing that is called damage, or stays."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np

from intemi.kernel import Machine, Model, Output, Project
from intemi.kernel.disk import claims
from intemi.kernel.upkeep import prune, verify

KILLED = """
import os, re, sys
import numpy as np
from intemi import Machine, Model, Output, Project

class Make(Machine):
    version = 1
    value = Output(np.ndarray)
    def run(self): return Model(value=np.arange(50_000.0))

calls = 0
NAMES = re.compile(r"contents|[.]new|[.]val")
def watch(event, arguments):
    global calls
    if event in ("sqlite3.connect", "os.rename", "os.mkdir", "os.rmdir", "open") and NAMES.search(str(arguments)):
        calls += 1
        if calls > int(sys.argv[2]):
            os._exit(9)

sys.addaudithook(watch)
with Project(sys.argv[1]) as project:
    project.run(Make())
"""


class Make(Machine):
    version = 1
    value = Output(np.ndarray)
    n: int = 0

    def run(self) -> Model:
        return Model(value=np.arange(50_000.0) + self.n)


def run_without_a_warning(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Project(folder, workers=1) as project:
            assert project.run(Make()).outputs["value"][1] == 1


def test_a_kill_at_any_step_of_making_it_is_no_damage(tmp_path: Path) -> None:
    for step in range(100):
        folder = tmp_path / str(step)
        done = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(step)], timeout=60)
        run_without_a_warning(folder)
        assert not list(folder.glob("*.damaged-*"))
        prune(folder)
        assert not list(folder.glob("*-new"))
        assert len(list(folder.glob("contents/*/*.val"))) == 1
        if done.returncode == 0:
            break
        assert done.returncode == 9
    assert step >= 4, "the steps were not seen"


def test_prune_removes_what_processes_have_left(tmp_path: Path) -> None:
    run_without_a_warning(tmp_path)
    orphan = tmp_path / "contents" / "ab" / f"{'0' * 32}.new"
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"x" * 1000)
    (tmp_path / "machines.sqlite-new").touch()
    (tmp_path / "contents.damaged-1").mkdir()
    done = prune(tmp_path)
    assert (done.orphans, done.aside) == (2, 1)
    assert not orphan.exists()
    assert verify(tmp_path).values == 1


def test_prune_leaves_what_is_being_written(tmp_path: Path) -> None:
    run_without_a_warning(tmp_path)
    started = tmp_path / "contents" / "ab" / f"{'0' * 32}.new"
    started.parent.mkdir(exist_ok=True)
    started.touch()
    with claims.writing(tmp_path / "claims"):
        assert prune(tmp_path).orphans == 0, "of this process"
    holder = (
        "import sys; from pathlib import Path; from intemi.kernel.disk import claims\n"
        "with claims.writing(Path(sys.argv[1])): print('writing', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holder, str(tmp_path / "claims")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"writing\n"
        assert prune(tmp_path).orphans == 0, "of another process"
        other.communicate()
    assert prune(tmp_path).orphans == 1


def test_nothing_is_lost_if_values_are_written_while_others_are_pruned(tmp_path: Path) -> None:
    run_without_a_warning(tmp_path)
    is_over = threading.Event()

    def prune_often() -> None:
        while not is_over.is_set():
            prune(tmp_path)

    pruning = threading.Thread(target=prune_often)
    pruning.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with Project(tmp_path, workers=2) as project:
                made = [project.request(Make(n)) for n in range(40)]
                assert [capsule.wait().outputs["value"][0] for capsule in made] == list(range(40))
    finally:
        is_over.set()
        pruning.join()
    assert not verify(tmp_path).problems
