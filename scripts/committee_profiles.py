"""Compare searches on the knowledge base of committees as the book does, and write a section of `docs/reproduction.md`.

    python -m scripts.committee_knowledge
    python -m scripts.committee_profiles

The first program makes the knowledge base, the second reads it. Nothing is learned: searches are replayed on results
that are on record.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from intemi.machines.meta_learning import KnowledgeBase
from scripts.committee_knowledge import PLANS, SMALL, file_of, load
from scripts.committee_profiles_charts import curves, draw, looks_by_kind, looks_by_name
from scripts.committee_profiles_lines import (
    BY_MEANS,
    BY_NEIGHBOURS,
    CURVES,
    KINDS,
    LEVEL,
    PROFILES,
    RANDOM,
    SCORES,
    SEEDS,
    TESTS,
    Difference,
    Line,
    line_of,
)
from scripts.committees import IMAGES, PAGE, with_part

Lines = Mapping[str, Line]
TITLE = "## Search by profiles"
HEAD = f"""{TITLE}

Results on the present data are a *profile*. Data sets on which the same machines had similar results say what to test
next: the book's profile-based meta-learning (PBML). Its experiment is repeated here on a small part of its 13,560
committees. Written by a program:

```
python -m scripts.committee_knowledge                        # the knowledge base: half a minute on two cores
python -m scripts.committee_knowledge --one-by-one glass     # counts and a check, on one data set
python -m scripts.committee_knowledge space                  # a larger one; so are `data` and `splits`: minutes
python -m scripts.committee_profiles                         # this section of what is there: minutes with all of them
```
"""
FINDINGS = """What was required of a knowledge base of this size:

- PBML is above random in the best so far (a): **confirmed**.
- PBML is above AP in (a): **not confirmed**. On average it is a little below, which is no claim either.
- Active searches are above passive ones in the mean so far (d): **not confirmed**. After the last test they are above
  on average with each score, but there is a claim for one of eight differences (ranks), as many as chance would give.

