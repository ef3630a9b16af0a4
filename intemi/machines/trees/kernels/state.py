"""What growth works on, in named tuples: the data, what scans read of them, the tree so far, and room to work in.

Each has a function that makes it unowned, as `compiling.unowned` does with one array.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import Bytes, Wide, helper, unowned

AT_ONCE = 4096
"""So many counts of a group of features lie near the processor."""


class View(NamedTuple):
    """A view of a table."""

    values: Floats
    """Those of the table, column by column."""
    columns: Codes
    """Which columns of the table are features."""
    table_rows: Codes
    """Which rows of the table there are; the tuples below number them from 0."""
    symbols: Codes
    """The number of categories of each feature, 0 if it is numeric."""
    classes: Codes
    weights: Floats
    """Empty if all rows weigh 1."""


class Scanned(NamedTuple):
    """What scans read, as `cells` describes it."""

    bins: Bytes
    bin_values: Floats
    bin_count: Codes
    cells: Wide
    place: Codes
    layout: Wide
    rows: Codes
    """Those of each node lie together."""
    in_order: bool
    """Whether all weights are added up in the order of the rows of a node."""


class Growing(NamedTuple):
    """Nodes in the order of their creation; `numbering` names the columns."""

    progress: Wide
    whole: Codes
    other: Floats
    counts: Floats
    """The class weights of each node."""
    queue: Codes
    tests: Codes
    parameters: Floats
    """Of a test: its threshold, or the branch of each symbol."""


class Room(NamedTuple):
    """Room for what is worked out of one node."""

    live: Codes
    """The features that are not known to be constant come first."""
    only: Codes
    """One feature, to ask it alone."""
    deck: Codes
    """All features, in their order but while some are drawn."""
    side: NDArray[np.int16]
    """The branch of each row."""
    buffer: Wide
    counted: Floats
    seen: Bytes
    packed: Wide
    by_symbol: Floats
    totals: Floats
    here: Floats
    known: Floats
    table: Floats
    node_class: Codes
    compact: Codes
    step: Wide
    positions: Codes
    sums: Wide
    group: Codes
    begins: Codes
    present: Codes
    branch: Codes
    """The branch of each symbol of the feature that was asked last."""
    sizes: Codes
    places: Wide
    found: Floats
    """What was found of each feature, as `found` describes it."""


@helper
def unowned_view(view: View) -> View:
    """The same without owners."""
    return View(
        unowned(view.values), unowned(view.columns), unowned(view.table_rows), unowned(view.symbols),
        unowned(view.classes), unowned(view.weights),
    )  # fmt: skip


@helper
def unowned_scanned(scanned: Scanned) -> Scanned:
    """The same without owners."""
    return Scanned(
        unowned(scanned.bins), unowned(scanned.bin_values), unowned(scanned.bin_count), unowned(scanned.cells),
        unowned(scanned.place), unowned(scanned.layout), unowned(scanned.rows), scanned.in_order,
    )  # fmt: skip


@helper
def unowned_growing(growing: Growing) -> Growing:
    """The same without owners."""
    return Growing(
        unowned(growing.progress), unowned(growing.whole), unowned(growing.other), unowned(growing.counts),
        unowned(growing.queue), unowned(growing.tests), unowned(growing.parameters),
    )  # fmt: skip


@helper
def unowned_room(room: Room) -> Room:
    """The same without owners."""
    return Room(
        unowned(room.live), unowned(room.only), unowned(room.deck), unowned(room.side), unowned(room.buffer),
        unowned(room.counted), unowned(room.seen), unowned(room.packed), unowned(room.by_symbol),
        unowned(room.totals), unowned(room.here), unowned(room.known), unowned(room.table), unowned(room.node_class),
        unowned(room.compact), unowned(room.step), unowned(room.positions), unowned(room.sums), unowned(room.group),
        unowned(room.begins), unowned(room.present), unowned(room.branch), unowned(room.sizes), unowned(room.places),
        unowned(room.found),
    )  # fmt: skip


@helper
def most_branches(symbols_of: Codes) -> int:
    """The branches that a split may have."""
    most = 2
    for symbols in symbols_of:
        most = max(most, symbols)
    return most


@helper
def room_for(rows: int, classes: int, symbols_of: Codes, bin_count: Codes, place: Codes) -> Room:
    """Room for nodes of up to so many rows; `counted`, `seen`, `packed` and `by_symbol` are zero."""
    m, most, all_bins, most_bins = len(symbols_of), most_branches(symbols_of), 0, 0
    for f in range(m):
        if place[f] < 0:
            all_bins += bin_count[f] + 1
            most_bins = max(most_bins, bin_count[f] + 1)
    at_once, columns = min(all_bins, AT_ONCE + most_bins), max(classes, 3)  # surrogates count three sides
    live, deck = np.empty(m, np.int32), np.empty(m, np.int32)
    for f in range(m):
        live[f], deck[f] = f, f
    return Room(
        live=live,
        only=np.empty(1, np.int32),
        deck=deck,
        side=np.empty(rows, np.int16),
        buffer=np.empty(rows, np.int64),
        counted=np.zeros(min(all_bins * columns, AT_ONCE + most_bins * columns)),
        seen=np.zeros(at_once, np.uint8),
        packed=np.zeros(at_once, np.int64),
        by_symbol=np.zeros(most * classes),
        totals=np.empty(classes),
        here=np.empty(classes),
        known=np.empty(classes),
        table=np.empty(most * classes),
        node_class=np.empty(rows, np.int32),
        compact=np.empty(classes, np.int32),
        step=np.empty(classes, np.int64),
        positions=np.empty(rows + 1, np.int32),
        sums=np.empty(rows + 1, np.int64),
        group=np.empty(m, np.int32),
        begins=np.empty(m, np.int32),
        present=np.empty(most, np.int32),
        branch=np.empty(most, np.int32),
        sizes=np.empty(most, np.int32),
        places=np.empty(most, np.int64),
        found=np.empty((m, 5)),
    )
