"""A cluster: what a leaf costs on two dask workers of this computer, beside plain dask and joblib, and where home
becomes the limit when there are many workers.

Leaves sleep, so all CPU time is overhead: that of home, the scheduler, the workers and their children together.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import psutil

from benchmarks.report import ROOT, Target, note_progress, print_table, print_targets
from intemi import Machine, Model, Output, Project
from intemi.dask import DaskWorkers

OURS, DASK, JOBLIB = "intemi", "client.submit and gather", "joblib, dask backend"


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    leaves: dict[float, int]
    """Seconds of a leaf, and how many are run."""
    rounds: int
    simulated: tuple[int, ...]
    """Numbers of workers that only sleep."""
    batches: int
    """Times that each of those has something to do."""


FULL = Sizes({0.0: 1000, 0.002: 1000, 0.02: 300}, rounds=3, simulated=(8, 64, 512), batches=4)
QUICK = Sizes({0.0: 50, 0.002: 50}, rounds=1, simulated=(8,), batches=1)


class Rest(Machine):
    """A number, after a while."""

    result = Output(int)
    seconds: float
    number: int

    def run(self) -> Model:
        return Model(result=rest(self.seconds, self.number))


def rest(seconds: float, number: int) -> int:
    """The same for others."""
    time.sleep(seconds)
    return number


@contextlib.contextmanager
def cluster(workers: int, threads: int = 1, *arguments: str) -> Iterator[tuple[str, list[psutil.Process]]]:
    """The address of a cluster on this computer, and its processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    processes: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as folder:

        def start(program: str, *options: str) -> None:
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", f"distributed.cli.{program}", *options, "--no-dashboard"],
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                    cwd=folder,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            )

        try:
            start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port))
            for _ in range(workers):
                start(
                    "dask_worker", address, "--nthreads", str(threads), "--no-nanny", "--memory-limit", "0", *arguments
                )
            wait_for(address, workers)
            yield address, [psutil.Process(process.pid) for process in processes]
        finally:
            for process in processes:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait_for(address: str, workers: int) -> None:
    """Return when all workers are there."""
    from distributed import Client

    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=120)


def cpu_of(processes: list[psutil.Process]) -> float:
    """CPU seconds of this process, of others, and of all that they have started."""
    found = time.process_time()
    for process in processes:
        for each in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                times = each.cpu_times()
                found += times.user + times.system
    return found


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and compare with the targets."""
    targets = [*_overhead(sizes), *_limit_of_home(sizes)]
    print_targets(targets)
    return targets


def _overhead(sizes: Sizes) -> list[Target]:
    found: dict[tuple[str, float], list[tuple[float, float]]] = {}
    with cluster(2) as (address, processes):
        runners = _runners(address)
        try:
            for _, action in runners:
                action(0.0, range(-20, 0))  # imports, child processes
            for turn in range(sizes.rounds):
                for seconds, count in sizes.leaves.items():
                    for name, action in runners[turn % 3 :] + runners[: turn % 3]:
                        note_progress(f"cluster: round {turn + 1} of {sizes.rounds}, {name}, {1000 * seconds:g} ms")
                        cost = _cost(action, seconds, range(turn * 10**6, turn * 10**6 + count), processes)
                        found.setdefault((name, seconds), []).append(cost)
        finally:
            for closing in runners[0][1].closing:  # type: ignore[attr-defined]
                closing()
    names = [name for name, _ in runners]
    rows = [
        (
            f"{1000 * seconds:g} ms, {what}",
            *(f"{median(each[index] for each in found[name, seconds]):.2f}" for name in names),
        )
        for seconds in sizes.leaves
        for index, what in enumerate(("CPU", "wall"))
    ]
    print_table("Two workers: ms per leaf beyond the leaf, CPU of all processes and wall time", ["", *names], rows)
    ours = [median(each[0] for each in found[OURS, seconds]) for seconds in sizes.leaves]
    theirs = [median(each[0] for each in found[DASK, seconds]) for seconds in sizes.leaves]
    targets = [Target("leaves of 2 ms: CPU beyond the leaf", ours[list(sizes.leaves).index(0.002)], 0.3, "ms")]
    return [*targets, Target("leaves of 0 ms: CPU / client.submit and gather", ours[0] / theirs[0], 1.0)]


def _cost(
    action: Callable[..., Any], seconds: float, numbers: range, processes: list[psutil.Process]
) -> tuple[float, float]:
    """Milliseconds beyond the leaf, for each leaf: of CPU, and by the clock with two workers."""
    cpu, wall = cpu_of(processes), time.perf_counter()
    answered = action(seconds, numbers)
    wall, cpu = time.perf_counter() - wall, cpu_of(processes) - cpu
    assert answered == list(numbers)
    return 1000 * cpu / len(numbers), 1000 * (2 * wall / len(numbers) - seconds)


def _runners(address: str) -> list[tuple[str, Any]]:
    import joblib
    from distributed import Client

    client = Client(address)
    project = Project(workers=DaskWorkers(address))

    def ours(seconds: float, numbers: range) -> list[int]:
        asked = [project.request(Rest(seconds, number)) for number in numbers]
        project.wait(*asked)
        return [each.outputs["result"] for each in asked]

    def by_dask(seconds: float, numbers: range) -> list[int]:
        futures = [client.submit(rest, seconds, number, pure=False) for number in numbers]
        return list(client.gather(futures))

    def by_joblib(seconds: float, numbers: range) -> list[int]:
        with joblib.parallel_config(backend="dask"):
            return list(joblib.Parallel()(joblib.delayed(rest)(seconds, number) for number in numbers))

    ours.closing = [project.close, client.close]  # type: ignore[attr-defined]
    return [(OURS, ours), (DASK, by_dask), (JOBLIB, by_joblib)]


def _limit_of_home(sizes: Sizes) -> list[Target]:
    """Workers that only sleep, in four processes: how busy they are kept, and what that costs home."""
    rows, best = [], 0.0
    for workers in sizes.simulated:
        with cluster(4, workers // 4, "--preload", str(ROOT / "benchmarks" / "sleeping_worker.py")) as (address, _):
            for seconds in (0.05, 1.0):
                note_progress(f"cluster: {workers} workers that sleep {seconds:g} s")
                with Project(workers=DaskWorkers(address)) as project:
                    project.wait(*(project.request(Rest(seconds, -number)) for number in range(1, 5)))
                    count = workers * (sizes.batches * 4 if seconds < 1 else sizes.batches)
                    cpu, wall = time.process_time(), time.perf_counter()
                    project.wait(*(project.request(Rest(seconds, number)) for number in range(count)))
                    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                    rate, busy = count / wall, count * seconds / workers / wall
                    best = max(best, count / cpu)
                    rows.append(
                        (
                            f"{workers} workers, {seconds:g} s",
                            f"{rate:,.0f}",
                            f"{busy:.0%}",
                            f"{1000 * cpu / count:.2f}",
                        )
                    )
    head = ["", "leaves/s", "workers busy", "ms of home's CPU per leaf"]
    print_table("Workers that only sleep: where home becomes the limit", head, rows)
    return [Target("home: s of CPU for 500 leaves", 500 / best, 1.0, "s")]
