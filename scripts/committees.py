"""Run the experiment with committees, test the conclusions of the book, and write their part of `docs/reproduction.md`.

    python -m scripts.committees

The results are kept in the folder `committees`, or in another one that is named. What is there is not run again, so a
run that was stopped goes on. `--no-run` runs nothing and makes the page of what has finished; what has not is named on
it. `--smoke` runs a small form in memory, prints its part of the page, and writes nothing. `--data iris wine` runs
the whole on these data sets only, and prints the part as well.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from configs import committees
from configs.committees import BAGGING_AXES, BOOSTING_AXES, SIZE, Part
from intemi import Project
from intemi.experiments import Experiment, Outcome, found, run
from intemi.kernel.workers.processes import Processes
from scripts.committees_charts import draw
from scripts.committees_claims import findings
from scripts.committees_results import COMMITTEES, Results, results_in

ROOT = Path(__file__).parents[1]
PAGE, IMAGES = ROOT / "docs" / "reproduction.md", ROOT / "docs" / "images"
TITLE = "## Committees"
NEXT = "\n## Best-first trees"
"""What comes after a part on a page that has no such part yet."""
HEAD = f"""{TITLE}

The book's second experiment: validation by ten passes grows ten trees, which are usually thrown away. A
*cross-validation committee* keeps the best of them, each pruned, and lets the mean of their answers decide. There are
3,390 such committees for each split criterion: six validators, pruning separately or in common, margins of standard
errors, weights of training errors, three decisions of leaves, sizes from 1 to 10. They compete with single trees by the
same validators, with bagging and with boosting. Written by a program:

```
python -m scripts.committees --workers 2     # runs what is missing, into committees/, then writes this part
python -m scripts.committees --no-run        # this part, of what has finished
```
"""
PROTOCOL = """### What was run

Ten times ten folds of each data set, the same for everything; ten inner folds in each. Bagging and boosting have
unpruned trees and six direct prunings without a margin; boosting draws samples by weight, and what ends early stays
what it is in larger sizes. W-D-L are the data sets on which the first is significantly better, not different, and
worse, by paired t-tests at 0.01 without correction, as in the book; of pooled configurations (C12 to C18, C20) they are
descriptive, since samples depend on each other, so there is a second count with a pair for each split.

Less than in the book, or otherwise: two split criteria instead of four, the 17 data sets of the experiment above. The
m-estimate of a leaf takes the shares of classes in the training part of its tree.

