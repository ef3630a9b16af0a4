"""The best splits of one node, for searches that do not leave the whole tree to a kernel."""

from __future__ import annotations

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
    float64,
    int64,
    kernel,
    unowned,
)
from intemi.machines.trees.kernels.node import ask


@kernel(
    float64(
        MEASURE, BYTES_2D, CODES, WIDE_2D, GIVEN_CODES, GIVEN_CODES, CODES, GIVEN_CODES, GIVEN_CODES, int64, int64,
        WIDE, FLOATS, GIVEN_FLOATS, boolean, GIVEN_FLOATS, float64, FLOATS, FLOATS, BYTES, WIDE, FLOATS, FLOATS, FLOATS,
        FLOATS, CODES, CODES, WIDE, CODES, WIDE, CODES, CODES, CODES, CODES, boolean, FLOATS_2D,
    ),
    seconds=20,
)  # fmt: skip
def best_of_features(
    measure: int,
    bins: Bytes,
    bin_count: Codes,
    cells: Wide,
    symbols: Codes,
    places: Codes,
    asked: Codes,
    rows: Codes,
    classes: Codes,
    start: int,
    end: int,
    layout: Wide,
    totals: Floats,
    weights: Floats,
    is_weighted: bool,
    settings: Floats,
    average: float,
    context: Floats,
    counted: Floats,
    seen: Bytes,
    packed: Wide,
    by_symbol: Floats,
    here: Floats,
    known: Floats,
    table: Floats,
    node_class: Codes,
    compact: Codes,
    step: Wide,
    positions: Codes,
    sums: Wide,
    group: Codes,
    begins: Codes,
    present: Codes,
    branch: Codes,
    only_best: bool,
    found: Floats,
) -> float:
    """Ask features of a node, as `ask` says."""
    new_average: float = ask(
        measure, unowned(bins), unowned(bin_count), unowned(cells), unowned(symbols), unowned(places), unowned(asked),
        len(asked), unowned(rows), unowned(classes), start, end, unowned(layout), unowned(totals), len(totals),
        unowned(weights), is_weighted, unowned(settings), average, unowned(context), unowned(counted), unowned(seen),
        unowned(packed), unowned(by_symbol), unowned(here), unowned(known), unowned(table), unowned(node_class),
        unowned(compact), unowned(step), unowned(positions), unowned(sums), unowned(group), unowned(begins),
        unowned(present), unowned(branch), only_best, unowned(found),
    )  # fmt: skip
    return new_average
