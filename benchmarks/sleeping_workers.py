"""Many dask workers in one process, for leaves that only sleep: `python -m benchmarks.sleeping_workers COUNT ADDRESS`.

Each is a real `distributed.Worker` with a connection of its own to the scheduler, one thread, and our code that runs
batches. Only the child processes are left out: a leaf runs on the thread of its worker. A hundred child processes would
need more memory and more CPU time than the one computer of a simulation has.
"""

from __future__ import annotations

import asyncio
import sys

import dask
from distributed import Worker

from intemi.kernel.machine import Model
from intemi.kernel.workers.base import Call
from intemi.kernel.workers.processes import WorkerPool

MAX_JOINING = 32
"""Workers that join at a time."""
SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.tick.interval": "60s",
    "distributed.admin.tick.cycle": "60s",
}
"""What each worker measures of its process every few milliseconds, which here is the same for all of them."""


def run_on_thread(_: WorkerPool, call: Call) -> tuple[Model, float]:
    """Run a leaf without a child process."""
    return call.run(), 0.0


async def serve(count: int, address: str) -> None:
    """Have workers join a scheduler, and serve until they are killed."""
    workers = [Worker(address, nthreads=1, memory_limit=0, dashboard=False) for _ in range(count)]
    for start in range(0, count, MAX_JOINING):
        await asyncio.gather(*workers[start : start + MAX_JOINING])
    await asyncio.gather(*(worker.finished() for worker in workers))


if __name__ == "__main__":
    WorkerPool.run = run_on_thread  # type: ignore[method-assign]
    with dask.config.set(SETTINGS):
        asyncio.run(serve(int(sys.argv[1]), sys.argv[2]))
