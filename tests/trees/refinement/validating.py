"""Validators on small trees, without machines around them."""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decisions import Proportions
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.path_validator import PathValidator
from intemi.machines.trees.refinement.refinement import Validator
from intemi.machines.trees.refinement.selection import Chosen, Estimates, Tally, estimates
from intemi.machines.trees.refinement.tables import ErrorTable, Validation
from tests.trees.refinement.fixtures import F1, F2, T1, Example

MAJORITY = Proportions()


def tables_of(validator: Validator, *examples: Example, decision: DecisionModule = MAJORITY) -> list[Validation]:
    """What the passes over trees leave."""
    return [validator.table(each.tree, each.validation, decision) for each in examples]


def chosen(validator: Validator, tree: Example = T1, passes: tuple[Example, ...] = (F1, F2)) -> Chosen:
    """What a validator chooses."""
    return validator.choose(tree.tree, tables_of(validator, *passes), MAJORITY)


def cut(validator: Validator, tree: Example = T1, passes: tuple[Example, ...] = (F1, F2)) -> str:
    """The names of the nodes at which a validator cuts a tree, in alphabetical order."""
    names = tree.collapsed(cut_at(tree.tree, chosen(validator, tree, passes).nodes))
    return " ".join(sorted(names))


def cut_in_one_pass(validator: Validator, tree: Example = T1) -> str:
    """The same for a tree that was validated itself."""
    return cut(validator, tree, (tree,))


def estimated(validator: PathValidator, tree: Example = T1, passes: tuple[Example, ...] = (F1, F2)) -> Estimates:
    """The errors of all candidates, the weakest pruning first."""
    keys = validator.path(tree.tree, MAJORITY).keys
    tables = [table for table in tables_of(validator, *passes) if isinstance(table, ErrorTable)]
    return estimates(validator, Tally.of(tables, [validator.places(table, keys) for table in tables]))


def errors(validator: PathValidator, tree: Example = T1, passes: tuple[Example, ...] = (F1, F2)) -> list[float]:
    """The errors of all candidates, rounded to four decimals."""
    return np.round(estimated(validator, tree, passes).errors, 4).tolist()


def path_of(validator: PathValidator, tree: Example) -> list[tuple[float, str, int]]:
    """Key, cut nodes and leaves of all steps."""
    path = validator.path(tree.tree, MAJORITY)
    return [
        (
            float(path.keys[step]),
            " ".join(sorted(tree.collapsed(cut_at(tree.tree, path.cut(step))))),
            int(path.leaves[step]),
        )
        for step in range(len(path.keys))
    ]


def flat(values: Floats) -> list[float]:
    """Numbers rounded to six decimals."""
    return np.round(values, 6).tolist()
