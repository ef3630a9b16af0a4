"""Section 4.2.3.3 of the book: ten times ten-fold cross-validation of two learners on one worker."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from intemi.kernel import Event, EventKind, Project
from tests.machines import cross_validation

REPETITIONS = 10
FOLDS = 10


def order_of_the_book() -> list[str]:
    """Repeater, ds1, cv1, ts1·1, k1·1, s1·1, kt1·1, st1·1, ts1·2, ..., st1·10, ds2, ..., st10·10."""
    order = ["Repeater"]
    for i in range(1, REPETITIONS + 1):
        order += [f"ds{i}", f"cv{i}"]
        for j in range(1, FOLDS + 1):
            order += [f"{machine}{i}·{j}" for machine in ("ts", "k", "s", "kt", "st")]
    return order


def name_in_the_book(event: Event, parent: Event | None) -> str:
    names = {"distributor": "ds", "test": "ts"}
    tested = event if event.name in names else parent
    if tested is None:
        return event.name
    place = "·".join(str(tested.comments[label]) for label in ("Repetition", "Fold") if label in tested.comments)
    return names.get(event.name, event.name) + place


class Watcher:
    """Notes, at every pop, which machine it was, which contexts are open and which threads are alive."""

    def __init__(self) -> None:
        self.threads_before = set(threading.enumerate())
        self.popped: list[str] = []
        self.most_open = 0
        self.threads: set[threading.Thread] = set()
        self._open: set[int] = set()
        self._started: dict[int, Event] = {}

    def __call__(self, event: Event) -> None:
        if event.kind is EventKind.STARTED:
            self._started[event.number] = event
            parent = None if event.parent is None else self._started[event.parent]
            self.popped.append(name_in_the_book(event, parent))
            self._open.add(event.number)
            self.most_open = max(self.most_open, len(self._open))
            # Threads that run no machines: this listener, and in a folder those that write and that hold claims.
            others = ("intemi listener", "intemi store", "intemi journal", "intemi claims")
            self.threads |= {each for each in threading.enumerate() if each.name not in others} - self.threads_before
        elif event.kind is EventKind.FINISHED:
            self._open.remove(event.number)


def watch_cross_validation(folder: Path | None, early: bool = False) -> Watcher:
    watcher = Watcher()
    with Project(folder, workers=1) as project:
        project.listen(watcher, early=early)
        project.run(cross_validation(REPETITIONS, FOLDS), data=project.given(3))
    return watcher


@pytest.fixture(params=["in memory", "in a folder"])
def watcher(request: pytest.FixtureRequest, tmp_path: Path) -> Watcher:
    return watch_cross_validation(None if request.param == "in memory" else tmp_path / "project")


def test_machines_are_popped_in_the_order_of_the_book(watcher: Watcher) -> None:
    assert len(watcher.popped) == 521
    assert watcher.popped == order_of_the_book()


def test_so_they_are_where_brief_leaves_are_taken_in_hand_together(tmp_path: Path) -> None:
    assert watch_cross_validation(tmp_path / "project", early=True).popped == order_of_the_book()


def test_one_worker_is_one_thread(watcher: Watcher) -> None:
    assert len(watcher.threads) == 1


def test_at_most_three_contexts_are_open_at_any_time(watcher: Watcher) -> None:
    assert watcher.most_open == 3
