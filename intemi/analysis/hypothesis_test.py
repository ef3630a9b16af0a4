"""Tests of hypotheses that experiments can name: each is registered by a line above its class."""

from __future__ import annotations

from typing import Any, TypeVar

from intemi.kernel.errors import ConfigurationError
from intemi.kernel.machine import Machine
from intemi.kernel.registered import Registered

T = TypeVar("T", bound=type)

TESTS: Registered[Any] = Registered("test")
"""Tests of two learners on one data set, by the names of their classes."""


def hypothesis_test(cls: T) -> T:
    """Let experiments compare two learners on a data set by a test: `comparison: {test: PairedTTest}`.

    The class makes tests without arguments, or for a protocol by `for_protocol(distributor)`. A test is called with the
    values of two learners, as series, and gives a series with the label "p".

    >>> from intemi.analysis import Transformation
    >>> from intemi.series import Series
    >>> @hypothesis_test
    ... class AlwaysEqual(Transformation):
    ...     def __call__(self, first, second):
    ...         return Series({"p": [1.0]})
    >>> "AlwaysEqual" in TESTS
    True
    """
    if not isinstance(cls, type):
        raise ConfigurationError(
            f"hypothesis_test: it must stand above a class whose values are called with two series, got {cls!r}"
        )
    TESTS.add(cls.__name__, cls)
    return cls


def suitable_test(name: str, distributor: Machine) -> Any:
    """The registered test of that name, fit for how a protocol divides the rows."""
    found = TESTS.named(name)
    return found.for_protocol(distributor) if hasattr(found, "for_protocol") else found()
