"""The machine code of the kernels: where it is kept, and when it is forgotten."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def kept_files(cache: Path) -> list[str]:
    """The names of what a new process finds, which keeps machine code in a folder of its own."""
    program = "from intemi.machines.trees.kernels import compiling; print(*[file.name for file in compiling._kept()])"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_machine_code_older_than_the_sources_is_forgotten_wherever_it_is_kept(tmp_path: Path) -> None:
    assert kept_files(tmp_path) == []
    [folder] = tmp_path.iterdir()
    for name in ("old.nbi", "old.1.nbc", "new.nbi"):
        (folder / name).touch()
    for name in ("old.nbi", "old.1.nbc"):
        os.utime(folder / name, (0, 0))
    assert kept_files(tmp_path) == ["new.nbi"]
