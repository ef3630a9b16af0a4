from __future__ import annotations

import threading

from intemi.kernel.turns import Turns


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


def test_a_turn_that_is_given_away_comes_back() -> None:
    turns = Turns()
    turns.take()
    with turns.given_away():
        other = threading.Thread(target=lambda: (turns.take(), turns.give()))
        other.start()
        other.join(60)
        assert not other.is_alive()
    turns.give()


def test_who_has_no_turn_has_none_to_give_away() -> None:
    turns = Turns()
    with turns.given_away():
        pass
    turns.take()
    turns.give()
