from __future__ import annotations

import shutil
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi.kernel import (
    Input,
    IntemiError,
    Job,
    Machine,
    MachineFailed,
    Model,
    MultiInput,
    MultiOutput,
    Output,
    Project,
)
from intemi.kernel.explain import Verdict

SIZE = 1000
IN_FILE = 10 * SIZE
"""Entries of an array that is so large that a store gives it a file of its own."""
_runs: Counter[str] = Counter()


@pytest.fixture(autouse=True)
def runs() -> Counter[str]:
    """How often each kind of machine has really run."""
    _runs.clear()
    return _runs


class Constant(Machine):
    """An array of one number."""

    version = 1
    result = Output(np.ndarray)
    value: float = 1.0
    size: int = SIZE

    def run(self) -> Model:
        _runs[f"{self.value:g}"] += 1
        return Model(result=np.full(self.size, self.value))


class Noise(Machine):
    """A random array."""

    version = 1
    result = Output(np.ndarray)

    def run(self, rng: np.random.Generator) -> Model:
        _runs["Noise"] += 1
        return Model(result=rng.random(SIZE))


class Plus(Machine):
    """The sum of two arrays."""

    version = 1
    left = Input(np.ndarray)
    right = Input(np.ndarray)
    result = Output(np.ndarray)

    def run(self, left: np.ndarray, right: np.ndarray) -> Model:
        _runs["Plus"] += 1
        return Model(result=left + right)


class Parts(Machine):
    """Several arrays."""

    version = 1
    parts = MultiOutput(np.ndarray)
    count: int = 4
    size: int = SIZE

    def run(self) -> Model:
        _runs["Parts"] += 1
        return Model(parts=[np.full(self.size, float(index)) for index in range(self.count)])


class Total(Machine):
    """The sum of arrays."""

    version = 1
    arrays = MultiInput(np.ndarray)
    result = Output(np.ndarray)

    def run(self, arrays: tuple[np.ndarray, ...]) -> Model:
        _runs["Total"] += 1
        return Model(result=np.sum(arrays, axis=0))


class First(Machine):
    """The first entry of an array."""

    version = 1
    array = Input(np.ndarray)
    again: int = 0

    def run(self, array: np.ndarray) -> Model:
        return Model(results={"First": float(array[0])})


class Moody(Machine):
    """Not a function of its inputs, in one way or another."""

    version = 1
    result = MultiOutput(np.ndarray)
    how: str = "value"
    size: int = SIZE

    def run(self) -> Model:
        before = _runs["Moody"]
        _runs["Moody"] += 1
        if before and self.how == "fails":
            raise ValueError("not today")
        length = 1 + before if self.how == "length" else 1
        return Model(result=[np.full(self.size, float(before if self.how == "value" else 0)) for _ in range(length)])


class Opaque:
    """A value that has no encoding."""

    def __init__(self, content: float) -> None:
        self.content = content
        self.weight = np.zeros(SIZE)


class Wrap(Machine):
    """Something that no store can keep."""

    version = 1
    result = Output(Opaque)
    content: float = 1.0

    def run(self) -> Model:
        _runs["Wrap"] += 1
        return Model(result=Opaque(self.content), results={"Content": self.content})


class Unwrap(Machine):
    """What is in there."""

    version = 1
    opaque = Input(Opaque)
    result = Output(float)
    factor: float = 1.0

    def run(self, opaque: Opaque) -> Model:
        _runs["Unwrap"] += 1
        return Model(result=self.factor * opaque.content)


class Both(Machine):
    """A composite around what cannot be kept."""

    version = 1
    opaque = Output(Opaque)
    value = Output(float)

    async def run(self, job: Job) -> Model:
        wrap = job.request(Wrap(5.0))
        unwrap = job.request(Unwrap(), opaque=wrap.result)
        await unwrap
        return Model(opaque=wrap.result, value=unwrap.result)


@pytest.fixture
def forgetful() -> Iterator[Project]:
    """A project that can hardly keep more than one array in memory, and has no folder."""
    with Project(workers=1, memory=1) as project:
        yield project


def crowd_out(project: Project) -> None:
    """Fill the memory with something else."""
    project.run(Constant(-1.0))


def lose_contents(folder: Path) -> None:
    """Take away the contents of a store, and leave it the records."""
    with closing(sqlite3.connect(folder / "machines.sqlite")) as database, database:
        in_table = database.execute("DELETE FROM contents").rowcount
    in_files = (folder / "contents").exists()
    if in_files:
        shutil.rmtree(folder / "contents")
    assert bool(in_table) != in_files


def first(project: Project, source: Any, again: int = 0) -> float:
    results: dict[str, float] = project.run(First(again), array=source).results
    return results["First"]


# What was dropped


