"""A folder in which bits, pages, rows and files were changed answers rightly, perhaps with a warning, or with an error.

Every mutation is made in a copy of one folder, from one seed. Two sessions ask for everything, before and after they
run the requests again: no answer is wrong or silently shortened, nothing hangs, and no exception of a library comes
out. Whatever a session warns of, `verify` reports.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from intemi.kernel import Input, IntemiError, Machine, Model, Output, Project, StoreWarning
from intemi.kernel.disk.format import COMPOSITE, RECORD, seal, unseal
from intemi.kernel.upkeep import verify
from tests.profiles import by_profile

MUTATIONS = by_profile(quick=48, full=300)
SECONDS = 20
"""No session takes longer."""
PAGE = 4096
RECORDS, INDEX = "machines.sqlite", "results.sqlite"


class Numbers(Machine):
    """Many numbers: a value that is kept in a file of its own."""

    version = 1
    numbers = Output(np.ndarray)

    def run(self) -> Model:
        return Model(numbers=np.arange(12_000.0))


class Share(Machine):
    """A number for each fold, and more than fits on a page."""

    version = 1
    numbers = Input(np.ndarray)
    power: int = 1
    fold: int = 0

    def run(self, numbers: np.ndarray) -> Model:
        share = float(numbers[self.fold + 1] ** self.power)
        return Model(results={"Share": share, "Text": f"{self.power} {self.fold} " * 20})


class Fold(Machine):
    """One fold: two machines."""

    version = 1
    numbers = Input(np.ndarray)
    power: int = 1
    fold: int = 0

    async def run(self, job: Any, numbers: Any) -> Model:
        inner = job.request(Share(self.power, self.fold), numbers=numbers, name="share", comments={"Inner": self.fold})
        await job.all(inner, job.request(Share(self.power + 10, self.fold), numbers=numbers, name="other"))
        return Model(results={"Sum": inner.results["Share"] + 1})


class Folds(Machine):
    """A cross-validation, as far as the store is concerned."""

    version = 1
    numbers = Input(np.ndarray)
    power: int = 1

    async def run(self, job: Any, numbers: Any) -> Model:
        folds = [
            job.request(Fold(self.power, fold), numbers=numbers, name=f"fold {fold}", comments={"Fold": fold})
            for fold in range(4)
        ]
        await job.all(*folds)
        return Model(results={"Folds": len(folds)})


POWERS = (1, 2, 3)
Rows = list[tuple[Any, ...]]


def rows(project: Project, root: Any = None) -> Rows:
    found = project.query(root, type=Share, labels=["Share", "Fold", "Inner", "path", "Text"])
    return sorted(zip(*(map(plain, found[label]) for label in found.labels), strict=True), key=repr)


def plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def request(project: Project, power: int) -> Any:
    return project.run(Folds(power), numbers=project.request(Numbers(), name="numbers").numbers, name=f"power {power}")


def expected(powers: tuple[int, ...]) -> tuple[Rows, dict[int, Rows]]:
    with Project(workers=1) as project:
        capsules = {power: request(project, power) for power in powers}
        return rows(project), {power: rows(project, capsule) for power, capsule in capsules.items()}


@dataclass
class Pristine:
    """A folder, an older copy of it, and what is right."""

    folder: Path
    older: Path
    whole: Rows
    of_older: Rows
    below: dict[int, Rows]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder in memory, if there is such a thing: thousands of files are written that nobody needs to keep."""
    with TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def pristine(place: Path) -> Pristine:
    folder = place / "pristine" / "project"
    folder.parent.mkdir()
    older = folder.with_name("older")
    for power in POWERS:
        if power == POWERS[-1]:
            shutil.copytree(folder, older)
        with Project(folder, workers=1, name=f"run {power}") as project:
            request(project, power)
            rows(project)
    whole, below = expected(POWERS)
    return Pristine(folder, older, whole, expected(POWERS[:-1])[0], below)


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"it takes more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# Mutations: each changes a folder, and says how


