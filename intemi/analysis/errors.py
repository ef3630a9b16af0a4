"""What a transformation raises when a series is not what it needs."""

from __future__ import annotations

from intemi.kernel.errors import IntemiError


class InvalidComparison(IntemiError, ValueError):
    """A test was asked for that would mean nothing on the series given: the message says why."""
