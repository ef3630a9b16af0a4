"""Repeat the learning curves of the thesis on best-first trees in a small form, and write their section of the page.

    python -m scripts.best_first_curves --run
    python -m scripts.best_first_curves

A part of the training data chooses the number of expansions by inner cross-validation; the tree itself is always grown
on all of them, in the thesis, too. `--run` measures data sets, all if none is named, and keeps what was found in the
folder `best-first`; what is there is not run again. Without it the section is written of whatever is there.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from intemi.data import Data
from intemi.kernel import Machine
from intemi.machines import BestFirstTree, CVDistributor, HoldOutDistributor, Scheme
from intemi.series import Series
from scripts.best_first import CURVES_TITLE, FOLDER, PAGE, REFINEMENTS, keep, measured
from scripts.best_first_claims import Measured
from scripts.best_first_thesis import CURVES
from scripts.reference_data import WIDE

PERCENT = tuple(range(10, 101, 10))
SETS = tuple(CURVES["Post"])
ABOUT = f"""{CURVES_TITLE}

How many of the training data are needed to choose the number of expansions? In the thesis 10, 20, … 100 % of them go
into the inner cross-validation, while the tree is grown on all of them. Repeated here on {len(SETS)} of its 18 data
sets, with ten times ten folds and ten inner ones. This section is written by a program:

```
python -m scripts.best_first_curves --run    # goes on where it was stopped; results are kept in best-first/
python -m scripts.best_first_curves          # this section
```

The *cease point* is the smallest share at which accuracy has all but ceased to grow: that with all data is at most one
point above the mean of this share and its neighbours. The rule gives all {4 * len(SETS)} printed cease points of these
data sets from the printed accuracies.

Not run: arrhythmia, audiology, autos, horse-colic, breast-cancer, breast-w, credit-rating, heart-c, heart-h, hepatitis
and hypothyroid, in which values are missing, so that the hundred trees of a fold take long; and the artificial data
(thesis 4.17, 4.18), which a generator of WEKA makes.
"""


class Curve(NamedTuple):
    """Accuracy in percent and nodes, at each of `PERCENT`."""

    accuracy: Sequence[float]
    nodes: Sequence[float]

    @property
    def cease_point(self) -> int:
        """From how many percent on accuracy has all but ceased to grow.

        >>> Curve([70.0, 75.0, 79.5, 80.0, 80.0, 80.0, 80.0, 80.0, 80.0, 80.0], [5] * 10).cease_point
        40
        """
        for place, percent in enumerate(PERCENT):
            near = self.accuracy[max(place - 1, 0) : place + 2]
            if self.accuracy[-1] - np.mean(near) <= 1 + 1e-9:
                return percent
        return PERCENT[-1]

    @property
    def lost(self) -> float:
        """Percent of accuracy that are lost at the cease point."""
        return self.accuracy[-1] - self.accuracy[PERCENT.index(self.cease_point)]

    @property
    def saved(self) -> float:
        """Percent of the nodes that are saved there."""
        return 100 * (1 - self.nodes[PERCENT.index(self.cease_point)] / self.nodes[-1])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or write the section."""
    parser = argparse.ArgumentParser(prog="python -m scripts.best_first_curves", description=__doc__)
    parser.add_argument("--run", nargs="*", metavar="NAME", help="measure these data sets, or all")
    chosen = parser.parse_args(arguments)
    if chosen.run is None:
        before, _, old = PAGE.read_text("utf-8").partition(CURVES_TITLE)
        _, following, others = old.partition("\n## ")  # sections that other scripts write
        lines = "\n".join([before.rstrip(), "", *section()]).rstrip()
        PAGE.write_text(f"{lines}\n{following}{others}".rstrip() + "\n", "utf-8")
        return
    FOLDER.mkdir(exist_ok=True)
    for name in chosen.run or SETS:
        keep(FOLDER / f"{name}-curves.csv", lambda name=name: measured(learners(), WIDE.load(name)))
        print(name, flush=True)


