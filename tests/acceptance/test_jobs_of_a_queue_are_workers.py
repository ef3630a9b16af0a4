"""The file for Slurm on the page about clusters can be copied: with it, dask-jobqueue submits jobs, and leaves run in
them over TLS. Slurm itself is played by two scripts, `sbatch` and `scancel`, that start and end the job here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
import yaml

from tests.clusters import ROOT

pytestmark = [pytest.mark.needs("jobqueue")]

SBATCH = """#!/bin/bash
cp "$1" "{folder}/job.sh"
setsid bash "{folder}/job.sh" > "{folder}/job.log" 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/bash
kill -- -"$1"
"""
PROGRAM = """
import sys
from intemi import Project
from intemi.dask.clusters import workers_on
from tests.machines import Number

with workers_on(sys.argv[1], workers=1) as manager, Project(workers=manager) as project:
    capsule = project.request(Number(4)).wait(100)
    print(capsule.outputs["result"], capsule.context.record.worker)
"""


def run_on(queue: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program on the queue that a file describes."""
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        script = folder / name
        script.write_text(text.format(folder=folder), "utf-8")
        script.chmod(0o755)
    (folder / "slurm.yaml").write_text(queue, "utf-8")
    places = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM, "slurm.yaml"]
    return subprocess.run(
        command, cwd=folder, env=os.environ | places, capture_output=True, text=True, check=False, timeout=120
    )


def test_leaves_run_in_jobs_that_end_with_the_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "cluster.md").read_text("utf-8")
    (copied,) = re.findall(r'```yaml title="slurm.yaml"\n(.*?)```', page, re.DOTALL)
    described = yaml.safe_load(copied)
    described["jobqueue"]["slurm"].update(cores=1, processes=1, interface="lo")  # there is one computer
    done = run_on(yaml.safe_dump(described), tmp_path)
    assert done.returncode == 0, done.stderr
    result, worker = done.stdout.split()
    assert result == "4"
    assert "tls://" in (tmp_path / "job.sh").read_text("utf-8")
    assert not psutil.pid_exists(int(worker.rpartition(":")[2])), (tmp_path / "job.log").read_text("utf-8")
    assert "UserWarning" not in done.stderr  # of dask or dask-jobqueue, about what the file should say


def test_an_option_that_the_queue_does_not_have_is_one_clear_error(tmp_path: Path) -> None:
    done = run_on("jobqueue: {slurm: {cores: 1, memory: 1GB, kores: 2}}", tmp_path)
    assert re.search(r"ConfigurationError: slurm.yaml.*is refused by dask-jobqueue.*kores", done.stderr)
