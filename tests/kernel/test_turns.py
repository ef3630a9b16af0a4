from __future__ import annotations

import threading
from collections.abc import Callable

from intemi.kernel.workers.slots import _Turns as Turns


def test_one_waits_while_another_has_its_turn() -> None:
    turns = Turns()
    done = []

    def work() -> None:
        turns.take()
        done.append("other")
        turns.give()

    turns.take()
    other = threading.Thread(target=work)
    other.start()
    done.append("first")
    turns.give()
    other.join(60)
    assert done == ["first", "other"]


def test_nobody_waits_for_one_who_takes_too_long() -> None:
    turns = Turns()
    turns.take()
    other = threading.Thread(target=lambda: (turns.take(), turns.give()))
    other.start()
    other.join(60)
    assert not other.is_alive()
    turns.give()  # of a turn that was taken away meanwhile
    turns.take()
    turns.give()


def test_a_turn_that_is_given_comes_back_before_anybody_begins() -> None:
    turns = Turns()
    turns.take()
    done = []
    assert turns.give()
    turns.take()

    def work(name: str, take: Callable[[], None]) -> None:
        take()
        done.append(name)
        turns.give()

    threads = [
        threading.Thread(target=work, args=("begins", turns.take)),
        threading.Thread(target=work, args=("goes on", turns.take_back)),
    ]
    for waiting, thread in zip((turns._to_begin, turns._to_continue), threads, strict=True):
        thread.start()
        while not waiting:
            turns.note_progress()
    assert turns.is_over
    turns.give()
    for thread in threads:
        thread.join(60)
    assert done == ["goes on", "begins"]


def test_who_has_no_turn_has_none_to_give() -> None:
    turns = Turns()
    assert not turns.give()
    turns.take()
    assert turns.give()