def learners() -> Mapping[str, Machine]:
    """Each scheme with each share of the data to choose by."""
    return {
        f"{scheme} {percent}": BestFirstTree(refinement=REFINEMENTS[scheme].replace("passes", chosen_by(percent)))
        for scheme, percent in product(CURVES, PERCENT)
    }


def chosen_by(percent: int) -> Machine:
    """Ten-fold cross-validation of a part of the rows."""
    if percent == 100:
        return CVDistributor()
    part = Scheme(data=Data)
    drawn = part.add(HoldOutDistributor(share=percent / 100), data=part.data, name="part")
    folds = part.add(CVDistributor(), data=drawn.training[0], name="folds")
    part.expose(training=folds.training, test=folds.test)
    return part


def section() -> Iterator[str]:
    """The lines of the section."""
    found = {name: Series.from_csv(FOLDER / f"{name}-curves.csv") for name in SETS if is_there(name)}
    ours = {scheme: {name: curve(each, scheme) for name, each in found.items()} for scheme in CURVES}
    yield ABOUT
    missing = [name for name in SETS if name not in found]
    if missing:
        yield f"Not finished: {', '.join(missing)}.\n"
    yield from _cease_points(ours)
    for scheme, curves in ours.items():
        yield f"\n{scheme}: accuracy in percent / nodes, below them those of the thesis.\n"
        yield f"| | {' | '.join(f'{percent} %' for percent in PERCENT)} |"
        yield f"| --- |{' ---: |' * len(PERCENT)}"
        for name, each in curves.items():
            yield f"| {name} | {' | '.join(_cells(each))} |"
            yield f"| *thesis* | {' | '.join(_cells(Curve(*CURVES[scheme][name])))} |"


def is_there(name: str) -> bool:
    """Whether a data set was measured."""
    return (FOLDER / f"{name}-curves.csv").exists()


def curve(series: Series, scheme: str) -> Curve:
    """The curve of a scheme on one data set."""
    found = Measured(series, Series({"Seconds": []}))
    names = [f"{scheme} {percent}" for percent in PERCENT]
    return Curve([100 * found.mean(each, "Accuracy") for each in names], [found.mean(each, "Size") for each in names])


def _cease_points(ours: Mapping[str, Mapping[str, Curve]]) -> Iterator[str]:
    theirs = {scheme: {name: Curve(*CURVES[scheme][name]) for name in curves} for scheme, curves in ours.items()}
    means = {
        scheme: [float(np.mean([each.cease_point for each in of[scheme].values()])) for of in (ours, theirs)]
        for scheme in ours
    }
    post, pre = means["Post"], means["Pre"]
    grows = sum(each.saved > 0 for each in ours["Post"].values())
    holds = post[0] < pre[0] and grows == len(ours["Post"])
    yield (
        "What the printed curves show: post-pruning needs a smaller part than pre-pruning until accuracy ceases to "
        f"grow, and its trees go on growing. {'Confirmed' if holds else '**Refuted**'}: the mean cease point of Post "
        f"is {post[0]:.0f} %, that of Pre {pre[0]:.0f} % (thesis, on these sets: {post[1]:.0f} and {pre[1]:.0f} %); "
        f"on {grows} of {len(ours['Post'])} sets the tree of Post is smaller at its cease point than with all data.\n"
    )
    yield "Cease point, accuracy lost there, nodes saved there in percent; thesis in brackets.\n"
    yield f"| | {' | '.join(ours)} |"
    yield f"| --- |{' ---: |' * len(ours)}"
    for name in ours["Post"]:
        cells = [f"{_point(ours[scheme][name])} ({_point(theirs[scheme][name])})" for scheme in ours]
        yield f"| {name} | {' | '.join(cells)} |"


def _point(each: Curve) -> str:
    return f"{each.cease_point} %, {each.lost:.2f}, {each.saved:.0f}"


def _cells(each: Curve) -> list[str]:
    return [f"{accuracy:.2f} / {nodes:.2f}" for accuracy, nodes in zip(each.accuracy, each.nodes, strict=True)]


if __name__ == "__main__":
    main()
