"""Worker processes: what travels, what comes back, and how everything ends."""

import dataclasses
import enum
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
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from intemi.kernel import (
    Input,
    Job,
    Limits,
    Machine,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
    Threads,
    storable,
)
from intemi.kernel.encoding import content_digest
from intemi.kernel.errors import ConfigurationError, LimitExceeded, MachineAborted, MachineFailed, WorkerError
from intemi.kernel.record import Item
from intemi.kernel.seeds import Seed
from intemi.kernel.workers.base import Call, Stopped
from intemi.kernel.workers.processes import Processes, RemoteTraceback, Worker

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
        return Model(
            parcel=lock if self.where == "outputs" else 1, results={"Lock": lock} if self.where != "outputs" else {}
        )


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


@contextmanager
def resting(manager: Processes) -> Iterator[Processes]:
    """A manager whose processes are ended afterwards."""
    try:
        yield manager
    finally:
        manager.rest()


def call_for(
    config: Machine, *, seed: Seed | None = None, loads: list[Item] | None = None, isolated: bool = False, **inputs: Any
) -> Call:
    """What the line hands to a manager. Inputs are values, or tuples of values for collections."""
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

    return Call(config.digest, config, seed, items, load, (lambda cpu, size: None) if isolated else None)


def _item(value: Any) -> tuple[Item, Any]:
    """An item with its value. The same object is always the same item."""
    _seen.append(value)  # so that no other object gets its id
    return (value, None) if isinstance(value, Item) else (Item(b"%d" % id(value), "value"), value)


_seen: list[Any] = []


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


def test_what_a_leaf_prints_is_seen_when_it_is_done(capfd: pytest.CaptureFixture[str]) -> None:
    with closing(Worker(memory=0)) as fresh:
        run(fresh, Divide(), left=6, right=2)
        assert capfd.readouterr().out == "dividing 6 by 2\n"


def test_libraries_compute_on_one_thread(worker: Worker) -> None:
    assert run(worker, Tell("threads")).outputs["fact"] == os.environ.get("OMP_NUM_THREADS", "1")


def test_a_worker_is_out_of_reach_of_the_terminal(worker: Worker) -> None:
    assert run(worker, Tell("session")).outputs["fact"] != os.getsid(0)


def test_a_worker_follows_the_project_to_another_folder_and_path(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late_module.py").write_text(
        "from intemi import Machine, Model, Output\n"
        "class Late(Machine):\n"
        "    out = Output(int)\n"
        "    def run(self):\n"
        "        return Model(out=7)\n"
    )
    run(worker, Tell())
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert run(worker, Tell("folder")).outputs["fact"] == str(tmp_path)
    import late_module

    assert run(worker, late_module.Late()).outputs["out"] == 7
    monkeypatch.undo()
    assert run(worker, Tell("folder")).outputs["fact"] == os.getcwd()


# Values travel once


def test_a_value_travels_once(worker: Worker) -> None:
    array, loads = np.ones(1000), []
    for bonus in range(3):
        worker.run(call_for(Total(bonus=bonus), arrays=(array, array), loads=loads))
    assert len(loads) == 1


def test_what_a_worker_has_made_does_not_travel_back_to_it(worker: Worker) -> None:
    made = Count(size=20)
    run(worker, made)
    loads: list[Item] = []
    squares, _ = worker.run(call_for(Square(), numbers=Item(made.digest, "numbers"), loads=loads))
    assert not loads
    np.testing.assert_array_equal(squares.outputs["squares"], np.arange(20.0) ** 2)


