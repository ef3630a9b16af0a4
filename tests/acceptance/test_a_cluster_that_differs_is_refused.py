"""A worker that would compute something else is refused before its first leaf. What a worker sends back is checked, and
what is wrong does not enter the store.
"""

from __future__ import annotations

import importlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi import ConfigurationError, Input, Machine, MachineFailed, Model, Output, Project
from intemi.dask import ClusterWarning, DaskWorkers
from tests.clusters import RealCluster, wait_for_workers
from tests.machines import Number, Sleep

pytestmark = [pytest.mark.needs("dask")]

PRELOAD = '''
"""A worker that behaves as the file `mode` says."""
import os, platform
from pathlib import Path
from intemi.dask import probe, protocol, remote
from intemi.kernel.encoding import encode
from intemi.kernel.workers import encoded_leaf

MODE = Path(os.environ["MODE"])
true_report = getattr(probe, "true_report", probe.report)  # dask may load this file twice
true_canary = getattr(probe, "true_canary", probe.canary)
true_run = getattr(remote, "true_run", remote.run_batch)
true_add = getattr(remote, "true_add", remote.add_piece)
probe.true_report, probe.true_canary, remote.true_run, remote.true_add = true_report, true_canary, true_run, true_add

def report():
    facts, mode = true_report(), MODE.read_text()
    if mode.startswith("version "):
        facts["versions"][mode.split()[1]] = "0.0.1"
    if mode == "broken":
        raise ImportError("no module named intemi")
    return facts

def canary():
    return "00" * 16 if MODE.read_text() == "canary" else true_canary()

def add_piece(*arguments, dask_worker):
    if MODE.read_text() == "no room":
        raise MemoryError("no room for a piece")
    true_add(*arguments, dask_worker)

def run_batch(*arguments):
    mode = MODE.read_text()
    answer = true_run(*arguments)
    if mode == "started again":
        return protocol.sealed(protocol.unsealed(protocol.Answer, answer)._replace(pid=1))
    if mode == "garbage":
        return os.urandom(500)
    if mode == "another digest":
        return answer[:-1] + bytes([answer[-1] ^ 1])
    if mode == "too short":
        return answer[: len(answer) // 2]
    if mode == "no bytes":
        return {"outputs": 1}
    if mode in ("a pickle", "another value", "no such leaf", "no error", "no time", "no status"):
        sealed = protocol.unsealed(protocol.Answer, answer)
        (ran,) = [protocol.Ran(*each) for each in sealed.ran]
        outputs, results, parts = ran.answer
        if mode == "a pickle":
            content = {name: b"Pnot even one" for name in outputs}, results, parts
        elif mode == "another value":
            content = {name: encode("a text") for name in outputs}, results, parts
        elif mode == "no error":
            content, ran = ("KeyError",), ran._replace(status=encoded_leaf.FAILED)
        elif mode == "no time":
            content, ran = ran.answer, ran._replace(ended="now")
        elif mode == "no status":
            content, ran = ran.answer, ran._replace(status="perhaps")
        else:
            content, ran = ran.answer, ran._replace(number=ran.number + 10**6)
        return protocol.sealed(sealed._replace(ran=(tuple(ran._replace(answer=content)),)))
    return answer

probe.report, probe.canary, remote.run_batch, remote.add_piece = report, canary, run_batch, add_piece
'''

THEIRS = """
from intemi import Machine, Model, Output
class Theirs(Machine):
    out = Output(int)
    def run(self):
        return Model(out=%d)
"""


class Opaque:
    """A value without a canonical encoding."""


class GivesOpaque(Machine):
    """Gives a value that no store can keep."""

    value = Output(object)

    def run(self) -> Model:
        return Model(value=Opaque())


class Takes(Machine):
    """Takes a value."""

    value = Input(np.ndarray)

    def run(self, value: np.ndarray) -> Model:
        return Model()


