"""How far numbers may differ that are equal but for rounding."""

from __future__ import annotations

import numpy as np

ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Relative differences up to this are rounding errors."""
SAME = 1e-10
"""Differences up to this, relative to how far numbers reach, are those of results of long sums that should be equal."""
