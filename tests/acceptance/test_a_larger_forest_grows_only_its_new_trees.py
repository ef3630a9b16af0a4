"""A forest of 200 trees after one of 100, in another process, grows 100 trees and is the one that is grown at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.programs import run_python

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, sys
from intemi import Project
from intemi.kernel.encoding import encode
from intemi.machines import RandomForest, SklearnDataset

folder, trees, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with Project(folder, workers=workers) as project:
    wine = project.request(SklearnDataset("wine"))
    forest = project.run(RandomForest(trees=trees, seed=1), data=wine.data)
    members = [encode(member).hex() for member in forest.outputs["members"]]
    print(json.dumps({
        "grown": project.counts().physical["DecisionTree"],
        "forest": encode(forest.outputs["classifier"]).hex(),
        "members": members,
        "error": forest.results["Out-of-bag error"],
    }))
"""


def forest(folder: Path, trees: int, workers: int = 1) -> dict[str, Any]:
    """What a process of its own grows in a folder."""
    done = run_python("-c", PROGRAM, str(folder), str(trees), str(workers), cwd=ROOT, timeout=280)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_larger_forest_grows_only_its_new_trees(tmp_path: Path) -> None:
    smaller = forest(tmp_path / "one after the other", 100)
    larger = forest(tmp_path / "one after the other", 200, workers=2)
    at_once = forest(tmp_path / "at once", 200)
    assert (smaller["grown"], larger["grown"], at_once["grown"]) == (100, 100, 200)
    assert larger["members"][:100] == smaller["members"]
    assert {name: larger[name] for name in ("forest", "members", "error")} == {
        name: at_once[name] for name in ("forest", "members", "error")
    }
