"""Print through which files of the kernel a request travels: python -m scripts.trace_request

Paths are measured, not written down: every function that is called is noted, on all threads, while one request is made,
waited for and read.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import intemi
from intemi import Input, Machine, Model, Output, Project, Threads

ROOT = Path(intemi.__file__).parent


class Double(Machine):
    """Twice a number."""

    number = Input(int)
    result = Output(int)

    def run(self, number: int) -> Model:
        return Model(result=2 * number)


class Triple(Machine):
    """Three times a number."""

    number = Input(int)
    result = Output(int)

    def run(self, number: int) -> Model:
        return Model(result=3 * number)


class Trace:
    """The files, classes and calls of one path."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.classes: set[str] = set()
        self.calls = 0

    def note(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a call, if it is one of a function of the package."""
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(f"{ROOT}/"):
            self.calls += 1
            self.files[path[len(str(ROOT)) + 1 :]] = None
            owner = frame.f_locals.get("self")
            if owner is not None:
                self.classes.add(type(owner).__qualname__)

    @property
    def kernel_files(self) -> list[str]:
        """Files of the kernel, in the order in which they are first entered."""
        return [file.removeprefix("kernel/") for file in self.files if file.startswith("kernel/")]


class Tracer:
    """Notes what is called on all threads that are started from now on, in the trace of the path that is measured."""

    def __init__(self) -> None:
        self.found: dict[str, Trace] = {}
        self._trace: Trace | None = None
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        if self._trace is not None:
            self._trace.note(frame, event, argument)

    def measure(self, name: str, action: Callable[[], object]) -> None:
        """Measure one path."""
        self._trace = self.found[name] = Trace()
        action()
        self._trace = None

    def close(self) -> None:
        """Note nothing more."""
        threading.setprofile(None)  # type: ignore[arg-type]
        sys.setprofile(None)


def paths() -> dict[str, Trace]:
    """The paths of some requests, by what they are."""
    tracer = Tracer()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "project")
        with Project(folder, workers=Threads(1)) as project:
            three, four = project.given(3), project.given(4)
            project.run(Double(), number=three)  # starts the threads of the project, and opens its files
            for name, number in (("a cold leaf, first of its class", three), ("a cold leaf", four)):
                tracer.measure(name, lambda number=number: project.run(Triple(), number=number).results)  # type: ignore[misc]
            tracer.measure("a warm hit", lambda: project.run(Triple(), number=four).results)
            tracer.measure("a query", lambda: len(project.query(type=Triple)))
        with Project(folder, workers=Threads(1)) as project:
            four = project.given(4)
            tracer.measure("a warm hit, new session", lambda: project.run(Triple(), number=four).results)
            tracer.measure("a query, new session", lambda: len(project.query(type=Triple)))
    tracer.close()
    return tracer.found


def main() -> None:
    """Print a table of paths, and the files of the first."""
    found = paths()
    print(f"{'path':32} {'kernel files':>12} {'classes':>8} {'calls':>6}")
    for name, trace in found.items():
        print(f"{name:32} {len(trace.kernel_files):12} {len(trace.classes):8} {trace.calls:6}")
    print("\na cold leaf, in the order in which files are entered:")
    for file in found["a cold leaf"].kernel_files:
        print(f"  {file}")


if __name__ == "__main__":
    main()
