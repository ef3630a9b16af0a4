from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from intemi.cli.doctor import _cluster
from intemi.cli.main import command
from intemi.cli.opening import workers_of
from intemi.dask import clusters
from intemi.dask.clusters import read_queue
from intemi.experiments.learning import learn
from intemi.kernel import ConfigurationError, Project
from intemi.machines import SklearnDataset
from tests.clusters import RealCluster

QUICK = "{data: [iris], learners: [NaiveBayes], protocol: {distributor: {type: CVDistributor, folds: 2}}}"
SLURM = """
jobqueue:
  slurm:
    cores: 8
    memory: 32GB
jobs: 4
"""


@pytest.mark.needs("dask")
def test_an_experiment_runs_on_a_cluster_of_this_computer(tmp_path: Path) -> None:
    (tmp_path / "quick.yaml").write_text(QUICK, "utf-8")
    program = "from intemi.cli.main import main; main()"
    options = ["--on", "dask", "-w", "1", "--json", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", program, "run", "quick.yaml", *options], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["finished"], found["failed"]) == (1, {})


@pytest.mark.needs("dask")
def test_a_cluster_of_this_computer_without_certificates_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "find_spec", lambda name: None)
    message = r"--on dask: needs cryptography for its certificates, .* pip install 'intemi\[dask\]', or --insecure"
    with pytest.raises(ConfigurationError, match=message), workers_of(1, on="dask"):
        pass


def test_the_extra_for_clusters_requires_what_certificates_need() -> None:
    with open(Path(__file__).parents[2] / "pyproject.toml", "rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    assert {each.partition(">")[0] for each in extras["dask"]} == {"cryptography", "distributed"}


@pytest.mark.needs("dask")
def test_the_doctor_looks_at_a_cluster(shared_cluster: RealCluster) -> None:
    shared_cluster.grow(1)
    answer = _cluster(shared_cluster.address, insecure=False)
    assert re.fullmatch(r"\d workers \(.*:\d+\), versions and canary as here; a leaf took \d+ ms there.*", answer[1])
    assert answer[0]


@pytest.mark.needs("dask")
def test_the_search_for_a_learning_machine_runs_on_a_cluster(shared_cluster: RealCluster) -> None:
    shared_cluster.grow(1)
    with Project() as project:
        iris = project.run(SklearnDataset("iris")).outputs["data"]
    with workers_of(on=shared_cluster.address) as manager:
        there = learn(iris, tests=2, knowledge=False, workers=manager)
    assert there.results["Best"] == learn(iris, tests=2, knowledge=False, workers=1).results["Best"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--on", "head"], "give the address of a scheduler"),
        (["--on", "tcp://192.0.2.1:8786"], "is not encrypted"),
        (["--on", "tls://head:1", "-w", "3"], "the cluster decides how many workers there are"),
        (["--on", "dask", "--processes"], "--processes: a cluster runs machines in processes anyway"),
        (["--on", "missing.yaml"], "missing.yaml: cannot be read"),
    ],
)
def test_a_cluster_that_cannot_be_had_is_one_clear_error(tmp_path: Path, options: list[str], message: str) -> None:
    (tmp_path / "quick.yaml").write_text(QUICK, "utf-8")
    done = CliRunner().invoke(command, ["run", str(tmp_path / "quick.yaml"), *options])
    assert done.exit_code != 0
    assert message in done.output + str(done.exception)


def test_a_file_describes_a_queue(tmp_path: Path) -> None:
    file = tmp_path / "slurm.yaml"
    file.write_text(SLURM, "utf-8")
    assert read_queue(str(file)) == ("slurm", {"cores": 8, "memory": "32GB"}, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jobqueue: {slurm: {}, pbs: {}}", "must have one queue"),
        ("jobqueue: {unknown: {}}", "must have one queue"),
        ("[1, 2]", "must have one queue"),
        ("jobqueue: {slurm: {}}\njobs: 0", "be a number of at least 1"),
        ("jobqueue: {slurm: 3}", "must hold options"),
    ],
)
def test_a_file_that_describes_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "queue.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=message):
        read_queue(str(file))
