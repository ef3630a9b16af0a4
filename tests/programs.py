"""Python programs that tests run as a user would, in a process of their own.

In `make test-all` each has a fresh interpreter. In `make test` it has a forked copy of a process that has imported what
most programs need, which takes seconds, and done nothing else; on macOS, whose libraries do not survive a fork, a fresh
interpreter too.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.profiles import FULL

FRESH = FULL or sys.platform == "darwin"
IMPORTED = (
    "intemi.cli.main",
    "intemi.experiments",
    "intemi.interop",
    "intemi.machines.trees.kernels.grow",
    "matplotlib.pyplot",
    "pandas",
    "scipy.stats",
    "sklearn.ensemble",
)
ROOT = Path(__file__).parent.parent

Done = subprocess.CompletedProcess[str]


def run_python(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, strict: bool = False, timeout: int = 120
) -> Done:
    """Run `python -c CODE …`, `python -m MODULE …` or `python FILE …`; if it is strict, a warning is an error.

    The environment must be that of the tests in what modules read while they are imported.
    """
    if FRESH:
        command = [sys.executable, *["-W", "error"] * strict, *arguments]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)
    server = started()
    with tempfile.TemporaryDirectory() as folder:
        outputs = [f"{folder}/{name}" for name in ("stdout", "stderr")]
        task = {
            "arguments": arguments, "cwd": str(cwd), "env": dict(os.environ if env is None else env),
            "strict": strict, "timeout": timeout, "outputs": outputs,
        }  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        print(json.dumps(task), file=server.stdin, flush=True)
        code = int(server.stdout.readline())
        if code == -signal.SIGALRM:
            raise subprocess.TimeoutExpired(arguments, timeout)
        printed, errors = (Path(output).read_text("utf-8") for output in outputs)
    return subprocess.CompletedProcess(arguments, code, printed, errors)


@cache
def started() -> subprocess.Popen[str]:
    """The process that is copied; it ends with the process that runs the tests."""
    command = [sys.executable, "-m", __name__]
    server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)
    return server


def serve() -> None:
    """Do the tasks that lines of standard input describe, each in a copy of this process."""
    status = [0]
    atexit.register(lambda: leave(status[0]))  # as the last of all that is done at exit
    for module in IMPORTED:
        import_module(module)
    gc.freeze()
    for line in sys.stdin:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of BLAS, which survive a fork
            child = os.fork()
        if not child:
            try:
                become(**json.loads(line))
            except SystemExit as end:
                status[0] = end.code if isinstance(end.code, int) else int(end.code is not None)
                if status[0] and not isinstance(end.code, int):
                    print(end.code, file=sys.stderr)
            except BaseException as error:
                status[0] = 1
                traceback.print_exception(error)
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def leave(status: int) -> None:
    """End this process without freeing its memory piece by piece, which would take a second."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def become(arguments: list[str], cwd: str, env: dict[str, str], strict: bool, timeout: int, outputs: list[str]) -> None:
    """Do what an interpreter with these arguments does, and what it prints goes to two files."""
    signal.alarm(timeout)  # ends this process
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in env
    for stream, place in ((sys.stdin, os.devnull), (sys.stdout, outputs[0]), (sys.stderr, outputs[1])):
        with open(place, "rb" if stream is sys.stdin else "wb") as file:
            os.dup2(file.fileno(), stream.fileno())
    if strict:
        sys.warnoptions.append("error")
        warnings.simplefilter("error")
    program = sys.modules["__main__"] = ModuleType("__main__")
    scope: dict[str, Any] = vars(program)
    match arguments:
        case ["-c", code, *rest]:
            sys.path[0], sys.argv = "", ["-c", *rest]
            exec(compile(code, "<string>", "exec"), scope)
        case ["-m", module, *rest]:
            sys.path[0], sys.argv = cwd, [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [file, *rest]:
            sys.path[0], sys.argv = str(Path(cwd, file).parent), [file, *rest]
            program.__file__ = str(Path(cwd, file))
            exec(compile(Path(file).read_bytes(), program.__file__, "exec"), scope)


if __name__ == "__main__":
    serve()
