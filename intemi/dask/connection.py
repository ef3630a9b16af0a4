"""Connections to a cluster: from an address, a `Client` or a cluster object, and what is safe enough."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from intemi.kernel.errors import ConfigurationError

CONNECT_SECONDS = 10
"""For which a scheduler is waited for."""
ANSWER_SECONDS = 10
"""For which its answer is waited for."""


class Connection:
    """The connection of a task manager to a scheduler. `listen` gets what workers report on a topic of dask's events.

    >>> Connection("tls://head:8786", None, False, "topic", print).is_open
    False
    """

    def __init__(self, on: Any, security: Any, insecure: bool, topic: str, listen: Callable[[Any], None]) -> None:
        self.on = on
        self._security, self._insecure = security, insecure
        self._topic, self._listen = topic, listen
        self.client: Any = None
        self._is_ours = False
        self._is_closed = True
        self._stream: Any = None
        """By which dask talks to the scheduler: a new one has forgotten everything."""
        self.address = ""
        """Of the scheduler, to connect again; a client that is closed does not know it."""

    @property
    def is_open(self) -> bool:
        """Whether it was opened, and not closed from here."""
        return self.client is not None

    @property
    def is_running(self) -> bool:
        """Whether the scheduler is at its other end that it was opened to."""
        client = self.client
        return client is not None and client.status == "running" and client.scheduler_comm is self._stream

    def open(self) -> None:
        """Connect; a ConfigurationError if that cannot be done."""
        self._is_closed = False
        client, self._is_ours = connect(self.on, self._security, self._insecure)
        self.address = client.scheduler.address
        self._use(client)

    def _use(self, client: Any) -> None:
        self.client, self._stream = client, client.scheduler_comm
        client.subscribe_topic(self._topic, self._listen)

    def reopen(self) -> None:
        """Use the scheduler that is there now, if there is one: dask connects again by itself, but not for ever."""
        client = self.client
        if client is not None and client.status == "running":
            self._use(client)
        elif client is not None and client.status == "closed":
            with suppress(ConfigurationError):
                again, self._is_ours = connect(self.address, client.security, self._insecure)
                self._use(again)
                if self._is_closed:  # meanwhile
                    self.close()

    def workers(self) -> dict[str, int]:
        """The addresses of the workers that the scheduler knows, and how many threads each has."""
        found: dict[str, int] = self.client.sync(self.client.scheduler.ncores, callback_timeout=ANSWER_SECONDS)
        return found

    def run(
        self, workers: list[str], function: Callable[..., None], *arguments: Any, seconds: float | None = None
    ) -> None:
        """Have workers call a function, beside what they run, and wait for that; TimeoutError if it takes too long."""
        self.client.run(function, *arguments, workers=workers, callback_timeout=seconds)

    def close(self) -> None:
        """Disconnect; a client that was given stays open."""
        self._is_closed = True
        client, self.client = self.client, None
        if client is not None:
            with suppress(Exception):  # the scheduler may be gone
                client.unsubscribe_topic(self._topic)
            if self._is_ours:
                with suppress(Exception):
                    client.close(timeout=2)

    def __repr__(self) -> str:
        return f"DaskWorkers({self.on!r})"


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
