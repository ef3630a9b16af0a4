"""Promise 3: killed at any moment and started again, or run by two processes at once, a program comes to the same end.

A run is a process of its own that requests everything and writes a line for whatever happens, at once: `S` when a
machine starts, `R` when a leaf really runs, `F` when a machine is reported finished. It ends when everything is done,
or by SIGKILL: from outside at a random moment, or by its own hand after a number of finished machines, so that there is
enough left to do for all that follow.
"""

import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from intemi.kernel import (
    Capsule,
    Event,
    EventKind,
    Input,
    Job,
    Machine,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
    content_digest,
    parameter,
)
from intemi.kernel.disk import DiskStore
from intemi.kernel.record import Record, flat
from intemi.machines import Scheme
from tests.machines import Chain, Draw, Fan, Shake, Split, cross_validation
from tests.profiles import by_profile

KILLS = by_profile(quick=6, full=25)
LIFE = 10
"""How many machines a run that is to be killed may finish at most."""
ENDLESS = 1_000_000
PATIENCE = 120

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload([__name__, "intemi.kernel.disk"])


class Slow(Machine):
    """A number, a few milliseconds later."""

    version = 1
    number = Input(int)
    result = Output(int)
    seconds: float = 0.003

    def run(self, number: int) -> Model:
        trace("R", self.digest)
        time.sleep(self.seconds)
        return Model(result=number + 1, results={"Number": number})


class Noise(Machine):
    """Arrays that are too large for a record, some of them for a database."""

    version = 1
    number = Input(int)
    arrays = MultiOutput(np.ndarray)
    sizes: tuple[int, ...] = parameter(default=(20_000, 1_000), kw_only=True)

    def run(self, number: int, rng: np.random.Generator) -> Model:
        trace("R", self.digest)
        return Model(arrays=[number + rng.random(size) for size in self.sizes])


class Overlay(Machine):
    """The sum of arrays, as far as the shortest goes."""

    version = 1
    arrays = MultiInput(np.ndarray)
    total = Output(np.ndarray)
    mean = Output(float)

    def run(self, arrays: tuple[np.ndarray, ...]) -> Model:
        trace("R", self.digest)
        shortest = min(map(len, arrays))
        total = np.sum([array[:shortest] for array in arrays], axis=0)
        return Model(total=total, mean=float(total.mean()), results={"Mean": float(total.mean())})


class Study(Machine):
    """Random numbers, large arrays, chains and fans of machines, one layer on another."""

    version = 1
    random = True
    number = Input(int)
    total = Output(np.ndarray)
    parts = MultiOutput(int)
    width: int = 4

    async def run(self, job: Job, number: Any) -> Model:
        draws = [job.request(Draw(), branch=(index,), comments={"Index": index}) for index in range(self.width)]
        shaken = [job.request(Shake(), number=draw.result) for draw in draws]
        slow = [job.request(Slow(), number=each.result) for each in shaken]
        await job.any(*slow)
        noise = [job.request(Noise(), branch=(7, index), number=each.result) for index, each in enumerate(slow)]
        await job.all(*noise)
        overlay = job.request(Overlay(), arrays=[each.arrays for each in noise])
        chain = job.request(Chain(3), number=number)
        fan = job.request(Fan(3), number=chain.result)
        await fan
        split = job.request(Split(4), number=fan.results_of[2])
        await split
        return Model(total=overlay.total, parts=split.parts, results={"Width": self.width})


class Studies(Machine):
    """Studies within studies."""

    version = 1
    random = True
    number = Input(int)
    total = Output(np.ndarray)
    count: int = 3

    async def run(self, job: Job, number: Any) -> Model:
        studies = []
        for index in range(self.count):
            step = job.request(Slow(0.002 * (index + 1)), number=number)
            studies.append(job.request(Study(), branch=(index,), number=step.result, name=f"study {index}"))
            number = step.result
        await job.all(*studies)
        whole = job.request(Overlay(), arrays=[study.total for study in studies])
        return Model(total=whole.total)


def drawing() -> Scheme:
    """The same random choice on the way to two different machines, and what two ways have in common."""
    scheme = Scheme(number=int)
    shake = scheme.add(Shake(), number=scheme.number)
    first = scheme.add(Slow(), number=shake.result, name="first")
    second = scheme.add(Slow(0.004), number=shake.result, name="second")
    noise = scheme.add(Noise(sizes=(300,)), number=first.result, name="noise")
    same = scheme.add(Noise(sizes=(300,)), number=second.result, name="the same")
    overlay = scheme.add(Overlay(), arrays=[noise.arrays, same.arrays])
    scheme.expose(mean=overlay.mean)
    return scheme