The likely reason is noise. Two halves of the ten splits agree about the candidates by a correlation of 0.46 only, so
much of a profile, and of what is best, is chance; and two data sets agree by 0.15, so of eleven few resemble the
present one. [Larger knowledge bases](#larger-knowledge-bases) point the same way: with ten times as many splits, or
with 20 data sets, PBML is above AP and active searches are above passive ones, with p-values below 0.1. With the whole
space of candidates there is still no claim about (a). This is a hint and no second confirmation: those bases were made
when the results of the first were known, and have its twelve data sets in common. Of their twelve tests three would
hold with Bonferroni's correction, and none of the three compares PBML with AP in (a).
"""
PROTOCOL = f"""### How searches were compared

Candidates are 480 [cross-validation committees](#committees): four split criteria (Gini, IG, SSV, QUEST), the
validators CC, Deg and MEP2, pruned separately or in common, with no margin or one standard error, sizes from 1 to 10.
The data sets are the twelve largest of the book's with at most 1,000 rows. Each committee was tested by two times
five folds, the same for all; inner folds are ten. The book has 13,660 candidates, 21 data sets, ten times ten folds
and 100 tests.

One data set after another is left out. A search on it knows the results on the others, and makes {TESTS} tests. The
curves say how far it is below the best of all candidates, in standard deviations of the best: (a) the best so far,
(b) the mean of the best three, (c) the present test, (d) the mean so far. Searches that choose at random are the
means of {SEEDS} runs.

PBML begins in the order of AP (the mean p-value against the best), and ranks anew after each 5 tests by mean
p-values, weighted by correlations of profiles. AR, AA and AD are the orders of the mean rank, accuracy, and
difference from the best. In the second comparison 5NN is the mean of a score over the 5 data sets nearest by 5 random
landmarks, whose tests count; active searches begin with the same random machines, and find the 5 nearest anew after
each 5 tests. Profiles are standardized.

Differences are of mean heights over {TESTS} tests, or of what is reached after the last; p-values are of two-sided
paired t-tests over data sets, without correction for their number. Above {LEVEL} there is no claim. All this was
settled, and its program written, before it was run on these results, but for one thing: at first the random choices
were the same on all data sets, now each data set has its own. That changed two verdicts about mean scores in (a),
"active is above 5NN" from no claim to confirmed and "5NN is above passive" from confirmed to no claim, and none of
what was required.
"""
SHARED = """### What profiles have shared

On glass, the 480 committees were also asked for one by one, each a learner with a test of its own, in ten splits
(`--one-by-one glass`): 172,816 machines exist, 16,197 of them were run; 48,000 trees exist, 400 were grown, 120 to 1.
The results are those of the knowledge base, to the last digit. In blocks, all twelve data sets take 28,632 machines, of
which 4,800 are trees: 23 s on two cores. The whole space of 13,560 committees grew no further tree: theirs are those of
the 480.
"""
LARGER = """### Larger knowledge bases

Data sets × committees × splits. Each of the larger ones has more of one thing: the book's whole space of committees;
eight more of its data sets, all but Letter; or twenty times five folds. They were made after the results above had been
seen, to find the reason for what did not come out, by the same program and with nothing else changed. *Halves* is the
correlation of mean accuracies of candidates on the first and the second half of the splits, as a mean over data sets;
*data sets* is that of the accuracies of two data sets, as a mean over pairs. In the whole space, searches that choose
at random are the means of 4 runs, to save time.
"""
MANY_CANDIDATES, FEW_SEEDS = 1_000, 4
"""From how many candidates on there are fewer runs of searches that choose at random, since they take minutes."""
MAIN = (
    "PBML − random, (a)",
    "PBML − AP, (a)",
    "PBML − AP, (d)",
    f"active − passive, (d) after {TESTS}, mean of the scores",
)
MAIN_SEARCHES = {
    **BY_MEANS,
    **{name: each for name, each in BY_NEIGHBOURS.items() if name.endswith(("passive", "active"))},
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay all searches, draw their curves, and write the section."""
    parser = argparse.ArgumentParser(prog="python -m scripts.committee_profiles", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(), help="where the knowledge bases are")
    folder = parser.parse_args(arguments).folder
    base, _ = load(folder / file_of(SMALL))
    by_means = {name: line_of(strategy, base) for name, strategy in BY_MEANS.items()}
    by_neighbours = {name: line_of(strategy, base) for name, strategy in BY_NEIGHBOURS.items()}
    draw(curves(by_means, looks_by_name(by_means)), IMAGES / "profiles-means.svg")
    draw(curves(by_neighbours, looks_by_kind()), IMAGES / "profiles-neighbours.svg")
    section = "\n".join([*lines(base, by_means, by_neighbours), *larger_bases(folder), SHARED]).rstrip()
    PAGE.write_text(with_part(PAGE.read_text("utf-8"), section), "utf-8")


def lines(base: KnowledgeBase, by_means: Lines, by_neighbours: Lines) -> Iterator[str]:
    """The lines of the section."""
    yield HEAD
    yield "### Conclusions about profiles\n"
    yield FINDINGS
    yield from verdicts(by_means, by_neighbours)
    yield PROTOCOL
    yield "### Curves of profiles\n"
    yield from table(by_means)
    yield "![Profiles, passive orders and random search](images/profiles-means.svg)\n"
    yield from table(by_neighbours)
    yield "![Passive, 5NN and active, by four scores](images/profiles-neighbours.svg)\n"
    yield f"The mean of all {base.results.shape[1]} candidates is at {base.differences.mean():.3f}.\n"


def larger_bases(folder: Path) -> Iterator[str]:
    """The main differences on the small knowledge base and on larger ones."""
    yield LARGER
    yield f"| knowledge base | {' | '.join(MAIN)} | halves | data sets |"
    yield f"| --- |{' --- |' * len(MAIN)} --- | --- |"
    for plan in PLANS:
        if not (folder / file_of(plan)).exists():
            yield f"| {plan} | not made |{' |' * (len(MAIN) + 1)}"
            continue
        base, _ = load(folder / file_of(plan))
        seeds = SEEDS if len(base.configurations) < MANY_CANDIDATES else FEW_SEEDS
        found = {name: line_of(strategy, base, seeds=seeds) for name, strategy in MAIN_SEARCHES.items()}
        size = " × ".join(f"{count:,}" for count in base.results.shape)
        told = " | ".join(str(each) for each in main_differences(found))
        yield f"| {plan}: {size} | {told} | {between_halves(base):.2f} | {between_data_sets(base):.2f} |"
    yield ""


def between_halves(base: KnowledgeBase) -> float:
    """How much the two halves of the splits agree about the candidates: a mean correlation."""
    middle = base.results.shape[2] // 2
    halves = base.results[:, :, :middle].mean(axis=2), base.results[:, :, middle:].mean(axis=2)
    return float(np.mean([np.corrcoef(*pair)[0, 1] for pair in zip(*halves, strict=True)]))


def between_data_sets(base: KnowledgeBase) -> float:
    """How much two data sets agree about the candidates: a mean correlation."""
    found = np.corrcoef(base.accuracies)
    return float(found[np.triu_indices(len(found), 1)].mean())


def main_differences(found: Lines) -> Iterator[Difference]:
    """Those that `MAIN` names."""
    for other, curve in ((RANDOM, "a"), ("AP", "a"), ("AP", "d")):
        yield Difference.of(found[PROFILES].height(curve), found[other].height(curve))
    active, passive = (
        np.mean([found[f"{score}, {kind}"].last("d") for score in SCORES], axis=0) for kind in ("active", "passive")
    )
    yield Difference.of(active, passive)


def verdicts(by_means: Lines, by_neighbours: Lines) -> Iterator[str]:
    """What was expected, and what came out: a difference of mean heights, and the p-value of a paired t-test."""
    active = by_means[PROFILES]
    yield "| expected | of curve | difference | verdict |"
    yield "| --- | --- | --- | --- |"
    for other, curve in ((RANDOM, "a"), ("AP", "a"), ("AP", "d")):
        yield _row(f"PBML is above {other}", curve, Difference.of(active.height(curve), by_means[other].height(curve)))
    for score in SCORES:
        passive, _, active = (by_neighbours[f"{score}, {kind}"] for kind in KINDS)
        claim = f"active is above passive, {score}"
        yield _row(claim, "d", Difference.of(active.height("d"), passive.height("d")))
        yield _row(claim, f"d, after {TESTS}", Difference.of(active.last("d"), passive.last("d")))
    for curve in CURVES:
        for one, other in (("active", "5NN"), ("5NN", "passive")):
            first, second = (_of_kind(by_neighbours, kind, curve) for kind in (one, other))
            yield _row(f"{one} is above {other}, mean of the scores", curve, Difference.of(first, second))
    for score in SCORES:
        first, second = by_neighbours[f"{score}, active"], by_neighbours[RANDOM]
        yield _row(f"active is above random, {score}", "a", Difference.of(first.height(), second.height()))
    yield ""
    yield from by_test(by_means)


def _row(claim: str, curve: str, found: Difference) -> str:
    return f"| {claim} | ({curve}) | {found} | {found.verdict} |"


def _of_kind(found: Lines, kind: str, curve: str) -> np.ndarray:
    """The mean height over the four scores, for each data set."""
    return np.mean([found[f"{score}, {kind}"].height(curve) for score in SCORES], axis=0)


def by_test(by_means: Lines) -> Iterator[str]:
    """What the book says of single tests."""
    best = {name: line.mean("a") for name, line in by_means.items()}
    above = int((best[PROFILES][5:] > best[RANDOM][5:]).sum())
    behind = [name for name in best if name not in (RANDOM, PROFILES) and best[name].mean() < best[RANDOM].mean()]
    running = by_means[PROFILES].mean("d")
    worst = {curve: min(by_means, key=lambda name: by_means[name].mean(curve).mean()) for curve in ("c", "d")}
    yield f"- PBML is above random in (a) at {above} of the {TESTS - 5} tests from the sixth on. The book: at all."
    yield f"- Passive orders below random in (a): {', '.join(behind) or 'none'}. The book: all four."
    yield f"- The lowest mean in (c) is that of {worst['c']}, in (d) of {worst['d']}. The book: random in both."
    yield (
        f"- PBML's curve (d) is at {running[5]:.3f} after 6 tests, {running[TESTS // 2 - 1]:.3f} after {TESTS // 2}, "
        f"{running[-1]:.3f} after {TESTS}. The book: it rises to the last test."
    )
    yield ""


def table(found: Lines) -> Iterator[str]:
    """Mean heights with standard errors, and the last values."""
    means = "mean of (a) | mean of (b) | mean of (d)"
    yield f"| search | {means} | (a) after {TESTS} | (d) after {TESTS} | above random in (a) |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, line in found.items():
        heights = " | ".join(_with_error(line.height(curve)) for curve in "abd")
        last = " | ".join(f"{line.mean(curve)[-1]:.3f}" for curve in "ad")
        above = "" if name == RANDOM else str(Difference.of(line.height(), found[RANDOM].height()))
        yield f"| {name} | {heights} | {last} | {above} |"
    yield ""


def _with_error(heights: np.ndarray) -> str:
    return f"{heights.mean():.3f} ± {heights.std(ddof=1) / np.sqrt(len(heights)):.3f}"


if __name__ == "__main__":
    main()