def test_a_worker_that_is_full_drops_what_was_not_needed_for_the_longest_time(mortal: Worker) -> None:
    one, two, three = (np.full(MB // 2, value, np.float64) for value in (1, 2, 3))  # 4 MB each, there is room for 10
    loads: list[Item] = []
    for arrays in ((one,), (two,), (one,), (three,), (one,), (two,)):
        total, _ = mortal.run(call_for(Total(), arrays=arrays, loads=loads))
        assert total.outputs["total"] == arrays[0].sum()
    assert [int(item.origin[0]) for item in loads] == [id(array) for array in (one, two, three, two)]


def test_a_leaf_gets_all_its_inputs_even_if_there_is_no_room_to_keep_them(mortal: Worker) -> None:
    arrays = tuple(np.full(MB // 2, value, np.float64) for value in range(5))
    for _ in range(2):
        assert run(mortal, Total(), arrays=arrays).outputs["total"] == 10 * MB // 2
    assert run(mortal, Total(), arrays=arrays[:1]).outputs["total"] == 0


def test_a_table_travels_once_under_however_many_views(worker: Worker) -> None:
    base = frozen(np.arange(MB, dtype=np.float64))
    sizes = []
    for row in range(3):
        model = run(worker, Shift(), view=View(base, (row,)))
        assert model.outputs["shifted"].rows == (row + 1,)
        assert np.shares_memory(model.outputs["shifted"].base, base)  # nor does it come back
        sizes.append(worker.held_size)
    assert sizes[2] - sizes[0] < 10_000


def test_an_array_that_can_be_written_to_is_sent_as_it_is_now(worker: Worker) -> None:
    base = np.zeros(MB)
    run(worker, Shift(), view=View(base, (0,)))
    base[:] = 1
    model = run(worker, Shift(), view=View(base, (1,)))
    assert model.outputs["shifted"].base.sum() == MB


def test_arrays_cannot_be_written_to_there_whatever_they_are_here(worker: Worker) -> None:
    class Write(Machine):
        array = Input(np.ndarray)
        sum = Output(float)

        def run(self, array: np.ndarray) -> Model:
            array[0] = 5
            return Model(sum=float(array.sum()))

    for size in (3, MB):
        for array in (np.zeros(size), frozen(np.zeros(size))):
            with pytest.raises(ValueError, match="read-only"):
                run(worker, Write(), array=array)


def test_large_arrays_go_both_ways(worker: Worker) -> None:
    numbers = np.arange(50 * MB // 8, dtype=np.float64)
    model = run(worker, Square(), numbers=numbers)
    np.testing.assert_array_equal(model.outputs["squares"], numbers**2)


def test_arrays_of_any_layout_arrive_as_they_were(worker: Worker) -> None:
    square = np.arange(10_000.0 * 10).reshape(100, 1000)
    for array in (square.T, square[::2, 1::3], np.asfortranarray(square), square[:0], np.array("text")):
        model = run(worker, Shift(), view=View(frozen(array.copy("K")), ()))
        np.testing.assert_array_equal(model.outputs["shifted"].base, array)
        assert model.outputs["shifted"].base.dtype == array.dtype


# Classes that cannot be imported


def test_a_machine_defined_in_a_function_travels_by_value(worker: Worker) -> None:
    offset = 40

    class Unit(enum.Enum):
        METRE = 1

    @storable
    @dataclasses.dataclass
    class Answer:
        number: int
        unit: Unit = Unit.METRE

    class Local(Machine):
        out = Output(Answer)
        by: int = 1

        def run(self) -> Model:
            answer = Answer(offset + self.by)
            digests = {"Digest": self.digest, "Content": content_digest(answer)}
            return Model(out=answer, results={**digests, "Again": Local(by=7).by})

    Local(by=1).digest  # noqa: B018 - makes the class complete
    before = dict(vars(Local))
    for by in (1, 2):
        model, answer = run(worker, Local(by=by)), Answer(offset + by)
        assert model.outputs["out"] == answer
        assert type(model.outputs["out"]) is Answer
        assert model.results == {"Digest": Local(by=by).digest, "Content": content_digest(answer), "Again": 7}
    assert vars(Local) == before


def test_classes_of_one_name_do_not_meet_in_a_worker(worker: Worker) -> None:
    def local(number: int) -> Machine:
        class Total(Machine):  # there is one in this module, and another in every call
            registered_name = f"total of {number}"
            out = Output(int)

            def run(self) -> Model:
                return Model(out=number)

        return Total()

    machines = [local(1), local(2)]
    assert [run(worker, each).outputs["out"] for each in machines * 2] == [1, 2, 1, 2]
    assert run(worker, Total(), arrays=(np.ones(2),)).outputs["total"] == 2


def test_a_class_that_a_leaf_makes_comes_back(worker: Worker) -> None:
    class Make(Machine):
        made = Output(object)

        def run(self) -> Model:
            @dataclasses.dataclass
            class Fresh:
                number: int = 3

            return Model(made=Fresh())

    class Use(Machine):
        made = Input(object)
        twice = Output(int)

        def run(self, made: Any) -> Model:
            return Model(twice=2 * made.number)

    made = run(worker, Make()).outputs["made"]
    assert made.number == 3
    assert run(worker, Use(), made=made).outputs["twice"] == 6


SCRIPT = """
    from __future__ import annotations
    from dataclasses import dataclass
    from typing import Literal
    import numpy as np
    from intemi import Component, Input, Machine, Model, Output, Processes, Project, content_digest, storable

    SCALE = 10

    @storable
    @dataclass(frozen=True)
    class Pair:
        left: int
        right: int

    class Kernel(Component):
        form: Literal["a", "b"] = "a"

        def value(self):
            return SCALE if self.form == "a" else 2 * SCALE

    class Pairing(Machine):
        pair = Output(Pair)
        kernel: Kernel = Kernel()

        def run(self):
            return Model(
                pair=Pair(self.kernel.value(), Kernel("b").value()),
                results={"Digest": self.digest.hex(), "Content": content_digest(Pair(1, 2)).hex()},
            )

    class Adding(Machine):
        pair = Input(Pair)
        total = Output(int)

        def run(self, pair):
            assert isinstance(pair, Pair)
            return Model(total=pair.left + pair.right)

    with Project(workers=Processes(2)) as project:
        pairing = project.run(Pairing(Kernel("b")))
        assert pairing.outputs["pair"] == Pair(20, 20), pairing.outputs["pair"]
        assert pairing.results["Digest"] == Pairing(Kernel("b")).digest.hex()
        assert pairing.results["Content"] == content_digest(Pair(1, 2)).hex()
        print(project.run(Adding(), pair=pairing.pair).outputs["total"])
"""


@pytest.mark.parametrize("how", ["file", "command"])
def test_a_main_program_needs_no_guard(tmp_path: Path, how: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    arguments = [str(script)] if how == "file" else ["-c", script.read_text()]
    finished = subprocess.run(
        [sys.executable, "-W", "error", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (finished.stdout, finished.stderr) == ("40\n", "")


# Errors


def test_an_error_comes_back_with_its_type_and_the_traceback_from_inside(worker: Worker) -> None:
    pid = run(worker, Tell()).outputs["fact"]
    with pytest.raises(KeyError) as caught:
        run(worker, Crash())
    text = "".join(traceback.format_exception(caught.value))
    assert "raise KeyError(self.how)" in text
    assert isinstance(caught.value.__cause__, RemoteTraceback)
    assert run(worker, Tell()).outputs["fact"] == pid


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("unpicklable", "ValueError: with a lock"),
        ("peculiar", "tests.kernel.test_processes.PeculiarError: 1 and 2"),
        ("leave", "SystemExit: 4"),
    ],
)
def test_an_error_that_cannot_travel_is_described(worker: Worker, how: str, message: str) -> None:
    pid = worker.pid
    with pytest.raises(WorkerError) as caught:
        run(worker, Crash(how))
    assert str(caught.value) == message
    assert "in run" in "".join(traceback.format_exception(caught.value))
    assert run(worker, Tell()).outputs["fact"] == pid


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("exit", "Crash: its worker process ended with exit code 3 while it ran"),
        (
            "kill",
            "Crash: its worker process ended with signal 9 (SIGKILL; the system may have run out of memory) while",
        ),
        ("fork and exit", "Crash: its worker process ended with exit code 5 while it ran"),
    ],
)
def test_a_worker_that_dies_is_an_error_and_another_goes_on(how: str, message: str) -> None:
    with resting(Processes(1)) as manager:
        with pytest.raises(WorkerError, match=re.escape(message)):
            manager.execute(call_for(Crash(how)))
        assert manager.execute(call_for(Divide(), left=4, right=2))[0].outputs["quotient"] == 2


def test_a_worker_that_died_between_two_leaves_is_replaced() -> None:
    with resting(Processes(1)) as manager:
        before = manager.execute(call_for(Tell()))[0].outputs["fact"]
        os.kill(before, signal.SIGKILL)
        (worker,) = manager._pool._free
        assert eventually(lambda: not worker.is_usable())
        assert manager.execute(call_for(Tell()))[0].outputs["fact"] != before


@pytest.mark.parametrize(
    ("where", "message"),
    [("outputs", r"Deliver\.parcel cannot be sent"), ("results", "Deliver: one of the results cannot")],
)
def test_what_cannot_travel_back_is_named(where: str, message: str) -> None:
    with resting(Processes(1)) as manager:
        with pytest.raises(TypeError, match=message):
            manager.execute(call_for(Deliver(where)))
        assert manager.execute(call_for(Divide(), left=4, right=2))[0].outputs["quotient"] == 2


def test_an_input_that_cannot_travel_is_named() -> None:
    class Take(Machine):
        parcel = Input(object)
        out = Output(int)

        def run(self, parcel: object) -> Model:
            return Model(out=1)

    with resting(Processes(1)) as manager:
        with pytest.raises(TypeError, match=r"Take\.parcel: the value cannot be sent to another process"):
            manager.execute(call_for(Take(), parcel=threading.Lock()))
        assert manager.execute(call_for(Take(), parcel=1))[0].outputs["out"] == 1


def test_a_machine_that_a_worker_cannot_import_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vanishing.py").write_text(
        "from intemi import Machine, Model, Output\n"
        "class Vanishing(Machine):\n"
        "    out = Output(int)\n"
        "    def run(self):\n"
        "        return Model(out=1)\n"
    )
    with monkeypatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        import vanishing
    with resting(Processes(1)) as manager:
        with pytest.raises(ModuleNotFoundError, match="vanishing") as caught:
            manager.execute(call_for(vanishing.Vanishing()))
        assert "while a worker process loaded the machine" in "".join(traceback.format_exception(caught.value))
        assert manager.execute(call_for(Divide(), left=4, right=2))[0].outputs["quotient"] == 2


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="Processes: memory must be an int of at least 0, got -1"):
        Processes(memory=-1)


# Stopping


def stopped_while(manager: Processes, call: Call, ready: Callable[[], object]) -> float:
    """Run a call on a thread, stop it when it is ready: the seconds until it raised Stopped."""
    raised: list[BaseException] = []

    def target() -> None:
        try:
            manager.execute(call)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    ready()
    began = time.monotonic()
    call.is_stopped = True
    manager.stop(call)
    assert time.monotonic() - began < 0.1  # it does not wait
    thread.join(10)
    assert [type(error) for error in raised] == [Stopped]
    return time.monotonic() - began


@pytest.mark.parametrize("how", ["sleep", "spin", "ignore signals", "with a child", "hold the GIL"])
def test_a_leaf_that_never_returns_is_stopped_with_all_it_has_started(tmp_path: Path, how: str) -> None:
    file = tmp_path / "pids"
    with resting(Processes(1)) as manager:
        assert stopped_while(manager, call_for(Hang(how, str(file))), lambda: pids_from(file)) < 1
        assert all(eventually(lambda pid=pid: is_gone(pid), 1) for pid in pids_from(file))


@pytest.mark.parametrize("delay", [0, 0.005, 0.1])
def test_a_leaf_is_stopped_even_before_its_worker_has_started(delay: float) -> None:
    with resting(Processes(1)) as manager:
        call = call_for(Hang())
        assert (
            stopped_while(
                manager, call, lambda: (eventually(lambda: call in manager._pool._running), time.sleep(delay))
            )
            < 1
        )


def test_a_task_that_nobody_wants_any_more_is_not_run() -> None:
    with resting(Processes(1)) as manager:
        call = call_for(Hang())
        call.is_stopped = True
        with pytest.raises(Stopped):
            manager.execute(call)


def test_the_next_leaf_after_a_stopped_one_gets_a_new_worker(project: Project, tmp_path: Path) -> None:
    files = [tmp_path / "one", tmp_path / "two"]
    hanging = [project.request(Hang(pid_file=str(file))) for file in files]
    stopped = {pid for file in files for pid in pids_from(file)}
    for capsule in hanging:
        capsule.abort()
    assert project.run(Tell()).outputs["fact"] not in stopped
    with pytest.raises(MachineAborted):
        hanging[0].wait()


# Limits


@pytest.fixture
def lone() -> Iterator[Project]:
    with Project(workers=Processes(1)) as project:
        yield project


def test_wall_time_ends_a_leaf(lone: Project, tmp_path: Path) -> None:
    lone.run(Tell())  # the start of a worker process counts, but it is not what is measured
    began = time.monotonic()
    with pytest.raises(LimitExceeded):
        lone.run(Hang("ignore signals"), limits=Limits(wall=0.5))
    assert 0.5 <= time.monotonic() - began < 1.5


def last_usage(worker: Worker, config: Machine, cpu: float = 1e9, size: float = 1e9) -> tuple[float, int]:
    """Run a leaf until it is over a limit: what it used when it was ended."""
    usage = [(0.0, 0)]

    def report(used_cpu: float, used_size: int) -> None:
        usage.append((used_cpu, used_size))
        if used_cpu > cpu or used_size > size:
            worker.kill()

    call = call_for(config, isolated=True)
    call.report_usage = report
    with pytest.raises(Stopped):
        worker.run(call)
    return usage[-1]


@pytest.mark.parametrize("how", ["spin", "through a child"])
def test_the_cpu_time_of_a_leaf_and_its_children_is_watched(mortal: Worker, how: str) -> None:
    assert 0.2 < last_usage(mortal, Hang(how), cpu=0.2)[0] < 0.7


def test_the_memory_of_a_leaf_is_watched(mortal: Worker) -> None:
    assert 300 * MB < last_usage(mortal, Hang("fill the memory"), size=300 * MB)[1] < 1000 * MB


@pytest.mark.parametrize("limits", [Limits(cpu=0.2), Limits(memory=300 * MB)])
def test_a_leaf_over_its_limits_is_ended(lone: Project, limits: Limits) -> None:
    with pytest.raises(LimitExceeded):
        lone.run(Hang("fill the memory"), limits=limits)
    assert lone.run(Count(size=3), limits=limits).outputs["numbers"].tolist() == [0, 1, 2]


class Around(Machine):
    """A composite."""

    nothing = Output(object)
    inner: Machine = Tell()

    async def run(self, job: Job) -> Model:
        inner = await job.request(self.inner)
        return Model(nothing=inner.nothing)


def test_a_limit_above_a_leaf_ends_it_too(lone: Project) -> None:
    with pytest.raises(LimitExceeded):
        lone.run(Around(Hang("spin")), limits=Limits(cpu=0.2))


def test_a_leaf_with_limits_goes_to_the_manager_that_can_enforce_them() -> None:
    with Project(workers=Threads(1)) as project:
        project.subscribe(Processes(1))
        assert project.run(Tell(), limits=Limits(cpu=10)).outputs["fact"] != os.getpid()


class Work(Machine):
    """Takes its time."""

    out = Output(int)
    number: int = 0
    seconds: float = 0.2

    def run(self) -> Model:
        end = time.process_time() + self.seconds
        while time.process_time() < end:
            pass
        return Model(out=self.number)


def test_cpu_time_before_a_leaf_does_not_count(lone: Project) -> None:
    for number in range(4):
        assert lone.run(Work(number), limits=Limits(cpu=0.5)).outputs["out"] == number


def test_the_cpu_time_of_many_short_leaves_adds_up(lone: Project) -> None:
    class Many(Machine):
        out = Output(int)

        async def run(self, job: Job) -> Model:
            for number in range(100):
                last = await job.request(Work(number, seconds=0.005))
            return Model(out=last.out)

    with pytest.raises(LimitExceeded):
        lone.run(Many(), limits=Limits(cpu=0.1))


def test_memory_that_other_leaves_have_left_does_not_count(lone: Project) -> None:
    class Wait(Machine):
        numbers = Output(np.ndarray)

        def run(self) -> Model:
            numbers = np.ones(5 * MB)
            time.sleep(0.1)
            return Model(numbers=numbers)

    for size in range(4 * MB, 4 * MB + 4):  # 4 × 32 MB stay in the worker
        lone.run(Count(size=size))
    assert len(lone.run(Wait(), limits=Limits(memory=130 * MB)).outputs["numbers"]) == 5 * MB


# All together


class Repeat(Machine):
    """Draws again and again, and adds up."""

    total = Output(float)
    random = True

    async def run(self, job: Job) -> Model:
        draws = [job.request(Draw(), branch=(index,)) for index in range(10)]
        total = await job.request(Total(), arrays=[draw.numbers for draw in draws])
        return Model(total=total.total)


def test_processes_give_what_threads_give() -> None:
    totals = []
    for manager in (Threads(1), Processes(1), Processes(3)):
        with Project(workers=manager, seed=3) as project:
            capsule = project.run(Repeat())
            totals.append((capsule.key, capsule.outputs["total"], [child.key for child in capsule.children]))
    assert totals[0] == totals[1] == totals[2]


def test_many_values_and_few_bytes_to_keep_them_give_what_threads_give() -> None:
    with Project(workers=Processes(2, memory=200_000)) as project:
        counts = [project.request(Count(size=size)) for size in range(10_000, 10_030)]
        squares = [project.request(Square(), numbers=count.numbers) for count in counts * 2]
        totals = [project.request(Total(), arrays=[square.squares, squares[0].squares]) for square in squares]
        project.wait(*totals)
        first = (np.arange(10_000.0) ** 2).sum()
        expected = [(np.arange(size + 0.0) ** 2).sum() + first for size in range(10_000, 10_030)]
        assert [total.outputs["total"] for total in totals] == pytest.approx(expected * 2, rel=1e-15)


# The end


PARENT = """
    import sys, time
    sys.path.insert(0, {root!r})
    from intemi.kernel import Project
    from intemi.kernel.workers.processes import Processes
    from tests.kernel.test_processes import Hang, Tell

    project = Project(workers=Processes(3))
    for how in ("sleep", "hold the GIL", "with a child"):
        project.request(Hang(how, {folder!r} + "/" + how))
    time.sleep(60)
"""


def test_workers_end_with_a_project_that_is_killed_whatever_they_are_doing(tmp_path: Path) -> None:
    program = textwrap.dedent(PARENT).format(root=str(ROOT), folder=str(tmp_path))
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path)
    pids = [pid for how in ("sleep", "hold the GIL", "with a child") for pid in pids_from(tmp_path / how)]
    assert len(pids) == 4
    assert not any(map(is_gone, pids))
    parent.kill()
    assert all(eventually(lambda pid=pid: is_gone(pid), 2) for pid in pids)
    parent.wait()


def test_idle_workers_end_with_a_project_that_is_killed(tmp_path: Path) -> None:
    program = (
        textwrap.dedent(PARENT).split("for how in")[0]
        + 'print(project.run(Tell()).outputs["fact"], flush=True); time.sleep(60)'
    )
    with subprocess.Popen(
        [sys.executable, "-c", program.format(root=str(ROOT))], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
        assert eventually(lambda: is_gone(pid), 2)


def test_a_closed_manager_leaves_nothing_behind() -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0

    before, children = open_files(), psutil.Process().children()
    for _ in range(2):
        with Project(workers=Processes(2)) as project:
            pids = [project.run(Tell()).outputs["fact"]]
            project.request(Hang())
            with pytest.raises(MachineFailed):
                project.run(Crash("exit"))
        assert all(map(is_gone, pids))
    assert psutil.Process().children() == children
    assert open_files() == before
