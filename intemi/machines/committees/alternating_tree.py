"""Alternating decision trees: rules that vote with real numbers, each below an outcome of an earlier one.

Freund and Mason (1999). A rule tests a feature where the rows that it applies to are those of a *prediction node*, the
root or an outcome of another rule, and each of its two outcomes is a prediction node with a number. The score of a row
is the sum of the numbers of all prediction nodes that it reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from intemi.data import Column, Data
from intemi.kernel import ConfigurationError, Model, parameter, storable
from intemi.kernel.machine import Best
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.decoded import expect, expect_floats, expect_indices
from intemi.machines.interfaces import Classifier, Codes, Floats
from intemi.machines.roles import Learner

SAME = 1e-12
"""What separates as well but for rounding: the first of equal tests is taken."""
NUMERIC = -1
"""Instead of a symbol: the test is a cut."""

Flags = NDArray[np.bool_]


class Question(NamedTuple):
    """Whether a number is at most a cut, or whether a symbol is that one."""

    feature: int
    symbol: int
    cut: float

    def outcomes(self, data: Data) -> Codes:
        """0 where it holds, 1 where it does not, -1 where the value is missing."""
        values = data.feature(self.feature)
        holds = values == self.symbol if self.symbol != NUMERIC else values <= self.cut
        return np.where(np.isnan(values), -1, np.where(holds, 0, 1)).astype(np.int32)


@storable
@dataclass(frozen=True, eq=False)
class AlternatingRules:
    """The rules of one tree, in the order in which they were found. Rule r makes the nodes 2r + 1 and 2r + 2."""

    root: float
    parent: Codes
    """The prediction node that each rule is below."""
    feature: Codes
    symbol: Codes
    cut: Floats
    values: Floats
    """What each rule adds to the score if its test holds, and if it does not."""
    z: Floats
    """How well each rule separated when it was found: the less the better."""

    def __len__(self) -> int:
        return len(self.parent)

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        expect(type(self.root) is float, "the value of the root is a number")
        count = len(self.parent)
        for each in (self.parent, self.feature, self.symbol):
            expect(
                type(each) is np.ndarray and each.dtype == np.int32 and each.shape == (count,), "rules are of a kind"
            )
        expect((self.parent >= 0).all() and (self.parent <= 2 * np.arange(count)).all(), "rules are below earlier ones")
        expect_floats(self.cut, count)
        expect_floats(self.values, count, 2)
        expect_floats(self.z, count)

    def test(self, rule: int) -> Question:
        """The test of a rule."""
        return Question(int(self.feature[rule]), int(self.symbol[rule]), float(self.cut[rule]))

    def scores(self, data: Data) -> Floats:
        """The score of each row."""
        scores, reached = np.full(len(data), self.root), [np.ones(len(data), dtype=bool)]
        for rule in range(len(self)):
            outcomes, above = self.test(rule).outcomes(data), reached[self.parent[rule]]
            for outcome in (0, 1):
                here = above & (outcomes == outcome)
                scores[here] += self.values[rule, outcome]
                reached.append(here)
        return scores

    def text(self, columns: tuple[Column, ...]) -> str:
        """The tree, a line for each prediction node, rules with their numbers."""
        lines = [f": {self.root:.3f}"]

        def show(node: int, depth: int) -> None:
            for rule in np.flatnonzero(self.parent == node).tolist():
                for outcome, told in enumerate(_told(self.test(rule), columns)):
                    lines.append(f"{'|  ' * depth}({rule + 1}) {told}: {self.values[rule, outcome]:.3f}")
                    show(2 * rule + 1 + outcome, depth + 1)

        show(0, 1)
        return "\n".join(lines)


def _told(test: Question, columns: tuple[Column, ...]) -> tuple[str, str]:
    """Both outcomes of a test in words."""
    column = columns[test.feature]
    if column.categories is None:
        return f"{column.name} <= {test.cut:g}", f"{column.name} > {test.cut:g}"
    return f"{column.name} = {column.categories[test.symbol]}", f"{column.name} != {column.categories[test.symbol]}"


@storable
@dataclass(frozen=True, eq=False)
class AlternatingClassifier(Classifier):
    """Of two classes one tree, whose score speaks for the second; of more, a tree for each against the others."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    trees: tuple[AlternatingRules, ...]

    def check_decoded(self) -> None:
        """Refuse what does not fit together."""
        super().check_decoded()
        expect(len(self.trees) == (1 if len(self.labels) == 2 else len(self.labels)), "trees are those of the classes")
        sizes = np.array([len(column.categories or ()) for column in self.columns], dtype=np.int64)
        for each in self.trees:
            expect(type(each) is AlternatingRules, "trees are alternating trees")
            expect_indices(each.feature, len(self.columns))
            is_nominal = sizes[each.feature] > 0
            expect((is_nominal == (each.symbol >= 0)).all(), "symbols are of nominal columns")
            expect((each.symbol[is_nominal] < sizes[each.feature][is_nominal]).all(), "symbols are those of a column")

    def scores(self, data: Data) -> Floats:
        """The score of each row, a row of them for each tree."""
        return np.array([each.scores(data) for each in self.trees])

    def _probabilities(self, data: Data) -> Floats:
        with np.errstate(over="ignore"):
            shares = 1 / (1 + np.exp(-self.scores(data)))
        if len(self.labels) == 2:
            return np.stack([1 - shares[0], shares[0]], axis=1)
        return np.asarray((shares / shares.sum(axis=0)).T)

    def __str__(self) -> str:
        if len(self.trees) == 1:
            return f"{self.trees[0].text(self.columns)}\nabove 0: {self.labels[1]}, else {self.labels[0]}"
        told = zip(self.labels, self.trees, strict=True)
        return "\n".join(f"{label}\n{tree.text(self.columns)}" for label, tree in told)


