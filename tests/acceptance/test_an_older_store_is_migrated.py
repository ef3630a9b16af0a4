"""A folder that an older intemi has left goes on: it is migrated when it is opened, and nothing of it runs again.

`tests/fixtures/store-v1` was made at commit 23e90b7, the last one that wrote version 1, with this file copied into its
tests: `python -c "from tests.acceptance.test_an_older_store_is_migrated import make; make('store-v1')"`.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from intemi.kernel import (
    Capsule,
    Failures,
    Input,
    Machine,
    MachineFailed,
    Model,
    MultiOutput,
    Output,
    Project,
    StoreWarning,
)
from intemi.kernel.disk.upkeep import verify

FIXTURES = Path(__file__).parents[1] / "fixtures"
IN_RECORD, IN_ROW, IN_FILE = 100, 1_000, 5_000
"""Sizes of arrays that version 1 kept in a record, in a row of diskcache's database and in a file of their own."""

_ran: list[str] = []
"""What has run in this process, be it for a request or to bring back a value that the store had lost."""


# The machines have versions: their source may change, what they are may not.


class Ramp(Machine):
    """An array: 0, 1, 2, ..."""

    version = 1
    result = Output(np.ndarray)
    size: int = IN_ROW

    def run(self) -> Model:
        _ran.append("Ramp")
        return Model(result=np.arange(float(self.size)))


class Reverse(Machine):
    """An array from its end to its beginning."""

    version = 1
    array = Input(np.ndarray)
    result = Output(np.ndarray)

    def run(self, array: np.ndarray) -> Model:
        _ran.append("Reverse")
        return Model(result=array[::-1])


class Mean(Machine):
    """The mean of an array."""

    version = 1
    array = Input(np.ndarray)

    def run(self, array: np.ndarray) -> Model:
        _ran.append("Mean")
        return Model(results={"Mean": float(array.mean())})


class Largest(Machine):
    """The largest entry of an array."""

    version = 1
    array = Input(np.ndarray)

    def run(self, array: np.ndarray) -> Model:
        _ran.append("Largest")
        return Model(results={"Largest": float(array.max())})


class Refuse(Machine):
    """Never finishes."""

    version = 1

    def run(self) -> Model:
        _ran.append("Refuse")
        raise ValueError("not in version 1 either")


class Means(Machine):
    """The means of arrays of some sizes, with a comment on each."""

    version = 1
    arrays = MultiOutput(np.ndarray)
    sizes: tuple[int, ...] = (IN_RECORD, IN_ROW, IN_FILE)

    async def run(self, job: Any) -> Model:
        _ran.append("Means")
        ramps, means = [], []
        for index, size in enumerate(self.sizes):
            ramp = job.request(Ramp(size), name=f"ramp {size}")
            comments = {"Size": size, "Where": ("record", "row", "file")[index], "Weights": np.array([index, 0.5])}
            means.append(job.request(Mean(), array=ramp.result, name=f"mean {size}", comments=comments))
            ramps.append(ramp.result)
        await job.all(*means)
        return Model(arrays=ramps, results={"Means": [mean.results["Mean"] for mean in means]})


