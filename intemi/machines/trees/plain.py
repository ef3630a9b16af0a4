"""Trees as plain data: dictionaries, lists, text and numbers, that go through JSON and back without loss.

Nodes are a flat list and not nested, since trees may be deeper than parsers go.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from intemi.data import Column
from intemi.kernel import ConfigurationError
from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.growing import GrowingNode, assembled
from intemi.machines.trees.splits import (
    DeviationSplit,
    LinearSplit,
    ReversedSplit,
    Split,
    SymbolSplit,
    ThresholdSplit,
    split_of,
)
from intemi.machines.trees.tree import Tree

Plain = dict[str, Any]


def plain_of(tree: Tree) -> Plain:
    """The tree as plain data; tests name their features, and sets of symbols their symbols.

    >>> from intemi.data import Data, Table
    >>> from intemi.kernel import Project
    >>> from intemi.machines.trees import DecisionTree
    >>> data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("low", "high")), [0, 0, 1, 1]))
    >>> with Project() as project:
    ...     plain = plain_of(project.run(DecisionTree(), data=project.given(data)).outputs["tree"])
    >>> plain["nodes"][0]["tests"], plain["nodes"][0]["children"]
    ([{'kind': 'thresholds', 'feature': 'x', 'cuts': [5.0]}], [1, 2])
    """
    return {
        "columns": [
            {"name": column.name, "categories": None if column.categories is None else list(column.categories)}
            for column in tree.columns
        ],
        "labels": list(tree.labels),
        "nodes": [_plain_node(tree, node) for node in range(len(tree))],
    }


def _plain_node(tree: Tree, node: int) -> Plain:
    plain: Plain = {
        "class_weights": tree.class_weights[node].tolist(),
        "branch_weight": float(tree.branch_weight[node]),
    }
    if tree.branch_count[node]:
        plain |= {
            "tests": [_plain_test(tree, test) for test in tree.tests(node)],
            "children": list(tree.children(node)),
            "default_branch": int(tree.default_branch[node]),
            "quality": float(tree.quality[node]),
            "expansion": int(tree.expansion[node]),
        }
    return plain


def _plain_test(tree: Tree, test: int) -> Plain:
    split = split_of(int(tree.kind[test]), int(tree.feature[test]), tree.parameters_of(test))
    column = tree.columns[split.feature]
    match split:
        case ThresholdSplit():
            return {"kind": "thresholds", "feature": column.name, "cuts": split.cuts.tolist()}
        case ReversedSplit():
            return {"kind": "reversed", "feature": column.name, "cut": split.threshold}
        case SymbolSplit():
            assert column.categories is not None
            of_symbol = list(zip(column.categories, split.branch_of_symbol.tolist(), strict=True))
            sets = [[symbol for symbol, b in of_symbol if b == branch] for branch in range(split.branch_count)]
            return {"kind": "symbols", "feature": column.name, "sets": sets}
        case DeviationSplit():
            cuts = split.cuts.tolist()
            return {"kind": "deviation", "feature": column.name, "centre": split.centre, "cuts": cuts}
        case LinearSplit():
            names = [tree.columns[int(feature)].name for feature in split.features]
            coefficients, cuts = split.coefficients.tolist(), split.cuts.tolist()
            plain: Plain = {"kind": "linear", "features": names, "coefficients": coefficients, "cuts": cuts}
            if split.replacements is not None:
                plain["replacements"] = split.replacements.tolist()
            return plain
    raise AssertionError(f"no plain form for {split}")


def tree_of_plain(plain: Any) -> Tree:
    """The tree that plain data describe; an error that says which node is wrong, and why.

    Everything is checked: kernels go by what a tree says of itself without looking again.
    """
    columns = tuple(
        _column(each, f"column {place}") for place, each in enumerate(_items(plain, "columns", dict, "the tree"))
    )
    labels = tuple(_items(plain, "labels", str, "the tree"))
    described = _items(plain, "nodes", dict, "the tree")
    if not described or not labels:
        given = f"{len(described)} nodes, {len(labels)} labels"
        raise _wrong("the tree", "at least a root and a label are needed", given)
    nodes = [_node(each, columns, len(labels), f"node {number}") for number, each in enumerate(described)]
    following = 1
    for number, each in enumerate(described):
        children = _items(each, "children", int, f"node {number}") if nodes[number].split else []
        expected = list(range(following, following + len(children)))
        if children != expected or following + len(children) > len(nodes):
            raise _wrong(f"node {number}", f"its children must be {expected}, nodes being numbered by levels", children)
        nodes[number].children = [nodes[child] for child in children]
        following += len(children)
    if following != len(nodes):
        raise _wrong("the tree", f"there must be {following} nodes, the root and all children", len(nodes))
    return assembled(nodes[0], columns, labels)


def _node(plain: Plain, columns: tuple[Column, ...], class_count: int, where: str) -> GrowingNode:
    """The node, without its children."""
    weights, weight = _items(plain, "class_weights", float, where), _part(plain, "branch_weight", float, where)
    if len(weights) != class_count or not all(np.isfinite(each) and each >= 0 for each in (*weights, weight)):
        raise _wrong(where, f"its weights must be {class_count} finite numbers and one more, at least 0", weights)
    node = GrowingNode(np.array(weights, dtype=np.float64), float(weight))
    if "children" not in plain and "tests" not in plain:
        return node
    count = len(_items(plain, "children", int, where))
    tests = [_split(test, columns, where) for test in _items(plain, "tests", dict, where)]
    if count < 2 or not tests:
        raise _wrong(where, "a node has tests and two or more children, or neither", f"{count} and {len(tests)}")
    for test in tests:
        if test.branch_count != count:
            raise _wrong(where, f"its {count} children need tests of as many branches", test.branch_count)
    node.split, node.surrogates = replace(tests[0], quality=float(_part(plain, "quality", float, where))), tests[1:]
    node.default_branch, node.expansion = (_part(plain, name, int, where) for name in ("default_branch", "expansion"))
    if not -1 <= node.default_branch < count:
        raise _wrong(where, f"default_branch must be -1 or one of its {count} branches", node.default_branch)
    if not 1 <= node.expansion < 2**31:
        raise _wrong(where, "expansion must be 1 or more", node.expansion)
    return node


def _split(test: Plain, columns: tuple[Column, ...], where: str) -> Split:
    kind = _part(test, "kind", str, where)
    if kind == "linear":
        features = [_feature(name, columns, False, where) for name in _items(test, "features", str, where)]
        coefficients = _items(test, "coefficients", float, where)
        if not features or len(features) != len(coefficients):
            raise _wrong(where, "each feature of a sum needs one coefficient", coefficients)
        replacements = _items(test, "replacements", float, where) if "replacements" in test else None
        if replacements is not None and (len(replacements) != len(features) or not np.isfinite(replacements).all()):
            raise _wrong(where, "replacements must be a finite number for each feature of a sum", replacements)
        return LinearSplit(
            feature=features[0],
            features=np.array(features, dtype=np.int32),
            coefficients=np.array(coefficients, dtype=np.float64),
            cuts=_cuts(test, where),
            replacements=None if replacements is None else np.array(replacements, dtype=np.float64),
        )
    feature = _feature(_part(test, "feature", str, where), columns, kind == "symbols", where)
    if kind == "thresholds":
        return ThresholdSplit(feature=feature, cuts=_cuts(test, where))
    if kind == "deviation":
        return DeviationSplit(
            feature=feature, centre=float(_part(test, "centre", float, where)), cuts=_cuts(test, where)
        )
    if kind == "reversed":
        return ReversedSplit(feature=feature, threshold=float(_part(test, "cut", float, where)))
    if kind == "symbols":
        return SymbolSplit(feature=feature, branch_of_symbol=_branches(test, columns[feature], where))
    raise _wrong(where, "the kind of a test must be thresholds, symbols, deviation, linear or reversed", kind)


def _branches(test: Plain, column: Column, where: str) -> Codes:
    """The branch of each symbol of a column; -1 for those that are in no set."""
    sets = _items(test, "sets", list, where)
    branch_of = {str(symbol): branch for branch, symbols in enumerate(sets) for symbol in symbols}
    known = column.categories or ()
    if not all(sets) or not branch_of.keys() <= set(known) or len(branch_of) != sum(map(len, sets)):
        raise _wrong(where, f"sets must divide symbols of {column}, those that were seen", sets)
    return np.array([branch_of.get(symbol, -1) for symbol in known], dtype=np.int32)


def _feature(name: str, columns: tuple[Column, ...], nominal: bool, where: str) -> int:
    for index, column in enumerate(columns):
        if column.name == name:
            if column.is_nominal == nominal:
                return index
            raise _wrong(where, f"its test needs a {'nominal' if nominal else 'numeric'} feature", column)
    raise _wrong(where, "tests must be of features among the columns", name)


def _cuts(test: Plain, where: str) -> Floats:
    cuts = np.array(_items(test, "cuts", float, where), dtype=np.float64)
    if not len(cuts) or np.isnan(cuts).any() or not (cuts[1:] > cuts[:-1]).all():
        raise _wrong(where, "cuts must be one or more numbers, in ascending order", cuts.tolist())
    return cuts


def _column(plain: Plain, where: str) -> Column:
    name = _part(plain, "name", str, where)
    nominal = plain.get("categories") is not None
    return Column(name, tuple(_items(plain, "categories", str, where)) if nominal else None)


NAMES = {dict: "a mapping", list: "a list", str: "text", int: "a whole number", float: "a number"}


def _part(plain: Any, name: str, kind: type, where: str) -> Any:
    """A part of plain data, if it is there and of the right kind."""
    if not isinstance(plain, dict) or name not in plain:
        raise _wrong(where, f"{name!r} is needed", sorted(plain) if isinstance(plain, dict) else plain)
    if not _is(plain[name], kind):
        raise _wrong(where, f"{name!r} must be {NAMES[kind]}", plain[name])
    return plain[name]


def _items(plain: Any, name: str, kind: type, where: str) -> list[Any]:
    """The items of a list that is a part of plain data, if they are of the right kind."""
    items: list[Any] = _part(plain, name, list, where)
    for item in items:
        if not _is(item, kind):
            raise _wrong(where, f"{name!r} must be a list, each of its items {NAMES[kind]}", item)
    return items


def _is(value: object, kind: type) -> bool:
    return isinstance(value, int | float if kind is float else kind) and not isinstance(value, bool)


def _wrong(where: str, what: str, given: object) -> ConfigurationError:
    return ConfigurationError(f"Tree.from_plain: {where}: {what}, got {given}")
