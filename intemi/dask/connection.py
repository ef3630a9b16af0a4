"""Connections to a cluster: from an address, a `Client` or a cluster object, and what is safe enough."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from intemi.kernel.errors import ConfigurationError

CONNECT_SECONDS = 10
"""For which a scheduler is waited for."""


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
        "scheduler with TLS (tls://...), or say insecure=True if the network is yours alone"
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
