"""Small tables with hand-checked numbers, and searches so simple that they cannot be wrong."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np

from intemi.data import Column, Data, Table
from intemi.kernel import Model
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.node_data import NodeData
from intemi.machines.trees.search.method import Parts
from intemi.machines.trees.tree import Tree


def table_of(columns: dict[str, Any], classes: Any, weights: Any = None, labels: Any = None) -> Data:
    """Data of lists: numbers are numeric columns, text is nominal, None is missing."""
    described, features = [], []
    for name, values in columns.items():
        known = [value for value in values if value is not None]
        if any(isinstance(value, str) for value in known):
            categories = tuple(sorted(set(known)))
            described.append(Column(name, categories))
            features.append([np.nan if value is None else categories.index(value) for value in values])
        else:
            described.append(Column(name))
            features.append([np.nan if value is None else float(value) for value in values])
    labels = tuple(labels or sorted(set(classes)))
    target = Column("class", tuple(map(str, labels)))
    codes = [labels.index(each) for each in classes]
    return Data(
        Table(described, np.array(features, dtype=float).reshape(len(columns), len(codes)), target, codes, weights)
    )


N8 = table_of({"x": [1, 2, 3, 4, 5, 6, 7, 8]}, "AAABABBB")
"""One numeric feature, two classes."""

_WEATHER = """sunny hot high F no; sunny hot high T no; overcast hot high F yes; rainy mild high F yes;
rainy cool normal F yes; rainy cool normal T no; overcast cool normal T yes; sunny mild high F no;
sunny cool normal F yes; rainy mild normal F yes; sunny mild normal T yes; overcast mild high T yes;
overcast hot normal F yes; rainy mild high T no"""
_ROWS = [row.split() for row in _WEATHER.split(";")]
G14 = table_of(
    {name: [row[i] for row in _ROWS] for i, name in enumerate(("outlook", "temperature", "humidity", "windy"))},
    [row[4] for row in _ROWS],
)
"""The weather data: four nominal features, nine days to play and five not to."""

_LEAVES = {"b": (0, 0, 0, 0), "d": (0, 1, 1, 0), "e": (0, 1, 0, 0), "g": (1, 0, 0, 1), "h": (1, 0, 0, 0)}
_COUNTS = {"b": (8, 0), "d": (2, 0), "e": (0, 2), "g": (2, 1), "h": (0, 5)}
_CASES = [
    (_LEAVES[name], label)
    for name, counts in _COUNTS.items()
    for label, n in zip("AB", counts, strict=True)
    for _ in range(n)
]
D1 = table_of({f"x{i + 1}": [case[i] for case, _ in _CASES] for i in range(4)}, [label for _, label in _CASES])
"""Twenty rows whose Gini tree has the leaves b, d, e, g, h."""


def incomplete(seed: int, classes: int) -> Data:
    """A random table of numbers and symbols, in which values may be missing and rows may weigh differently."""
    rng = np.random.default_rng(seed)
    size, symbols, share = int(rng.integers(2, 70)), int(rng.choice([2, 4, 9])), rng.choice([0.0, 0.1, 0.4])
    columns = [Column("u"), Column("v"), Column("s", tuple("pq")), Column("t", tuple("abcdefghi"[:symbols]))]
    values = np.array(
        [
            rng.integers(0, 4, size),
            rng.normal(size=size).round(1) + 0.0,
            rng.integers(0, 2, size),
            rng.integers(0, symbols, size),
        ]
    )
    of_class = (values[0] + rng.integers(0, classes, size)).astype(int) % classes
    values[rng.random(values.shape) < share] = np.nan
    weights = [None, rng.integers(1, 4, size), rng.random(size) + 0.01][rng.integers(3)]
    return Data(Table(columns, values, Column("class", tuple("ABCDEFGHI"[:classes])), of_class, weights))


def learned(machine: DecisionTree, data: Data) -> Model:
    """What a tree learner leaves, without an engine around it."""
    model: Model = machine.run(data)
    return model


def tree_of(machine: DecisionTree, data: Data) -> Tree:
    """The tree that a learner grows."""
    tree: Tree = learned(machine, data).outputs["tree"]
    return tree


def searched_tree(machine: DecisionTree, data: Data) -> Tree:
    """The same, grown node by node and not in one compiled call."""
    from intemi.machines.trees.growing import assembled

    parts = Parts(
        machine.splitter, machine.stop, machine.acceptor, machine.transformation, machine.prospects,
        machine.missing_values,
    )  # fmt: skip
    tree = assembled(machine.search.search(NodeData.of(data), parts), data.columns, data.labels)
    return tree if machine.pruning is None else machine.pruning.pruned(tree)


def leaves_of(tree: Tree) -> list[list[float]]:
    """The class weights of the leaves, in the order of the nodes."""
    return [list(map(float, row)) for row in tree.class_weights[tree.branch_count == 0]]


def same_tree(one: Tree, other: Tree) -> bool:
    """Whether two trees are equal, but for rounding."""
    exact = ("parent", "first_child", "branch_count", "default_branch", "feature", "kind", "expansion", "test_start")
    close = ("class_weights", "parameters", "quality", "branch_weight")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in exact) and all(
        np.allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-9) for name in close
    )


def every_binary_split(data: Data, feature: int) -> list[tuple[Any, np.ndarray]]:
    """All splits of a feature into two branches with their tables: by threshold, or by set of symbols."""
    values, weights = data.feature(feature), data.weights
    known = ~np.isnan(values)
    categories = data.columns[feature].categories
    found: list[tuple[Any, np.ndarray]] = []
    if categories is None:
        distinct = np.unique(values[known])
        tests = [(low + (high - low) / 2, values <= low) for low, high in pairwise(distinct)]
    else:
        present = [int(symbol) for symbol in np.unique(values[known])]
        sets = [each for size in range(1, len(present)) for each in combinations(present, size)]
        tests = [(chosen, np.isin(values, chosen)) for chosen in sets if present[0] in chosen]
    for test, left in tests:
        table = np.zeros((2, len(data.labels)))
        for row in np.flatnonzero(known):
            table[0 if left[row] else 1, data.classes[row]] += weights[row]
        found.append((test, table))
    return found