class AlternatingTree(Learner):
    """Add one rule after the other, each where it separates the rows best that are not yet told apart.

    With weights w of the rows, W₊ and W₋ of those of either class that reach a node and pass a test, the rule is taken
    that minimises Z = 2 (√(W₊W₋) where it holds + √(W₊W₋) where it does not) + the weight of all other rows. In Z
    `smoothing` is added to each W: 1 as in WEKA, 0 as in the paper, which prefers pure outcomes, however small. The
    outcomes get ½ ln((W₊ + 1) / (W₋ + 1)), and rows are weighted anew by exp(-y · number). A rule that is found again
    adds to its numbers. Of more than two classes each is told from the others.

    >>> from intemi.data import Table
    >>> from intemi.kernel import Project
    >>> y = [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> data = Data(Table([Column("x")], [range(10)], Column("class", ("-", "+")), y))
    >>> with Project() as project:
    ...     print(project.run(AlternatingTree(steps=3), data=project.given(data)).outputs["classifier"])
    : 0.168
    |  (1) x <= 2.5: 0.631
    |  (1) x > 2.5: -0.242
    |  |  (2) x <= 5.5: -0.666
    |  |  (2) x > 5.5: 0.392
    |  |  |  (3) x <= 8.5: 0.579
    |  |  |  (3) x > 8.5: -0.433
    above 0: +, else -
    """

    uses_weights = True

    steps: int = parameter(default=10, at_least=0, search=(5, 10, 20, 50))
    smoothing: float = parameter(default=1.0, at_least=0)

    reports: ClassVar[Mapping[str, Best]] = dict.fromkeys(("Rules", "Training error"), "lowest")

    def run(self, data: Data) -> Model:
        data = rows_to_learn_from(self.kind, data)
        for index, column in enumerate(data.columns):
            if np.isinf(data.feature(index)).any():
                raise ConfigurationError(
                    f"{self.kind}: values must be finite, but some of {column.name!r} are infinite"
                )
        spoken_for = [1] if len(data.labels) == 2 else range(len(data.labels))
        candidates = _Candidates(data, self.smoothing)
        trees = tuple(_grown(candidates, data, data.classes == each, self.steps) for each in spoken_for)
        classifier = AlternatingClassifier(data.columns, data.labels, trees)
        wrong = classifier.classify(data) != data.classes
        error = float(data.weights[wrong].sum() / data.weights.sum())
        return Model(
            classifier=classifier, results={"Rules": sum(len(each) for each in trees), "Training error": error}
        )


def _grown(candidates: _Candidates, data: Data, is_positive: Flags, steps: int) -> AlternatingRules:
    """The tree that tells some rows from the others."""
    signs, weights = np.where(is_positive, 1.0, -1.0), data.weights.copy()
    root = _number(weights, is_positive)
    weights *= np.exp(-root * signs)
    reached, tests, parents = [np.ones(len(data), dtype=bool)], list[Question](), list[int]()
    values, least = list[list[float]](), list[float]()
    for _ in range(steps):
        found = _best(candidates, weights, is_positive, reached, parents)
        if found is None:
            break
        node, test, z = found
        rule = next((r for r in range(len(tests)) if (parents[r], tests[r]) == (node, test)), None)
        outcomes = test.outcomes(data)
        sides = [reached[node] & (outcomes == outcome) for outcome in (0, 1)]
        numbers = [_number(weights[side], is_positive[side]) for side in sides]
        for side, number in zip(sides, numbers, strict=True):
            weights[side] *= np.exp(-number * signs[side])
        if rule is None:
            parents.append(node)
            tests.append(test)
            values.append(numbers)
            least.append(z)
            reached += sides
        else:
            values[rule] = [before + more for before, more in zip(values[rule], numbers, strict=True)]
    return AlternatingRules(
        root,
        np.array(parents, dtype=np.int32),
        np.array([test.feature for test in tests], dtype=np.int32),
        np.array([test.symbol for test in tests], dtype=np.int32),
        np.array([test.cut for test in tests], dtype=np.float64),
        np.array(values, dtype=np.float64).reshape(len(values), 2),
        np.array(least, dtype=np.float64),
    )


