"""How soon strategies find good configurations on a real knowledge base, leaving out one data set after another.

    python -m scripts.profile_curves lcdb.npz

writes `docs/profile-search.md` and its pictures. `scripts.profile_curves_bases` says what the file is. Nothing is
learned: searches are replayed on results that are on record.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from intemi.analysis import Wilcoxon
from intemi.analysis.plots.picture import Picture
from intemi.analysis.plots.style import COLOURS, INK, NORMAL, SMALL, light
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import paired_p_values
from intemi.series import Series
from scripts.committee_profiles_charts import draw
from scripts.profile_curves_bases import Part, parts_of
from scripts.profile_curves_runs import (
    AP,
    CHEAPEST,
    PROFILES,
    RANDOM,
    SEEDS,
    SHARES,
    STRATEGIES,
    TIMED,
    Searched,
    searched,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS = Path(__file__).parent.parent / "docs"
PAGE, IMAGES = DOCS / "profile-search.md", DOCS / "images"
LEVEL = 0.05
DRAWN = (RANDOM, "AA", "AR", AP, "active testing", PROFILES, "PBML, packages of 2")
DRAWN_BY_TIME = (RANDOM, AP, PROFILES, "ARR 0.1", TIMED, CHEAPEST)
PASSIVE = ("AA", "AD", "AR", AP, "SRR", "SW")
TIMED_TABLE = (*DRAWN_BY_TIME, "AR", "3 nearest descriptions", "active testing")
HEAD = f"""# Search by profiles on a real knowledge base

How soon do strategies find good machines on data that they have never seen? Results are from LCDB 1.0, a database of
learning curves (the Python package `lcdb` 0.1.0, MIT license, by Felix Mohr and others): learners of scikit-learn with
default parameters on data sets of OpenML, trained on samples of 16 to 512 rows and on all rows, 25 splits each, the
same for all learners, with training times. A *configuration* is a learner with a number of training rows. Parts
without gaps are used, of 17 learners. This page is written by a program:

```
python -m scripts.profile_curves lcdb.npz        # two minutes of CPU
```

One data set after another is left out. A search on it knows the results on all others, or on those of other *families*
only: data sets that come from one source, such as two versions of the same table, are one family. Curve (a) is the
best so far, as its distance from the best configuration of all; its mean height over the first tests says how soon good
ones are found, and 0 is the best possible. It is measured in percentage points of accuracy, and in standard deviations
of the best over the splits (on a few data sets those are tiny, and rule the mean). Data sets on which the best does not
vary are left out.

