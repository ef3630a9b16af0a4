"""Worker processes: what travels, what comes back, and how everything ends."""

import dataclasses
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from intemi.kernel import Input, Limits, Machine, Model, MultiInput, MultiOutput, Output, Project, storable
from intemi.kernel.context import Context, Task
from intemi.kernel.errors import ConfigurationError, LimitExceeded, MachineAborted, MachineFailed
from intemi.kernel.managers import Call, Stopped, Threads
from intemi.kernel.processes import Processes, RemoteTraceback, Worker, WorkerError
from intemi.kernel.record import SINGLE, Item
from intemi.kernel.seeds import Seed

ROOT = Path(__file__).parents[2]
MB = 2**20


class Tell(Machine):
    """Says where it runs."""

    fact = Output(object)
    about: str = "pid"

    def run(self) -> Model:
        facts: dict[str, Callable[[], Any]] = {
            "pid": os.getpid,
            "session": lambda: os.getsid(0),
            "folder": os.getcwd,
            "threads": lambda: os.environ["OMP_NUM_THREADS"],
        }
        return Model(fact=facts[self.about]())


class Total(Machine):
    """Adds up arrays."""

    arrays = MultiInput(np.ndarray)
    total = Output(float)
    bonus: float = 0.0

    def run(self, arrays: tuple[np.ndarray, ...]) -> Model:
        return Model(total=float(sum(array.sum() for array in arrays)) + self.bonus, results={"Arrays": len(arrays)})


