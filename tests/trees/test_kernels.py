"""The machine code of the kernels: where it is kept, and when it is forgotten."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from intemi.machines.trees import kernels


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


GROW = """
import numpy as np
from numba.core.event import Listener, register
from intemi.data import Column, Data, Table
from intemi.machines import CART

class Compiled(Listener):
    def on_start(self, event):
        print(event.data["dispatcher"].__name__)
    def on_end(self, event): pass

register("numba:compile", Compiled())
values = np.arange(40.0).reshape(2, 20) / 3
data = Data(Table([Column("x"), Column("y")], values, Column("class", ("a", "b")), np.arange(20) // 3 % 2))
grown = CART(surrogates=0).run(data=data)
grown.outputs["classifier"].classify(data)
"""


def printed(program: str, **environment: str) -> list[str]:
    """The lines that a new process prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_a_process_that_finds_machine_code_compiles_nothing() -> None:
    for _ in range(2):
        lines = printed(GROW)
    assert lines == []


def test_a_process_that_finds_machine_code_loads_little_of_numba() -> None:
    program = """
import sys
from importlib import import_module
from intemi.machines.trees.kernels import compiling
for name in compiling.MODULES:
    import_module(f"intemi.machines.trees.kernels.{name}")
print("numba.np.arraymath" in sys.modules)
"""
    for _ in range(2):
        lines = printed(program)
    assert lines == ["False"]


def test_machine_code_calls_what_another_process_has_compiled(tmp_path: Path) -> None:
    """Growth calls the best cut, and that the collection of cuts, which alone is compiled again."""
    told = f"{GROW}\nprint(grown.results['Leaves'], hash(str(grown.outputs['tree'])))"
    printed(GROW)
    expected = printed(told, PYTHONHASHSEED="0")
    found = printed("from intemi.machines.trees.kernels import compiling; print(*compiling._kept(), sep='\\n')")
    kept_files(tmp_path)
    [folder] = tmp_path.iterdir()
    for file in map(Path, found):
        if not file.name.startswith("cuts.collect"):
            shutil.copy2(file, folder)
    *compiled, tree = printed(told, PYTHONHASHSEED="0", NUMBA_CACHE_DIR=str(tmp_path))
    assert "collect" in compiled
    assert not {"best_cut", "ask", "expand", "grow"} & set(compiled)
    assert [tree] == expected


def test_the_package_has_its_kernels_and_nothing_else() -> None:
    for name in kernels.__all__:
        assert getattr(kernels, name).__name__ == f"{kernels.__name__}.{name}"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(kernels, "nothing")  # noqa: B009
