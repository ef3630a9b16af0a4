"""Shares of something, which may be nothing."""

from __future__ import annotations

import math


def share(part: float, whole: float) -> float:
    """A part of a whole; NaN of nothing."""
    return float(part / whole) if whole else math.nan