class Disguised:
    """A cluster whose only worker behaves as it is told."""

    def __init__(self, folder: Path) -> None:
        self.mode = folder / "mode"
        self.set("honest")
        (folder / "preload.py").write_text(PRELOAD, "utf-8")
        (folder / "at worker").mkdir()
        self.modules = folder / "at worker"
        self.cluster = RealCluster()
        path = f"{Path(__file__).parents[2]}:{self.modules}"
        environment = {"MODE": str(self.mode), "PYTHONPATH": path}
        self.cluster.add_worker("--preload", str(folder / "preload.py"), env=environment)
        wait_for_workers(self.cluster, 1)

    def set(self, mode: str) -> None:
        self.mode.write_text(mode, "utf-8")


@pytest.fixture(scope="module")
def disguised(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disguised]:
    made = Disguised(tmp_path_factory.mktemp("disguised"))
    with made.cluster:
        yield made


@pytest.fixture
def project(disguised: Disguised, tmp_path: Path) -> Iterator[Project]:
    disguised.set("honest")
    with Project(tmp_path / "folder", workers=DaskWorkers(disguised.cluster.address)) as made:
        yield made


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("version intemi", r"intemi 0\.0\.1 instead of .*install there what is installed here"),
        ("version numpy", r"numpy 0\.0\.1 instead of"),
        ("version numba", r"numba 0\.0\.1 instead of"),
        ("version scikit-learn", r"scikit-learn 0\.0\.1 instead of"),
        ("version Python", rf"Python 0\.0\.1 instead of {sys.version_info.major}\.{sys.version_info.minor}"),
        ("canary", "the canary .* rounds in another way"),
        ("broken", r"it cannot run intemi \(ImportError: no module named intemi\)"),
    ],
)
def test_another_version_or_canary_is_refused_before_the_first_leaf(
    disguised: Disguised, mode: str, message: str
) -> None:
    disguised.set(mode)
    said = rf"no worker at .* can be used: the worker tcp://127\.0\.0\.1:\d+ is refused: {message}"
    with pytest.raises(ConfigurationError, match=said):
        Project(workers=DaskWorkers(disguised.cluster.address))


def test_where_others_can_be_used_a_worker_that_differs_is_left_out(disguised: Disguised, tmp_path: Path) -> None:
    (tmp_path / "intemi.py").write_text("import no_such_module", "utf-8")
    honest, lacking = disguised.cluster.add_worker(), disguised.cluster.add_worker(env={"PYTHONPATH": str(tmp_path)})
    wait_for_workers(disguised.cluster, 3)
    disguised.set("version numpy")
    said = [
        r"the worker tcp://.* is refused: numpy 0\.0\.1 instead of .*; the others are used",
        r"the worker tcp://.* is refused: it cannot run intemi \(ModuleNotFoundError: .* 'no_such_module'\)",
    ]
    with pytest.warns(ClusterWarning, match=said[0]), pytest.warns(ClusterWarning, match=said[1]):
        project = Project(workers=DaskWorkers(disguised.cluster.address))
    with project:
        record = project.request(Number(3)).wait(60).context.record
        assert record is not None
        assert record.worker == f"{socket.gethostname()}:{honest.pid}"
    assert lacking.poll() is None
    for worker in (honest, lacking):
        worker.terminate()
        worker.wait()
    wait_for_workers(disguised.cluster, 1)


def test_a_batch_that_cannot_be_sent_is_lost_three_times_and_fails(disguised: Disguised, project: Project) -> None:
    disguised.set("no room")
    with pytest.raises(
        MachineFailed, match=r"was lost 3 times, .*it cannot be sent \(MemoryError: no room for a piece"
    ):
        project.request(Takes(), value=project.given(np.zeros(200_000))).wait(60)


