"""A cluster whose scheduler and workers have certificates, as the page on clusters describes it: leaves run over TLS,
and a client without a certificate gets nowhere.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from intemi import ConfigurationError, Project
from intemi.dask import DaskWorkers
from tests.clusters import RealCluster
from tests.machines import Number

pytestmark = [
    pytest.mark.needs("dask"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made by the command openssl"),
]


def certify(folder: Path) -> tuple[str, str]:
    """A certificate that is its own authority, and its key."""
    certificate, key = folder / "own.pem", folder / "own-key.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    files = ["-subj", "/CN=intemi", "-out", str(certificate), "-keyout", str(key)]
    subprocess.run(["openssl", "req", "-x509", *kind, *files], check=True, capture_output=True)
    return str(certificate), str(key)


def security_of(certificate: str, key: str) -> Any:
    from distributed.security import Security

    return Security(tls_ca_file=certificate, tls_client_cert=certificate, tls_client_key=key, require_encryption=True)


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RealCluster, Any]]:
    from distributed import Client

    certificate, key = certify(tmp_path_factory.mktemp("certificates"))
    with RealCluster(tls=(certificate, key)) as cluster:
        cluster.add_worker()
        security = security_of(certificate, key)
        with Client(cluster.address, security=security, set_as_default=False, timeout=30) as client:
            client.wait_for_workers(1, timeout=60)
        yield cluster, security


def test_leaves_run_over_tls_and_nothing_comes_in_without_a_certificate(
    certified: tuple[RealCluster, Any], tmp_path: Path
) -> None:
    cluster, security = certified
    assert cluster.address.startswith("tls://")
    with Project(workers=DaskWorkers(cluster.address, security=security)) as project:
        capsule = project.request(Number(4)).wait(60)
        assert capsule.outputs["result"] == 4
        assert capsule.context.record is not None
        assert capsule.context.record.worker is not None
    with pytest.raises(ConfigurationError, match=r"tls://.* needs certificates, and there are none"):
        Project(workers=DaskWorkers(cluster.address))
    with pytest.raises(ConfigurationError, match=r"tls://.*: TLS certificate does not match"):
        Project(workers=DaskWorkers(cluster.address, security=security_of(*certify(tmp_path))))
