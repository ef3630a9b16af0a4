"""What a comparison found, in sentences: who is best, by how much, what is significant, and what is missing."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from intemi.markup import listed
from intemi.series.display import counted

if TYPE_CHECKING:
    from intemi.experiments.compared import Compared

FEW = 4
"""Data sets that are named one by one."""
ROUNDING = 1e-12
"""Means that are not farther apart are equal."""


def findings(compared: Compared) -> list[str]:
    """A few sentences that are made of the numbers, and say no more than these do."""
    return [*_best(compared), *_missing(compared)]


def _best(compared: Compared) -> Iterator[str]:
    if len(compared.competitors) < 2:
        yield from _one_learner(compared)
    elif compared.direction is None:
        yield f"Learners are not ranked: nothing says which values of {compared.measure} are best."
    elif not compared.complete:
        yield "Learners are not compared: there is no data set on which all of them have all values."
    else:
        first, second = _leaders(compared)
        yield _lead(compared, first, second)
        yield _distance(compared, first, second)
        yield from _ranks_differ(compared, first)
        yield from _counted_wins(compared, first)


def _one_learner(compared: Compared) -> Iterator[str]:
    if not compared.competitors:
        yield "No learner competes."
        return
    only = compared.competitors[0]
    data = [each for each in compared.data if compared.cell(only, each) is not None]
    means = listed([f"{compared.shown(only, each)} on {each}" for each in data], FEW)
    yield f"Only {only} has results that compete: {compared.measure} is {means}."


def _leaders(compared: Compared) -> tuple[str, str]:
    """The best learner and the next: by average ranks or, on a single data set, by means."""
    if compared.ranks is not None:
        names = [str(name) for name in compared.ranks["machine"]]
    else:
        sign = -1 if compared.direction == "highest" else 1
        names = sorted(compared.competitors, key=lambda name: sign * _mean(compared, name, compared.complete[0]))
    return names[0], names[1]


def _mean(compared: Compared, learner: str, data: str) -> float:
    found = compared.cell(learner, data)
    assert found is not None, "data sets that are complete have all cells"
    return float(found["mean"])


def _lead(compared: Compared, first: str, second: str) -> str:
    if compared.ranks is None:
        on = compared.complete[0]
        one, other = compared.shown(first, on), compared.shown(second, on)
        what = f"the {compared.direction} mean {compared.measure}"
        return f"On {on}, {first} has {what}, {one}, before {second} with {other}."
    ranks = [float(each) for each in compared.ranks.values]
    among = f"among {counted(len(ranks), 'learner')} on {counted(len(compared.complete), 'data set')}"
    if ranks[0] == ranks[1]:
        names = [str(name) for name, rank in zip(compared.ranks["machine"], ranks, strict=True) if rank == ranks[0]]
        return f"{listed(names)} share the best average rank by {compared.measure}, {ranks[0]:.2f} {among}."
    return (
        f"{first} has the best average rank by {compared.measure}, {ranks[0]:.2f} {among}; "
        f"{second} follows with {ranks[1]:.2f}."
    )


def _distance(compared: Compared, first: str, second: str) -> str:
    """By how much the best is better than the next, on each data set or in the middle."""
    sign = 1 if compared.direction == "highest" else -1
    ahead = {on: sign * (_mean(compared, first, on) - _mean(compared, second, on)) for on in compared.complete}
    better, worse = ([on for on, by in ahead.items() if wanted * by > ROUNDING] for wanted in (1, -1))
    equal = len(ahead) - len(better) - len(worse)
    if len(ahead) > FEW:
        middle = statistics.median(ahead.values())
        counts = f"{len(better)} of {len(ahead)} data sets, equal on {equal} and behind on {len(worse)}"
        return f"It is ahead of {second} on {counts}; the median of the differences is {middle:+.3f}."
    parts: list[str] = []
    for word, chosen in (("ahead of", better), ("behind", worse)):
        if chosen:
            by = listed([f"{_amount(ahead[on])} on {on}" for on in chosen])
            parts.append(f"{word} {second if not parts else 'it'} by {by}")
    if equal:
        same = listed([on for on in ahead if on not in (*better, *worse)])
        parts.append(f"equal to {second if not parts else 'it'} on {same}")
    return f"It is {listed(parts)}."


def _amount(difference: float) -> str:
    return f"{abs(difference):.3f}" if abs(difference) >= 0.0005 else "less than 0.001"


def _ranks_differ(compared: Compared, first: str) -> Iterator[str]:
    """What the tests of average ranks say of all learners, and of the best one."""
    friedman, pairs = compared.friedman, compared.pairs
    if pairs is None or not len(pairs):
        return
    row: dict[str, Any] = pairs.row(0)
    level = float(row["alpha"])
    test = f"{str(row['variant']).partition(' ')[0]} test at {level:g}"
    if friedman is not None:
        p = float(friedman["p"][0])
        if p >= level:
            yield f"Average ranks do not differ significantly (Friedman's test, p = {p:.2g}): the order may be chance."
            return
        yield f"Average ranks differ (Friedman's test, p = {p:.2g})."
    differing = [row for row in pairs if row["different"]]
    rivals = [_rival(row, first) for row in differing if first in (row["machine"], row["against"])]
    if rivals:
        yield f"It differs significantly from {listed(rivals)} ({test})."
    elif differing:
        yield f"It differs significantly from no other learner ({test}); other pairs do."
    else:
        which = f"no learner differs from {compared.control}" if compared.control in compared.competitors else ""
        yield f"By a test of pairs {which or 'no two learners differ'} significantly ({test})."


def _rival(row: dict[str, Any], first: str) -> str:
    return str(row["against"] if row["machine"] == first else row["machine"])


def _counted_wins(compared: Compared, first: str) -> Iterator[str]:
    """How often the best learner is significantly better, or worse, on a single data set."""
    counts = None if compared.views is None else compared.views.counts
    if counts is None:
        return
    rows: list[dict[str, Any]] = [row for row in counts if row["machine"] == first and row["against"] != first]
    if not rows:
        return
    won, drawn, lost = (sum(int(row[what]) for row in rows) for what in ("wins", "draws", "losses"))
    test = str(rows[0]["variant"]).partition("(")[0]
    against = "other learners" if len(rows) > 1 else str(rows[0]["against"])
    tests = counted(int(rows[0]["comparisons"]), "test")
    corrected = "not corrected" if str(rows[0]["variant"]).endswith("none") else "corrected"
    yield (
        f"On single data sets it is significantly better than {against} in {won or 'none'} of {won + drawn + lost} "
        f"comparisons and worse in {lost or 'none'} ({test} at {float(rows[0]['level']):.2g}, {corrected} for {tests})."
    )


def _missing(compared: Compared) -> Iterator[str]:
    for state, says in (
        ("failed", "failed"),
        ("not run", "not run"),
        ("not known", "of machines that are not known here"),
    ):
        cells = [f"{learner} on {data}" for (learner, data), each in compared.cells.items() if each == state]
        if cells:
            are = "" if state == "failed" else "was " if len(cells) == 1 else "were "
            yield f"{listed(cells, 3)} {are}{says}."
    left_out = [data for data in compared.data if data not in compared.complete]
    if left_out and compared.complete:
        yield f"Tests leave out {listed(left_out)}, where not all learners have all values."
    if compared.not_competing:
        named = [f"{learner} ({stamp})" for learner, stamp in compared.not_competing.items()]
        yield f"{listed(named)} {'does' if len(named) == 1 else 'do'} not compete."