def everything(project: Project, backwards: bool = False) -> list[Capsule]:
    """What every run requests; backwards, it asks for the last things first."""
    requests: list[tuple[str, Machine, dict[str, int]]] = [
        ("cv", cross_validation(repetitions=3, folds=6), {"data": 3}),
        *((f"studies {number}", Studies(), {"number": number}) for number in range(3)),
        *((f"drawing {number}", drawing(), {"number": number}) for number in range(25)),
        ("fan", Fan(12), {"number": 3}),
    ]
    capsules = [
        project.request(config, name=name, **{port: project.given(value) for port, value in given.items()})
        for name, config, given in (reversed(requests) if backwards else requests)
    ]
    return capsules[::-1] if backwards else capsules


# Inside a run

_log = -1
_run = 0
_life = ENDLESS


def trace(kind: str, machine: bytes) -> None:
    """Write a line, at once and as a whole; in a process that is not a run, nothing."""
    if _log >= 0:
        os.write(_log, f"{kind} {machine.hex()} {_run}\n".encode())


def report(event: Event) -> None:
    """Write what happens into the log, and die when the life is over."""
    global _life
    if event.kind is EventKind.STARTED:
        trace("S", event.machine)
    elif event.kind is EventKind.FINISHED:
        trace("F", event.machine)
        _life -= 1
        if not _life:
            os.kill(os.getpid(), signal.SIGKILL)


def work(folder: str, log: str, number: int, life: int, backwards: bool, companions: int) -> None:
    """A run from beginning to end, once a number of runs are ready to begin."""
    global _log, _run, _life
    _log, _run, _life = os.open(log, os.O_WRONLY | os.O_APPEND), number, life
    with Project(folder, workers=2) as project:
        project.listen(report)
        trace("O", bytes(16))
        while Path(log).read_text().count("O") < companions:
            time.sleep(0.001)
        project.wait(*everything(project, backwards))


# Outside of it


class Line(NamedTuple):
    """A line of the log."""

    kind: str
    machine: str
    run: int


