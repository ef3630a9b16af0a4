"""Workers by a word of the command line: an address, `dask` for a cluster on this computer, or a file for a queue.

A file has the settings of dask-jobqueue as dask itself reads them, and how many jobs to start:

    jobqueue:
      slurm:
        cores: 8
        processes: 8
        memory: 32GB
        walltime: "02:00:00"
    jobs: 4
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from intemi.dask.connection import library_of_dask
from intemi.dask.manager import DaskWorkers
from intemi.kernel.errors import ConfigurationError

QUEUES = {
    "slurm": "SLURMCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "lsf": "LSFCluster",
    "htcondor": "HTCondorCluster",
    "oar": "OARCluster",
}


@contextmanager
def workers_on(on: str, workers: int | None = None, insecure: bool = False) -> Iterator[DaskWorkers]:
    """A task manager for the cluster that a word stands for; what is started for it ends with it.

    `workers` is how many processes, or jobs, to start; a cluster that runs already has its own number.
    """
    if on == "dask":
        with _local_cluster(workers, insecure) as cluster:
            yield DaskWorkers(cluster)
    elif on.endswith((".yaml", ".yml")):
        with _queue(on, workers) as cluster:
            yield DaskWorkers(cluster, insecure=insecure)
    elif "://" in on:
        if workers is not None:
            raise ConfigurationError(f"--on {on}: the cluster decides how many workers there are; leave out --workers")
        yield DaskWorkers(on, insecure=insecure)
    else:
        raise ConfigurationError(
            f"--on {on}: give the address of a scheduler (tls://head:8786), dask for a cluster on this computer, or a "
            "file that describes a queue (slurm.yaml)"
        )


def _local_cluster(workers: int | None, insecure: bool) -> Any:
    distributed = library_of_dask()
    if not insecure and find_spec("cryptography") is None:
        raise ConfigurationError(
            "--on dask: needs cryptography for its certificates, without which every user of this computer could run "
            "code as you; pip install 'intemi[dask]', or --insecure if you are the only user"
        )
    return distributed.LocalCluster(
        n_workers=workers or len(os.sched_getaffinity(0)),
        threads_per_worker=1,
        memory_limit=0,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.ERROR,
        security=None if insecure else distributed.Security.temporary(),
    )


@contextmanager
def _queue(file: str, workers: int | None) -> Iterator[Any]:
    name, options, jobs = read_queue(file)
    distributed = library_of_dask()
    lacking = [each for each in ("dask_jobqueue", "cryptography") if find_spec(each) is None]
    if lacking:
        raise ConfigurationError(f"{file}: needs {' and '.join(lacking)}; pip install 'intemi[jobqueue]'")
    import dask_jobqueue

    options = {
        "scheduler_options": {"dashboard_address": "127.0.0.1:0"},
        "shared_temp_directory": os.getcwd(),  # for the certificates of this run, which jobs read
        **options,
        # Dask would pause a worker that is large, and may never wake it: the queue limits the job.
        "worker_extra_args": ["--memory-limit", "0", *options.get("worker_extra_args", ())],
        "protocol": "tls://",
        "security": distributed.Security.temporary(),
    }
    try:
        started = getattr(dask_jobqueue, QUEUES[name])(**options)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{file}: `jobqueue: {name}:` is refused by dask-jobqueue: {error}") from error
    with started as cluster:
        cluster.scale(jobs=workers or jobs)
        yield cluster


def read_queue(file: str) -> tuple[str, dict[str, Any], int]:
    """Which queue a file describes, with what options, and how many jobs to start."""
    import yaml

    try:
        with open(file, encoding="utf-8") as stream:
            described = yaml.safe_load(stream)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from None
    queues = described.get("jobqueue") if isinstance(described, dict) else None
    if not isinstance(queues, dict) or len(queues) != 1 or not set(queues) <= set(QUEUES):
        raise ConfigurationError(
            f"{file}: must have one queue under `jobqueue:`, of {', '.join(QUEUES)}, with its options below"
        )
    ((name, options),) = queues.items()
    jobs = described.get("jobs", 1)
    if not isinstance(options, dict) or type(jobs) is not int or jobs < 1:
        raise ConfigurationError(
            f"{file}: `jobqueue: {name}:` must hold options, and `jobs:` be a number of at least 1"
        )
    return name, options, jobs