@pytest.mark.parametrize(
    "mode",
    [
        "garbage",
        "another digest",
        "too short",
        "no bytes",
        "a pickle",
        "another value",
        "no such leaf",
        "no error",
        "no time",
        "no status",
        "started again",
    ],
)
def test_what_is_not_an_answer_is_refused_and_nothing_enters_the_store(
    disguised: Disguised, project: Project, mode: str
) -> None:
    disguised.set(mode)
    said = (
        "must be int, got str"
        if mode == "another value"
        else "was lost 3 times, the last time on .*: its (answer|worker)"
    )
    with pytest.raises(MachineFailed, match=said):
        project.request(Number(7)).wait(60)
    disguised.set("honest")
    assert project.run(Number(8)).outputs["result"] == 8
    folder = project.folder
    project.close()
    assert folder is not None
    with Project(folder, workers=1, failures="retry") as again:
        assert not again.is_on_record(Number(7))
        assert again.is_on_record(Number(8))


def module_at_home(folder: Path, name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    (folder / f"{name}.py").write_text(THEIRS % value, "utf-8")
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module(name)


def test_a_machine_that_cannot_be_imported_there_is_refused(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = module_at_home(tmp_path, "only_at_home", 1, monkeypatch).Theirs()
    with pytest.raises(MachineFailed, match=r"Theirs on .*: the module 'only_at_home' cannot be imported there"):
        project.request(theirs).wait(60)
    folder = project.folder
    project.close()
    assert folder is not None
    with Project(folder, workers=1, failures="reuse") as again:
        assert not again.is_on_record(theirs)


def test_a_machine_that_is_another_one_there_is_refused(
    disguised: Disguised, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (disguised.modules / "different.py").write_text(THEIRS % 2, "utf-8")
    (disguised.modules / "equal.py").write_text(THEIRS % 3, "utf-8")
    different = module_at_home(tmp_path, "different", 1, monkeypatch).Theirs()
    with pytest.raises(MachineFailed, match=r"Theirs on .* is another machine there: the source of its class"):
        project.request(different).wait(60)
    equal = module_at_home(tmp_path, "equal", 3, monkeypatch).Theirs()
    assert project.request(equal).wait(60).outputs["out"] == 3


def test_a_machine_of_the_main_program_travels_by_value(project: Project) -> None:
    class Local(Machine):
        """Defined in a function."""

        out = Output(int)
        number: int

        def run(self) -> Model:
            return Model(out=2 * self.number)

    assert [project.run(Local(number)).outputs["out"] for number in range(3)] == [0, 2, 4]


def test_what_has_no_safe_encoding_travels_only_if_the_cluster_is_trusted(
    disguised: Disguised, project: Project
) -> None:
    with pytest.raises(MachineFailed, match=r"GivesOpaque\.value has no safe encoding, so it cannot travel"):
        project.request(GivesOpaque()).wait(60)
    with Project(workers=DaskWorkers(disguised.cluster.address, trusted=True)) as trusting:
        assert isinstance(trusting.request(GivesOpaque()).wait(60).outputs["value"], Opaque)


def test_a_scheduler_that_others_can_reach_needs_encryption_or_a_word() -> None:
    with pytest.raises(ConfigurationError, match="is not encrypted, and anyone who can reach it can run code"):
        Project(workers=DaskWorkers("tcp://192.0.2.1:8786"))


def test_a_scheduler_that_is_not_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intemi.dask.clusters.CONNECT_SECONDS", 0.3)
    with pytest.raises(ConfigurationError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        Project(workers=DaskWorkers("tcp://127.0.0.1:9"))


def test_what_is_no_cluster_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"give the address of a scheduler, .* got 3"):
        Project(workers=DaskWorkers(3))


def test_which_worker_ran_what_is_on_record(project: Project) -> None:
    record = project.run(Sleep(0.01, 1)).context.record
    assert record is not None
    assert record.worker is not None
    host, pid = record.worker.rsplit(":", 1)
    assert host
    assert int(pid) > 1
