"""Measures applied to tables that are there already."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.kernels.compiling import FLOATS, MEASURE, address_of, call_measure, float64, kernel, types

GIVEN_TABLES = types.Array(float64, 3, "C", readonly=True)


@kernel(FLOATS(MEASURE, GIVEN_TABLES, FLOATS))
def evaluate(measure: int, tables: Floats, context: Floats) -> Floats:
    """The qualities of splits, each a table of branches × classes; empty branches are left out."""
    count, branches, classes = tables.shape
    table, answer = np.empty(branches * classes), np.empty(count)
    table_at, context_at = address_of(table), address_of(context)
    for i in range(count):
        kept = 0
        for b in range(branches):
            weight = 0.0
            for c in range(classes):
                table[kept * classes + c] = tables[i, b, c]
                weight += tables[i, b, c]
            kept += int(weight > 0.0)
        answer[i] = call_measure(measure, table_at, kept, classes, context_at)
    return answer
