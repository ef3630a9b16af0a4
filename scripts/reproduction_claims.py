"""What the book concludes from its experiment with single trees, and what has to come out for us to agree.

The conditions are those of the specification of the experiment (S1 to S9, S16, S17, X7, X8), for each split criterion
by itself; they were fixed before this program was run. They were calibrated with information gain and Gini, S8 and S16
with information gain only. Of S1, which is of every validator, a part is judged. Claim C7 has none there, its
condition is ours. Counts of tasks are meant of 17: that they are shares where fewer were run was added after the first
results, and changes none of 17.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from scripts.reproduction_results import METHODS, NESTED, Results, key

MARGINS, WEIGHTS = ("0SE", "½SE", "1SE"), ("0TE", "½TE", "1TE")
EQUAL = 1e-9


@dataclass(frozen=True)
class Finding:
    """A claim, whether it came out, and the numbers."""

    claim: str
    condition: str
    holds: bool
    numbers: str
    is_judged: bool = True
    """Otherwise its condition is about another split criterion, and the numbers are told only."""


def findings(results: Results) -> list[Finding]:
    """All claims, in their order."""
    return [check(results) for check in CHECKS]


def smaller_with_margins(results: Results) -> Finding:
    worse = total = 0
    for group, name, te in product(("single", "multi"), NESTED, WEIGHTS):
        sizes = [results.folds(key(group, name, se, te), "Leaves") for se in MARGINS]
        worse += int(sum((after > before).sum() for before, after in pairwise(sizes)))
        total += 2 * len(sizes[0])
    return Finding(
        "C1: the larger the margin of standard errors, the fewer leaves",
        "no fold in which leaves increase from 0SE to ½SE to 1SE (CC, Deg, OPT, all TE)",
        worse == 0,
        f"{worse} of {total:,} steps increase",
    )


def larger_with_training_errors(results: Results) -> Finding:
    fewer = total = 0
    for name, se in product(NESTED, (*MARGINS, "½SEs", "1SEs")):
        sizes = [results.means(key("multi", name, se, te), "Leaves") for te in WEIGHTS]
        fewer += int(sum((after < before - EQUAL).sum() for before, after in pairwise(sizes)))
        total += 2 * len(sizes[0])
    return Finding(
        "C1: the more training errors count, the more leaves",
        "mean leaves of a task decrease with TE in at most 1 % of the steps (multi CC, Deg, OPT; MEP2, DI and single "
        "passes are not judged)",
        fewer <= 0.01 * total,
        f"{fewer} of {total:,} steps decrease",
    )


def margin_alone(results: Results) -> Finding:
    def compared(name: str) -> tuple[bool, str]:
        none, one = (key("multi", name, se, "0TE") for se in ("0SE", "1SE"))
        record, losses = results.record(none, one), (results.loss[none], results.loss[one])
        holds = record.wins - record.losses >= 2 / 17 * sum(record)
        return holds, f"{name} {record}, loss {losses[0]:.2f} and {losses[1]:.2f}"

    return _of_each(
        "C2: without training errors, the 1SE rule costs accuracy",
        "multi, 0TE: 0SE wins against 1SE in at least 2 of 17 tasks more than it loses (CC, Deg, OPT)",
        compared,
    )


def training_errors_alone(results: Results) -> Finding:
    def compared(name: str) -> tuple[bool, str]:
        losses = [results.loss[key("multi", name, "0SE", te)] for te in WEIGHTS]
        return losses == sorted(losses, reverse=True), f"{name} {_shown(losses)}"

    return _of_each(
        "C3: without a margin, training errors do not help validation by several passes",
        "multi, 0SE: losses grow from 0TE to ½TE to 1TE",
        compared,
    )


def both_together(results: Results) -> Finding:
    def compared(name: str) -> tuple[bool, str]:
        none, half = (key("multi", name, "1SE", te) for te in ("0TE", "½TE"))
        record, losses = results.record(half, none), (results.loss[none], results.loss[half])
        holds = record.wins > record.losses and (losses[1] > losses[0] or name == "Deg")
        return holds, f"{name} {record}, loss {losses[0]:.2f} at 0TE and {losses[1]:.2f} at ½TE"

    return _of_each(
        "C4: margin and training errors help each other",
        "multi, 1SE: ½TE wins more often than it loses against 0TE, and (CC, OPT) its loss is smaller",
        compared,
    )


def several_passes(results: Results) -> Finding:
    def compared(name: str) -> tuple[bool, str]:
        record = results.record(key("multi", name, "0SE", "0TE"), key("single", name, "0SE", "0TE"))
        return record.wins >= 3 / 17 * sum(record) and record.losses <= 2 / 17 * sum(record), f"{name} {record}"

    return _of_each(
        "C5: several passes are at least as accurate as one",
        "0SE, 0TE: multi wins against single in at least 3 of 17 tasks and loses in at most 2 (CC, Deg, OPT)",
        compared,
    )


def kinds_of_margins(results: Results) -> Finding:
    least = 14 / 17

    def compared(name: str) -> tuple[bool, str]:
        pairs = [(key("multi", name, se, "0TE"), key("multi", name, f"{se}s", "0TE")) for se in ("½SE", "1SE")]
        records = [results.record(*pair) for pair in pairs]
        holds = all(record.draws >= least * sum(record) for record in records)
        return holds, f"{name} {' and '.join(map(str, records))}"

    return _of_each(
        "C6: standard errors in theory and of the sample are nearly interchangeable",
        "multi, 0TE: draws in at least 14 of 17 tasks, at ½SE and at 1SE",
        compared,
    )


def wins_and_losses_disagree(results: Results) -> Finding:
    wins = results.all_wins
    plain, strict = (key("direct", "EBP", se) for se in ("0SE", "1SE"))
    losses = results.loss[plain], results.loss[strict]
    return Finding(
        "C7: wins and losses disagree: with a margin EBP wins more often and loses more",
        "direct EBP, 0SE to 1SE: wins and loss grow",
        wins[strict] > wins[plain] and losses[1] < losses[0],
        f"wins {wins[plain]} and {wins[strict]} of {len(results.tasks)}, loss {losses[0]:.2f} and {losses[1]:.2f}",
    )


def unpruned_trees(results: Results) -> Finding:
    full = key("none", "full")
    wins = results.all_wins[full]
    others = {name: results.loss[key("multi", name, "0SE", "0TE")] for name in NESTED}
    least = 4 / 17 * len(results.tasks)
    return Finding(
        "C8: full trees have respectable wins but a large loss",
        "wins in at least 4 of 17 tasks; a loss at least 0.15 larger than of CC, Deg and OPT (multi, 0SE, 0TE)",
        wins >= least and results.loss[full] <= min(others.values()) - 0.15,
        f"{wins} wins of {len(results.tasks)}, loss {results.loss[full]:.2f}; "
        + ", ".join(f"{name} {loss:.2f}" for name, loss in others.items()),
    )


def error_based_is_smaller(results: Results) -> Finding:
    shares = []
    for se in MARGINS:
        error_based, pessimistic = (results.means(key("direct", name, se), "Leaves") for name in ("EBP", "PEP"))
        shares.append(float(np.mean(error_based < pessimistic)))
    return Finding(
        "C9: at the same margin EBP gives smaller trees than PEP",
        "IG: fewer leaves in at least 15 of 17 tasks, at each margin",
        min(shares) >= 15 / 17,
        f"{' / '.join(f'{each:.0%}' for each in shares)} of the tasks at {', '.join(MARGINS)}",
        _is_information_gain(results),
    )


def pessimistic_with_margin(results: Results) -> Finding:
    pessimistic, error_based = key("direct", "PEP", "1SE"), key("direct", "EBP", "0SE")
    share = float(np.mean(results.means(pessimistic, "Leaves") < results.means(error_based, "Leaves")))
    excess = results.excess[pessimistic], results.excess[error_based]
    return Finding(
        "C9: PEP as Quinlan defines it (1SE) gives smaller trees than EBP without a margin",
        "IG: fewer leaves in at least 15 of 17 tasks; 2 to 3.7 and 4 to 6.5 deviations more than the oracle",
        share >= 15 / 17 and 2 <= excess[0] <= 3.7 and 4 <= excess[1] <= 6.5,
        f"{share:.0%} of the tasks; {excess[0]:.2f} and {excess[1]:.2f} deviations",
        _is_information_gain(results),
    )


def reduced_error(results: Results) -> Finding:
    losses = {(se, te): results.loss[key("single", "REP", se, te)] for se, te in product(MARGINS, WEIGHTS)}
    worst = min(losses, key=lambda cell: losses[cell])
    better = all(losses[se, "1TE"] >= losses[se, "0TE"] + 0.15 for se in MARGINS)
    return Finding(
        "C10: REP prunes too much; training errors repair that",
        "the loss at 1TE is at least 0.15 smaller than at 0TE, at each margin; 1SE/0TE is the worst setting",
        better and worst == ("1SE", "0TE"),
        "; ".join(f"{se} {_shown([losses[se, te] for te in WEIGHTS])}" for se in MARGINS)
        + f"; the worst is {'/'.join(worst)}",
    )


def both_on_sonar(results: Results) -> Finding:
    if "sonar" not in results.data_sets:
        return Finding(*SONAR, False, "sonar was not run", is_judged=False)

    place = results.data_sets.index("sonar")

    def best(name: str, cells: Iterable[tuple[str, str]]) -> float:
        return 100 * max(results.means(key("multi", name, *cell))[place] for cell in cells)

    margins = ("½SE", "1SE", "½SEs", "1SEs")
    found = {name: (best(name, [("0SE", "0TE")]), best(name, product(margins, WEIGHTS[1:]))) for name in ("CC", "OPT")}
    holds = all(both >= none + 0.5 for none, both in found.values()) and max(map(max, found.values())) >= 75
    numbers = "; ".join(f"{name} {none:.1f} % and {both:.1f} %" for name, (none, both) in found.items())
    return Finding(*SONAR, holds, numbers, _is_information_gain(results))


SONAR = (
    "5.7: on sonar the most accurate settings have a margin and count training errors",
    "IG, multi CC, OPT: the best of them is 0.5 % above 0SE/0TE, and some is at 75 % or above",
)


def prunings_coincide(results: Results) -> Finding:
    mean = float(np.mean(list(results.different.values())))
    return Finding(
        "Few of the 45 prunings by CC, Deg and OPT with several passes differ",
        "6 to 20 different trees of a training sample, in the mean; told apart by leaves, depth and training error",
        6 <= mean <= 20,
        f"{mean:.1f}, from {min(results.different.values()):.1f} to {max(results.different.values()):.1f} by data set",
    )


def oracle_is_best(results: Results) -> Finding:
    oracle, worse, total = results.folds("oracle"), 0, 0
    for method in METHODS:
        if method.group in ("none", "direct") or (method.group == "multi" and method.name != "MEP2"):
            worse += int((results.folds(method.key) > oracle + EQUAL).sum())
            total += len(oracle)
    return Finding(
        "X7: no pruning of a tree is more accurate than the oracle's",
        "in no fold (full tree, direct and multi; not MEP2 after validation, which answers by other probabilities)",
        worse == 0,
        f"{worse} of {total:,} cases",
    )


CHECKS: tuple[Callable[[Results], Finding], ...] = (
    smaller_with_margins,
    larger_with_training_errors,
    margin_alone,
    training_errors_alone,
    both_together,
    several_passes,
    kinds_of_margins,
    wins_and_losses_disagree,
    unpruned_trees,
    error_based_is_smaller,
    pessimistic_with_margin,
    reduced_error,
    both_on_sonar,
    prunings_coincide,
    oracle_is_best,
)


def _is_information_gain(results: Results) -> bool:
    """Whether all trees are by this criterion."""
    return results.criterion == "IG"


def _of_each(claim: str, condition: str, compared: Callable[[str], tuple[bool, str]]) -> Finding:
    """A claim about each of the three validators."""
    found = [compared(name) for name in NESTED]
    return Finding(claim, condition, all(holds for holds, _ in found), "; ".join(numbers for _, numbers in found))


def _shown(numbers: list[float]) -> str:
    return " / ".join(f"{number:.2f}" for number in numbers)
