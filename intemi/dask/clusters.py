"""How a cluster is reached: by an address, a `Client` or a cluster object, or by a word of the command line.

The word is an address, `dask` for a cluster on this computer, or a file that describes a queue. Such a file has the
settings of dask-jobqueue as dask itself reads them, and how many jobs to start:

    jobqueue:
      slurm:
        cores: 8
        processes: 8
        memory: 32GB
        walltime: "02:00:00"
    jobs: 4
"""

from __future__ import annotations

import ipaddress
import logging
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from intemi.kernel.errors import ConfigurationError

if TYPE_CHECKING:
    from intemi.dask.manager import DaskWorkers

CONNECT_SECONDS = 10
"""For which a scheduler is waited for."""
QUEUES = {
    "slurm": "SLURMCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "lsf": "LSFCluster",
    "htcondor": "HTCondorCluster",
    "oar": "OARCluster",
}


class ClusterWarning(UserWarning):
    """A cluster, or one of its workers, cannot be used."""


def warn(text: str) -> None:
    """Warn of something; where warnings are errors, it goes to `threading.excepthook`, and this thread goes on."""
    try:
        warnings.warn(text, ClusterWarning, stacklevel=2)
    except ClusterWarning:
        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))


def connect(on: Any, security: Any = None, insecure: bool = False) -> tuple[Any, bool]:
    """A client of the cluster, and whether it is ours to close.

    `on` is the address of a scheduler, a `distributed.Client`, or a cluster such as `LocalCluster`.
    """
    distributed = library_of_dask()
    if isinstance(on, distributed.Client):
        check_transport(on.scheduler.address, insecure)
        return on, False
    address = on if isinstance(on, str) else getattr(on, "scheduler_address", None)
    if not isinstance(address, str):
        raise ConfigurationError(
            f"DaskWorkers: give the address of a scheduler, a distributed.Client or a cluster, got {on!r}"
        )
    check_transport(address, insecure)
    if security is None and not isinstance(on, str):
        security = getattr(on, "security", None)
    security = security or distributed.Security()  # by dask's own configuration
    check_certificates(address, security)
    try:
        client = distributed.Client(
            address, security=security, timeout=CONNECT_SECONDS, set_as_default=False, heartbeat_interval="5s"
        )
    except (OSError, TypeError, ValueError) as error:
        raise ConfigurationError(f"DaskWorkers: no scheduler answers at {address}: {error}") from None
    return client, True


def check_transport(address: str, insecure: bool) -> None:
    """Refuse a connection that others could listen to: anyone who can reach a scheduler can run code on its workers.

    >>> check_transport("tcp://127.0.0.1:8786", insecure=False)
    >>> check_transport("tls://head:8786", insecure=False)
    """
    scheme, host = urlsplit(address).scheme, urlsplit(address).hostname or ""
    if scheme in ("tls", "inproc") or insecure or is_loopback(host):
        return
    raise ConfigurationError(
        f"DaskWorkers: {address} is not encrypted, and anyone who can reach it can run code on its workers; start the "
        "scheduler with TLS (tls://...), or pass insecure=True if the network is yours alone"
    )


def check_certificates(address: str, security: Any) -> None:
    """Refuse an encrypted connection without certificates, which dask would only notice when it is too late."""
    if urlsplit(address).scheme == "tls" and security.get_connection_args("client").get("ssl_context") is None:
        raise ConfigurationError(
            f"DaskWorkers: {address} needs certificates, and there are none; give security=distributed.Security("
            "tls_ca_file=..., tls_client_cert=..., tls_client_key=...), or set distributed.comm.tls in dask's "
            "configuration"
        )


def is_loopback(host: str) -> bool:
    """Whether a host is this computer.

    >>> is_loopback("127.0.0.1"), is_loopback("head.example.org")
    (True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def library_of_dask() -> Any:
    """The package `distributed`; one clear error if it is not installed."""
    try:
        import distributed
    except ImportError:
        raise ConfigurationError(
            "DaskWorkers: the package distributed is not installed; pip install 'intemi[dask]'"
        ) from None
    return distributed


@contextmanager
def workers_on(on: str, workers: int | None = None, insecure: bool = False) -> Iterator[DaskWorkers]:
    """A task manager for the cluster that a word stands for; what is started for it ends with it.

    `workers` is how many processes, or jobs, to start; a cluster that runs already has its own number.
    """
    from intemi.dask.manager import DaskWorkers  # which connects by `connect`

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