def _number(weights: Floats, is_positive: Flags) -> float:
    """½ ln((W₊ + 1) / (W₋ + 1))."""
    return 0.5 * float(np.log((weights[is_positive].sum() + 1) / (weights[~is_positive].sum() + 1)))


def _best(
    candidates: _Candidates, weights: Floats, is_positive: Flags, reached: list[Flags], parents: list[int]
) -> tuple[int, Question, float] | None:
    """The node and the test of the least Z, and that; None if no node that has rows of both kinds can be divided."""
    total, least, best = float(weights.sum()), np.inf, None
    for node in _in_depth(parents):
        here = np.where(reached[node], weights, 0.0)
        positive, negative = np.where(is_positive, here, 0.0), np.where(is_positive, 0.0, here)
        if not positive.any() or not negative.any():
            continue
        for test, z in candidates.best_of_each(positive, negative, total):
            if z < least - SAME * total:
                least, best = z, (node, test, z)
    return best


def _in_depth(parents: list[int], node: int = 0) -> Iterator[int]:
    """The prediction nodes, those below a node after it."""
    yield node
    for rule in (rule for rule, parent in enumerate(parents) if parent == node):
        yield from _in_depth(parents, 2 * rule + 1)
        yield from _in_depth(parents, 2 * rule + 2)


class _Candidates:
    """All tests of the features of data; rows that weigh 0 are not there."""

    def __init__(self, data: Data, smoothing: float) -> None:
        self.smoothing = smoothing
        features, columns = data.features, data.columns
        self.nominal = [index for index, column in enumerate(columns) if column.categories is not None]
        self.numeric = [index for index, column in enumerate(columns) if column.categories is None]
        self.sizes = [len(columns[index].categories or ()) for index in self.nominal]
        self.codes = [
            np.where(np.isnan(features[index]), -1, features[index]).astype(np.int64) for index in self.nominal
        ]
        values = features[self.numeric]
        self.order = np.argsort(values, axis=1, kind="stable")
        self.sorted = np.take_along_axis(values, self.order, axis=1)
        self.known = (~np.isnan(self.sorted)).sum(axis=1)

    def best_of_each(self, positive: Floats, negative: Floats, total: float) -> Iterator[tuple[Question, float]]:
        """The test of least Z of each feature that divides the rows, nominal features first."""
        for feature, codes, size in zip(self.nominal, self.codes, self.sizes, strict=True):
            known = codes >= 0
            yes, no = (
                np.asarray(np.bincount(codes[known], each[known], minlength=size), dtype=np.float64)
                for each in (positive, negative)
            )
            z = _z(yes, no, float(yes.sum()), float(no.sum()), total, self.smoothing)
            occupied = yes + no > 0
            if occupied.sum() >= 2:
                z[~occupied] = np.inf
                symbol = int((z <= z.min() + SAME * total).argmax())
                yield Question(feature, symbol, 0.0), float(z[symbol])
        for place, feature in enumerate(self.numeric):
            if found := self._best_cut(place, positive, negative, total):
                yield Question(feature, NUMERIC, found[0]), found[1]

    def _best_cut(self, place: int, positive: Floats, negative: Floats, total: float) -> tuple[float, float] | None:
        order = self.order[place, : self.known[place]]
        is_here = (positive + negative)[order] > 0
        order, values = order[is_here], self.sorted[place, : self.known[place]][is_here]
        ends = np.flatnonzero(values[1:] > values[:-1])
        if not len(ends):
            return None
        below = [each[order].cumsum() for each in (positive, negative)]
        z = _z(below[0][ends], below[1][ends], below[0][-1], below[1][-1], total, self.smoothing)
        best = ends[(z <= z.min() + SAME * total).argmax()]
        cut = values[best] + (values[best + 1] - values[best]) / 2
        return float(cut if cut < values[best + 1] else values[best]), float(z.min())


def _z(
    positive: Floats, negative: Floats, all_positive: float, all_negative: float, total: float, more: float
) -> Floats:
    """Z of tests, by the weights of both kinds of rows where they hold, and of all rows whose outcome is known."""
    others = (more + np.maximum(0.0, all_positive - positive)) * (more + np.maximum(0.0, all_negative - negative))
    return np.asarray(
        2 * (np.sqrt((more + positive) * (more + negative)) + np.sqrt(others)) + (total - all_positive - all_negative)
    )
