"""A cell that was run by another version of its machines is not called one that was not run."""

from __future__ import annotations

from pathlib import Path

from tests.programs import run_python

OWN = """
from intemi.machines import Majority


class Guess(Majority):
    version = 1
"""
FILE = """
imports: versions.py
name: e
data: [iris]
learners: {guess: {type: versions.Guess}, bayes: {type: NaiveBayes}}
protocol: {distributor: {type: CVDistributor, folds: 2}}
"""
TOLD = "was run with other settings, or by another version of its machines: run it again, or ask `intemi query`"


def said(folder: Path, *words: str, code: int = 0) -> str:
    done = run_python("-m", "intemi.cli", *words, cwd=folder)
    assert done.returncode == code, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


def test_compare_and_report_tell_them_apart(tmp_path: Path) -> None:
    (tmp_path / "versions.py").write_text(OWN, "utf-8")
    (tmp_path / "e.yaml").write_text(FILE, "utf-8")
    said(tmp_path, "run", "e.yaml", "-q")
    (tmp_path / "versions.py").write_text(OWN.replace("version = 1", "version = 2"), "utf-8")
    (tmp_path / "e.yaml").write_text(FILE.replace("learners: {", "learners: {new: {type: KNN}, "), "utf-8")
    compared = said(tmp_path, "compare", "e.yaml")
    assert f"guess on iris {TOLD}" in compared
    assert "new on iris was not run" in compared
    assert "bayes on iris was" not in compared
    assert f"guess on iris {TOLD}" in said(tmp_path, "report", "e.yaml")
    page = (tmp_path / "e.html").read_text("utf-8")
    assert f"guess on iris {TOLD}" in page
    assert "new on iris was not run" in page
