"""Roots, as the reference writes them: tests as programs print them, or names of features."""

from __future__ import annotations

import re

import numpy as np

from intemi.data import Column, Data
from intemi.machines.trees.splits import Split, SymbolSplit, ThresholdSplit, split_of
from intemi.machines.trees.tree import Tree


def root_split(tree: Tree) -> tuple[Column, Split] | None:
    """The feature that the root tests, and its test."""
    if len(tree) == 1:
        return None
    split = split_of(int(tree.kind[0]), int(tree.feature[0]), tree.parameters_of(0))
    return tree.columns[split.feature], split


def described(tree: Tree) -> str:
    """The root in a few words."""
    root = root_split(tree)
    if root is None:
        return "a leaf"
    column, split = root
    return f"{column.name} ≤ {split.cuts[0]:.6g}" if isinstance(split, ThresholdSplit) else column.name


def same_test(tree: Tree, text: str, data: Data) -> bool:
    """Whether the root is `feature <= threshold` or begins with `feature = symbol`."""
    root, parts = root_split(tree), re.match(r"(.*) (<=|=) (.*?)(: .*)?$", text)
    if root is None or parts is None:
        return root is None and parts is None
    column, split = root
    if column.name != parts[1]:
        return False
    if isinstance(split, ThresholdSplit):
        cut = float(split.cuts[0])
        return parts[2] == "<=" and abs(float(parts[3]) - cut) <= 1e-5 * max(1.0, abs(cut))
    assert isinstance(split, SymbolSplit)
    # With two branches the symbol is the one against all others, of many the first has the first branch.
    return int(split.branch_of_symbol[(column.categories or ()).index(parts[3])]) == 0


def same_cart_test(tree: Tree, text: str, data: Data) -> bool:
    """The same for what BFTree and SimpleCart print, of which the reference keeps the first line with `<` or `!=`.

    A line from below the root says no more than that a nominal feature is tested in the root.
    """
    root = root_split(tree)
    if root is None:
        return not text
    column, split = root
    if text.startswith("|"):
        return isinstance(split, SymbolSplit)
    if isinstance(split, ThresholdSplit):
        parts = re.match(r"(.*) < ([^:]*)", text)
        return parts is not None and parts[1] == column.name and abs(float(parts[2]) - float(split.cuts[0])) < 1e-5
    assert isinstance(split, SymbolSplit)
    parts = re.match(r"(.*?)!?=(\(.*?\))(: .*)?$", text)
    if parts is None or parts[1] != column.name:
        return False
    symbols = {symbol for symbol in (column.categories or ()) if f"({symbol})" in parts[2]}
    sets = [{(column.categories or ())[i] for i in np.flatnonzero(split.branch_of_symbol == b)} for b in range(2)]
    return symbols in sets


def same_feature_in_r(tree: Tree, text: str, data: Data) -> bool:
    """Whether the root tests the feature of that name in R."""
    root = root_split(tree)
    return root is not None and names_in_r(tree.columns)[tree.columns.index(root[0])] == text


def feature_before_in_r(tree: Tree, text: str, data: Data) -> bool:
    """The same where the reference names the column that follows the tested one; constant columns had been dropped."""
    root = root_split(tree)
    if root is None:
        return False
    values = data.features
    constant = [len(np.unique(row[~np.isnan(row)])) < 2 for row in values]
    following = [*names_in_r(tree.columns), "class"][tree.columns.index(root[0]) + 1 :]
    skipped = [*constant, False][tree.columns.index(root[0]) + 1 :]
    return next(name for name, is_constant in zip(following, skipped, strict=True) if not is_constant) == text


def names_in_r(columns: tuple[Column, ...]) -> list[str]:
    """Names as R makes them: a dot for what is no letter, and a number for what was there before."""
    names: list[str] = []
    for column in columns:
        name = made = re.sub(r"[^A-Za-z0-9._]", ".", column.name)
        number = 0
        while made in names:
            number += 1
            made = f"{name}.{number}"
        names.append(made)
    return names