class Session:
    """A project in a folder: the machines that every session asks for."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.means = project.request(Means(), name="means")
        self.ramp = project.request(Ramp(), name="ramp")
        self.reversed = project.request(Reverse(), array=self.ramp.result, name="reversed")
        self.again = project.request(Reverse(), array=self.reversed.result, name="again")
        self.mean = project.request(Mean(), array=self.again.result, name="mean")
        self.given = project.request(Mean(), array=project.given(np.ones(IN_ROW)), name="given")
        self.refused = project.request(Refuse(), name="refused")

    def check(self) -> None:
        """Everything is as it must be."""
        sizes = (IN_RECORD, IN_ROW, IN_FILE)
        assert self.means.wait(60).results == {"Means": [(size - 1) / 2 for size in sizes]}
        for size, array in zip(sizes, self.means.outputs["arrays"], strict=True):
            assert np.array_equal(array, np.arange(size))
        assert np.array_equal(self.reversed.wait(60).outputs["result"], np.arange(IN_ROW)[::-1])
        assert np.array_equal(self.again.wait(60).outputs["result"], np.arange(IN_ROW))
        assert self.mean.wait(60).results == {"Mean": (IN_ROW - 1) / 2}
        assert self.given.wait(60).results == {"Mean": 1.0}
        with pytest.raises(MachineFailed, match="refused failed: ValueError: not in version 1 either") as failure:
            self.refused.wait(60)
        assert "raise ValueError" in failure.value.traceback
        assert [child.name for child in self.means.children] == [
            f"{kind} {size}" for size in sizes for kind in ("ramp", "mean")
        ]
        for index, (size, where) in enumerate(zip(sizes, ("record", "row", "file"), strict=True)):
            self.check_children(size, where, index)

    def check_children(self, size: int, where: str, index: int) -> None:
        ramp, mean = self.means.child(f"ramp {size}"), self.means.child(f"mean {size}")
        assert ramp.comments == {}
        assert np.array_equal(ramp.outputs["result"], np.arange(size))
        weights = mean.comments["Weights"]
        assert mean.comments == {"Size": size, "Where": where, "Weights": weights}
        assert weights.tolist() == [index, 0.5]
        assert mean.results == {"Mean": (size - 1) / 2}

    def ask_for_something_new(self) -> Capsule:
        """A machine that version 1 has not run, on an array that only its store has."""
        return self.project.request(Largest(), array=self.means.arrays[2], name="largest")


@contextmanager
def session(folder: Path) -> Iterator[Session]:
    with Project(folder, workers=1, failures=Failures.REUSE) as project:
        yield Session(project)


def make(folder: str) -> None:
    """Fill a folder with what every session asks for."""
    with session(Path(folder)) as first:
        first.check()
        assert sorted(_ran) == ["Mean"] * 4 + ["Means"] + ["Ramp"] * 3 + ["Refuse"] + ["Reverse"] * 2


def version(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "machines.sqlite")) as database:
        number: int = database.execute("PRAGMA user_version").fetchone()[0]
        return number


@pytest.fixture(params=[1, 2])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the folder of an older version, where everybody may write."""
    return copied(request.param, tmp_path)


def copied(number: int, place: Path) -> Path:
    shutil.copytree(FIXTURES / f"store-v{number}", place / "store", copy_function=shutil.copyfile)
    assert version(place / "store") == number
    _ran.clear()
    return place / "store"


def test_what_an_older_version_has_run_is_all_there_and_does_not_run_again(folder: Path) -> None:
    from intemi.kernel.disk.schema import SCHEMA_VERSION  # which is not there when the folder is made

    for _ in range(2):
        with session(folder) as another:
            another.check()
            assert _ran == []
        assert version(folder) == SCHEMA_VERSION
    assert not list(folder.glob("*.damaged-*"))


def test_a_migrated_store_takes_in_what_is_new(folder: Path) -> None:
    for _ in range(2):
        with session(folder) as another:
            assert another.ask_for_something_new().wait(60).results == {"Largest": IN_FILE - 1.0}
            another.check()
            assert _ran == ["Largest"]


def test_runs_requests_and_comments_of_version_2_are_taken_over(tmp_path: Path) -> None:
    folder = copied(2, tmp_path)
    for sessions in (3, 4):
        with session(folder) as another:
            another.check()
            project = another.project
            found = project.query(type=Mean, labels=["Mean", "Doubled", "path", "Where"])
            assert list(found["Doubled"]) == [2 * mean for mean in found["Mean"]]
            assert sorted(found["path"]) == [
                *("given", "mean", "means/mean 100", "means/mean 1000", "means/mean 5000"),
            ]
            assert [run.number for run in project.runs()] == list(range(1, sessions + 1))
            assert project.runs()[1].name == "commented"
            assert len(project.query(project.runs()[1], type=Mean)) == 5
    assert verify(folder).problems == []


def test_a_results_file_of_version_1_beside_a_new_store_is_taken_over(tmp_path: Path) -> None:
    folder = copied(2, tmp_path)
    (folder / "machines.sqlite").unlink()
    with Project(folder, workers=1) as project:
        assert "commented" in [run.name for run in project.runs()]


def test_what_an_older_version_has_forgotten_is_run_again_when_it_is_asked_for(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "machines.sqlite")) as database, database:
        assert database.execute("DELETE FROM machines WHERE id = ?", (Ramp(IN_RECORD).digest,)).rowcount == 1
    with Project(folder, workers=1) as project:
        assert len(project.query(type=Mean)) >= 4, "what is intact stays"
        means = project.run(Means(), name="means")
        assert _ran == []
        with pytest.warns(StoreWarning, match="it is run again"):
            assert len(project.query(means, type=Ramp)) == 3
        assert _ran == ["Means", "Ramp"]
    assert verify(folder).problems == []
