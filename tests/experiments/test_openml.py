"""Data sets of OpenML, from a server that answers like it, from the cache, and without a network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from intemi import Project
from intemi.data import openml
from intemi.experiments import ExperimentError, parse_experiment, run

ARFF = b"@relation t\n@attribute id numeric\n@attribute x numeric\n@attribute kind {a,b}\n@data\n" + b"".join(
    f"{i},{i % 5},{'ab'[i % 5 > 2]}\n".encode() for i in range(30)
)
FILE = "data: [{openml: %s}]\nlearners: [NaiveBayes]\nprotocol: {distributor: {type: CVDistributor, folds: 3}}"


class Server(ThreadingHTTPServer):
    def __init__(self, checksum: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.checksum = checksum or hashlib.md5(ARFF).hexdigest()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Server)
        self.server.asked.append(self.path)
        host = f"http://127.0.0.1:{self.server.server_port}"
        description = {
            "id": "61", "name": "toys", "url": f"{host}/toys.arff", "md5_checksum": self.server.checksum,
            "default_target_attribute": "kind", "row_id_attribute": "id",
        }  # fmt: skip
        answers = {
            "/api/v1/json/data/61": json.dumps({"data_set_description": description}).encode(),
            "/api/v1/json/data/list/data_name/toys/status/active/limit/100": json.dumps(
                {"data": {"dataset": [{"did": 99}, {"did": 61}]}}
            ).encode(),
            "/toys.arff": ARFF,
        }
        content = answers.get(self.path)
        self.send_response(412 if content is None else 200)
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def serving(server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("INTEMI_CACHE", str(folder))
    monkeypatch.setenv("INTEMI_OPENML_SERVER", f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    yield from serving(Server(), tmp_path, monkeypatch)


@pytest.mark.parametrize("wanted", ["61", "toys"])
def test_a_set_is_had_by_number_or_name_and_downloaded_once(server: Server, wanted: str) -> None:
    experiment = parse_experiment(FILE % wanted)
    assert list(experiment.data) == ["toys"]
    with Project() as project:
        assert len(run(experiment, project).series("Accuracy")) == 3
    asked = list(server.asked)
    assert asked.count("/toys.arff") == 1
    parse_experiment(FILE % wanted)
    data = openml.load(61)
    assert server.asked == asked, "the second time nothing is asked for"
    assert [column.name for column in data.columns] == ["x"], "the numbers of rows are no feature"


def test_without_a_network_there_is_one_clear_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTEMI_CACHE", str(tmp_path))
    monkeypatch.setenv("INTEMI_OPENML_SERVER", "http://127.0.0.1:9")
    with pytest.raises(ExperimentError, match=r"experiment.yaml:1: .* cannot be reached .* name its path instead"):
        parse_experiment(FILE % 61)


def test_a_set_that_openml_does_not_have_is_told_so(server: Server) -> None:
    with pytest.raises(ExperimentError, match="there is no data set 7 at"):
        parse_experiment(FILE % 7)
    with pytest.raises(ExperimentError, match="there is no data set 'toyz' at"):
        parse_experiment(FILE % "toyz")


def test_a_download_that_does_not_fit_its_checksum_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in serving(Server(checksum="0" * 32), tmp_path, monkeypatch):
        with pytest.raises(openml.OpenMLError, match="checksum differs"):
            openml.load(61)
        assert not (tmp_path / "openml" / "data" / "61.arff").exists()