def test_a_value_that_was_dropped_is_made_again(forgetful: Project, runs: Counter[str]) -> None:
    capsule = forgetful.run(Constant(3.0))
    crowd_out(forgetful)
    assert capsule.outputs["result"][0] == 3.0
    assert runs["3"] == 2
    crowd_out(forgetful)
    assert first(forgetful, capsule.result) == 3.0


def test_a_random_value_is_made_again_with_the_same_seed(forgetful: Project, runs: Counter[str]) -> None:
    capsule = forgetful.run(Noise())
    before = capsule.outputs["result"]
    crowd_out(forgetful)
    assert np.array_equal(capsule.outputs["result"], before)
    assert runs["Noise"] == 2


def test_what_a_value_was_made_of_is_made_again_too(forgetful: Project, runs: Counter[str]) -> None:
    sums = [forgetful.request(Constant(1.0)), forgetful.request(Constant(2.0))]
    for _ in range(10):
        sums.append(forgetful.request(Plus(), left=sums[-2].result, right=sums[-1].result))
    forgetful.wait(*sums)
    crowd_out(forgetful)
    assert [float(capsule.outputs["result"][0]) for capsule in sums] == [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233]


def test_each_is_made_again_once_even_if_it_is_needed_in_many_places(forgetful: Project, runs: Counter[str]) -> None:
    rungs = [forgetful.request(Constant(1.0))]
    for _ in range(40):
        rungs.append(forgetful.request(Plus(), left=rungs[-1].result, right=rungs[-1].result))
        rungs.append(forgetful.request(Plus(), left=rungs[-1].result, right=rungs[-2].result))
    forgetful.wait(*rungs)
    crowd_out(forgetful)
    runs.clear()
    assert rungs[-1].outputs["result"][0] == 3.0**40
    assert runs["Plus"] <= len(rungs)
    assert runs["1"] <= 1


def test_every_item_of_a_collection_is_there(forgetful: Project, runs: Counter[str]) -> None:
    parts = forgetful.run(Parts(6))
    assert [float(part[0]) for part in parts.outputs["parts"]] == [0, 1, 2, 3, 4, 5]
    assert float(forgetful.run(Total(), arrays=parts.parts).outputs["result"][0]) == 15
    assert [first(forgetful, parts.parts[index]) for index in (5, 0, 3)] == [5, 0, 3]


def test_the_output_of_a_composite_is_made_again_by_the_leaf_it_came_from(forgetful: Project) -> None:
    class Around(Machine):
        """Exhibits what a child has made."""

        result = Output(np.ndarray)

        async def run(self, job: Job) -> Model:
            inner = job.request(Constant(9.0))
            await inner
            return Model(result=inner.result)

    capsule = forgetful.run(Around())
    crowd_out(forgetful)
    assert capsule.outputs["result"][0] == 9.0


def test_memory_is_bounded_while_a_project_runs() -> None:
    with Project(workers=2, memory=20 * 8 * SIZE) as project:
        constants = [project.request(Constant(float(value))) for value in range(100)]
        total = project.run(Total(), arrays=[each.result for each in constants])
        assert total.outputs["result"][0] == 4950
        assert project._engine.memory.size <= 20 * 8 * SIZE
        assert [float(each.outputs["result"][0]) for each in constants] == list(range(100))


@pytest.mark.parametrize("size", [SIZE, IN_FILE])
def test_with_a_folder_a_dropped_value_is_read_and_not_made(tmp_path: Path, runs: Counter[str], size: int) -> None:
    with Project(tmp_path, workers=1, memory=1) as project:
        capsule = project.run(Parts(size=size))
        crowd_out(project)
        assert [float(part[0]) for part in capsule.outputs["parts"]] == [0, 1, 2, 3]
        assert first(project, capsule.parts[1]) == 1
    assert runs["Parts"] == 1


