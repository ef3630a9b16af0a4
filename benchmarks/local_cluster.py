"""A dask cluster on this computer for benchmarks: a scheduler and workers, each a process reached over TCP."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

import psutil

from benchmarks.report import ROOT

DASK_WORKER = (
    "distributed.cli.dask_worker",
    "--nthreads=1",
    "--no-nanny",
    "--memory-limit=0",
    "--no-dashboard",
)
"""One worker as `dask worker` starts it, with one thread."""


@contextlib.contextmanager
def cluster(joining: Sequence[Sequence[str]], workers: int) -> Iterator[tuple[str, list[psutil.Process]]]:
    """The address of a cluster on this computer, and its processes, when all workers have joined.

    `joining` are the processes beside the scheduler, each as the name of a module and its arguments; the address of the
    scheduler is added to them.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = ("distributed.cli.dask_scheduler", "--host=127.0.0.1", f"--port={port}", "--no-dashboard")
    processes: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for module, *arguments in (scheduler, *((*each, address) for each in joining)):
                processes.append(_start(folder, module, *arguments))
            _wait_for(address, workers)
            yield address, [psutil.Process(process.pid) for process in processes]
        finally:
            for process in processes:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _start(folder: str, module: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _wait_for(address: str, workers: int) -> None:
    from distributed import Client

    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=120)


def cpu_of(processes: Sequence[psutil.Process]) -> float:
    """CPU seconds of processes, and of all that they have started."""
    found = 0.0
    for process in processes:
        for each in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                times = each.cpu_times()
                found += times.user + times.system
    return found


class Clock:
    """Seconds since it was made: on the wall, of CPU of this process, and of CPU of others."""

    def __init__(self, others: Sequence[psutil.Process]) -> None:
        self._others = others
        self._wall, self._home, self._there = time.perf_counter(), time.process_time(), cpu_of(others)

    def read(self) -> tuple[float, float, float]:
        """Wall, CPU of this process, CPU of the others."""
        wall, home = time.perf_counter() - self._wall, time.process_time() - self._home
        return wall, home, cpu_of(self._others) - self._there
