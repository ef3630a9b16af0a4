"""The space of the book's experiment with profiles: 13,560 cross-validation committees, and 100 single trees.

Four split criteria, and for each the committees of `configs/committees.py` (the book's Table 5.13). A part of the
space is any sequence of its members. `tested_together` tests a part on one split: members that differ only in margins,
weights of training errors, decisions and sizes are cells of one block, so they cost little more than one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from configs.committees import COMMON, DECISIONS, MARGINS, SIZE, VALIDATED, WEIGHTS, committees
from configs.single_trees import CRITERIA, VALIDATORS
from intemi.data import Data
from intemi.machines import CVCommittee, CVCommitteeTest, CVDistributor, Scheme
from intemi.machines.committees.cv_committee import passes_for
from intemi.machines.interfaces import Floats
from intemi.machines.trees import RefinedTree
from intemi.machines.trees.refinement.ranked_prunings import Mode

SPLIT_CRITERIA = ("Gini", "IG", "SSV", "QUEST")
FOLDS = CVDistributor(SIZE)
"""The inner folds, one for each member of the largest committees."""


class Member(NamedTuple):
    """One committee of the space, by the names of its factors."""

    criterion: str
    validator: str
    mode: Mode
    se: str
    te: str
    decision: str
    size: int

    @property
    def machine(self) -> CVCommittee:
        """The learner that it stands for."""
        se, se_of = MARGINS[self.mode][self.se]
        return CVCommittee(
            CRITERIA[self.criterion],
            VALIDATED[self.validator](se=se, se_of=se_of, tef=WEIGHTS[self.te], passes=None),
            self.mode,
            DECISIONS[self.decision],
            self.size,
            FOLDS,
        )


def committee_space() -> Iterator[Member]:
    """All 13,560 committees, sizes fastest."""
    for criterion, each in product(SPLIT_CRITERIA, committees()):
        for (validator, _, *labels), size in product(each.labels, range(1, SIZE + 1)):
            yield Member(criterion, validator, each.mode, *labels, size)


def single_trees() -> Iterator[RefinedTree]:
    """The 100 single trees beside them: five validators, five margins, no training errors."""
    for criterion, kind, (se, se_of) in product(SPLIT_CRITERIA, VALIDATORS.values(), MARGINS[COMMON].values()):
        yield RefinedTree(CRITERIA[criterion], kind(se=se, se_of=se_of, passes=FOLDS))


def small_space() -> list[Member]:
    """480 committees: three validators, both modes, no margin or one standard error, no training errors, all sizes."""
    return [
        each
        for each in committee_space()
        if each.validator in ("CC", "Deg", "MEP2")
        and each.se in ("0SE", "1SE")
        and each.te == "0TE"
        and each.decision == ("m" if each.validator == "MEP2" else "n")
    ]


class Wide(NamedTuple):
    """The members of a space that one machine tests: those of one criterion, validator and mode."""

    name: str
    test: CVCommitteeTest
    members: tuple[Member, ...]
    cells: tuple[tuple[int, int, int, int], ...]
    """Where each member is in the blocks of the test."""


def in_blocks(space: Sequence[Member]) -> list[Wide]:
    """The tests that have all members of a space as cells of their blocks."""
    groups: dict[tuple[str, str, Mode], list[Member]] = {}
    for member in space:
        groups.setdefault((member.criterion, member.validator, member.mode), []).append(member)
    return [_wide(tuple(members)) for members in groups.values()]


def _wide(members: tuple[Member, ...]) -> Wide:
    first = members[0]
    margins = tuple(dict.fromkeys(each.se for each in members))
    weights = tuple(dict.fromkeys(each.te for each in members))
    decisions = tuple(dict.fromkeys(each.decision for each in members))
    test = CVCommitteeTest(
        VALIDATED[first.validator](passes=None),
        first.mode,
        tuple(MARGINS[first.mode][each] for each in margins),
        tuple(WEIGHTS[each] for each in weights),
        tuple(DECISIONS[each] for each in decisions),
    )
    cells = tuple(
        (margins.index(each.se), weights.index(each.te), decisions.index(each.decision), each.size - 1)
        for each in members
    )
    return Wide(" ".join(first[:3]), test, members, cells)


def tested_together(space: Sequence[Member]) -> Scheme:
    """A test of all members of a space on one pair of training and test data."""
    test = Scheme(training=Data, test=Data)
    passes: dict[tuple[str, str], Any] = {}
    for name, wide, (first, *_), _ in in_blocks(space):
        key = first.criterion, first.validator
        if key not in passes:
            grown = passes_for(CRITERIA[first.criterion], wide.validator, FOLDS)
            passes[key] = test.add(grown, data=test.training, name=f"{' '.join(key)} passes")
        made = passes[key]
        test.add(wide, data=test.test, trees=made.trees, tables=made.tables, training=test.training, name=name)
    return test


def accuracies(space: Sequence[Member], found: Mapping[str, Mapping[str, Any]]) -> Floats:
    """The accuracies of all members of a space, of the results of `tested_together` by the names of its machines."""
    by_member: dict[Member, float] = {}
    for wide in in_blocks(space):
        values = found[wide.name]["Accuracy"].values
        by_member.update({member: values[cell] for member, cell in zip(wide.members, wide.cells, strict=True)})
    return np.array([by_member[member] for member in space])