class Runs:
    """Runs on one folder, and what they have reported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder.with_name(f"{folder.name}.log")
        self.path.touch()
        self.count = 0
        self.killed: set[int] = set()

    def start(self, life: int = ENDLESS, backwards: bool = False, companions: int = 1) -> "Run":
        self.count += 1
        return Run(self, self.count, life, backwards, companions)

    def lines(self) -> list[Line]:
        written = self.path.read_text().splitlines()
        return [Line(kind, machine, int(run)) for kind, machine, run in map(str.split, written)]


class Run:
    """One run, seen from outside."""

    def __init__(self, runs: Runs, number: int, *options: Any) -> None:
        self._runs = runs
        self._number = number
        arguments = (str(runs.folder), str(runs.path), number, *options)
        self._process = processes.Process(target=work, args=arguments, daemon=True)
        self._process.start()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def kill_after(self, lines: int, seconds: float) -> None:
        """Let it write that much, and live that much longer."""
        until = time.monotonic() + PATIENCE
        while self.is_alive and self._runs.path.read_bytes().count(b" %d\n" % self._number) < lines:
            assert time.monotonic() < until, "nothing happens any more"
            time.sleep(0.001)
        time.sleep(seconds)
        self._process.kill()

    def end(self) -> bool:
        """Wait for its end; whether it was a violent one."""
        self._process.join(PATIENCE)
        assert not self._process.is_alive(), "it hangs"
        assert self._process.exitcode in (0, -signal.SIGKILL)
        if self._process.exitcode:
            self._runs.killed.add(self._number)
        return bool(self._process.exitcode)


def undisturbed(folder: Path) -> "Portrait":
    runs = Runs(folder)
    assert not runs.start().end()
    return portrait(runs)


Portrait = dict[str, Any]


def portrait(runs: Runs) -> Portrait:
    """Everything that can be had from a folder, without anything being run."""
    before = runs.path.stat().st_size
    with Project(runs.folder, workers=1) as project:
        capsules = everything(project)
        project.wait(*capsules)
        trees = [tree(capsule) for capsule in capsules]
        assert not project.counts().physical, "everything was finished, but something ran again"
    assert runs.path.stat().st_size == before
    return {"trees": trees, "keys": [capsule.key for capsule in capsules], "records": in_store(runs.folder)}


def tree(capsule: Capsule) -> tuple[Any, ...]:
    outputs = {name: content_digest(value) for name, value in capsule.outputs.items()}
    return capsule.name, capsule.results, outputs, capsule.comments, [tree(child) for child in capsule.children]


def in_store(folder: Path) -> dict[bytes, tuple[Any, ...]]:
    """All records but for times and the origins of inputs: of equal contents, another one may have come first."""
    with closing(sqlite3.connect(folder / "machines.sqlite")) as database:
        machines = sorted(row[0] for row in database.execute("SELECT id FROM machines"))
    store = DiskStore(folder)
    records = {}
    for machine in machines:
        record = store.claim(machine)
        assert isinstance(record, Record), "a claim was left behind"
        contents = {name: [item.content for item in flat(items)] for name, items in record.outputs.items()}
        records[machine] = (record.config, record.seed, list(record.inputs), contents, record.results, record.census)
    store.close()
    return records


def check_log(runs: Runs) -> None:
    """What was reported finished was never started again, and what was started twice was interrupted by a kill."""
    started: dict[str, list[int]] = {}
    finished: set[str] = set()
    for line in runs.lines():
        if line.kind == "S":
            assert line.machine not in finished, f"{line.machine} was finished, but run {line.run} started it again"
            owners = started.setdefault(line.machine, [])
            assert set(owners) <= runs.killed - {line.run}, f"{line.machine} was started by {[*owners, line.run]}"
            owners.append(line.run)
        elif line.kind == "F":
            assert line.machine not in finished, f"{line.machine} was reported finished twice"
            assert started[line.machine][-1] == line.run, f"{line.machine} was reported by a run that did not start it"
            finished.add(line.machine)
    unreported = {machine for machine in started if machine not in finished}
    assert all(started[machine][-1] in runs.killed for machine in unreported)
    # Leaves run only when they are started: nothing that was finished had to be made again. (A run that was killed may
    # have died between the start of a leaf and the delivery of the event.)
    kinds = Counter((line.kind, line.run) for line in runs.lines())
    assert all(kinds["R", run] <= kinds["S", run] for run in range(runs.count + 1) if run not in runs.killed)


def moments(seed: int) -> Iterator[tuple[int, float]]:
    """When to kill: after how many lines of log, and how much later; now and then while it opens the folder."""
    generator = random.Random(seed)
    while True:
        if generator.random() < 0.2:
            yield 0, generator.random() * 0.06
        else:
            yield generator.randrange(2, 30), generator.random() * 0.006


def test_a_run_that_is_killed_again_and_again_comes_to_the_same_end(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    runs = Runs(tmp_path / "killed")
    for _, moment in zip(range(KILLS), moments(seed=1), strict=False):
        run = runs.start(life=LIFE)
        run.kill_after(*moment)
        assert run.end(), "it was done before it could be killed"
    assert not runs.start().end()
    check_log(runs)
    assert portrait(runs) == expected


def test_two_processes_on_one_folder_share_the_work(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    runs = Runs(tmp_path / "shared")
    both = [runs.start(companions=2), runs.start(companions=2, backwards=True)]
    assert not any(run.end() for run in both)
    check_log(runs)
    assert {line.run for line in runs.lines() if line.kind == "F"} == {1, 2}, "one of them did everything"
    assert portrait(runs) == expected


def test_a_process_goes_on_for_another_that_is_killed_beside_it(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path / "undisturbed")
    runs = Runs(tmp_path / "shared")
    survivor = runs.start(companions=2, backwards=True)
    victim = runs.start(companions=2, life=LIFE)
    victim.kill_after(lines=8, seconds=0.0)  # in the middle of the first thing that was asked for
    assert victim.end()
    for _, moment in zip(range(by_profile(quick=3, full=8)), moments(seed=2), strict=False):
        victim = runs.start(life=LIFE)
        victim.kill_after(*moment)
        victim.end()
    assert not survivor.end()
    check_log(runs)
    starts = Counter(line.machine for line in runs.lines() if line.kind == "S")
    assert max(starts.values()) > 1, "nobody had to go on for another"
    assert portrait(runs) == expected
