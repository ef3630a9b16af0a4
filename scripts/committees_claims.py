"""What the book concludes from its experiment with committees, and what has to come out for us to agree.

The conditions are those of the specification of the experiment (S10 to S15, S17), for each split criterion by itself;
they were fixed, with another program, before this one was run. Other conclusions have none, because they did not come
out there or depend on the data sets: their numbers are told and not judged. Counts of data sets are meant of 17, and
are shares where fewer were run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from configs.committees import COMMON, MARGINS, PRUNINGS, SEPARATE, SIZE, VARIANTS, WEIGHTS
from scripts.committees_results import COMMITTEES, Pooled, Results, pooled, record, winners
from scripts.reproduction_claims import Finding
from scripts.reproduction_results import Record

NESTED = ("CC", "Deg", "OPT")
SIZES = tuple(range(1, SIZE + 1))
MEANT = 17
"""Data sets that the conditions count."""


def findings(results: Results) -> list[Finding]:
    """All claims, in their order."""
    return [check(results) for check in CHECKS]


def committees_beat_trees(results: Results) -> Finding:
    holds, numbers = [], []
    for validator in NESTED:
        records = [
            record(_of(results, validator, SEPARATE, "½TE", size), results.tree(validator)) for size in (1, 2, 10)
        ]
        one, two, ten = records
        holds.append(
            ten.wins >= _share(results, 5)
            and ten.losses <= _share(results, 2)
            and ten.wins > one.wins
            and two.losses > ten.losses
        )
        numbers.append(f"{validator} {_listed(records)}")
    return Finding(
        "C11: committees of three and more beat single trees, those of one or two do not",
        "separate, 0SE, ½TE, n (CC, Deg, OPT): of size 10 at least 5 wins and at most 2 losses against the single "
        "tree, more wins than of size 1, and fewer losses than of size 2",
        all(holds),
        f"W-D-L of sizes 1, 2 and 10: {'; '.join(numbers)}",
    )


def training_errors_help(results: Results) -> Finding:
    found = pooled(results, "TE", tuple(WEIGHTS))
    wins, against = found.wins(), found.record("1TE", "0TE")
    return Finding(
        "C12: in committees, training errors that count fully are best",
        "pooled: 1TE is better than 0TE on at least 10 data sets, and has the most wins",
        against.wins >= _share(results, 10) and wins[2] == max(wins),
        f"wins of 0TE, ½TE, 1TE: {_numbers(wins)}; 1TE against 0TE {against}; {_of_means(found)}",
    )


def no_margin(results: Results) -> Finding:
    found = pooled(results, "SE", tuple(MARGINS[SEPARATE]), Mode=SEPARATE)
    wins, against = found.wins(), found.record("0SE", "1SE")
    return Finding(
        "C13: in committees, a margin of standard errors does harm",
        "pooled, separate: 0SE is better than 1SE on at least 9 data sets, and 1SE has the fewest wins",
        against.wins >= _share(results, 9) and wins[2] == min(wins),
        f"wins of 0SE, ½SE, 1SE: {_numbers(wins)}; 0SE against 1SE {against}; {_of_means(found)}",
    )


def common_large(results: Results) -> Finding:
    found = pooled(results, "Size", SIZES, Mode=COMMON)
    wins = found.wins()
    return Finding(
        "C14: of trees pruned in common, more are better",
        "pooled, common: sizes 9 or 10 have the most wins, size 1 at most 1",
        max(wins[8:]) == max(wins) and wins[0] <= 1,
        f"wins of sizes 1 to 10: {_numbers(wins)}; {_of_means(found)}",
    )


def separate_small(results: Results) -> Finding:
    found = pooled(results, "Size", SIZES, Mode=SEPARATE)
    wins = found.wins()
    return Finding(
        "C15: of trees pruned separately, three to six are best",
        "none; the claim itself is that sizes 3 to 6 have the most wins",
        max(wins[2:6]) == max(wins),
        f"wins of sizes 1 to 10: {_numbers(wins)}; {_of_means(found)}",
        is_judged=False,
    )


def common_or_separate(results: Results) -> Finding:
    found = Pooled(
        (SEPARATE, COMMON),
        [
            np.concatenate(
                [
                    _flat(results.chosen(Mode=mode, SE=se, Validator=validator))
                    for validator in ("CC", "Deg", "OPT", "MEP2", "DI")
                    for se in MARGINS[SEPARATE]
                ],
                axis=1,
            )
            for mode in (SEPARATE, COMMON)
        ],
    )
    against = found.record(COMMON, SEPARATE)
    return Finding(
        "C16: pruning in common is better than separately",
        "none; the claim itself is that common wins more often than it loses",
        against.wins > against.losses,
        f"common against separate {against}; {found.record(COMMON, SEPARATE, of_means=True)} by means of splits",
        is_judged=False,
    )


def smoothed_decisions(results: Results) -> Finding:
    found = Pooled(
        ("n", "L", "m"),
        [
            np.concatenate(
                [_flat(results.chosen(Decision=each, Validator=validator)) for validator in ("REP", *NESTED, "DI")],
                axis=1,
            )
            for each in ("n", "L", "m")
        ],
    )
    wins = found.wins()
    return Finding(
        "C17: leaves that answer by Laplace's or the m-estimate are slightly better than by proportions",
        "none; the claim itself is that L and m have at least the wins of n",
        min(wins[1:]) >= wins[0],
        f"wins of n, L, m: {_numbers(wins)}; L against n {found.record('L', 'n')}, "
        f"m against n {found.record('m', 'n')}",
        is_judged=False,
    )


def sample_errors(results: Results) -> Finding:
    found = Pooled(
        ("theory", "sample"),
        [
            np.concatenate([_flat(results.chosen(Mode=COMMON, SE=se)) for se in names], axis=1)
            for names in (("½SE", "1SE"), ("½SEs", "1SEs"))
        ],
    )
    against = found.record("sample", "theory")
    return Finding(
        "C18: standard errors of the sample are slightly ahead of those in theory",
        "none; the claim itself is that they win more often than they lose",
        against.wins > against.losses,
        f"sample against theory {against}; {found.record('sample', 'theory', of_means=True)} by means of splits",
        is_judged=False,
    )


def against_bagging(results: Results) -> Finding:
    holds, numbers = [], []
    for mode, te in ((SEPARATE, "½TE"), (COMMON, "0TE")):
        records = [
            record(_of(results, "CC", mode, te, size), results.bagged("none", size, "average")) for size in SIZES
        ]
        least = _share(results, 4)
        holds += [each.wins - each.losses >= least for each in records[:2]]
        holds.append(records[9].losses > records[9].wins)
        numbers.append(f"{mode} {te}: {_listed(records)}")
    return Finding(
        "C19: small committees beat bagging of the same size, large ones lose",
        "CC, 0SE, n, against bagging of full trees by average, separate ½TE and common 0TE: with 1 and 2 members at "
        "least 4 more wins than losses, with 10 more losses than wins",
        all(holds),
        f"W-D-L of sizes 1 to 10: {'; '.join(numbers)}",
    )


def against_boosting(results: Results) -> Finding:
    claim = "C19: the same against boosting"
    if "boosting" not in results.accuracies:
        return Finding(claim, "none", False, "boosting was not run", is_judged=False)
    count = len(results.accuracies["boosting"])
    records = []
    for size in SIZES:
        one = _of(results, "CC", SEPARATE, "½TE", size)[:count]
        every = [record(one, results.boosted(variant, pruning, size)) for variant in VARIANTS for pruning in PRUNINGS]
        records.append(Record(*map(sum, zip(*every, strict=True))))
    small = records[1].wins > records[1].losses and records[9].losses > records[9].wins
    return Finding(
        claim,
        "none; the claim itself: with 2 members more wins than losses, with 10 fewer",
        small,
        f"CC separate, 0SE, ½TE, n, on {count} data sets, all variants and prunings; W-D-L of sizes 1 to 10: "
        f"{_listed(records)}",
        is_judged=False,
    )


def best_validator(results: Results) -> Finding:
    names = ("CC", "Deg", "OPT", "DI")
    found = Pooled(names, [_flat(results.chosen(Validator=each)) for each in names])
    wins = found.wins()
    others = [f"{name} against Deg {found.record(name, 'Deg')}" for name in ("CC", "OPT", "DI")]
    return Finding(
        "C20: DI is the best validator and Deg the worst",
        "none; the claim itself is about wins",
        wins[3] == max(wins) and wins[1] == min(wins),
        f"wins of CC, Deg, OPT, DI: {_numbers(wins)}; {', '.join(others)}",
        is_judged=False,
    )


def nothing_wins_everywhere(results: Results) -> Finding:
    committees = results.committees.reshape(len(results.committees), -1, results.committees.shape[-1])
    won = winners(np.concatenate([committees, results.reference_trees], axis=1)).sum(axis=0)
    trees, of_committees = won[-results.reference_trees.shape[1] :], won[: committees.shape[1]]
    return Finding(
        "C21: no configuration wins everywhere, and single trees almost never match the best committee",
        "of all committees and trees of the criterion, single trees have at most 5 wins of 17",
        trees.max() <= 5 * len(results.data_sets) / MEANT,
        f"the most wins of a tree {trees.max()}, of a committee {of_committees.max()}, of {len(results.data_sets)}; "
        f"the best {_by_mode(results, of_committees)}",
    )


def few_trees_differ(results: Results) -> Finding:
    different = results.told["trees", "Different trees"].mean(axis=1)
    mean = float(different.mean())
    return Finding(
        "Few of the 45 prunings of a tree by CC, Deg and OPT differ (S17)",
        "6 to 20 different trees for each split, in the mean",
        6 <= mean <= 20,
        f"{mean:.1f} in the mean, {different.min():.1f} to {different.max():.1f} by data set",
    )


CHECKS: Sequence[Callable[[Results], Finding]] = (
    committees_beat_trees,
    training_errors_help,
    no_margin,
    common_large,
    separate_small,
    common_or_separate,
    smoothed_decisions,
    sample_errors,
    against_bagging,
    against_boosting,
    best_validator,
    nothing_wins_everywhere,
    few_trees_differ,
)


def _of(results: Results, validator: str, mode: str, te: str, size: int) -> np.ndarray:
    return results.one(size, Validator=validator, Mode=mode, SE="0SE", TE=te, Decision="n")


def _flat(found: np.ndarray) -> np.ndarray:
    """Data sets × all configurations × splits."""
    return found.reshape(len(found), -1, found.shape[-1])


def _share(results: Results, count: int) -> float:
    return count * len(results.data_sets) / MEANT


def _listed(records: Sequence[Record]) -> str:
    return ", ".join(map(str, records))


def _numbers(counts: Sequence[int]) -> str:
    return " ".join(map(str, counts))


def _of_means(found: Pooled) -> str:
    return f"wins by means of splits: {_numbers(found.wins(of_means=True))}"


def _by_mode(results: Results, won: np.ndarray) -> str:
    """The committees with the most wins, by mode."""

    told = []
    for mode in (SEPARATE, COMMON):
        places = [
            (int(won[row * SIZE + size]), row, size)
            for row, each in enumerate(COMMITTEES)
            if each["Mode"] == mode
            for size in range(SIZE)
        ]
        wins, row, size = max(places, key=lambda each: each[0])
        each = COMMITTEES[row]
        told.append(f"{mode}: {each['Validator']} {each['SE']} {each['TE']} {each['Decision']} of {size + 1}, {wins}")
    return "; ".join(told)
