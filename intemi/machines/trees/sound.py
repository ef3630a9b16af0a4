"""Whether the arrays of a tree that was read are those of a tree: compiled code follows them without looking.

Nodes are numbered breadth first, so the numbers of branches say everything about parents and children: a tree whose
arrays agree with them has no cycles, and each of its nodes has one parent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from intemi.data import Column
from intemi.kernel.errors import MalformedError
from intemi.machines.interfaces import Codes, Floats

if TYPE_CHECKING:
    from intemi.machines.trees.tree import Tree

THRESHOLDS, SYMBOLS, DEVIATION, LINEAR, REVERSED = range(5)
count = np.count_nonzero  # a fraction of what `any` takes: most trees are small
WHOLE_PIECES = 6
"""Of the state of a tree: columns, labels, the numbers of nodes and tests, integers, other numbers."""
NO_CATEGORIES = 2**31
"""More than a test has parameters: stands for the categories of a numeric column."""


def check_state(state: Any) -> None:
    """Refuse what cannot be put together: pieces of other types and sizes."""
    if type(state) is not tuple or len(state) != WHOLE_PIECES:
        raise MalformedError(f"a tree has {WHOLE_PIECES} pieces")
    columns, labels, nodes, tests, integers, numbers = state
    if not (
        type(columns) is type(labels) is tuple
        and all(type(column) is Column for column in columns)
        and all(type(label) is str for label in labels)
    ):
        raise MalformedError("a tree has columns, and labels that are texts")
    if not (type(nodes) is type(tests) is int and nodes >= 1 and tests >= 0):
        raise MalformedError(f"a tree has nodes and tests, got {nodes!r} and {tests!r}")
    if integers.dtype != np.int32 or integers.shape != (6 * nodes + 3 * tests + 2,):
        raise MalformedError(f"a tree of {nodes} nodes and {tests} tests has other integers than {integers.shape}")
    if numbers.dtype != np.float64 or numbers.ndim != 1 or len(numbers) < nodes * (len(labels) + 2):
        raise MalformedError(f"a tree of {nodes} nodes and {len(labels)} classes has more numbers than {numbers.shape}")


def check_tree(tree: Tree) -> None:
    """Refuse a tree with indices outside of its arrays, nodes that are no tree, or tests that lead nowhere."""
    nodes, branches, first = len(tree.parent), tree.branch_count, tree.first_child
    inner = branches.nonzero()[0]
    counts = branches[inner]
    ends = counts.cumsum()
    if _exceed(counts, nodes - 1) or (ends[-1] if len(ends) else 0) != nodes - 1:
        raise MalformedError(f"each of the {nodes} nodes of a tree but the root is a child of one")
    begins = ends - counts + 1
    if (
        count(first[inner] != begins)
        or count(begins <= inner)
        or count(first == -1) != nodes - len(inner)
        or tree.parent[0] != -1
        or count(tree.parent[1:] != inner.repeat(counts))
    ):
        raise MalformedError("the nodes of a tree are numbered breadth first, parents before their children")
    if _exceed(tree.default_branch + 1, np.maximum(branches, 1)):
        raise MalformedError("a default branch is one that its node does not have")
    tests = _sizes(tree.test_start, len(tree.kind), "tests")
    if count(tests[inner]) != len(inner):
        raise MalformedError("a node that is split has no test")
    sizes = _sizes(tree.parameter_start, len(tree.parameters), "parameters")
    if not len(sizes):
        return
    if _exceed(tree.feature, len(tree.columns) - 1) or _exceed(tree.kind, REVERSED):
        raise MalformedError(f"a test is of a kind, or asks for one of {len(tree.columns)} columns, that there is not")
    most = branches.repeat(tests)
    if count(tree.kind):
        _check_others(tree, sizes, most)
        cuts = tree.kind == THRESHOLDS
        sizes, most = sizes[cuts], most[cuts]
    if count(sizes < 1) or count(sizes != most - 1):
        raise MalformedError("thresholds lead to other branches than there are")


def _exceed(values: Codes, most: Any) -> bool:
    """Whether some numbers are below 0, or above the greatest that is possible: as unsigned numbers both are."""
    return bool(count(values.view(np.uint32) > most))


def _sizes(starts: Codes, end: int, what: str) -> Codes:
    """How much there is between these places, which must be ascending from 0 to the end."""
    sizes = starts[1:] - starts[:-1]
    if starts[0] != 0 or starts[-1] != end or count(sizes < 0):
        raise MalformedError(f"the places of {what} are not ascending up to {end}")
    return sizes


def _check_others(tree: Tree, sizes: Any, most: Any) -> None:
    kind = tree.kind
    symbols = kind == SYMBOLS
    if symbols.any():
        categories = np.array([len(column.categories or ()) or NO_CATEGORIES for column in tree.columns])
        owners = np.arange(len(kind)).repeat(sizes)
        owners, values = owners[symbols[owners]], tree.parameters[symbols[owners]]
        if (sizes < categories[tree.feature])[symbols].any() or not _are_indices(values, -1, most[owners]):
            raise MalformedError("symbols lead to branches that there are not, or are not those of a column")
    reversed_, deviation = kind == REVERSED, kind == DEVIATION
    if ((sizes != 1) | (most != 2))[reversed_].any() or ((sizes < 2) | (sizes != most))[deviation].any():
        raise MalformedError("thresholds lead to other branches than there are")
    for test in np.flatnonzero(kind == LINEAR).tolist():
        if not _is_linear(tree.parameters_of(test), len(tree.columns), int(most[test])):
            raise MalformedError("a sum of features has parameters that do not fit together")


def _is_linear(values: Floats, columns: int, branches: int) -> bool:
    if not len(values) or not _are_indices(values[:1], 1, columns + 1):
        return False
    count = int(values[0])
    cuts = len(values) - 1 - 3 * count
    return 1 <= cuts == branches - 1 and _are_indices(values[1 : 1 + count], 0, columns)


def _are_indices(values: Floats, least: int, end: Any) -> bool:
    """Whether numbers are whole ones from `least` to below `end`; NaN is none."""
    return bool(((values >= least) & (values < end) & (values == np.floor(values))).all())
