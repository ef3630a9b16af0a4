"""Data sets of OpenML, from a server that answers like it, from the cache, and without a network."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
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
        self.odd: bytes | None = None
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
        content = answers.get(self.path) if self.server.odd is None else self.server.odd
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
        with pytest.raises(openml.OpenMLError, match="its checksum differs"):
            openml.load(61)
        assert not (tmp_path / "openml" / "data" / "61.arff").exists()


ASKED = [lambda: openml.number_of("toys"), lambda: openml.describe(61), lambda: openml.load(61)]
ODD = [
    b"<html>Please log in to the WiFi</html>",
    b"",
    b"{}",
    b"[]",
    b"3",
    b"null",
    b'{"data": null}',
    b'{"data": {"dataset": []}}',
    b'{"data": {"dataset": [{}]}}',
    b'{"data": {"dataset": [{"did": "x"}]}}',
    b'{"data": {"dataset": [{"did": -1}]}}',
    b'{"data": {"dataset": [{"did": 61, "name": "other"}]}}',
    b'{"data": {"dataset": {"did": 61}}}',
    b'{"error": {"code": 500}}',
    b"[" * 100_000,
    b"\xff\xfe",
    b'{"data_set_description": {"id": 61}}',
    b'{"data_set_description": {"id": 62, "name": "a", "url": "b", "md5_checksum": "c"}}',
    b'{"data_set_description": {"id": 61, "name": 1, "url": [], "md5_checksum": {}}}',
    b'{"data_set_description": {"id": 61, "name": "a", "url": "b", "md5_checksum": "c", "ignore_attribute": [1]}}',
    b'{"data_set_description": []}',
]


@pytest.mark.parametrize("answer", ODD)
@pytest.mark.parametrize(
    "ask", [lambda: openml.number_of("toys"), lambda: openml.describe(61), lambda: openml.load(61)]
)
def test_an_odd_answer_is_one_clear_error_and_is_not_kept(
    ask: Callable[[], object], answer: bytes, server: Server, tmp_path: Path
) -> None:
    server.odd = answer
    with pytest.raises(openml.OpenMLError, match="try again") as refused:
        ask()
    assert len(str(refused.value)) < 400
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]
    server.odd = None
    assert ask() is not None


@pytest.mark.parametrize("answer", ODD)
def test_what_is_spoiled_in_the_cache_is_fetched_again(answer: bytes, server: Server, tmp_path: Path) -> None:
    data = openml.load(61)
    assert openml.number_of("toys") == 61
    for file in [*tmp_path.rglob("*.json"), *tmp_path.rglob("*.arff")]:
        before = file.read_bytes()
        file.write_bytes(answer)
        assert openml.load(openml.number_of("toys")) == data
        assert file.read_bytes() == before


def test_a_pipe_in_the_cache_is_not_waited_for(server: Server, tmp_path: Path) -> None:
    (tmp_path / "openml" / "data").mkdir(parents=True)
    os.mkfifo(tmp_path / "openml" / "data" / "61.json")
    assert openml.describe(61).name == "toys"
