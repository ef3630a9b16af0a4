"""The best split of a node: every feature is asked for its best, and the best of these is taken."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    BYTES,
    BYTES_2D,
    CODES,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    MEASURE,
    WIDE,
    WIDE_2D,
    Bytes,
    Wide,
    boolean,
    compiled,
    float64,
    int64,
)
from intemi.machines.trees.kernels.cuts import is_better
from intemi.machines.trees.kernels.feature import GAIN, LEGAL, QUALITY, TIES, best_of_feature
from intemi.machines.trees.kernels.settings import FILTERED, LEAST_QUALITY


@compiled(
    float64(
        MEASURE, BYTES_2D, WIDE_2D, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, GIVEN_CODES, int64, int64, WIDE, FLOATS,
        GIVEN_FLOATS, boolean, GIVEN_FLOATS, int64, float64, FLOATS, FLOATS, BYTES, FLOATS, CODES, CODES, CODES,
        CODES, FLOATS_2D,
    )
)  # fmt: skip
def best_of_features(
    measure: int,
    bins: Bytes,
    cells: Wide,
    symbols: Codes,
    places: Codes,
    rows: Codes,
    classes: Codes,
    start: int,
    end: int,
    layout: Wide,
    totals: Floats,
    weights: Floats,
    is_weighted: bool,
    settings: Floats,
    only: int,
    average: float,
    context: Floats,
    counted: Floats,
    seen: Bytes,
    table: Floats,
    node_class: Codes,
    compact: Codes,
    present: Codes,
    branch: Codes,
    found: Floats,
) -> float:
    """Fill `found`, a row for each feature. `rows[start:end]` are those of the node, `totals` the weights of classes.

    Numeric features come first, since the average number of their cuts, which is returned, may say how many sets of
    symbols are wanted. If `only` is not -1, that one feature is asked again, and the average is given.
    """
    k = 0
    here, known = np.empty(len(totals)), np.empty(len(totals))
    for c in range(len(totals)):
        if totals[c] > 0.0:
            compact[c] = k
            here[k] = totals[c]
            k += 1
    positions = np.empty(end - start + 1, np.int32)
    for i in range(start, end):
        node_class[i - start] = compact[classes[rows[i]]]
    if only < 0:
        average = float(end - start)
    cuts, numeric = 0.0, 0
    for nominal in range(2):
        for f in range(len(symbols)):
            if (symbols[f] > 0) != (nominal > 0) or (only >= 0 and f != only):
                continue
            best_of_feature(
                measure, f, int(symbols[f]), int(places[f]), bins, cells, rows, start, end, layout, node_class, compact,
                k, here, weights, is_weighted, settings, average, context, counted, seen, known, table, positions,
                present, branch, found,
            )  # fmt: skip
            if nominal == 0:
                cuts += found[f, LEGAL]
                numeric += 1
        if numeric > 0 and only < 0:
            average = cuts / numeric
    return average


@compiled(int64(FLOATS_2D, GIVEN_CODES, GIVEN_FLOATS, int64))
def chosen_feature(found: Floats, symbols: Codes, settings: Floats, training_size: int) -> int:
    """The feature whose split is best, -1 if there is none."""
    least_gain = -np.inf
    if settings[FILTERED]:
        # Symbols that nearly tell the rows apart gain too much to be averaged with the others.
        total, count, all_total, all_count = 0.0, 0, 0.0, 0
        for f in range(len(found)):
            if found[f, GAIN] > 1e-12:
                all_total += found[f, GAIN]
                all_count += 1
                if symbols[f] < 0.3 * training_size:
                    total += found[f, GAIN]
                    count += 1
        if all_count == 0:
            return -1
        least_gain = (total / count if count > 0 else all_total / all_count) - 1e-3
    best, best_tie, chosen = -np.inf, -np.inf, -1
    for f in range(len(found)):
        if found[f, QUALITY] <= settings[LEAST_QUALITY] or found[f, GAIN] < least_gain:
            continue
        if is_better(found[f, QUALITY], found[f, TIES], best, best_tie):
            best, best_tie, chosen = found[f, QUALITY], found[f, TIES], f
    return chosen
