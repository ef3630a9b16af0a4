from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from intemi.kernel.garbage import MANY, spare_imports


@pytest.fixture
def imported() -> Iterator[None]:
    """As many modules as a large library has."""
    spare_imports()  # whatever was imported before
    names = [f"a module of a large library {number}" for number in range(MANY)]
    sys.modules.update((name, ModuleType(name)) for name in names)
    yield
    for name in names:
        del sys.modules[name]


def rounds_towards_a_full_one() -> int:
    return gc.get_count()[2]


def collect_twice() -> None:
    for _ in range(2):
        gc.collect(1)


@pytest.mark.usefixtures("imported")
def test_after_an_import_the_count_towards_a_full_round_begins_anew() -> None:
    collect_twice()
    before = rounds_towards_a_full_one()
    spare_imports()
    assert before > 0
    assert rounds_towards_a_full_one() == 0


@pytest.mark.usefixtures("imported")
def test_what_becomes_garbage_later_is_still_collected() -> None:
    class Node:
        pass

    node = Node()
    node.itself = node  # type: ignore[attr-defined]
    spare_imports()
    assert gc.get_freeze_count() == 0
    del node
    assert gc.collect() > 0


def test_without_imports_nothing_is_done() -> None:
    spare_imports()
    collect_twice()
    before = rounds_towards_a_full_one()
    spare_imports()
    assert rounds_towards_a_full_one() == before > 0


@pytest.mark.usefixtures("imported")
def test_what_somebody_else_has_frozen_stays_so() -> None:
    gc.freeze()
    try:
        spare_imports()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
