"""Compare our trees with those of trusted programs, on all data sets, and write `docs/parity.md`.

    python -m scripts.parity

The reference numbers (leaves, training errors, root) were made by the programs themselves and lie beside the data sets.
A difference that no reason is known for is written as such, and makes the script fail.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from intemi.data import Data
from intemi.machines.trees.quality import Gini, InformationGain
from scripts import parity_folds, parity_home, parity_sequences
from scripts.parity_programs import PROGRAMS, Outcome, Program, rows_of
from scripts.parity_reasons import EQUAL, known_reason
from scripts.parity_roots import described
from scripts.parity_ties import worse_splits
from scripts.reference_data import ROOT, WIDE

HEAD = """# Parity with trusted programs

Trees grown on *all* cases of a data set, so that nothing is drawn and nothing is averaged, are compared with what WEKA,
R and scikit-learn gave: on eighteen small data sets that anybody can repeat (the first section), and on 57 larger ones
that lie beside the repository (all other sections: *the wide check*). There leaves, training errors and root are
compared; *exact* means that all three are the same. Where a tree differs, the first node that differs was looked at,
and the reason is told. Often several splits gain the same: here the first one wins, in other programs the rounding of
their sums decides, or chance. The last column allows for that.

`python -m scripts.parity` writes this page, and fails if there is a difference without a reason. What a program does
and our algorithms do not is a component in `scripts/parity_components.py`. The last section, written by
`python -m scripts.parity_folds` alone, too, compares refined trees in cross-validation.
"""


@dataclass(frozen=True)
class Comparison:
    """A tree of a program on a data set, and ours."""

    dataset: str
    theirs: Outcome
    ours: Outcome
    same_root: bool
    reason: str | None

    @property
    def is_exact(self) -> bool:
        """Whether leaves, training errors and root are the same."""
        counts = (self.theirs.leaves, self.theirs.errors) == (self.ours.leaves, self.ours.errors)
        return counts and self.same_root and self.ours.nodes in (None, self.theirs.nodes)

    @property
    def is_a_tie(self) -> bool:
        """Whether they differ only in which of equally good splits was taken."""
        return self.reason is not None and self.reason.startswith(EQUAL)


def reference(program: Program) -> Iterator[tuple[str, Outcome]]:
    """The data sets on which the program was run, and what it gave."""
    for row in rows_of(program, WIDE):
        leaves, errors, nodes = (int(float(row[name])) for name in ("leaves", "training_errors", "nodes"))
        yield row["dataset"], Outcome(leaves, errors, row["root"], nodes)


def compared(program: Program, name: str, theirs: Outcome, data: Data) -> Comparison:
    """Our tree beside that of a program."""
    grown = program.grow(data)
    ours = Outcome(grown.leaves, grown.errors, described(grown.tree), grown.nodes)
    same_root = program.root_agrees(grown.tree, theirs.root, data)
    comparison = Comparison(name, theirs, ours, same_root, known_reason(program.name, program.options, name))
    if comparison.is_exact or not program.name.startswith("scikit-learn"):
        return comparison
    return Comparison(name, theirs, ours, same_root, _tie_in_scikit_learn(program, data))


def _tie_in_scikit_learn(program: Program, data: Data) -> str | None:
    """The reason why its tree is not ours, if every split of it is as good as our best of the same cases."""
    splits, worse = worse_splits(data, InformationGain() if "entropy" in program.options else Gini())
    return f"{EQUAL}: each of its {splits:,} splits gains as much as our best of the same cases" if not worse else None


def page(results: Sequence[tuple[Program, Sequence[Comparison]]]) -> Iterator[str]:
    """The lines of the page."""
    yield HEAD
    yield "| program | our configuration | data sets | exact | exact but for equally good splits |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for program, comparisons in results:
        exact = sum(each.is_exact for each in comparisons)
        ties = sum(not each.is_exact and each.is_a_tie for each in comparisons)
        yield f"| {program.title} | {program.ours} | {len(comparisons)} | {exact} | {exact + ties} |"
    for program, comparisons in results:
        yield f"\n## {program.title}\n\n{program.about}\n"
        different = [each for each in comparisons if not each.is_exact]
        if not different:
            yield "No differences."
            continue
        yield "| data set | leaves: theirs, ours | errors: theirs, ours | root | reason |"
        yield "| --- | ---: | ---: | --- | --- |"
        for each in different:
            yield row(each)


def row(each: Comparison) -> str:
    """The line of a difference."""
    root = "the same" if each.same_root else f"{each.theirs.root.split(':')[0]}; ours {each.ours.root}"
    leaves, errors = f"{each.theirs.leaves}, {each.ours.leaves}", f"{each.theirs.errors}, {each.ours.errors}"
    return f"| {each.dataset} | {leaves} | {errors} | {root} | {each.reason or '**not explained**'} |"


def main() -> int:
    """Compare everything; how many differences have no reason."""
    results = []
    for program in PROGRAMS:
        comparisons = [compared(program, name, theirs, WIDE.load(name)) for name, theirs in reference(program)]
        results.append((program, comparisons))
        print(f"{program.title}: {sum(each.is_exact for each in comparisons)} of {len(comparisons)} exact", flush=True)
    (ROOT / "docs" / "parity.md").write_text("\n".join(page(results)) + "\n", "utf-8")
    unexplained_at_home = parity_home.main()
    unexplained = [
        f"{program.title}: {each.dataset}"
        for program, comparisons in results
        for each in comparisons
        if not each.is_exact and each.reason is None
    ]
    print(*(f"not explained: {each}" for each in unexplained), sep="\n")
    unexplained_sequences = parity_sequences.main()
    parity_folds.main()
    return len(unexplained) + unexplained_sequences + unexplained_at_home


if __name__ == "__main__":
    sys.exit(main() > 0)