class Divide(Machine):
    """Divides one number by another, and says so in parts."""

    left = Input(int)
    right = Input(int)
    quotient = Output(int)
    digits = MultiOutput(str)

    def run(self, left: int, right: int) -> Model:
        print(f"dividing {left} by {right}")
        return Model(quotient=left // right, digits=list(str(left // right)), results={"Rest": left % right})


class Draw(Machine):
    """Draws random numbers."""

    numbers = Output(np.ndarray)

    def run(self, rng: np.random.Generator) -> Model:
        return Model(numbers=rng.random(5))


class Count(Machine):
    """A large array."""

    numbers = Output(np.ndarray)
    size: int = 10

    def run(self) -> Model:
        return Model(numbers=np.arange(self.size, dtype=np.float64))


class Square(Machine):
    """Squares a large array."""

    numbers = Input(np.ndarray)
    squares = Output(np.ndarray)

    def run(self, numbers: np.ndarray) -> Model:
        return Model(squares=numbers**2)


@dataclasses.dataclass(frozen=True)
class View:
    """Some rows of a table."""

    base: np.ndarray
    rows: tuple[int, ...]


class Shift(Machine):
    """Another view of the same table."""

    view = Input(View)
    shifted = Output(View)

    def run(self, view: View) -> Model:
        return Model(shifted=View(view.base, tuple(row + 1 for row in view.rows)))


class Crash(Machine):
    """Ends in one way or another."""

    nothing = Output(object)
    how: str = "raise"

    def run(self) -> Model:
        if self.how == "exit":
            os._exit(3)
        elif self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.how == "leave":
            sys.exit(4)
        elif self.how == "fork and exit":
            if os.fork():
                os._exit(5)
            time.sleep(60)
        elif self.how == "unpicklable":
            error = ValueError("with a lock")
            error.lock = threading.Lock()  # type: ignore[attr-defined]
            raise error
        elif self.how == "peculiar":
            raise PeculiarError(1, 2)
        raise KeyError(self.how)


class PeculiarError(Exception):
    """Can be pickled, but not unpickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


class Deliver(Machine):
    """Delivers something that cannot travel."""

    parcel = Output(object)
    where: str = "outputs"

    def run(self) -> Model:
        lock = threading.Lock()
        return Model(parcel=lock if self.where == "outputs" else 1, results={"Lock": lock} if self.where != "outputs" else {})


class Hang(Machine):
    """Never returns."""

    nothing = Output(object)
    how: str = "sleep"
    pid_file: str = ""

    def run(self) -> Model:
        if self.how == "ignore signals":
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
        pids = [os.getpid()]
        if self.how == "with a child":
            pids.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid)
        if self.pid_file:
            Path(self.pid_file + ".new").write_text(" ".join(map(str, pids)))
            os.rename(self.pid_file + ".new", self.pid_file)
        if self.how == "hold the GIL":
            re.match("(a+)+b", "a" * 60)
        if self.how == "through a child":
            subprocess.run([sys.executable, "-c", "while True: pass"], check=True)
        if self.how == "fill the memory":
            hoard = []
            while True:
                hoard.append(np.ones(MB))
        while True:
            if self.how == "sleep":
                time.sleep(1)


def call_for(
    config: Machine, *, seed: Seed | None = None, loads: list[Item] | None = None, isolated: bool = False, **inputs: Any
) -> Call:
    """What the line hands to a manager. Inputs are values, or tuples of values for collections."""
    task = Task(Context(config, {}, seed, config.digest))
    task.machine = config.digest
    task.isolated = isolated
    values: dict[tuple[bytes, str, int], Any] = {}
    items: dict[str, tuple[bool, tuple[Item, ...]]] = {}
    for name, value in inputs.items():
        multi = isinstance(value, tuple)
        bound = [_item(each) for each in (value if multi else (value,))]
        values.update({item.origin: each for item, each in bound})
        items[name] = (multi, tuple(item for item, _ in bound))

    def load(item: Item) -> Any:
        if loads is not None:
            loads.append(item)
        return values[item.origin]

    return Call(task, config, seed, items, load, lambda cpu, size: None)


def _item(value: Any) -> tuple[Item, Any]:
    """An item with its value. The same object is always the same item; so is what a call has made."""
    return (value, None) if isinstance(value, Item) else (Item(b"%d" % id(value), "value"), value)


def frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker(memory=256 * MB)
    yield worker
    worker.close()


@pytest.fixture
def mortal() -> Iterator[Worker]:
    """A worker for tests that end it."""
    worker = Worker(memory=10 * MB)
    yield worker
    worker.close()


@pytest.fixture
def project() -> Iterator[Project]:
    with Project(workers=Processes(2)) as project:
        yield project


def run(worker: Worker, config: Machine, **inputs: Any) -> Model:
    return worker.run(call_for(config, **inputs))[0]


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def eventually(condition: Callable[[], bool], seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def pids_from(file: Path) -> list[int]:
    assert eventually(file.exists, 30)
    return [int(pid) for pid in file.read_text().split()]


# A leaf runs in a worker


def test_leaves_run_one_after_another_in_one_other_process(worker: Worker) -> None:
    first, second = run(worker, Tell()), run(worker, Tell())
    assert first.outputs["fact"] == second.outputs["fact"] == worker.pid != os.getpid()


def test_outputs_collections_and_results_come_back(worker: Worker) -> None:
    model = run(worker, Divide(), left=1234, right=10)
    assert model.outputs == {"quotient": 123, "digits": ("1", "2", "3")}
    assert model.results == {"Rest": 4}


def test_a_collection_goes_in_as_a_tuple_in_order(worker: Worker) -> None:
    model = run(worker, Total(bonus=0.5), arrays=(np.ones(3), np.ones(4)))
    assert (model.outputs["total"], model.results) == (7.5, {"Arrays": 2})


def test_random_numbers_are_those_of_a_thread(worker: Worker) -> None:
    seed = Seed(5, (1, 2))
    here, _ = Threads(1).execute(call_for(Draw(), seed=seed))
    there, _ = worker.run(call_for(Draw(), seed=seed))
    np.testing.assert_array_equal(here.outputs["numbers"], there.outputs["numbers"])


def test_cpu_seconds_are_those_of_the_leaf(worker: Worker) -> None:
    _, cpu = worker.run(call_for(Tell()))
    assert 0 < cpu < 0.1


def test_what_a_leaf_prints_is_seen_at_once(worker: Worker, capfd: pytest.CaptureFixture[str]) -> None:
    with Processes(1) as manager_like if False else _closing(Worker(0)) as fresh:
        run(fresh, Divide(), left=6, right=2)
    assert capfd.readouterr().out == "dividing 6 by 2\n"


def test_libraries_compute_on_one_thread(worker: Worker) -> None:
    assert run(worker, Tell("threads")).outputs["fact"] == os.environ.get("OMP_NUM_THREADS", "1")


def test_a_worker_is_out_of_reach_of_the_terminal(worker: Worker) -> None:
    assert run(worker, Tell("session")).outputs["fact"] != os.getsid(0)