PBML is `ProfileSearch`: packages of 5 tests, the order of AP at first, then mean p-values weighted by correlations of
profiles; AP, AA, AD and AR are passive orders by the mean p-value against the best, accuracy, difference from the best
and rank; SRR, SW and ARR are those of [scores by comparisons](knowledge-base.md#how-it-is-used). Searches that draw are
means of {SEEDS} runs. Two p-values are given for each difference over data sets, of a t-test and of Wilcoxon's
signed-rank test, both paired, two-sided and not corrected for their number; what is significant by neither is no claim
here. "PBML, packages of 2" was chosen after a look at these data.
"""
BY_SECONDS = """A test costs what the training took. Time is counted in shares of what it takes to test all
configurations of a data set, and heights are means over the logarithm of time from 0.01 % to all of it; before the
first test has ended, a search is as good as the mean of all. The best configurations are dear ones, so orders that do
not look at time begin with long waits. `AdjustedRatioScore(0.1)`, a mean ratio of accuracies that trades ten per cent
for a tenfold time, makes a passive order (ARR 0.1) and a search by profiles of it.
"""


@dataclass(frozen=True)
class Difference:
    """By how much heights are above others, over data sets."""

    mean: float
    t_test: float
    wilcoxon: float
    higher: int
    lower: int

    @classmethod
    def of(cls, one: Floats, other: Floats) -> Difference:
        """Of two heights for each data set."""
        first, second = (
            Series({"height": list(map(float, each)), "data": list(range(len(each)))}) for each in (one, other)
        )
        by_ranks = 1.0 if np.array_equal(one, other) else float(Wilcoxon()(first, second).row(0)["p"])
        differences = np.where(np.abs(one - other) < 1e-12, 0.0, one - other)
        t_test = float(paired_p_values(differences))
        higher, lower = int((differences > 0).sum()), int((differences < 0).sum())
        return cls(float(differences.mean()), t_test, by_ranks, higher, lower)

    @property
    def verdict(self) -> str:
        """Whether a difference can be claimed."""
        if min(self.t_test, self.wilcoxon) > LEVEL:
            return "no claim"
        both = max(self.t_test, self.wilcoxon) <= LEVEL
        return ("above" if self.mean > 0 else "**below**") + ("" if both else ", by one test")

    def __str__(self) -> str:
        return f"{self.mean:+.3f} | {_p(self.t_test)} | {_p(self.wilcoxon)} | {self.higher} / {self.lower}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


@dataclass(frozen=True, eq=False)
class Compared:
    """All strategies on one part."""

    part: Part
    found: Mapping[str, Searched]
    """Knowing all other data sets."""
    by_family: Mapping[str, Searched]
    """Knowing other families only."""

    def heights(self, name: str, unit: str = "points", by_family: bool = False) -> Floats:
        """The mean height of curve (a), for each data set."""
        return np.asarray(self.curve(name, unit, by_family).mean(axis=1))

    def curve(self, name: str, unit: str = "points", by_family: bool = False) -> Floats:
        """Curve (a), data sets × tests."""
        one = (self.by_family if by_family else self.found)[name]
        return one.best(getattr(one, unit), self.part.tests)

    def by_time(self, name: str) -> Floats:
        """Curve (a) in points, data sets × shares of time."""
        one = self.found[name]
        return one.best_by_time(one.points)


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay everything, draw curves, write the page."""
    parser = argparse.ArgumentParser(prog="python -m scripts.profile_curves", description=__doc__)
    parser.add_argument("file", help="lcdb.npz")
    compared = [_compared(part) for part in parts_of(parser.parse_args(arguments).file)]
    draw(by_tests_picture(compared), IMAGES / "profile-search-tests.svg")
    draw(by_time_picture(compared), IMAGES / "profile-search-seconds.svg")
    PAGE.write_text("\n".join(lines(compared)).rstrip() + "\n", "utf-8")


def _compared(part: Part) -> Compared:
    by_family = {name: searched(strategy, part, by_family=True) for name, strategy in STRATEGIES.items()}
    return Compared(part, {name: searched(strategy, part) for name, strategy in STRATEGIES.items()}, by_family)


def lines(compared: Sequence[Compared]) -> Iterator[str]:
    """The lines of the page."""
    yield HEAD
    yield "## Is it ahead?\n"
    yield from verdicts(compared)
    yield "![The best so far by the number of tests](images/profile-search-tests.svg)\n"
    for each in compared:
        yield from table(each)
    yield from by_time(compared)


def verdicts(compared: Sequence[Compared]) -> Iterator[str]:
    """PBML against chance and against the best passive order, in both units."""
    yield "| PBML against | of | unit | known | difference | p (t) | p (W) | higher / lower | verdict |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for each in compared:
        for other in (RANDOM, _best_passive(each)):
            for unit in ("points", "deviations"):
                for by_family in (False, True):
                    one, two = (each.heights(name, unit, by_family) for name in (PROFILES, other))
                    found = Difference.of(one, two)
                    known = "other families" if by_family else "all others"
                    yield f"| {other} | {each.part.name} | {unit} | {known} | {found} | {found.verdict} |"
    yield ""


def _best_passive(each: Compared) -> str:
    """The passive order that is best on all, with hindsight."""
    return max((name for name in PASSIVE if name in each.found), key=lambda name: each.heights(name).mean())


def table(each: Compared) -> Iterator[str]:
    """All strategies on one part."""
    base, tests = each.part.base, each.part.tests
    yield f"## {each.part.name.capitalize()}\n"
    sizes = f"{len(base.data_sets)} data sets × {len(base.configurations)} configurations"
    chance = 100 * float((base.best_accuracies[:, None] - base.accuracies).mean())
    yield f"{sizes}, {tests} tests; the mean of all configurations is {chance:.1f} points below the best.\n"
    yield f"| strategy | points | after {tests} | deviations | against AP | p (t) | p (W) | other families: points |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for name in each.found:
        points = each.heights(name)
        last = each.curve(name)[:, -1].mean()
        deviations, family = each.heights(name, "deviations"), each.heights(name, by_family=True)
        against = Difference.of(points, each.heights(AP))
        shown = "| |" if name == AP else f"{against.mean:+.3f} | {_p(against.t_test)} | {_p(against.wilcoxon)}"
        yield f"| {name} | {_mean(points)} | {last:.3f} | {_mean(deviations)} | {shown} | {_mean(family)} |"
    yield ""


def _mean(values: Floats) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def by_time(compared: Sequence[Compared]) -> Iterator[str]:
    """The same by seconds of training."""
    yield "## By seconds\n"
    yield BY_SECONDS
    yield "| strategy | " + " | ".join(f"points, {each.part.name}" for each in compared) + " |"
    yield "| --- |" + " --- |" * len(compared)
    for name in TIMED_TABLE:
        cells = [_mean(each.by_time(name).mean(axis=1)) for each in compared]
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""
    yield "| by time | of | difference | p (t) | p (W) | higher / lower | verdict |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for one, other in ((PROFILES, AP), (TIMED, "ARR 0.1"), (TIMED, CHEAPEST), (TIMED, RANDOM)):
        for each in compared:
            found = Difference.of(each.by_time(one).mean(axis=1), each.by_time(other).mean(axis=1))
            yield f"| {one} against {other} | {each.part.name} | {found} | {found.verdict} |"
    yield ""
    yield "![The best so far by time](images/profile-search-seconds.svg)"


def by_tests_picture(compared: Sequence[Compared]) -> Figure:
    """A panel for each part: the best so far by the number of tests."""
    curves = [{name: each.curve(name).mean(axis=0) for name in DRAWN} for each in compared]
    titles = [each.part.name for each in compared]
    places = [np.arange(1, each.part.tests + 1) for each in compared]
    return _panels(curves, places, titles, "tests", is_logarithmic=False)


def by_time_picture(compared: Sequence[Compared]) -> Figure:
    """A panel for each part: the best so far by time."""
    curves = [{name: each.by_time(name).mean(axis=0) for name in DRAWN_BY_TIME} for each in compared]
    titles = [each.part.name for each in compared]
    return _panels(curves, [100 * SHARES] * len(compared), titles, "time, % of all tests", is_logarithmic=True)


def _panels(
    curves: Sequence[Mapping[str, Floats]],
    places: Sequence[Floats],
    titles: Sequence[str],
    x: str,
    is_logarithmic: bool,
) -> Figure:
    figure = Picture(figsize=(3.0 * len(curves), 3.2), layout="constrained")
    panels = np.atleast_1d(figure.subplots(1, len(curves)))
    styles = ("-", "--", "-.", ":")
    for axes, lines_of, at, title in zip(panels, curves, places, titles, strict=True):
        light(axes, "both")
        for place, (name, values) in enumerate(lines_of.items()):
            look = {"color": COLOURS[place % len(COLOURS)], "linestyle": styles[place % len(styles)]}
            axes.plot(at, values, label=name, linewidth=1.2, gid=f"{title} {name}", **look)
        if is_logarithmic:
            axes.set_xscale("log")
        else:
            axes.set_yscale("symlog", linthresh=0.1)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_title(title, fontsize=NORMAL, color=INK)
        axes.set_xlabel(x, fontsize=NORMAL, color=INK)
    panels[0].set_ylabel("points below the best", fontsize=NORMAL, color=INK)
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=4, fontsize=SMALL + 1, frameon=False)
    return figure


if __name__ == "__main__":
    main()
