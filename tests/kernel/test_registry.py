"""Names for classes: what plain data and stored bytes say, and what nobody has registered."""

from __future__ import annotations

import enum
import json
import subprocess
import sys
from typing import Any

import pytest

from intemi.kernel import Component, ConfigurationError, EncodingError, registry
from intemi.machines import Scheme
from tests.machines import cross_validation


class Known(Component):
    pass


class Fruit(enum.Enum):
    APPLE = 1


def test_classes_outside_the_package_are_known_with_their_module() -> None:
    assert registry.qualified_name(Known) == "tests.kernel.test_registry.Known"
    assert registry.qualified_name(Scheme) == "Scheme"
    assert registry.qualified_name(int) == "builtins.int"


def test_a_component_is_found_by_its_name() -> None:
    assert registry.component("tests.kernel.test_registry.Known") is Known
    assert registry.component("Scheme") is Scheme
    assert registry.components()["Scheme"] is Scheme


def test_the_list_of_components_is_a_copy() -> None:
    registry.components().clear()
    assert registry.component("Scheme") is Scheme


def test_an_unknown_name_says_what_is_near_or_what_to_do() -> None:
    with pytest.raises(EncodingError, match=r"^no machine or component is called 'Schema'; did you mean 'Scheme'\?$"):
        registry.component("Schema")
    with pytest.raises(EncodingError, match=r"^no port type is called 'x'; import the module that defines it first$"):
        registry.port_type("x")
    with pytest.raises(EncodingError, match=r"^no type of values is called '0'; import the module"):
        registry.storable("0")
    with pytest.raises(EncodingError, match=r"^no enumeration is called '0'; import the module"):
        registry.enumeration("0")


def test_two_classes_cannot_have_one_name() -> None:
    with pytest.raises(ConfigurationError, match=r"the name 'Scheme' belongs to intemi\.machines\."):

        class Mine(Component):
            registered_name = "Scheme"

    assert registry.component("Scheme") is Scheme


def test_a_class_that_is_defined_again_takes_its_own_place() -> None:
    def define() -> type[Component]:
        class Again(Component):
            pass

        return Again

    first, second = define(), define()
    assert first is not second
    assert registry.component(first.registered_name) is second


def test_the_types_that_everybody_uses_are_known_as_port_types() -> None:
    for accepted in (object, bool, int, float, str, bytes, list, tuple, dict, set):
        assert registry.port_type(f"builtins.{accepted.__name__}") is accepted


def test_an_enumeration_is_found_although_nobody_registered_it() -> None:
    assert registry.enumeration("tests.kernel.test_registry.Fruit") is Fruit


def test_the_enumeration_in_use_is_the_one_that_is_found() -> None:
    def define() -> Any:
        class Local(enum.Enum):
            ONE = 1

        return Local

    first, second = define(), define()
    assert registry.enumeration(registry.register_enumeration(first)) is first
    assert registry.enumeration(registry.register_enumeration(second)) is second


READ = """
import json
import sys
import intemi
{imports}
print(intemi.from_plain(json.load(sys.stdin)).digest.hex())
"""


def read_elsewhere(plain: Any, imports: str) -> subprocess.CompletedProcess[str]:
    """Have a new process make a configuration of plain data."""
    command = [sys.executable, "-c", READ.format(imports=imports)]
    return subprocess.run(command, input=json.dumps(plain), capture_output=True, text=True, timeout=120)


def test_another_process_reads_a_configuration_of_ours_by_name() -> None:
    scheme = Scheme(number=int, text=str)
    assert read_elsewhere(scheme.to_plain(), "import intemi.machines").stdout.strip() == scheme.digest.hex()


def test_another_process_reads_a_configuration_of_a_user_once_the_module_is_imported() -> None:
    config = cross_validation(2, 2)
    assert read_elsewhere(config.to_plain(), "import tests.machines").stdout.strip() == config.digest.hex()
    failed = read_elsewhere(config.to_plain(), "import intemi.machines")
    assert failed.returncode == 1
    assert "no machine or component is called 'tests.machines." in failed.stderr
