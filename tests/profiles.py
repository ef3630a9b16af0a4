"""How many cases the tests try: few in `make test`, many in `make test-all`.

`make test` is a function of the commit: hypothesis derives its examples from the source of each test. `make test-all`
sets `INTEMI_TESTS=full`: it runs the tests marked `full` too, and draws new examples from a seed that it prints.
"""

from __future__ import annotations

import os
from typing import TypeVar

from hypothesis import HealthCheck, settings

FULL = os.environ.get("INTEMI_TESTS") == "full"
"""Whether this is `make test-all`."""

T = TypeVar("T")


def load() -> None:
    """Make the profile of this run the default of all tests with `@given`."""
    # How long an example takes says nothing on a machine that is busy with other tests.
    unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("quick", unhurried, max_examples=20, derandomize=True)
    settings.register_profile("full", unhurried, max_examples=200, print_blob=True)
    settings.load_profile("full" if FULL else "quick")


def by_profile(*, quick: T, full: T) -> T:
    """A number of cases, or any other value, that differs between the two profiles."""
    return full if FULL else quick


def examples(factor: float) -> settings:
    """As many examples as the profile has, times a factor: for a test whose examples are much dearer than others."""
    return settings(max_examples=max(1, round(factor * settings().max_examples)))
