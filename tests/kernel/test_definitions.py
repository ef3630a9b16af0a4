from __future__ import annotations

import enum

import pytest

from intemi.kernel.decoding import named_in
from intemi.kernel.encoding import encode
from intemi.kernel.workers import definitions
from intemi.kernel.workers.definitions import CannotImport
from tests.machines import Number, Sleep


class Colour(enum.Enum):
    """Can be imported."""

    RED = 1


def test_classes_that_bytes_name_are_found() -> None:
    names = named_in(encode((Number(1), Colour.RED, int))).classes
    assert set(definitions.classes_named(names)) == {Number, Colour, int}


def test_a_class_of_a_module_travels_by_its_module() -> None:
    assert definitions.modules_of([Number, Sleep, int]) == ("tests.machines",)
    assert definitions.packed([Number, Sleep, int]) == b""


def test_a_class_of_a_function_travels_by_value() -> None:
    class Local:
        """Cannot be imported."""

    assert not definitions.is_importable(Local)
    assert definitions.modules_of([Local]) == ()
    assert definitions.packed([Local])


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(CannotImport, match="the module 'no_such_module' cannot be imported there"):
        definitions.unpack(["no_such_module"], b"")
