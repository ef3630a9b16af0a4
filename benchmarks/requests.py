"""The cost of a request: trivial leaves cold, requested again, and requested again by a new process, beside others.

All peers are measured in every round, each in processes of its own, in an order that rotates; a ratio is the median of
the ratios within rounds. Everybody delivers the values: we are also charged for looking at ours. Cold, our leaves are
requested all at once and waited for; again, they are asked for one by one, like those of the others. What can be
repeated in a process (asking again) is, and the best counts, for everybody.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.peers import (
    DISKCACHE,
    IN_MEMORY,
    JOBLIB,
    ON_DISK,
    OURS,
    PEERS,
    WARM_UP,
    Ask,
    Requests,
    array_argument,
    expected,
)
from benchmarks.report import Cost, Target, in_new_process, note_progress, print_table, print_targets


@dataclass(frozen=True)
class Sizes:
    """How much is measured. Peers that need a millisecond a call get fewer leaves: the cost of a call is reported."""

    leaves: int
    peer_leaves: int
    rounds: int


FULL = Sizes(leaves=20_000, peer_leaves=2_000, rounds=5)
QUICK = Sizes(leaves=1_000, peer_leaves=200, rounds=1)

REPEATS = 3

COLD_MEMORY = "cold, in memory"
AGAIN_MEMORY = "requested again, in memory"
COLD = "cold, with disk"
AGAIN = "requested again, same process"
AGAIN_ALONE = "· the request alone, same process"
AGAIN_NEW = "requested again, new process"
AGAIN_NEW_ALONE = "· the request alone, new process"
ROWS = (COLD_MEMORY, AGAIN_MEMORY, COLD, AGAIN, AGAIN_ALONE, AGAIN_NEW, AGAIN_NEW_ALONE)
INTEGER, ARRAY = "integer argument", "100 kB array argument"

Costs = dict[str, Cost]
Round = dict[str, dict[str, Costs]]
"""The cost of a leaf by argument, row and peer."""


def run(sizes: Sizes) -> list[Target]:
    """Measure, print, and say what became of the targets."""
    rounds = [_round(sizes, index) for index in range(sizes.rounds)]
    how = f"median of {sizes.rounds} rounds"
    for kind, what in (("wall", "µs per machine"), ("cpu", "µs of CPU time per machine")):
        rows: list[list[str | float | None]] = []
        for argument in (INTEGER, ARRAY):
            rows.append([argument])
            for row in ROWS:
                measured = [each[argument].get(row, {}) for each in rounds]
                rows.append([f"  {row}", *(_median_of(measured, peer, kind) for peer in PEERS)])
        print_table(f"Requests: {what}, {how}", ["", *PEERS], rows)
    print(f"\n{OURS}: {sizes.leaves:,} leaves; all others: {sizes.peer_leaves:,} leaves.")
    print("dask.delayed keeps nothing: asked again, it computes again. bare row is one hash and one SQLite row.")
    targets = _targets(rounds)
    print_targets(targets)
    return targets


def _targets(rounds: list[Round]) -> list[Target]:
    def target(argument: str, row: str, peer: str, allowed: float) -> Target:
        pairs = [(each[argument][row][OURS], each[argument][row][peer]) for each in rounds]
        wall, cpu = (median(ours[kind] / theirs[kind] for ours, theirs in pairs) for kind in (0, 1))
        return Target(f"{argument}: {row} / {peer}", wall, allowed, by_cpu=cpu)

    targets = []
    for argument, again in ((INTEGER, 1 / 10), (ARRAY, 1 / 20)):
        targets += [
            target(argument, AGAIN, JOBLIB, again),
            target(argument, AGAIN_NEW, JOBLIB, 1 / 3),
            target(argument, COLD, JOBLIB, 1 / 3),
            target(argument, COLD, DISKCACHE, 1.0),
        ]
    return targets


def _median_of(measured: list[Costs], peer: str, kind: str) -> float | None:
    return median(getattr(each[peer], kind) for each in measured) if peer in measured[0] else None


def _round(sizes: Sizes, index: int) -> Round:
    result: Round = {argument: {} for argument in (INTEGER, ARRAY)}
    names = list(PEERS)
    for name in names[index % len(names) :] + names[: index % len(names)]:
        note_progress(f"requests: round {index + 1} of {sizes.rounds}, {name}")
        leaves = sizes.leaves if name == OURS else sizes.peer_leaves
        with tempfile.TemporaryDirectory() as folder:
            measure = partial(in_new_process, peer=name, folder=folder, leaves=leaves)
            for measured in (measure(measure_first), measure(measure_again)):
                for argument, costs in measured.items():
                    for row, cost in costs.items():
                        result[argument].setdefault(row, {})[name] = Cost(*cost)
    return result


def measure_first(peer: str, folder: str, leaves: int) -> dict[str, Costs]:
    """In a process of its own: cold, and requested again."""
    measured = {}
    for argument, data in ((INTEGER, None), (ARRAY, array_argument())):
        cost = partial(_cost, leaves=leaves, values=expected(range(leaves), data))
        costs = measured[argument] = {}
        if peer in IN_MEMORY:
            with PEERS[peer](None, data) as ask:
                ask(WARM_UP)
                costs[COLD_MEMORY] = cost(ask)
                costs[AGAIN_MEMORY] = min(cost(_again(ask)) for _ in range(REPEATS))
        if peer in ON_DISK:
            with ExitStack() as stack:
                ask = stack.enter_context(PEERS[peer](Path(folder, argument), data))
                ask(WARM_UP)
                cold = cost(ask)
                costs[AGAIN] = min(cost(_again(ask)) for _ in range(REPEATS))
                if isinstance(ask, Requests):
                    costs[AGAIN_ALONE] = _cost_alone(ask, leaves)
                closing = Cost.of(stack.close, leaves)
            # Whoever writes later pays for it all the same.
            costs[COLD] = Cost(cold.wall + closing.wall, cold.cpu + closing.cpu)
    return measured


def measure_again(peer: str, folder: str, leaves: int) -> dict[str, Costs]:
    """In another process on the same folder: requested again."""
    measured: dict[str, Costs] = {}
    for argument, data in ((INTEGER, None), (ARRAY, array_argument())):
        costs = measured[argument] = {}
        if peer not in ON_DISK:
            continue
        with PEERS[peer](Path(folder, argument), data) as ask:
            ask(WARM_UP)
            costs[AGAIN_NEW] = _cost(_again(ask), leaves, expected(range(leaves), data))
            _refuse_runs(ask)
        if isinstance(ask, Requests):
            with PEERS[peer](Path(folder, argument), data) as ask:
                ask(WARM_UP)
                costs[AGAIN_NEW_ALONE] = _cost_alone(ask, leaves)
                _refuse_runs(ask)
    return measured


def _again(ask: Ask) -> Ask:
    """What is finished is asked for one by one; only what has to run is better requested all at once."""
    return ask.one_by_one if isinstance(ask, Requests) else ask


def _cost(ask: Ask, leaves: int, values: list[int]) -> Cost:
    answers: list[list[int]] = []
    cost = Cost.of(lambda: answers.append(ask(range(leaves))), leaves)
    if answers != [values]:
        raise RuntimeError("wrong values: what was measured is not the task")
    return cost


def _cost_alone(ask: Requests, leaves: int) -> Cost:
    return Cost.of(lambda: ask.request(range(leaves)), leaves)


def _refuse_runs(ask: Ask) -> None:
    if isinstance(ask, Requests) and (ran := ask.project.counts().physical.total()):
        raise RuntimeError(f"{ran} machines ran in the new process: they were to be finished")
