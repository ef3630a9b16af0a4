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


def test_a_process_that_finds_machine_code_compiles_nothing() -> None:
    program = """
import numpy as np
from numba.core.event import Listener, register
from intemi.data import Column, Data, Table
from intemi.machines import CART

class Compiled(Listener):
    def on_start(self, event):
        print(event.data["dispatcher"].__name__)
    def on_end(self, event): pass

register("numba:compile", Compiled())
values = np.arange(40.0).reshape(2, 20)
data = Data(Table([Column("x"), Column("y")], values, Column("class", ("a", "b")), np.arange(20) % 2))
CART(surrogates=0).run(data=data).outputs["classifier"].classify(data)
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