def flip(chance: random.Random, folder: Path, file: str) -> str:
    content = bytearray((folder / file).read_bytes())
    bits = [chance.randrange(8 * len(content)) for _ in range(chance.choice((1, 1, 1, 8)))]
    for bit in bits:
        content[bit // 8] ^= 1 << bit % 8
    (folder / file).write_bytes(content)
    return f"bits {bits} of {file}"


def exchange_pages(chance: random.Random, folder: Path, file: str) -> str:
    content = (folder / file).read_bytes()
    pages = [content[at : at + PAGE] for at in range(0, len(content), PAGE)]
    one, other = chance.sample(range(len(content) // PAGE), 2)
    pages[one], pages[other] = pages[other], pages[one]
    (folder / file).write_bytes(b"".join(pages))
    return f"pages {one} and {other} of {file} exchanged"


def truncate(chance: random.Random, folder: Path, file: str) -> str:
    size = chance.randrange((folder / file).stat().st_size)
    os.truncate(folder / file, size)
    return f"{file} truncated to {size}"


def zero(chance: random.Random, folder: Path, file: str) -> str:
    content = bytearray((folder / file).read_bytes())
    start = chance.randrange(len(content))
    size = min(chance.choice((16, 512, PAGE)), len(content) - start)
    content[start : start + size] = bytes(size)
    (folder / file).write_bytes(content)
    return f"{size} zeroes at {start} of {file}"


def change_rows(chance: random.Random, folder: Path, file: str) -> str:
    """Another program changes, exchanges, copies or deletes rows."""
    with closing(sqlite3.connect(folder / file, isolation_level=None)) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        table = chance.choice([table for table in tables if count(database, table)])
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        column = chance.choice(columns)
        order = ", ".join(columns)
        listed = database.execute(f"SELECT {order} FROM {table} ORDER BY {order}").fetchall()
        one, other = chance.choice(listed), chance.choice(listed)
        at = " AND ".join(f"{each} IS ?" for each in columns)
        way = chance.choice(("update", "update", "exchange", "delete", "delete all", "copy"))
        try:
            if way == "update":
                value = chance.choice((None, 0, -1, 5, 2**62, 0.5, "x", b"", b"\0" * 16, *(row[0] for row in listed)))
                database.execute(f"UPDATE {table} SET {column} = ? WHERE {at}", (value, *one))
            elif way == "exchange":
                place = columns.index(column)
                database.execute(f"UPDATE {table} SET {column} = NULL WHERE {at}", one)
                database.execute(f"UPDATE {table} SET {column} = ? WHERE {at}", (one[place], *other))
                cleared = tuple(None if each == place else value for each, value in enumerate(one))
                database.execute(f"UPDATE {table} SET {column} = ? WHERE {at}", (other[place], *cleared))
            elif way == "delete":
                database.execute(f"DELETE FROM {table} WHERE {at}", one)
            elif way == "delete all":
                database.execute(f"DELETE FROM {table}")
            else:
                marks = ", ".join("?" * len(columns))
                changed = [chance.choice((value, None, b"x")) for value in one]
                database.execute(f"INSERT INTO {table} VALUES ({marks})", changed)
        except sqlite3.IntegrityError:
            way += " (refused)"
    return f"{way} {column} of {table} in {file}"


def count(database: sqlite3.Connection, table: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def nest(chance: random.Random, folder: Path, file: str) -> str:
    """A value of 100,000 lists in each other, sealed as it must be, in a record or in the log."""
    deep = b"\x91" * 100_000 + b"\x01"
    with closing(sqlite3.connect(folder / RECORDS, isolation_level=None)) as database:
        if chance.random() < 0.5:
            database.execute("UPDATE log SET entry = ? WHERE number = 1", (b"",))
            database.execute("UPDATE log SET entry = ? WHERE number = 1", (seal(b"entry", b"1", deep),))
            return "a deep entry in the log"
        listed = database.execute("SELECT rowid, id, record, children FROM machines").fetchall()
        number, machine, record, children = chance.choice(listed)
        kind = RECORD if children is None else COMPOSITE
        assert unseal(kind, machine, record)
        encoded = b"L" + (1).to_bytes(8, "little")
        payload = chance.choice((deep, record[23:-30] + encoded * 10_000 + b"N"))
        database.execute("UPDATE machines SET record = ? WHERE rowid = ?", (seal(kind, machine, payload), number))
        return f"a deep record of machine {number}"


def restore(chance: random.Random, folder: Path, file: str) -> str:
    """An older copy of some files."""
    older = folder.with_name("older")
    files = chance.choice(([RECORDS], [INDEX], [RECORDS, INDEX]))
    for each in files:
        shutil.copyfile(older / each, folder / each)
    return f"older {', '.join(files)}"


def delete(chance: random.Random, folder: Path, file: str) -> str:
    files = chance.choice(([RECORDS], [INDEX], [RECORDS, INDEX], ["claims"]))
    for each in files:
        (folder / each).unlink()
    return f"{', '.join(files)} deleted"


def swap(chance: random.Random, folder: Path, file: str) -> str:
    one, other = chance.sample((RECORDS, INDEX), 2)
    (folder / one).rename(folder / "held")
    (folder / other).rename(folder / one)
    (folder / "held").rename(folder / other)
    return f"{one} and {other} swapped"


def value_file(chance: random.Random, folder: Path) -> str:
    return str(chance.choice(sorted((folder / "contents").glob("*/*.val"))).relative_to(folder))


Mutation = Callable[[random.Random, Path, str], str]
OTHERS: tuple[Mutation, ...] = (nest, restore, delete, swap)


def mutate(seed: int, folder: Path) -> str:
    chance = random.Random(seed)
    number = chance.random()
    if number < 0.08:
        return chance.choice(OTHERS)(chance, folder, "")
    if number < 0.4:
        return change_rows(chance, folder, chance.choice((RECORDS, RECORDS, INDEX)))
    file = chance.choice((RECORDS, RECORDS, RECORDS, INDEX, INDEX, "value", "value"))
    if file == "value":
        return chance.choice((flip, truncate, zero))(chance, folder, value_file(chance, folder))
    return chance.choice((flip, flip, flip, exchange_pages, truncate, zero))(chance, folder, file)


# What must be so afterwards


class Asked:
    """One session: everything is asked for, then requested and asked for, then asked for again."""

    def __init__(self, folder: Path, pristine: Pristine, what: str, problems: list[str]) -> None:
        self._pristine = pristine
        self._what = what
        self._problems = problems
        with time_limit(SECONDS), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self._caught = caught
            try:
                with Project(folder, workers=1) as project:
                    self._ask(project)
            except IntemiError:
                pass
            except BaseException as error:
                self._problems.append(f"{what}: {type(error).__name__}: {error}")
        self.has_warned = any(issubclass(each.category, StoreWarning) for each in caught)

    def _ask(self, project: Project) -> None:
        right = [self._pristine.whole]
        if "older" in self._what or "deleted" in self._what:  # then it is right that there is less
            right += [self._pristine.of_older, []]
        self._check("everything, at first", lambda: rows(project), *right)
        capsules = {power: request(project, power) for power in POWERS}
        for power, capsule in capsules.items():
            self._check(f"power {power}", lambda capsule=capsule: rows(project, capsule), self._pristine.below[power])
            assert capsule.results == {"Folds": 4}
        self._check("everything", lambda: rows(project), self._pristine.whole)

    def _check(self, question: str, ask: Callable[[], Rows], *right: Rows) -> None:
        before = len(self._caught)
        try:
            answer = ask()
        except IntemiError:
            return
        if answer in right:
            return
        is_whole = question.startswith("everything")
        if is_whole and len(self._caught) > before:
            return  # what is whole, with a warning
        missing = len(self._pristine.whole) - len(answer)
        self._problems.append(f"{self._what}: {question} is wrong, {missing} rows are missing: {answer[:2]}")


@pytest.mark.parametrize("part", range(6))
def test_a_storm_of_mutations_never_gives_a_wrong_answer(pristine: Pristine, place: Path, part: int) -> None:
    problems: list[str] = []
    shutil.copytree(pristine.older, place / "older", dirs_exist_ok=True)
    for seed in range(part * MUTATIONS // 6, (part + 1) * MUTATIONS // 6):
        folder, copy = place / "project", place / "copy"
        shutil.copytree(pristine.folder, folder)
        what = f"seed {seed}: {mutate(seed, folder)}"
        shutil.copytree(folder, copy)
        first = Asked(folder, pristine, what, problems)
        Asked(folder, pristine, f"{what}, second session", problems)
        try:
            with time_limit(SECONDS):
                found = verify(copy).problems
        except IntemiError as error:
            found = [str(error)]
        except Exception as error:
            problems.append(f"{what}: verify: {type(error).__name__}: {error}")
        if first.has_warned and not found and "older" not in what:
            problems.append(f"{what}: there was a warning, and verify found nothing")
        shutil.rmtree(folder)
        shutil.rmtree(copy)
    assert not problems, "\n".join(problems)


def test_nothing_is_reported_of_a_folder_that_is_in_order(pristine: Pristine, tmp_path: Path) -> None:
    folder = shutil.copytree(pristine.folder, tmp_path / "project")
    problems: list[str] = []
    for session in ("first", "second"):
        assert verify(folder).problems == []
        assert not Asked(folder, pristine, session, problems).has_warned
    assert problems == []
