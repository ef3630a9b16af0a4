"""Links, pipes, sockets, devices, folders in place of files of a project: no hang, and nothing outside is touched."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.programs import run_python

NAMES = [
    "claims",
    *(f"machines.sqlite{suffix}" for suffix in ("", "-wal", "-shm", "-journal", "-new")),
    *(f"results.sqlite{suffix}" for suffix in ("", "-wal", "-shm", "-journal", "-new")),
    "contents",
    "contents/VALUE",
    "contents/INNER",
    "experiments",
    "experiments/demo.json",
]
PROGRAM = """
import sys, warnings
import numpy as np
from intemi import IntemiError, Machine, Model, Output, Project
from intemi.experiments import Experiment, save, saved
from intemi.kernel.upkeep import prune, survey, verify
from intemi.machines import Majority, SklearnDataset

warnings.simplefilter("ignore")

class Make(Machine):
    version = 1
    value = Output(np.ndarray)
    n: int = 0
    def run(self): return Model(value=np.arange(50_000.0) + self.n, results={"n": self.n})

def tried(step):
    try:
        return step()
    except IntemiError as error:
        assert len(str(error)) < 500, error
        print("refused:", error)

def work(folder, n):
    with Project(folder, workers=1) as project:
        for each in (0, n):
            assert project.run(Make(each), name="make").outputs["value"][0] == each
        tried(lambda: project.query(labels=["n"]))

plan = Experiment(data={"iris": SklearnDataset()}, learners={"m": Majority()}, name="demo")
for n, folder in enumerate(sys.argv[1:]):
    print("in", folder, flush=True)
    tried(lambda: work(folder, n))
    tried(lambda: save(plan, folder))
    for step in (saved, survey, verify, prune):
        tried(lambda: step(folder))
print("done")
"""


def run(*folders: Path) -> subprocess.CompletedProcess[str]:
    """Use folders in all ways, in one process; the last line that it prints is "done"."""
    return run_python("-c", PROGRAM, *map(str, folders), cwd=Path.cwd(), timeout=100)


def make_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: os.symlink(target, path)


def put(folder: Path, name: str, make: Callable[[Path], None]) -> None:
    value = next((folder / "contents").glob("*/*.val"))
    place = {"contents/VALUE": value, "contents/INNER": value.parent}.get(name, folder / name)
    if os.path.lexists(place):
        os.rename(place, folder.parent / "put aside")
    make(place)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "p"
    done = run(folder)
    assert done.stdout.endswith("done\n"), done.stderr
    return folder


SPECIAL: dict[str, Callable[[Path], None]] = {
    "a link to a file": link_to("../precious"),
    "a link to a folder": link_to("../outside"),
    "a link to nothing": link_to("../outside/fresh"),
    "a link to /dev/zero": link_to("/dev/zero"),
    "a pipe": os.mkfifo,
    "a socket": make_socket,
    "a folder": Path.mkdir,
}


@pytest.mark.parametrize("special", SPECIAL)
def test_special_files_are_neither_opened_nor_followed(special: str, written: Path, tmp_path: Path) -> None:
    """Every place of a folder, for one kind of special file: each is a warning and a miss, or one clear error."""
    tops = []
    for name in NAMES:
        tops.append(top := tmp_path / name.replace("/", " "))
        subprocess.run(["cp", "-a", str(written.parent), str(top)], check=True)
        (top / "precious").write_text("precious " * 10)
        (top / "outside").mkdir()
        put(top / "p", name, SPECIAL[special])
    done = run(*(top / "p" for top in tops))
    assert done.stdout.endswith("done\n"), (done.stdout, done.stderr)
    for top in tops:
        assert (top / "precious").read_text() == "precious " * 10, top
        assert os.listdir(top / "outside") == [], top


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    done = run(tmp_path / "link")
    assert "refused" not in done.stdout, done.stdout + done.stderr
    assert {"machines.sqlite", "contents"} <= set(os.listdir(tmp_path / "real"))


def test_a_file_with_two_names_is_not_written_to_as_locks(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "precious").write_text("precious " * 10)
    os.link(tmp_path / "precious", tmp_path / "p" / "claims")
    run(tmp_path / "p")
    assert (tmp_path / "precious").read_text() == "precious " * 10
