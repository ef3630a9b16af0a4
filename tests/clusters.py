"""Real dask clusters for tests: schedulers and workers in processes of their own, over TCP on loopback."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

import psutil

ROOT = Path(__file__).parents[1]
QUIET = {
    "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "0",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""What takes processor time while nothing is run, and is not asked for here."""


class RealCluster:
    """A scheduler and workers that can be started and hurt one by one."""

    def __init__(
        self,
        workers: int = 0,
        host: str = "127.0.0.1",
        prefix: tuple[str, ...] = (),
        tls: tuple[str, str] | None = None,
    ) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="intemi-cluster-")
        self.host, self.prefix, self.port = host, prefix, free_port()
        self.address = f"{'tcp' if tls is None else 'tls'}://{host}:{self.port}"
        self.certificates = () if tls is None else ("--tls-ca-file", tls[0], "--tls-cert", tls[0], "--tls-key", tls[1])
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start_scheduler()
        self.workers = [self.add_worker() for _ in range(workers)]

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        self.scheduler = self._start(
            "dask_scheduler", "--host", self.address, "--no-dashboard", "--no-show", *self.certificates
        )
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection((self.host, self.port), timeout=1):
                return self.scheduler
            time.sleep(0.05)
        raise TimeoutError("the scheduler does not start: " + self.log())

    def add_worker(
        self, *arguments: str, nanny: bool = False, env: dict[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        chosen = () if nanny else ("--no-nanny",)
        given = ("--nthreads", "1", "--no-dashboard", "--local-directory", self.folder.name, "--memory-limit", "0")
        return self._start("dask_worker", self.address, *given, *self.certificates, *chosen, *arguments, env=env)

    def grow(self, workers: int) -> None:
        """Have at least so many workers."""
        while len(self.workers) < workers:
            self.workers.append(self.add_worker())
        wait_for_workers(self, len(self.workers))

    def _start(self, program: str, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **QUIET, "PYTHONPATH": str(ROOT), **(env or {})}
        with open(Path(self.folder.name) / "log", "ab") as log:
            process = subprocess.Popen(
                [*self.prefix, sys.executable, "-m", f"distributed.cli.{program}", *arguments],
                env=environment,
                stdout=log,
                stderr=log,
                cwd=self.folder.name,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def whole_log(self) -> str:
        return (Path(self.folder.name) / "log").read_text("utf-8", "replace")

    def log(self) -> str:
        return self.whole_log()[-4000:]

    def descendants(self) -> list[psutil.Process]:
        """All processes that the workers have started."""
        found = []
        for process in self.processes:
            with contextlib.suppress(psutil.Error):
                found += psutil.Process(process.pid).children(recursive=True)
        return found

    def close(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.processes:
            process.wait()
        self.folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_workers(cluster: RealCluster, number: int) -> None:
    """Return when so many workers are known to the scheduler."""
    from distributed import Client

    with Client(cluster.address, set_as_default=False, timeout=30) as client:
        until = time.monotonic() + 60
        while len(client.nthreads()) != number:
            assert time.monotonic() < until, f"{client.nthreads()} instead of {number} workers: {cluster.log()}"
            time.sleep(0.05)
