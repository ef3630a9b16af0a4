"""Trees as rules, one for each leaf: what leads there, each quantity said once, and the class it has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from intemi.machines.interfaces import Codes
from intemi.machines.trees.splits import DeviationSplit, LinearSplit, SymbolSplit, split_of
from intemi.machines.trees.tree import Tree


@dataclass(frozen=True)
class Condition:
    """What is asked of a quantity: to be above `low` and not above `high`, or to be one of `symbols`.

    >>> str(Condition("x", 1.5, 4)), str(Condition("colour", symbols=("red", "blue")))
    ('1.5 < x <= 4', 'colour in {red, blue}')
    """

    quantity: str
    """A feature, the distance of a feature from a centre, or a sum of features."""
    low: float = -inf
    high: float = inf
    symbols: tuple[str, ...] | None = None

    def __and__(self, other: Condition) -> Condition:
        """Both conditions at once, of the same quantity."""
        symbols = self.symbols
        if symbols is not None and other.symbols is not None:
            symbols = tuple(symbol for symbol in symbols if symbol in other.symbols)
        return replace(self, low=max(self.low, other.low), high=min(self.high, other.high), symbols=symbols)

    def __str__(self) -> str:
        if self.symbols is not None:
            alone = len(self.symbols) == 1
            return (
                f"{self.quantity} = {self.symbols[0]}" if alone else f"{self.quantity} in {{{', '.join(self.symbols)}}}"
            )
        if self.low == -inf:
            return f"{self.quantity} <= {self.high:.9g}"
        if self.high == inf:
            return f"{self.quantity} > {self.low:.9g}"
        return f"{self.low:.9g} < {self.quantity} <= {self.high:.9g}"


@dataclass(frozen=True)
class Rule:
    """What leads to a leaf, and the class it answers: that of most of the rows that came there, unless a decision
    module says otherwise."""

    conditions: tuple[Condition, ...]
    label: str
    weight: float
    errors: float
    leaf: int
    """The number of its node."""

    def __str__(self) -> str:
        asked = " and ".join(map(str, self.conditions))
        return f"if {asked} then {self.answer}" if asked else f"always {self.answer}"

    @property
    def answer(self) -> str:
        """Its class, with the weight of the rows that came there and of those of other classes."""
        errors = f"/{self.errors:.6g}" if self.errors > 1e-9 else ""
        return f"{self.label} ({self.weight:.6g}{errors})"


def rules_of(tree: Tree, answers: Codes | None = None) -> tuple[Rule, ...]:
    """A rule for each leaf, in the order of a walk from left to right. Missing values are not spoken of.

    `answers` are the classes that the nodes answer; None: those of most of their rows.

    >>> from intemi.data import Column, Data, Table
    >>> from intemi.kernel import Project
    >>> from intemi.machines.trees import DecisionTree
    >>> data = Data(Table([Column("x")], [[1, 2, 3, 4]], Column("class", ("in", "out")), [1, 0, 0, 1]))
    >>> with Project() as project:
    ...     print(*rules_of(project.run(DecisionTree(), data=project.given(data)).outputs["tree"]), sep="\\n")
    if x <= 1.5 then out (1)
    if 1.5 < x <= 3.5 then in (2)
    if x > 3.5 then out (1)
    """
    rules: list[Rule] = []
    path: dict[object, Condition] = {}
    stack = [(0, path)]
    while stack:
        node, path = stack.pop()
        if not tree.branch_count[node]:
            rules.append(rule_of(tree, node, answers, tuple(path.values())))
            continue
        asked = _quantity(tree, node)
        below = []
        for child, condition in zip(tree.children(node), conditions_of(tree, node), strict=True):
            known = path.get(asked)
            below.append((child, {**path, asked: condition if known is None else known & condition}))
        stack += reversed(below)
    return tuple(rules)


def rule_of(tree: Tree, node: int, answers: Codes | None = None, conditions: tuple[Condition, ...] = ()) -> Rule:
    """What a node would answer as a leaf."""
    answer = int(tree.filled_class_weights[node].argmax() if answers is None else answers[node])
    weight = float(tree.weights[node])
    return Rule(conditions, tree.labels[answer], weight, weight - float(tree.class_weights[node, answer]), node)


def conditions_of(tree: Tree, node: int) -> list[Condition]:
    """What a row must fulfil to go down each branch of a node."""
    test = tree.tests(node)[0]
    split = split_of(int(tree.kind[test]), int(tree.feature[test]), tree.parameters_of(test))
    column = tree.columns[split.feature]
    if isinstance(split, SymbolSplit):
        assert column.categories is not None
        of_symbol = list(zip(column.categories, split.branch_of_symbol, strict=True))
        sets = [tuple(symbol for symbol, b in of_symbol if b == branch) for branch in range(split.branch_count)]
        return [Condition(column.name, symbols=symbols) for symbols in sets]
    quantity = column.name
    if isinstance(split, DeviationSplit):
        quantity = f"|{column.name} - {split.centre:.6g}|"
    if isinstance(split, LinearSplit):
        terms = zip(split.coefficients, split.features, strict=True)
        quantity = " + ".join(f"{coefficient:.6g} {tree.columns[feature].name}" for coefficient, feature in terms)
    cuts = tree.parameters_of(test)[-(split.branch_count - 1) :].tolist()
    return [Condition(quantity, low, high) for low, high in pairwise([-inf, *cuts, inf])]


def printable(text: str) -> str:
    """The text with blanks for signs that cannot be shown, which many formats do not allow."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _quantity(tree: Tree, node: int) -> object:
    """What the node tests, exactly: two quantities may differ by less than is shown of them."""
    test = tree.tests(node)[0]
    split = split_of(int(tree.kind[test]), int(tree.feature[test]), tree.parameters_of(test))
    if isinstance(split, DeviationSplit):
        return split.feature, split.centre
    if isinstance(split, LinearSplit):
        return tuple(split.features.tolist()), tuple(split.coefficients.tolist())
    return split.feature
