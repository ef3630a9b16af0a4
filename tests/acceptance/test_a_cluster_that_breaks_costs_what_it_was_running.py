"""Whatever happens to a cluster, at whatever moment: the same results in the end, nothing that was reported finished
runs twice, and no process is left behind.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from intemi import EventKind, LimitExceeded, Limits, Machine, MachineFailed, Model, Project, Threads
from intemi.dask import ClusterWarning, DaskWorkers
from tests.acceptance.test_remote_leaves_are_ended_at_once import Hang, process_of
from tests.clusters import ROOT, RealCluster, wait_for_workers
from tests.machines import Log, Sleep, cross_validation
from tests.profiles import by_profile

pytestmark = [pytest.mark.needs("dask"), pytest.mark.filterwarnings("ignore::ResourceWarning")]

FAULTS = by_profile(quick=1, full=3)
LEAVES = 40


class Killed(Machine):
    """Ends its process, as the system does when memory runs out."""

    def run(self) -> Model:
        os.kill(os.getpid(), signal.SIGKILL)
        return Model()


class Storm:
    """A cluster of two workers that is hurt while a project runs, and whole again for the next time."""

    def __init__(self, cluster: RealCluster) -> None:
        self.cluster = cluster
        self.workers = [cluster.add_worker() for _ in range(2)]
        self.hurt: list[psutil.Process] = []

    def children_of(self, worker: subprocess.Popen[bytes]) -> list[psutil.Process]:
        with contextlib.suppress(psutil.Error):
            return psutil.Process(worker.pid).children(recursive=True)
        return []

    def kill_worker(self, chance: random.Random) -> None:
        worker = self.workers.pop(chance.randrange(2))
        self.hurt += self.children_of(worker)
        worker.kill()
        worker.wait()
        self.workers.append(self.cluster.add_worker())

    def freeze_worker(self, chance: random.Random) -> None:
        worker = chance.choice(self.workers)
        os.kill(worker.pid, signal.SIGSTOP)
        time.sleep(chance.random() * 2)
        os.kill(worker.pid, signal.SIGCONT)

    def kill_leaf(self, chance: random.Random) -> None:
        """What the system does to a leaf when memory runs out."""
        children = [child for worker in self.workers for child in self.children_of(worker)]
        if children:
            with contextlib.suppress(psutil.Error):
                chance.choice(children).kill()

    def restart_by_nanny(self, chance: random.Random) -> None:
        nanny = self.cluster.add_worker(nanny=True)
        wait_for_workers(self.cluster, 3)
        time.sleep(chance.random())
        for child in self.children_of(nanny):
            if "multiprocessing.spawn" in " ".join(child.cmdline()):
                child.kill()
        time.sleep(1)
        nanny.terminate()
        nanny.wait()

    def kill_scheduler(self, chance: random.Random) -> None:
        for process in (self.cluster.scheduler, *self.workers):
            self.hurt += self.children_of(process)
            process.kill()
            process.wait()
        time.sleep(chance.random())
        self.cluster.start_scheduler()
        self.workers = [self.cluster.add_worker() for _ in range(2)]


@pytest.fixture(scope="module")
def storm() -> Iterator[Storm]:
    with RealCluster() as cluster:
        made = Storm(cluster)
        wait_for_workers(cluster, 2)
        yield made


def request_work(project: Project, seed: int) -> list[Any]:
    return [
        *(project.request(Sleep(0.02 + seed * 1e-6, number)) for number in range(LEAVES)),
        project.request(cross_validation(2, 3), data=project.given(seed)),
    ]


def check(project: Project, log: Log, asked: list[Any], seed: int) -> None:
    for capsule in asked:
        capsule.wait(90)
    assert [capsule.outputs["result"] for capsule in asked[:LEAVES]] == list(range(LEAVES))
    with Project(workers=1) as at_home:
        expected = at_home.run(cross_validation(2, 3), data=at_home.given(seed))
        assert expected.key == asked[-1].key
        assert [child.results for child in expected.children] == [child.results for child in asked[-1].children]
    finished: set[bytes] = set()
    for event in log.events:
        if event.kind is EventKind.FINISHED:
            assert event.key not in finished
            finished.add(event.key)
        assert event.kind is not EventKind.STARTED or event.key not in finished


def expect_gone(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=5)
    assert not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize(
    "fault",
    [
        "kill_worker",
        pytest.param("freeze_worker", marks=pytest.mark.full),
        "kill_leaf",
        pytest.param("restart_by_nanny", marks=pytest.mark.full),
        pytest.param("kill_scheduler", marks=pytest.mark.full),
    ],
)
def test_a_fault_at_a_random_moment(storm: Storm, tmp_path: Path, fault: str) -> None:
    for seed in range(FAULTS):
        chance = random.Random(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClusterWarning)
            with Project(tmp_path / str(seed), workers=DaskWorkers(storm.cluster.address)) as project:
                if seed % 2:
                    project.subscribe(Threads(1))
                log = Log(project)
                asked = request_work(project, seed)
                time.sleep(chance.random() * 0.5)
                getattr(storm, fault)(chance)
                check(project, log, asked, seed)
        expect_gone(storm.hurt)
        wait_for_workers(storm.cluster, 2)


@pytest.mark.full
def test_limits_hold_when_the_scheduler_was_started_again(storm: Storm, tmp_path: Path) -> None:
    with warnings.catch_warnings(), Project(workers=DaskWorkers(storm.cluster.address)) as project:
        warnings.simplefilter("ignore", ClusterWarning)
        project.request(Sleep(0.01, 1)).wait(60)
        storm.kill_scheduler(random.Random(1))
        project.request(Sleep(0.01, 2)).wait(60)
        with pytest.raises(LimitExceeded):
            project.request(Hang(str(tmp_path / "pid"), "spin"), limits=Limits(cpu=0.5)).wait(20)


HOME = """
import sys, json
from intemi import Project, EventKind
from intemi.dask import DaskWorkers
from tests.acceptance.test_a_cluster_that_breaks_costs_what_it_was_running import request_work

