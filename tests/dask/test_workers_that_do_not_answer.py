"""Clusters without workers, and workers that do not answer: it is said, and the others go on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from intemi import Input, Machine, Model, Project
from intemi.dask import ClusterWarning, DaskWorkers
from tests.clusters import RealCluster, wait_for_workers

pytestmark = [pytest.mark.needs("dask")]

MANY = 24
"""Threads of a worker: more than home has to send or to receive."""


class Sum(Machine):
    """Of a table that is too large to travel with a batch."""

    table = Input(np.ndarray)

    def run(self, table: np.ndarray) -> Model:
        return Model(results={"Sum": float(table.sum())})


@contextmanager
def frozen(worker: subprocess.Popen[bytes]) -> Iterator[None]:
    os.kill(worker.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker.pid, signal.SIGCONT)


def test_it_is_said_that_workers_are_missing_or_frozen_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intemi.dask.membership.START_SECONDS", 1.5)
    with RealCluster() as cluster:
        said = f"the cluster at {cluster.address} has no workers"
        with pytest.warns(ClusterWarning, match=said), Project(workers=DaskWorkers(cluster.address)):
            time.sleep(1)
        cluster.workers.append(cluster.add_worker())
        wide = cluster.add_worker("--nthreads", str(MANY))
        wait_for_workers(cluster, 2)
        manager = DaskWorkers(cluster.address)
        with frozen(wide), pytest.warns(ClusterWarning, match=r"silent: no answer within 1\.5 s"):
            project = Project(workers=manager)
        while len(manager.places) < 2:
            time.sleep(0.1)
        with frozen(wide):
            tables = [project.given(np.full(200_000, number)) for number in range(MANY + 4)]
            sums = [project.request(Sum(), table=table) for table in tables]
            until = time.monotonic() + 25
            while sum(each.done for each in sums) < 3:
                assert time.monotonic() < until, "the other worker waits"
                time.sleep(0.1)
            found = {number: each.results["Sum"] for number, each in enumerate(sums) if each.done}
            assert found == {number: 200_000.0 * number for number in found}
            project.close()
