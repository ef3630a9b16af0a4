"""What goes wrong between a search and the program that drives it by `ask` and `tell`."""

from __future__ import annotations

from intemi.kernel import IntemiError


class ScenarioError(IntemiError, ValueError):
    """A search was asked or told out of turn, or the scenarios of a stack do not fit together."""
