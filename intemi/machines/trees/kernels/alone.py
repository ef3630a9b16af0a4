"""The best splits of one node, for searches that do not leave the whole tree to a kernel."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    FLOATS_2D,
    GIVEN_CODES,
    GIVEN_FLOATS,
    MEASURE,
    WIDE,
    WIDE_2D,
    Wide,
    flag,
    float64,
    helper,
    kernel,
    unowned,
    wide,
)
from intemi.machines.trees.kernels.node import ask
from intemi.machines.trees.kernels.state import (
    Room,
    Scanned,
    View,
    room_for,
    unowned_room,
    unowned_scanned,
    unowned_view,
)


@helper
def ask_alone(
    measure: int,
    view: View,
    scanned: Scanned,
    asked: Codes,
    settings: Floats,
    average: float,
    context: Floats,
    room: Room,
) -> float:
    """Ask features as `node.ask` says, with all arrays unowned."""
    new_average: float = ask(
        measure, unowned_view(view), unowned_scanned(scanned), unowned(asked), len(asked), wide(0), len(scanned.rows),
        len(room.totals), flag(True), unowned(settings), average, unowned(context), flag(False),
        unowned_room(room),
    )  # fmt: skip
    return new_average


@kernel(
    float64(
        MEASURE, WIDE_2D, WIDE, GIVEN_CODES, CODES, GIVEN_CODES, GIVEN_FLOATS, GIVEN_FLOATS, GIVEN_FLOATS, float64,
        FLOATS, CODES, FLOATS_2D,
    ),
    seconds=20,
)  # fmt: skip
def best_of_features(
    measure: int,
    cells: Wide,
    layout: Wide,
    symbols: Codes,
    asked: Codes,
    classes: Codes,
    weights: Floats,
    totals: Floats,
    settings: Floats,
    average: float,
    context: Floats,
    branch: Codes,
    found: Floats,
) -> float:
    """Ask features of a node, all of which are kept as cells, as `ask` says; `totals` are its class weights.

    What was found is written into `found`, the branches of the symbols of the feature that was asked last into
    `branch`.
    """
    m, n, k = len(symbols), len(classes), len(totals)
    no_bins, place = np.zeros(m, np.int32), np.empty(m, np.int32)
    for f in range(m):
        place[f] = f
    room = room_for(n, k, symbols, no_bins, place)
    for c in range(k):
        room.totals[c] = totals[c]
    rows, no_numbers = np.arange(n).astype(np.int32), np.empty((0, 0))
    view = View(no_numbers, place, rows, symbols, classes, weights)
    scanned = Scanned(np.empty((0, 0), np.uint8), no_numbers, no_bins, cells, place, layout, rows, flag(True))
    new_average: float = ask_alone(measure, view, scanned, asked, settings, average, context, room)
    for f in asked:
        for j in range(found.shape[1]):
            found[f, j] = room.found[f, j]
    for s in range(len(branch)):
        branch[s] = room.branch[s]
    return new_average
