"""The trees of validation passes, each cut back, in the order of what they are worth: the members of a committee.

Each tree is cut by what its own validation rows say (*separate*), or all by one strength, which is best for all of them
together (*common*). Spec: experiments.md 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.path_validator import PathValidator
from intemi.machines.trees.refinement.refinement import Validator
from intemi.machines.trees.refinement.selection import Chosen, Tally, estimates, passes_with_rows, selected
from intemi.machines.trees.refinement.tables import ErrorTable, Validation
from intemi.machines.trees.tree import Tree

Mode = Literal["separate", "common"]
"""Whether each tree is cut by its own strength, or all by one."""
MAJORITY = Proportions()
"""What nodes answer in the tables of errors, whatever the members answer: so all decisions share one set of tables."""


@dataclass(frozen=True, eq=False)
class Pruned:
    """A tree of one of the passes, cut back."""

    place: int
    """The number of the pass, from 0."""
    tree: Tree
    error: float
    """On its validation rows, with the training error as the validator counts it."""
    decision: DecisionModule | None
    """What its leaves have to answer, if the choice counts on it."""


def ranked_prunings(
    validator: Validator, mode: Mode, trees: Sequence[Tree], tables: Sequence[Validation]
) -> list[Pruned]:
    """The trees, cut back: those of the least error first, of equal ones the smaller, then the earlier."""
    if len(trees) != len(tables) or not trees:
        raise ConfigurationError(
            f"{validator.kind}: there must be a table for each tree, got {len(tables)} and {len(trees)}"
        )
    passes_with_rows(validator, tables)
    chosen = _in_common(validator, trees, tables) if mode == "common" else _separately(validator, trees, tables)
    pruned = [
        Pruned(place, _cut(tree, each.nodes.tobytes()), each.results["Validation error"], each.decision)
        for place, (tree, each) in enumerate(zip(trees, chosen, strict=True))
    ]
    return sorted(pruned, key=lambda each: (each.error, each.tree.leaf_count, each.place))


def check_mode(who: str, validator: Validator, mode: Mode) -> None:
    """Refuse what cannot be chosen."""
    if mode == "common" and not isinstance(validator, PathValidator):
        raise ConfigurationError(
            f"{who}: mode must be 'separate' with {validator.kind}, whose prunings have no common strength, "
            f"got {mode!r}"
        )
    if mode == "separate" and validator.se_of != "theory":
        raise ConfigurationError(
            f"{who}: mode must be 'common' with se_of={validator.se_of!r}, which needs several passes, got {mode!r}"
        )


def _separately(validator: Validator, trees: Sequence[Tree], tables: Sequence[Validation]) -> list[Chosen]:
    return [validator.choose(tree, (table,), MAJORITY) for tree, table in zip(trees, tables, strict=True)]


def _in_common(validator: Validator, trees: Sequence[Tree], tables: Sequence[Validation]) -> list[Chosen]:
    assert isinstance(validator, PathValidator), "see check_mode"
    candidates = _candidates(validator.growth_key(), tuple(trees), tuple(tables))
    found = estimates(validator, candidates.tally)
    step = selected(validator, found, candidates.leaves, candidates.keys)
    decision = validator.decided(float(candidates.keys[step]))
    return [
        Chosen(path.cut(int(at[step])), {"Validation error": float(found.of_passes[place, step])}, decision)
        for place, (path, at) in enumerate(zip(candidates.paths, candidates.places, strict=True))
    ]


@dataclass(frozen=True, eq=False)
class _Candidates:
    """All strengths that occur in any of the tables."""

    keys: Floats
    leaves: Any
    """In the mean over the trees."""
    tally: Tally
    paths: list[Any]
    places: list[Any]
    """For each tree, which of its prunings stands for each key."""


@lru_cache(maxsize=8)
def _candidates(validator: PathValidator, trees: tuple[Tree, ...], tables: tuple[Validation, ...]) -> _Candidates:
    """Remembered, since selections that differ in standard errors and training errors ask for the same."""
    given = [table for table in tables if isinstance(table, ErrorTable)]
    keys = np.unique(np.concatenate([table.keys for table in given]))
    places = [validator.places(table, keys) for table in given]
    leaves = np.mean([table.leaves[at] for table, at in zip(given, places, strict=True)], axis=0)
    paths = [validator.path(tree, MAJORITY) for tree in trees]
    return _Candidates(keys, leaves, Tally.of(given, places), paths, places)


@lru_cache(maxsize=256)
def _cut(tree: Tree, nodes: bytes) -> Tree:
    """Of all that is chosen, few prunings of a tree differ."""
    return cut_at(tree, np.frombuffer(nodes, dtype=np.int32))