address, folder, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Project(folder, workers=DaskWorkers(address)) as project:
    def note(event):
        if event.kind is EventKind.FINISHED:
            print(event.key.hex(), flush=True)
    project.listen(note)
    print("ready", flush=True)
    project.wait(*request_work(project, seed))
"""


def test_home_is_killed_and_started_again(storm: Storm, tmp_path: Path) -> None:
    for seed in range(FAULTS):
        chance, folder = random.Random(seed), tmp_path / str(seed)
        command = [sys.executable, "-c", HOME, storm.cluster.address, str(folder), str(seed)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as home:
            assert home.stdout is not None
            reported = [home.stdout.readline()]
            time.sleep(0.2 + chance.random())
            home.kill()
            reported += home.stdout.read().splitlines()
        finished = {line.strip() for line in reported[1:]}
        with Project(folder, workers=DaskWorkers(storm.cluster.address)) as project:
            log = Log(project)
            check(project, log, request_work(project, seed), seed)
            assert not finished & {key.hex() for key in log.runs}


HANGING_HOME = """
import sys
from intemi import Project
from intemi.dask import DaskWorkers
from tests.acceptance.test_remote_leaves_are_ended_at_once import Hang

with Project(workers=DaskWorkers(sys.argv[1])) as project:
    project.run(Hang(sys.argv[2]))
"""


def test_what_runs_for_a_home_that_was_killed_is_ended(storm: Storm, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HANGING_HOME, storm.cluster.address, str(tmp_path / "pid")]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}) as home:
        process = process_of(tmp_path / "pid")
        time.sleep(2)
        assert process.is_running()
        home.kill()
    _, alive = psutil.wait_procs([process], timeout=5)
    assert not alive


def test_a_leaf_that_is_lost_three_times_fails_and_names_host_and_signal(storm: Storm) -> None:
    with Project(workers=DaskWorkers(storm.cluster.address)) as project:
        good = project.request(Sleep(0.01, 5))
        with pytest.raises(MachineFailed, match=r"Killed was lost 3 times, the last time on .*signal 9 \(SIGKILL"):
            project.request(Killed()).wait(60)
        assert good.wait(60).outputs["result"] == 5


class Island:
    """A network of its own for a cluster, with one connection to this computer."""

    def __init__(self) -> None:
        self.name = f"intemi{os.getpid() % 10000}"
        here, there = f"{self.name}a", f"{self.name}b"
        self.connection = here
        self.host = "10.213.7.2"
        self.ip("netns", "add", self.name)
        self.ip("link", "add", here, "type", "veth", "peer", "name", there)
        self.ip("link", "set", there, "netns", self.name)
        self.ip("addr", "add", "10.213.7.1/24", "dev", here)
        self.ip("link", "set", here, "up")
        for arguments in (["addr", "add", f"{self.host}/24", "dev", there], ["link", "set", there, "up"]):
            self.ip("netns", "exec", self.name, "ip", *arguments)
        self.ip("netns", "exec", self.name, "ip", "link", "set", "lo", "up")

    @staticmethod
    def ip(*arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def cut(self, seconds: float) -> None:
        self.ip("link", "set", self.connection, "down")
        time.sleep(seconds)
        self.ip("link", "set", self.connection, "up")

    def close(self) -> None:
        for arguments in (["link", "del", self.connection], ["netns", "del", self.name]):
            with contextlib.suppress(subprocess.CalledProcessError):
                self.ip(*arguments)


@pytest.fixture
def island() -> Iterator[Island]:
    try:
        made = Island()
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"network namespaces cannot be made here: {error}")
    yield made
    made.close()


@pytest.mark.full
def test_the_network_is_cut_for_seconds(island: Island, tmp_path: Path) -> None:
    with RealCluster(host=island.host, prefix=("ip", "netns", "exec", island.name)) as cluster:
        cluster.add_worker("--host", island.host)
        wait_for_workers(cluster, 1)
        for seed in range(FAULTS):
            chance = random.Random(seed)
            manager = DaskWorkers(cluster.address, insecure=True)
            with warnings.catch_warnings(), Project(tmp_path / str(seed), workers=manager) as project:
                warnings.simplefilter("ignore", ClusterWarning)
                log = Log(project)
                asked = request_work(project, seed)
                time.sleep(chance.random())
                island.cut(0.5 + 2 * chance.random())
                check(project, log, asked, seed)
