from __future__ import annotations

import threading

import pytest

from intemi.kernel.locks import Parking, StepLock

PATIENCE = 30.0


def in_threads(count: int, work: object) -> None:
    assert callable(work)
    threads = [threading.Thread(target=work, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "it hangs"


def test_one_thread_at_a_time_holds_a_step_lock() -> None:
    lock, inside, most = StepLock(), [], []
    count = 0

    def work(index: int) -> None:
        nonlocal count
        for _ in range(1000):
            with lock:
                inside.append(index)
                most.append(len(inside))
                before = count
                count = before + 1
                inside.pop()

    in_threads(6, work)
    assert count == 6000
    assert max(most) == 1


def test_a_step_lock_can_be_taken_again_by_who_holds_it() -> None:
    lock, freed = StepLock(), threading.Event()
    with lock, lock:
        pass
    threading.Thread(target=lambda: (lock.__enter__(), freed.set()), daemon=True).start()
    assert freed.wait(PATIENCE), "it was given back as often as it was taken"


def test_a_step_lock_is_given_back_when_something_goes_wrong() -> None:
    lock = StepLock()
    with pytest.raises(ZeroDivisionError), lock:
        raise ZeroDivisionError
    in_threads(1, lambda _: lock.__enter__())


def test_who_waits_for_a_step_lock_gets_it_when_it_is_free() -> None:
    lock, entered = StepLock(), threading.Event()

    def enter() -> None:
        with lock:
            entered.set()

    with lock:
        threading.Thread(target=enter, daemon=True).start()
        assert not entered.wait(0.05)
    assert entered.wait(PATIENCE)


def test_the_last_to_park_is_called_first() -> None:
    parking = Parking()
    places = [parking.place() for _ in range(3)]
    parking.call(2)
    assert [place.locked() for place in places] == [True, False, False]
    assert len(parking) == 1


def test_a_call_reaches_no_more_than_are_there() -> None:
    parking = Parking()
    parking.call(5)
    place = parking.place()
    parking.call(5)
    assert not place.locked()
    assert len(parking) == 0


def test_a_call_that_comes_before_the_wait_is_not_lost() -> None:
    parking = Parking()
    place = parking.place()
    parking.call(1)
    assert place.acquire(timeout=PATIENCE)


def test_no_work_is_left_lying_about_while_everybody_is_parked() -> None:
    lock, parking, work, done = StepLock(), Parking(), [], []
    is_over = False

    def serve(_: int) -> None:
        while True:
            with lock:
                if work:
                    done.append(work.pop())
                    continue
                if is_over:
                    return
                place = parking.place()
            place.acquire()

    servants = [threading.Thread(target=serve, args=(index,), daemon=True) for index in range(4)]
    for servant in servants:
        servant.start()
    for number in range(3000):
        with lock:
            work.append(number)
            parking.call(1)
    with lock:
        is_over = True
        parking.call(len(parking))
    for servant in servants:
        servant.join(PATIENCE)
        assert not servant.is_alive(), "it sleeps while there is work"
    assert sorted(done) == list(range(3000))
