"""`import intemi` stays quick because what is slow to load is loaded where it is first needed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOADED_WHEN_NEEDED = {
    "click",
    "cloudpickle",
    "matplotlib",
    "networkx",
    "numba",
    "psutil",
    "rich",
    "scipy",
    "sklearn",
    "yaml",
}


def modules_loaded_by(statement: str) -> set[str]:
    """The modules that a statement loads into a fresh interpreter."""
    program = f"import sys; before = set(sys.modules)\n{statement}\nprint(*(set(sys.modules) - before))"
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=60
    )
    return set(finished.stdout.split())


def test_importing_the_package_loads_nothing_slow() -> None:
    loaded = modules_loaded_by("import intemi")
    assert "intemi" in loaded
    assert sorted(loaded & LOADED_WHEN_NEEDED) == []


def test_a_slow_module_would_be_noticed() -> None:
    assert modules_loaded_by("import networkx") & LOADED_WHEN_NEEDED == {"networkx"}
