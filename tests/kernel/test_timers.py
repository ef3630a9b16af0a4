from __future__ import annotations

import threading
import time

import pytest

from intemi.kernel.timers import Timers

PATIENCE = 30.0


def wait_until_idle(timers: Timers) -> None:
    until = time.monotonic() + PATIENCE
    while timers._thread is not None:
        assert time.monotonic() < until
        time.sleep(0.002)


def test_calls_are_made_in_the_order_in_which_they_are_due() -> None:
    timers, done, last = Timers(), [], threading.Event()
    timers.after(0.10, last.set)
    timers.after(0.06, lambda: done.append("third"))
    timers.after(0.02, lambda: done.append("first"))
    timers.after(0.04, lambda: done.append("second"))
    assert last.wait(PATIENCE)
    assert done == ["first", "second", "third"]


def test_a_call_is_not_made_before_it_is_due() -> None:
    timers, made = Timers(), threading.Event()
    began = time.monotonic()
    timers.after(0.1, made.set)
    assert made.wait(PATIENCE)
    assert time.monotonic() - began >= 0.1


def test_calls_that_are_due_at_the_same_time_are_made_in_the_order_given() -> None:
    timers, done, last = Timers(), [], threading.Event()
    for number in range(50):
        timers.after(-1.0, lambda number=number: done.append(number))
    timers.after(0.05, last.set)
    assert last.wait(PATIENCE)
    assert done == list(range(50))


def test_a_call_that_is_overdue_is_made_at_once() -> None:
    timers, made = Timers(), threading.Event()
    timers.after(1000, lambda: None)
    timers.after(-5, made.set)
    assert made.wait(PATIENCE)
    timers.close()


def test_an_earlier_call_does_not_wait_for_a_later_one_that_came_first() -> None:
    timers, made = Timers(), threading.Event()
    timers.after(1000, lambda: None)
    time.sleep(0.02)  # its thread is waiting
    timers.after(0.01, made.set)
    assert made.wait(PATIENCE)
    timers.close()


def test_there_is_a_thread_only_while_there_is_something_to_wait_for() -> None:
    timers = Timers()
    assert timers._thread is None
    for _ in range(3):
        made = threading.Event()
        timers.after(0.01, made.set)
        assert made.wait(PATIENCE)
        wait_until_idle(timers)


def test_closing_forgets_all_calls_and_ends_the_thread() -> None:
    timers, made = Timers(), threading.Event()
    timers.after(0.05, made.set)
    timers.after(1000, made.set)
    timers.close()
    wait_until_idle(timers)
    assert not made.wait(0.1)


def test_a_call_can_ask_for_another() -> None:
    timers, made = Timers(), threading.Event()
    timers.after(0.01, lambda: timers.after(0.01, made.set))
    assert made.wait(PATIENCE)


def test_a_call_that_raises_is_reported_and_the_others_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[type] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: reported.append(arguments.exc_type))
    timers, made = Timers(), threading.Event()
    timers.after(0.0, lambda: 1 / 0)
    timers.after(0.01, made.set)
    assert made.wait(PATIENCE)
    assert reported == [ZeroDivisionError]


def test_many_threads_can_ask_at_once() -> None:
    timers, lock = Timers(), threading.Lock()
    done: list[int] = []
    everything = threading.Event()

    def call(number: int) -> None:
        with lock:
            done.append(number)
            if len(done) == 800:
                everything.set()

    def ask(first: int) -> None:
        for number in range(first, first + 100):
            timers.after(number % 7 / 1000, lambda number=number: call(number))

    threads = [threading.Thread(target=ask, args=(100 * index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    assert everything.wait(PATIENCE)
    assert sorted(done) == list(range(800))