Each part of a split with a criterion is one machine, which leaves its accuracies as a [block](results.md#queries) and
runs in memory what it is made of; with all trees, the members of boosting would take some 8 MB for each split and
criterion. The folder has 13 million accuracies in 89 MB. The run took 53 minutes on two cores that did other work.

The conditions are those of a specification, which calibrated them with another program on the same data sets and kept
what came out there: so they are less evidence for the book's claims than a check of this program. What has no condition
there is told and not judged.
"""
LOGICAL: Mapping[Part, int] = {
    "committees": 3390 * SIZE,
    "trees": 75 * (SIZE + 1),
    "bagging": 7 * 2 * 55,
    "boosting": 7 * 4 * 55,
}
"""Trees that would be grown for one split and criterion, if nothing were shared."""
BOOK: Mapping[Part, str] = {
    "committees": "13,670,000 → 4,400, with 100 single trees, by four criteria",
    "trees": "in the row above",
    "bagging": "308,000 → 4,000, by four criteria",
    "boosting": "616,000 → 101,200, by four criteria",
}
"""The specification's table 5.7, for one data set: trees that are asked for, and that are grown."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, and write the part of the page."""
    parser = argparse.ArgumentParser(prog="python -m scripts.committees", description=__doc__)
    parser.add_argument("--project", default="committees", help="the folder with the results")
    parser.add_argument("--workers", type=int, default=1, help="how many splits are run at a time, in processes")
    parser.add_argument("--no-run", action="store_true", help="make the page of what has finished")
    parser.add_argument("--smoke", action="store_true", help="run a small form in memory, and print its part")
    parser.add_argument("--data", nargs="+", metavar="NAME", help="run these data sets only, and print their part")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as drawn:
        images = Path(drawn) if chosen.smoke or chosen.data else IMAGES
        if chosen.smoke:
            with Project(workers=chosen.workers) as project:
                part = part_of_page(run_missing(committees.smoke, project), images)
        elif chosen.no_run:
            with Project.open(chosen.project) as project:
                part = part_of_page(found(on(chosen.data, committees.experiment), project), images)
        else:
            with Project(chosen.project, workers=Processes(chosen.workers)) as project:
                part = part_of_page(run_missing(on(chosen.data, committees.experiment), project), images)
    if images == IMAGES:
        PAGE.write_text(with_part(PAGE.read_text("utf-8"), "\n".join(part).rstrip()), "utf-8")
    else:
        print("\n".join(part))


def on(names: Sequence[str] | None, experiment: Experiment) -> Experiment:
    """An experiment on some of its data sets; without names, on all of them."""
    if not names:
        return experiment
    if unknown := set(names).difference(experiment.data):
        listed = ", ".join(experiment.data)
        raise SystemExit(f"--data: there is no data set called {min(unknown)}; there are {listed}")
    return replace(experiment, data={name: experiment.data[name] for name in names})


def with_part(page: str, part: str) -> str:
    """A page with a part in place of the one with the same title, up to the next heading; others are of other scripts.

    >>> with_part("# Page\\n\\n## Committees\\n\\nold\\n\\n## Next\\n", "## Committees\\n\\nnew")
    '# Page\\n\\n## Committees\\n\\nnew\\n\\n## Next\\n'
    """
    title = part.partition("\n")[0]
    before, is_there, rest = page.partition(f"\n{title}\n")
    if not is_there:
        before, _, after = page.partition(NEXT)
        return f"{before.rstrip()}\n\n{part}\n{NEXT}{after}"
    _, mark, after = rest.partition("\n## ")
    return f"{before.rstrip()}\n\n{part}\n{mark}{after}"


def run_missing(experiment: Experiment, project: Project) -> Outcome:
    """Run what has not finished, one part and criterion after the other."""
    for name, machine in experiment.requests.items():
        run(replace(experiment, requests={name: machine}), project)
        print(name, "has finished", flush=True)
    return found(experiment, project)


def part_of_page(outcome: Outcome, images: Path) -> list[str]:
    """The lines of the part; its charts are drawn into a folder."""
    every = results_in(outcome)
    return list(lines(outcome, every, draw(every, outcome.experiment.digest, images)))


def lines(outcome: Outcome, every: Mapping[str, Results], charts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The lines of the part, with the titles and names of charts."""
    yield HEAD
    yield from _conclusions(every)
    yield PROTOCOL
    yield from _missing(outcome)
    yield from _counts(every)
    yield "### Charts of committees\n"
    for title, name in charts:
        yield f"#### {title}\n"
        yield f"![{title}](images/{name})\n"


def _conclusions(every: Mapping[str, Results]) -> Iterator[str]:
    found = {criterion: findings(results) for criterion, results in every.items()}
    first = next(iter(found.values()))
    judged = [place for place, each in enumerate(first) if each.is_judged]
    in_all = sum(all(each[place].holds for each in found.values()) for place in judged)
    yield "### Conclusions about committees\n"
    yield (
        f"Of {len(judged)} conclusions with a condition, judged with trees by {' and by '.join(found)}: {in_all} hold "
        f"with each, {len(judged) - in_all} not with each. A verdict in brackets is of the claim itself, which has no "
        "condition.\n"
    )
    yield f"| conclusion | {' | '.join(found)} |"
    yield f"| --- |{' --- |' * len(found)}"
    for place, claim in enumerate(first):
        verdicts = [_verdict(each[place].holds, each[place].is_judged) for each in found.values()]
        yield f"| {claim.claim} | {' | '.join(verdicts)} |"
    yield ""
    for place, claim in enumerate(first):
        yield f"**{claim.claim}.** Condition: {claim.condition}.\n"
        yield from (f"- {criterion}: {each[place].numbers}" for criterion, each in found.items())
        yield ""


def _verdict(holds: bool, is_judged: bool) -> str:
    said = "yes" if holds else "**no**"
    return said if is_judged else f"({said})"


def _missing(outcome: Outcome) -> Iterator[str]:
    missing: dict[str, list[str]] = {}
    for cell in outcome.cells:
        if not cell.has_finished:
            missing.setdefault(cell.learner, []).append(cell.data)
    if missing:
        yield "Not finished: " + "; ".join(f"{name}: {', '.join(data)}" for name, data in missing.items()) + ".\n"


def _counts(every: Mapping[str, Results]) -> Iterator[str]:
    """What was asked for and what was run, beside the specification's table 5.7."""
    yield "### What was shared\n"
    yield (
        f"Trees for each data set with 100 splits, by {len(every)} criteria: those that would be grown if each of "
        f"{len(COMMITTEES) * SIZE:,} committees, {_cells(BAGGING_AXES)} of bagging and {_cells(BOOSTING_AXES)} of "
        "boosting grew its own, and those that were (boosting that ends early grows fewer). Machines are those of the "
        "engine: a wide test of 90 to 450 committees is one. Parts are run by themselves, so the ten trees of inner "
        "folds are grown for committees and again for single trees; in one project they are grown once "
        "(`tests/acceptance/test_committees_of_validation_trees_grow_none.py`).\n"
    )
    yield "| part | trees asked for | grown | ratio | machines requested | run | specification, for each data set |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for part, book in BOOK.items():
        told = [each for each in every.values() if (part, "Trees grown") in each.told]
        if told:
            grown, requested, ran = (
                sum(each.told[part, label].sum(axis=1).mean() for each in told)
                for label in ("Trees grown", "Requested", "Run")
            )
            splits = sum(each.told[part, "Run"].shape[1] for each in told)
            asked = LOGICAL[part] * splits
            yield (
                f"| {part} | {asked:,} | {grown:,.0f} | {asked / grown:,.0f} | {requested:,.0f} | {ran:,.0f} | {book} |"
            )
    yield ""


def _cells(axes: Mapping[Any, Sequence[Any]]) -> int:
    return prod(map(len, axes.values()))


if __name__ == "__main__":
    main()
