"""Compare searches on the knowledge base of committees as the book does, and write a section of `docs/reproduction.md`.

    python -m scripts.committee_knowledge
    python -m scripts.committee_profiles

The first program makes the knowledge base, the second reads it. Nothing is learned: searches are replayed on results
that are on record.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from intemi.machines.meta_learning import KnowledgeBase
from scripts.committee_knowledge import FILE, load
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
python -m scripts.committee_profiles                         # this section
```
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
settled, and its program written, before it was run on these results.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay all searches, draw their curves, and write the section."""
    parser = argparse.ArgumentParser(prog="python -m scripts.committee_profiles", description=__doc__)
    parser.add_argument("file", nargs="?", default=FILE, help="the knowledge base")
    base, _ = load(parser.parse_args(arguments).file)
    by_means = {name: line_of(strategy, base) for name, strategy in BY_MEANS.items()}
    by_neighbours = {name: line_of(strategy, base) for name, strategy in BY_NEIGHBOURS.items()}
    draw(curves(by_means, looks_by_name(by_means)), IMAGES / "profiles-means.svg")
    draw(curves(by_neighbours, looks_by_kind()), IMAGES / "profiles-neighbours.svg")
    section = "\n".join(lines(base, by_means, by_neighbours)).rstrip()
    PAGE.write_text(with_part(PAGE.read_text("utf-8"), section), "utf-8")


def lines(base: KnowledgeBase, by_means: Lines, by_neighbours: Lines) -> Iterator[str]:
    """The lines of the section."""
    yield HEAD
    yield "### Conclusions about profiles\n"
    yield from verdicts(by_means, by_neighbours)
    yield PROTOCOL
    yield "### Curves of profiles\n"
    yield from table(by_means)
    yield "![Profiles, passive orders and random search](images/profiles-means.svg)\n"
    yield from table(by_neighbours)
    yield "![Passive, 5NN and active, by four scores](images/profiles-neighbours.svg)\n"
    yield f"The mean of all {base.results.shape[1]} candidates is at {base.differences.mean():.3f}.\n"


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
