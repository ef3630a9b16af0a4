"""Leaves on other computers are ended within two seconds, when they are aborted or exceed their limits. Workers do not
grow, and a large table travels to each of them once.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from intemi import Input, Job, LimitExceeded, Limits, Machine, MachineAborted, MachineFailed, Model, Output, Project
from intemi.dask import DaskWorkers
from intemi.dask.exchange import PIECE_BYTES
from tests.clusters import RealCluster
from tests.profiles import by_profile

pytestmark = [pytest.mark.needs("dask")]

LEAVES = by_profile(quick=1_500, full=10_000)
TABLE_BYTES = by_profile(quick=40, full=500) * 2**20
MB = 2**20


class Hang(Machine):
    """Writes the number of its process into a file, and never returns."""

    file: str
    how: str = "sleep"

    def run(self) -> Model:
        Path(self.file).write_text(str(os.getpid()), "utf-8")
        held = []
        while True:
            if self.how == "sleep":
                time.sleep(0.1)
            elif self.how == "fill":
                held.append(np.ones(MB))
                time.sleep(0.01)


class Around(Machine):
    """A composite that requests one that hangs."""

    inner: Machine

    async def run(self, job: Job) -> Model:
        await job.request(self.inner)
        return Model()


class Nap(Machine):
    """Takes its time."""

    seconds: float
    number: int

    def run(self) -> Model:
        time.sleep(self.seconds)
        return Model()


class Block(Machine):
    """Some numbers."""

    numbers = Output(np.ndarray)
    start: int

    def run(self) -> Model:
        return Model(numbers=np.arange(self.start, self.start + 25_000))


class Column(Machine):
    """The sum of a column."""

    table = Input(np.ndarray)
    column: int

    def run(self, table: np.ndarray) -> Model:
        time.sleep(0.02)
        return Model(results={"Sum": float(table[:, self.column].sum())})


class Both(Machine):
    """Takes two tables."""

    first = Input(np.ndarray)
    second = Input(np.ndarray)

    def run(self, first: np.ndarray, second: np.ndarray) -> Model:
        return Model(results={"Sum": float(first.sum() + second.sum())})


@pytest.fixture
def cluster(shared_cluster: RealCluster) -> RealCluster:
    shared_cluster.grow(2)
    return shared_cluster


@pytest.fixture
def project(cluster: RealCluster) -> Iterator[Project]:
    with Project(workers=DaskWorkers(cluster.address, memory=2**26)) as made:
        yield made


def process_of(file: Path) -> psutil.Process:
    until = time.monotonic() + 30
    while not (file.exists() and file.read_text("utf-8")):
        assert time.monotonic() < until, "it has not started"
        time.sleep(0.01)
    return psutil.Process(int(file.read_text("utf-8")))


def expect_gone(process: psutil.Process, since: float) -> None:
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() - since < 2, "it still runs"
        time.sleep(0.01)


@pytest.mark.parametrize("how", ["sleep", "spin"])
@pytest.mark.parametrize("wraps", [False, True])
def test_an_aborted_leaf_is_gone_within_two_seconds(project: Project, tmp_path: Path, how: str, wraps: bool) -> None:
    leaf = Hang(str(tmp_path / "pid"), how)
    capsule = project.request(Around(leaf) if wraps else leaf)
    process = process_of(tmp_path / "pid")
    began = time.monotonic()
    capsule.abort()
    with pytest.raises(MachineAborted):
        capsule.wait(2)
    expect_gone(process, began)


def when_over(process: psutil.Process, limits: Limits) -> float:
    """The moment at which a leaf that has just begun is over its limits; its process may have used more."""
    began = time.monotonic()
    with contextlib.suppress(psutil.Error):  # it is gone: then it was over
        before = sum(process.cpu_times()[:2])
        while True:
            is_over = (
                time.monotonic() - began > (limits.wall or 60)
                or sum(process.cpu_times()[:2]) - before > (limits.cpu or 60)
                or process.memory_info().rss > (limits.memory or 2**40)
            )
            if is_over:
                break
            time.sleep(0.01)
    return time.monotonic()


@pytest.mark.parametrize(
    ("limits", "how"), [(Limits(wall=0.5), "sleep"), (Limits(cpu=0.3), "spin"), (Limits(memory=300 * MB), "fill")]
)
@pytest.mark.parametrize("wraps", [False, True])
def test_a_leaf_over_its_limits_is_gone_within_two_seconds(
    project: Project, tmp_path: Path, limits: Limits, how: str, wraps: bool
) -> None:
    project.wait(*(project.request(Nap(0.05, number)) for number in range(8)))  # to start a process is not the leaf's
    leaf = Hang(str(tmp_path / "pid"), how)
    capsule = project.request(Around(leaf) if wraps else leaf, limits=limits)
    process = process_of(tmp_path / "pid")
    over = when_over(process, limits)
    with pytest.raises(LimitExceeded):
        capsule.wait(2)
    expect_gone(process, over)


def test_what_runs_when_a_project_is_closed_is_gone_within_two_seconds(cluster: RealCluster, tmp_path: Path) -> None:
    with Project(workers=DaskWorkers(cluster.address)) as project:
        project.request(Hang(str(tmp_path / "pid")))
        process = process_of(tmp_path / "pid")
        began = time.monotonic()
    expect_gone(process, began)


def size_of(cluster: RealCluster) -> int:
    """Bytes that the workers and their children occupy."""
    workers = [psutil.Process(worker.pid) for worker in cluster.workers]
    return sum(each.memory_info().rss for worker in workers for each in (worker, *worker.children(recursive=True)))


def test_the_memory_of_workers_is_flat(cluster: RealCluster) -> None:
    manager = DaskWorkers(cluster.address, memory=2**22)
    with Project(workers=manager, memory=2**24) as project:
        sizes = []
        for part in range(5):
            numbers = range(part * LEAVES // 5, (part + 1) * LEAVES // 5)
            project.wait(*(project.request(Block(number)) for number in numbers))
            sizes.append(size_of(cluster))
        assert sizes[-1] - sizes[1] < 40 * MB, [size // MB for size in sizes]


def test_a_large_table_travels_to_each_worker_once(cluster: RealCluster) -> None:
    def pieces() -> int:
        return cluster.whole_log().count("'add_piece'")

    before = pieces()
    table = np.zeros((TABLE_BYTES // 8 // 50, 50))
    with Project(workers=DaskWorkers(cluster.address, memory=2 * TABLE_BYTES)) as project:
        given = project.given(table)
        sums = [project.request(Column(column), table=given) for column in range(50)]
        project.wait(*sums)
        records = [each.context.record for each in sums]
        used = {record.worker for record in records if record is not None}
    assert len(used) >= 2
    assert pieces() - before == len(used) * -(-TABLE_BYTES // PIECE_BYTES)


def test_inputs_that_a_worker_may_not_keep_are_one_clear_error(cluster: RealCluster) -> None:
    with Project(workers=DaskWorkers(cluster.address, memory=MB)) as project:
        tables = [project.given(np.full((100, 1000), fill)) for fill in (1.0, 2.0)]
        with pytest.raises(MachineFailed, match="cannot keep what the batch needs in 1048576 bytes; give DaskWorkers"):
            project.request(Both(), first=tables[0], second=tables[1]).wait(30)