def test_many_who_need_a_lost_value_at_once_have_it_made_once(runs: Counter[str]) -> None:
    with Project(workers=8, memory=10**6) as project:
        capsule = project.run(Plus(), left=project.run(Constant(1.0)).result, right=project.run(Constant(2.0)).result)
        project._engine.memory._values.clear()
        project._engine.memory.size = 0
        runs.clear()
        found: list[float] = []
        threads = [threading.Thread(target=lambda: found.append(float(capsule.outputs["result"][0]))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert found == [3.0] * 8
        assert runs == {"Plus": 1, "1": 1, "2": 1}


def test_what_is_going_to_be_used_goes_last(runs: Counter[str]) -> None:
    with Project(workers=1, memory=3 * (8 * SIZE + 100)) as project:
        wanted = project.run(Constant(1.0))
        requests = [project.request(First(again), array=wanted.result, priority=-1) for again in range(3)]
        others = [project.request(Constant(value)) for value in np.arange(10.0, 20.0).tolist()]
        project.wait(*requests, *others)
        assert runs["1"] == 1


# What cannot be made again


def test_a_given_value_is_not_dropped(forgetful: Project) -> None:
    given = forgetful.given(np.full(SIZE, 4.0))
    crowd_out(forgetful)
    assert first(forgetful, given) == 4.0


@pytest.mark.parametrize("size", [10, SIZE])
@pytest.mark.parametrize("durable", [False, True])
def test_a_given_value_is_what_it_was_when_it_was_given(tmp_path: Path, size: int, durable: bool) -> None:
    with Project(tmp_path if durable else None, workers=1) as project:
        array, numbers = np.zeros(size), [0.0] * size
        sources = project.given(array), project.given(numbers)
        array[0] = numbers[0] = 99.0
        assert first(project, sources[0]) == 0.0
        assert project._engine.values.load_source(sources[1])[0] == 0.0
        assert first(project, project.given(array)) == 99.0
        assert array.flags.writeable, "it is still the giver's own"


@pytest.mark.parametrize("how", ["value", "length"])
def test_a_machine_that_is_not_deterministic_is_found_out(forgetful: Project, how: str) -> None:
    moody = forgetful.request(Moody(how))
    bound = forgetful.request(Total(), arrays=moody.result)
    bound.wait()
    for again in range(3):  # and it stays so: the other value is never taken for the first
        crowd_out(forgetful)
        with pytest.raises(MachineFailed, match="Moody is not deterministic: its output result was lost"):
            forgetful.run(First(again), array=moody.result[0])


@pytest.mark.parametrize("size", [SIZE, IN_FILE])
def test_what_a_store_has_lost_is_not_replaced_by_something_else(tmp_path: Path, size: int) -> None:
    with Project(tmp_path, workers=1) as project:
        assert project.run(Moody(size=size)).outputs["result"][0][0] == 0.0
    lose_contents(tmp_path)
    for _ in range(2):
        with Project(tmp_path, workers=1) as project:
            moody = project.run(Moody(size=size))
            for _ in range(2):
                with pytest.raises(MachineFailed, match="not deterministic"):
                    assert moody.outputs["result"][0][0] == 0.0


@pytest.mark.parametrize("digested", [True, False])
def test_a_machine_that_fails_when_it_is_run_again_is_the_cause(forgetful: Project, digested: bool) -> None:
    moody = forgetful.run(Moody("fails"))
    if digested:
        forgetful.run(Total(), arrays=moody.result)
    crowd_out(forgetful)
    lost = forgetful.request(First(), array=moody.result[0])
    with pytest.raises(MachineFailed, match="First failed: ValueError: not today"):
        lost.wait()
    assert forgetful.run(Constant(2.0)).done, "no worker is lost"


@pytest.mark.parametrize("size", [SIZE, IN_FILE])
def test_a_value_whose_record_is_gone_as_well_is_an_error_that_says_so(tmp_path: Path, size: int) -> None:
    with Project(tmp_path, workers=1) as project:
        left, right = project.run(Constant(1.0, size)), project.run(Constant(2.0, size))
        plus = project.run(Plus(), left=left.result, right=right.result).context.record
        project._engine.store.forget(right.context.record.machine)
    lose_contents(tmp_path)
    with Project(tmp_path, workers=1) as project:
        message = "gone from the store, and so is the record of how to make it"
        with pytest.raises(IntemiError, match=message):
            project._engine.values.load(plus.outputs["result"])


# What cannot be stored


def test_an_output_without_an_encoding_stays_in_memory_and_the_next_process_makes_its_own(
    tmp_path: Path, runs: Counter[str]
) -> None:
    for session in (1, 2):
        with Project(tmp_path, workers=1) as project:
            wrap = project.run(Wrap(2.0))
            assert wrap.outputs["result"].content == 2.0
            assert wrap.results == {"Content": 2.0}
            assert project.run(Wrap(2.0)).outputs["result"] is wrap.outputs["result"]
            assert runs["Wrap"] == session


def test_what_depends_on_it_can_be_stored_and_is_found_again(tmp_path: Path, runs: Counter[str]) -> None:
    with Project(tmp_path, workers=1) as project:
        assert project.run(Unwrap(), opaque=project.request(Wrap(2.0)).result).outputs["result"] == 2.0
    runs.clear()
    with Project(tmp_path, workers=1) as project:
        wrap = project.request(Wrap(2.0))
        assert project.run(Unwrap(), opaque=wrap.result).outputs["result"] == 2.0
        assert not runs["Unwrap"]
        assert project.run(Unwrap(3.0), opaque=wrap.result).outputs["result"] == 6.0


def test_a_composite_that_exhibits_it_is_made_again_by_the_next_process(tmp_path: Path, runs: Counter[str]) -> None:
    for session in (1, 2):
        with Project(tmp_path, workers=1) as project:
            both = project.run(Both())
            assert both.outputs["opaque"].content == both.outputs["value"] == 5.0
            assert [child.name for child in both.children] == ["Wrap", "Unwrap"]
            assert runs == {"Wrap": session, "Unwrap": 1}


def test_a_composite_with_such_a_child_is_found_again_and_so_is_the_child(tmp_path: Path, runs: Counter[str]) -> None:
    class Inside(Machine):
        """Keeps what cannot be kept to itself."""

        async def run(self, job: Job) -> Model:
            wrap = job.request(Wrap(5.0))
            await wrap
            return Model(results=wrap.results)

    for _ in range(2):
        with Project(tmp_path, workers=1) as project:
            assert project.run(Inside()).results == {"Content": 5.0}
    assert runs["Wrap"] == 1
    with Project(tmp_path, workers=1) as project:
        inside = project.run(Inside())
        (wrap,) = inside.children
        assert wrap.results == {"Content": 5.0}
        assert runs["Wrap"] == 1
        assert wrap.outputs["result"].content == 5.0
        assert runs["Wrap"] == 2


def test_an_output_without_an_encoding_can_be_dropped_and_made_again(tmp_path: Path, runs: Counter[str]) -> None:
    for folder in (None, tmp_path):
        runs.clear()
        with Project(folder, workers=1, memory=1) as project:
            wrap = project.run(Wrap(2.0))
            crowd_out(project)
            assert project.run(Unwrap(), opaque=wrap.result).outputs["result"] == 2.0
            assert runs["Wrap"] == 2
            crowd_out(project)
            assert project.run(Unwrap(4.0), opaque=wrap.result).outputs["result"] == 8.0
    with Project(tmp_path, workers=1) as project:
        assert project.explain(Wrap(2.0)).verdict is Verdict.REUSE


@pytest.mark.parametrize("size", [SIZE, IN_FILE])
def test_outputs_are_shared_so_nobody_may_write_into_them(tmp_path: Path, size: int) -> None:
    for _ in range(2):
        with Project(tmp_path, workers=1) as project:
            array = project.run(Constant(2.0, size)).outputs["result"]
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0


# A store that is trusted


class Sly:
    """Says so when it is unpickled, and refuses if it was told to."""

    unpickled = 0

    def __init__(self, willing: bool) -> None:
        self.willing = willing

    def __reduce__(self) -> tuple[Any, ...]:
        return _awaken, (self.willing,)


def _awaken(willing: bool) -> Sly:
    Sly.unpickled += 1
    if not willing:
        raise ValueError("no")
    return Sly(willing)


class Hide(Machine):
    """Makes something that can only be pickled, if at all."""

    version = 1
    result = Output(object)
    how: str = "willing"

    def run(self) -> Model:
        _runs["Hide"] += 1
        return Model(result=threading.Lock() if self.how == "lock" else Sly(self.how == "willing"))


class Seek(Machine):
    """Says what has been found."""

    version = 1
    hidden = Input(object)
    again: int = 0

    def run(self, hidden: object) -> Model:
        return Model(results={"Found": type(hidden).__name__})


def seek(folder: Path, how: str, again: int, trusted: bool) -> str:
    with Project(folder, workers=1, trusted=trusted) as project:
        found: str = project.run(Seek(again), hidden=project.request(Hide(how)).result).results["Found"]
        return found


def test_a_store_that_is_trusted_keeps_what_has_no_encoding_as_a_pickle(tmp_path: Path, runs: Counter[str]) -> None:
    before = Sly.unpickled
    assert [seek(tmp_path, "willing", again, trusted=True) for again in range(3)] == ["Sly"] * 3
    assert runs["Hide"] == 1
    assert Sly.unpickled == before + 2


def test_a_pickle_is_not_unpickled_by_who_does_not_trust_the_store(tmp_path: Path, runs: Counter[str]) -> None:
    assert seek(tmp_path, "willing", 0, trusted=True) == "Sly"
    before = Sly.unpickled
    assert [seek(tmp_path, "willing", again, trusted=False) for again in (1, 2)] == ["Sly"] * 2
    assert Sly.unpickled == before
    assert runs["Hide"] == 3, "each of them had to make it"


@pytest.mark.parametrize("how", ["lock", "unwilling"])
def test_what_cannot_be_pickled_or_unpickled_is_made_again(tmp_path: Path, runs: Counter[str], how: str) -> None:
    assert len({seek(tmp_path, how, again, trusted=True) for again in range(2)}) == 1
    assert runs["Hide"] == 2
