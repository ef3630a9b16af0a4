"""The search for a learning machine against others: the same data, time and cores.

Every search gets one half of a data set for 20 seconds and answers for the other half, and the other way round. Results
go to a file as they come, so a run that was interrupted goes on. `searches` is what is compared. It needs the extra
`peers` and the data sets beside the repository, and runs only if it is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, mean
from typing import Any

from benchmarks.report import ROOT, Target, in_new_process, note_progress, print_table, print_targets
from benchmarks.searches import CORES, SEARCHES, tried
from scripts.reference_data import WIDE

OURS = "intemi"
DRAW = 0.005
"""Errors that differ by less are a draw."""


@dataclass(frozen=True)
class Sizes:
    """Which data sets, for how long, and where results go."""

    compared: tuple[str, ...]
    seconds: float
    file: str


TEN = "sonar heart-c credit-a soybean vehicle anneal car segment splice waveform-5000"
FULL = Sizes(tuple(TEN.split()), 20.0, "against_others.jsonl")
QUICK = Sizes(("glass", "vote"), 5.0, "against_others_quick.jsonl")

Results = dict[tuple[str, str], list[dict[str, Any]]]
"""By data set and search, a result for each half."""


def run(sizes: Sizes = FULL) -> list[Target]:
    """Compare, print the tables, and say what became of the aims."""
    file = ROOT / sizes.file
    for name in sizes.compared:
        for fold in (0, 1):
            for search in SEARCHES:  # side by side, so that what disturbs one disturbs all
                _try(file, name, fold, search, sizes.seconds)
    return report(_read(file, sizes), sizes)


def _try(file: Path, name: str, fold: int, search: str, seconds: float) -> None:
    which = {"data": name, "fold": fold, "search": search, "seconds": seconds}
    if any(all(line[key] == value for key, value in which.items()) for line in _lines(file)):
        return
    note_progress(f"against_others: {name}, half {fold + 1}, {search}")
    found = in_new_process(
        tried, search=search, file=str(WIDE.needed(WIDE.data / f"{name}.arff")), fold=fold, seconds=seconds
    )
    with file.open("a", encoding="utf-8") as opened:
        opened.write(json.dumps({**which, **found}) + "\n")


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def _read(file: Path, sizes: Sizes) -> Results:
    found: Results = {(name, search): [] for name in sizes.compared for search in SEARCHES}
    for line in _lines(file):
        if line["seconds"] == sizes.seconds and (line["data"], line["search"]) in found:
            found[line["data"], line["search"]].append(line)
    return found


def report(results: Results, sizes: Sizes) -> list[Target]:
    """The tables, and what became of the aims."""
    error = {key: _error(each) for key, each in results.items()}
    rows = [[name, *(f"{100 * error[name, search]:.2f}" for search in SEARCHES)] for name in sizes.compared]
    print_table(f"Errors in %, two halves, {sizes.seconds:g} s each", ["", *SEARCHES], rows)
    ratios = {search: _ratio(results, sizes.compared, search) for search in SEARCHES}
    print_table("All data sets", ["", *SEARCHES], list(_summary(results, sizes, error, ratios)))
    for (name, search), halves in results.items():
        for each in halves:
            if each["failure"] is not None:
                note_progress(f"against_others: {search} failed on {name}: {each['failure']}")
    most = max(each["took"] for name in sizes.compared for each in results[name, OURS]) / sizes.seconds
    lost = {search: _games(error, sizes.compared, search) for search in SEARCHES if search != OURS}
    targets = [
        *(
            Target(f"data sets lost / won against {search}", games[2] / max(games[0], 1), 0.99)
            for search, games in lost.items()
            if search in ("random", "halving")
        ),
        Target("error ratio to the best / FLAML's", ratios[OURS] / ratios["FLAML"], 1.0),
        Target("the longest time / the limit", most, 1.05),
    ]
    print_targets(targets)
    return targets


def _error(halves: Sequence[dict[str, Any]]) -> float:
    return sum(each["wrong"] for each in halves) / sum(each["rows"] for each in halves)


def _ratio(results: Results, compared: Sequence[str], search: str) -> float:
    """The geometric mean of errors over those of the best search; half an error is added to each."""
    wrong = {key: sum(each["wrong"] for each in halves) + 0.5 for key, halves in results.items()}
    return geometric_mean(wrong[name, search] / min(wrong[name, each] for each in SEARCHES) for name in compared)


def _games(error: dict[tuple[str, str], float], compared: Sequence[str], other: str) -> tuple[int, int, int]:
    """Data sets on which ours wins, draws and loses."""
    differences = [error[name, other] - error[name, OURS] for name in compared]
    won, lost = sum(each >= DRAW for each in differences), sum(each <= -DRAW for each in differences)
    return won, len(differences) - won - lost, lost


def _summary(
    results: Results, sizes: Sizes, error: dict[tuple[str, str], float], ratios: dict[str, float]
) -> Iterator[list[str | None]]:
    by_search = {search: [each for name in sizes.compared for each in results[name, search]] for search in SEARCHES}
    yield ["mean error, %", *(f"{100 * mean(error[name, each] for name in sizes.compared):.2f}" for each in SEARCHES)]
    yield ["error / that of the best", *(f"{ratios[search]:.3f}" for search in SEARCHES)]
    games = {search: "-".join(map(str, _games(error, sizes.compared, search))) for search in SEARCHES}
    yield ["ours wins-draws-loses", *(None if search == OURS else games[search] for search in SEARCHES)]
    yield ["candidates tested", *(f"{mean(each['tested'] for each in by_search[search]):.0f}" for search in SEARCHES)]
    yield ["share of CPU time in finished tests, %", *(_useful_share(by_search[each], sizes) for each in SEARCHES)]
    yield ["longest / limit", *(f"{max(e['took'] for e in by_search[each]) / sizes.seconds:.2f}" for each in SEARCHES)]


def _useful_share(halves: Sequence[dict[str, Any]], sizes: Sizes) -> str | None:
    if any(each["useful"] is None for each in halves):
        return None
    return f"{100 * mean(each['useful'] for each in halves) / (CORES * sizes.seconds):.0f}"
