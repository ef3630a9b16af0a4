"""The machine code of the kernels: where it is cached, when it is compiled again, what is said meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from intemi.machines.trees import kernels
from intemi.machines.trees.kernels import compiling

NUMBA = tuple(map(int, numba.__version__.split(".")[:2]))
PACKAGE = Path(kernels.__file__).parents[3]
# A kernel that compiles in no time, beside a helper in a file of its own, in a copy of the package.
QUICK = """
from intemi.machines.trees.kernels.compiling import float64, kernel
from intemi.machines.trees.kernels.quick_helper import doubled

@kernel(float64(float64))
def quick(x: float) -> float:
    return doubled(x) + 1.0
"""
HELPER = """
from intemi.machines.trees.kernels.compiling import helper

@helper
def doubled(x: float) -> float:
    return 2.0 * x
"""
RUN = """
from intemi.machines.trees.kernels.quick import quick
print(quick(3.0), sum(quick.stats.cache_hits.values()), sum(quick.stats.cache_misses.values()))
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package with the quick kernel."""
    unused = shutil.ignore_patterns("*.nb[ci]*", "*.sources", "*.pyc.*")  # machine code, and what is being written
    shutil.copytree(PACKAGE, tmp_path / "intemi", ignore=unused)
    folder = tmp_path / "intemi" / "machines" / "trees" / "kernels"
    (folder / "quick.py").write_text(QUICK)
    (folder / "quick_helper.py").write_text(HELPER)
    return folder


def started(folder: Path, program: str = RUN, **environment: str) -> subprocess.Popen[str]:
    """A process on the copy of the package."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder.parents[3],
        env={**kept, "PYTHONPATH": str(folder.parents[3]), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def printed(folder: Path, program: str = RUN, **environment: str) -> tuple[list[str], str]:
    """What a process prints on the copy of the package, and what it says on stderr."""
    process = started(folder, program, **environment)
    output, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    return output.split(), said


def test_a_second_process_compiles_nothing(copied: Path) -> None:
    assert printed(copied) == (["7.0", "0", "1"], "")
    assert printed(copied) == (["7.0", "1", "0"], "")


def test_an_edited_helper_compiles_the_kernels_that_call_it_again(copied: Path) -> None:
    printed(copied)
    (copied / "quick_helper.py").write_text(HELPER.replace("2.0", "5.0"))
    assert printed(copied)[0] == ["16.0", "0", "1"]
    assert printed(copied)[0] == ["16.0", "1", "0"]


def test_an_edited_file_that_no_kernel_calls_compiles_nothing(copied: Path) -> None:
    printed(copied)
    with (copied / "mixing.py").open("a") as file:
        file.write("# a comment")
    assert printed(copied)[0] == ["7.0", "1", "0"]


@pytest.mark.full
@pytest.mark.skipif(NUMBA < (0, 68), reason="numba itself went by the times of files")
def test_what_is_installed_again_is_not_compiled_again(copied: Path) -> None:
    printed(copied)
    for seconds in (10, -10_000_000):  # newer, and older as files of an archive are
        for file in (copied.parents[2]).rglob("*.py"):
            content, then = file.read_bytes(), file.stat().st_mtime + seconds
            file.unlink()
            file.write_bytes(content)
            os.utime(file, (then, then))
        assert printed(copied)[0] == ["7.0", "1", "0"]


def test_the_cache_can_be_put_elsewhere(copied: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    printed(copied, NUMBA_CACHE_DIR=str(elsewhere))
    assert list(elsewhere.rglob("quick.quick*.nbi"))
    assert printed(copied, NUMBA_CACHE_DIR=str(elsewhere))[0] == ["7.0", "1", "0"]


def nowhere(copied: Path) -> dict[str, str]:
    """Where nothing can be written: neither beside the sources, nor in the user's own cache."""
    for folder in (copied, copied.parent / "quality"):
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
        (folder / "__pycache__").touch()
    return {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}


def test_without_a_folder_for_the_cache_kernels_are_compiled_in_memory_with_one_message(copied: Path) -> None:
    environment = nowhere(copied)
    program = "import intemi.machines.trees.kernels.summary" + RUN
    output, said = printed(copied, program, **environment)
    assert output[0] == "7.0"
    assert re.fullmatch("intemi: tree kernels cannot be cached, each process compiles them anew: cannot .*\n", said)


def test_our_measures_work_without_a_folder_for_the_cache(copied: Path) -> None:
    program = "from intemi.machines.trees import Gini\nprint(Gini().multi([[3, 0], [1, 4]]))"
    environment = nowhere(copied)
    output, said = printed(copied, program, **environment)
    assert float(output[0]) == pytest.approx(0.3)
    assert said.count("cannot be cached") == 1


def test_a_damaged_cache_is_not_used(copied: Path) -> None:
    printed(copied)
    [index] = copied.rglob("quick.quick*.nbi")
    index.write_bytes(index.read_bytes()[:20])
    output, said = printed(copied)
    assert output[0] == "7.0"
    assert said.startswith("intemi: tree kernels cannot be cached")


def test_of_several_processes_one_compiles_and_speaks_and_the_others_wait(copied: Path) -> None:
    """As worker processes do, which all come to their first tree at the same time."""
    steps = "".join(f"    x = math.sin(x) + {i}.5 if x > {i}.0 else math.cos(x)\n" for i in range(200))
    slow = QUICK.replace("float64(float64)", "float64(float64), seconds=30").replace("    return", f"{steps}    return")
    (copied / "quick.py").write_text(f"import math\n{slow}")
    ended = [process.communicate(timeout=120) for process in [started(copied) for _ in range(3)]]
    assert sorted(output.split()[1:] for output, _ in ended) == [["0", "1"], ["1", "0"], ["1", "0"]]
    [said] = [said for _, said in ended if said]
    assert said.startswith("intemi: compiling the tree kernels, once per computer: about 28 s left\n")


def test_a_process_that_is_killed_while_it_compiles_holds_up_no_other(copied: Path) -> None:
    slow = "import os, signal\nfrom intemi.machines.trees.kernels.cached import one_at_a_time\n"
    slow += "from intemi.machines.trees.kernels import quick\n"
    slow += "with one_at_a_time(quick.quick.py_func):\n    print('locked', flush=True)\n    signal.pause()"
    process = started(copied, slow)
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    waiting = started(copied)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(timeout=5)
    process.kill()
    assert waiting.communicate(timeout=120) == ("7.0 1 0\n", "")
    process.communicate()


def test_a_long_compilation_is_counted_down(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiling, "QUIET_SECONDS", 0.05)
    with compiling._counting_down(30):
        _wait_for_a_message(capsys)
    with compiling._counting_down(30):
        pass
    assert capsys.readouterr().err == ""


def _wait_for_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    import time

    for _ in range(500):
        time.sleep(0.02)
        said = capsys.readouterr().err
        if said:
            assert said.startswith("intemi: compiling the tree kernels, once per computer: about 30 s left")
            return
    raise AssertionError("nothing was said")


def test_kernels_release_the_interpreters_lock() -> None:
    assert compiling.kernel(compiling.float64(compiling.float64))(_half).targetoptions["nogil"]  # type: ignore[attr-defined]


def _half(x: float) -> float:
    return x / 2


def test_unowned_arrays_are_the_same_numbers() -> None:
    @compiling.helper
    def second(array: np.ndarray) -> float:
        return float(compiling.unowned(array)[1])

    @compiling.helper
    def last_of_second_row(array: np.ndarray) -> float:
        return float(compiling.unowned(array)[1, -1])

    given = np.arange(6.0)
    given.flags.writeable = False
    assert second(given) == 1.0
    assert last_of_second_row(given.reshape(2, 3)) == 5.0


def test_the_package_has_its_kernels_and_nothing_else() -> None:
    for name in kernels.__all__:
        assert getattr(kernels, name).__name__ == f"{kernels.__name__}.{name}"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(kernels, "nothing")  # noqa: B009
