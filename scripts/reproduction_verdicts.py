"""Which conclusions of the book hold: with each criterion, each hold-out and each seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product

from configs.single_trees import HELD_OUT
from scripts.reproduction_claims import CHECKS, Finding, findings
from scripts.reproduction_results import Everything, Setting

CALIBRATED = ("IG", "Gini")
"""The criteria that the conditions were calibrated with."""
EXPLAINED = (
    "W-D-L are the tasks in which the first method is significantly better, not different, and worse. A loss is "
    "accuracy less the oracle's, in standard deviations of the oracle's, averaged over tasks. A condition is met only "
    "if all parts of it are; the numbers tell which are not.\n"
)


class Verdicts:
    """What came out of every conclusion."""

    def __init__(self, everything: Everything) -> None:
        self.criteria = everything.criteria
        self.unfinished = {name.partition(",")[0] for name in everything.missing}
        """Criteria of which some task has not finished with some seed."""
        self.seeds = list(dict.fromkeys(each.seed for each in everything.settings))
        self._found = {
            (criterion, setting): findings(results)
            for criterion, setting in product(everything.criteria, everything.settings)
            if (results := everything.of(criterion, setting)) is not None
        }

    def of(self, claim: int, criterion: str, share: str, seed: int) -> Finding | None:
        """What came out of the claim of a number; None if nothing of it was run."""
        every = self._found.get((criterion, Setting(share, seed)))
        return None if every is None else every[claim]

    def name(self, claim: int) -> str:
        return self._first[claim].claim

    def condition(self, claim: int) -> str:
        return self._first[claim].condition

    @cached_property
    def _first(self) -> list[Finding]:
        return next(iter(self._found.values()))

    def all_of(self, claim: int, criteria: Sequence[str]) -> list[bool]:
        """Whether it holds, wherever it is judged."""
        cells = product(criteria, HELD_OUT, self.seeds)
        found = [each for cell in cells if (each := self.of(claim, *cell)) is not None]
        return [each.holds for each in found if each.is_judged]

    def depends_on_share(self, claim: int) -> bool:
        """Whether any number is another one with another part held out."""
        return any(len(set(each)) > 1 for criterion in self.criteria for each in self._by_seed(claim, criterion))

    def _by_seed(self, claim: int, criterion: str) -> list[list[Finding | None]]:
        """For each seed, what came out with each share held out."""
        return [[self.of(claim, criterion, share, seed) for share in HELD_OUT] for seed in self.seeds]

    def that_change(self, with_the_seed: bool) -> list[str]:
        """The claims and criteria whose verdict changes with the seed, or else with what is held out."""
        names = []
        for claim, criterion in product(range(len(CHECKS)), self.criteria):
            table = self._by_seed(claim, criterion)
            groups = zip(*table, strict=True) if with_the_seed else table
            verdicts = ({each.holds for each in group if each is not None and each.is_judged} for group in groups)
            if any(len(each) > 1 for each in verdicts):
                names.append(f"{self.name(claim).partition(':')[0]} ({criterion})")
        return names


def conclusions(everything: Everything) -> Iterator[str]:
    """The lines of the section."""
    verdicts = Verdicts(everything)
    yield "## Conclusions\n"
    yield from _summary(verdicts)
    yield EXPLAINED
    for claim in range(len(CHECKS)):
        yield from _in_detail(verdicts, claim)


def _summary(verdicts: Verdicts) -> Iterator[str]:
    calibrated = [criterion for criterion in verdicts.criteria if criterion in CALIBRATED]
    judged = [each for claim in range(len(CHECKS)) if (each := verdicts.all_of(claim, calibrated))]
    always, never = sum(map(all, judged)), sum(not any(each) for each in judged)
    seeds = " and ".join(map(str, verdicts.seeds))
    yield (
        f"Of {len(judged)} conclusions, judged with trees by {' and by '.join(calibrated)}, with "
        f"{' and '.join(HELD_OUT)} held out and with seed {seeds}: {always} hold in all cases, "
        f"{len(judged) - always - never} in some, {never} in none. Other criteria stand beside them; with these the "
        "conditions were not calibrated.\n"
    )
    yield (
        f"Each cell has the verdicts with seed {seeds}, for each share that is held out where they differ; – is not "
        "judged.\n"
    )
    marked = [f"{each} (unfinished)" if each in verdicts.unfinished else each for each in verdicts.criteria]
    yield f"| conclusion | {' | '.join(marked)} |"
    yield f"| --- |{' --- |' * len(verdicts.criteria)}"
    for claim in range(len(CHECKS)):
        cells = [_by_share(verdicts, claim, criterion) for criterion in verdicts.criteria]
        yield f"| {verdicts.name(claim)} | {' | '.join(cells)} |"
    by_share, by_seed = (", ".join(verdicts.that_change(each)) or "none" for each in (False, True))
    yield f"\nVerdicts that change with what is held out: {by_share}.\n"
    yield f"Verdicts that change with the seed: {by_seed}.\n"


def _by_share(verdicts: Verdicts, claim: int, criterion: str) -> str:
    words = {
        share: ", ".join(_word(verdicts.of(claim, criterion, share, seed)) for seed in verdicts.seeds)
        for share in HELD_OUT
    }
    if len(set(words.values())) == 1:
        return words[HELD_OUT[0]]
    return "; ".join(f"{share}: {each}" for share, each in words.items())


def _word(finding: Finding | None) -> str:
    if finding is None:
        return "not run"
    return ("yes" if finding.holds else "**no**") if finding.is_judged else "–"


def _in_detail(verdicts: Verdicts, claim: int) -> Iterator[str]:
    """The numbers; a column for each seed, and for each share where it makes a difference."""
    yield f"### {verdicts.name(claim)}\n"
    yield f"What has to come out: {verdicts.condition(claim)}.\n"
    shares = HELD_OUT if verdicts.depends_on_share(claim) else HELD_OUT[:1]
    columns = [Setting(share, seed) for share in shares for seed in verdicts.seeds]
    yield f"| | {' | '.join(str(each) if len(shares) > 1 else f'seed {each.seed}' for each in columns)} |"
    yield f"| --- |{' --- |' * len(columns)}"
    for criterion in verdicts.criteria:
        cells = [_said(verdicts.of(claim, criterion, *setting)) for setting in columns]
        yield f"| {criterion} | {' | '.join(cells)} |"
    yield ""


def _said(finding: Finding | None) -> str:
    if finding is None:
        return "not run"
    verdict = ("holds" if finding.holds else "**does not hold**") if finding.is_judged else "not judged"
    return f"{verdict}: {finding.numbers}"
