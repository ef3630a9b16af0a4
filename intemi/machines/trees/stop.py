"""Stop criteria: where growth ends. A node of one class is never split, whatever they say."""

from __future__ import annotations

from intemi.kernel import parameter
from intemi.machines.trees.components import Growth, StopCriterion
from intemi.machines.trees.limits import Limits
from intemi.machines.trees.node_data import NodeData


class MaxErrors(StopCriterion):
    """Stop at a node whose errors are few enough: `errors` by weight, or with `rate` a share of its weight."""

    errors: float = parameter(default=0.0, at_least=0, search=(0.0, 1.0, 2.0, 5.0))
    rate: float | None = parameter(default=None, at_least=0, at_most=1)

    def stops(self, data: NodeData, growth: Growth) -> bool:
        if self.rate is not None:
            return data.errors <= self.rate * data.weight
        return data.errors <= self.errors + 1e-12 * data.weight

    def limits(self) -> Limits:
        return Limits(max_rate=self.rate) if self.rate is not None else Limits(max_errors=self.errors)


class MinNodeSize(StopCriterion):
    """Stop at a node that weighs less than `size`."""

    size: float = parameter(default=2.0, at_least=0, search=(2.0, 5.0, 10.0, 20.0, 50.0))

    def stops(self, data: NodeData, growth: Growth) -> bool:
        return data.weight < self.size - 1e-9

    def limits(self) -> Limits:
        return Limits(least_weight=self.size)


class MinClassCount(StopCriterion):
    """Stop at a node in which some class of the problem weighs less than `count`."""

    count: float = parameter(default=5.0, at_least=0, search=(1.0, 2.0, 5.0, 10.0, 20.0))

    def stops(self, data: NodeData, growth: Growth) -> bool:
        return bool((data.class_weights < self.count).any())


class FewLargeClasses(StopCriterion):
    """Stop at a node in which at most one class weighs `size` or more (FACT)."""

    size: float = parameter(default=2.0, at_least=0, search=(2.0, 5.0, 10.0, 20.0))

    def stops(self, data: NodeData, growth: Growth) -> bool:
        return int((data.class_weights >= self.size).sum()) <= 1

    def limits(self) -> Limits:
        return Limits(least_class=self.size)


class MaxDepth(StopCriterion):
    """Stop at a node this deep; the root has depth 1."""

    depth: int = parameter(default=10, at_least=1, search=(1, 2, 3, 4, 5, 6, 8, 10, 15))

    def stops(self, data: NodeData, growth: Growth) -> bool:
        return data.depth >= self.depth

    def limits(self) -> Limits:
        return Limits(max_depth=self.depth)


class MaxLeaves(StopCriterion):
    """Stop when the tree has so many leaves, open nodes among them.

    A split into many branches may overshoot, unless it is `strict`: then a node is a leaf whose best split would make
    too many, and others go on.

    >>> MaxLeaves(leaves=4).refuses(3, Growth(leaves=3)), MaxLeaves(leaves=4, strict=True).refuses(3, Growth(leaves=3))
    (False, True)
    """

    leaves: int = parameter(default=10, at_least=1, search=(2, 4, 8, 16, 32, 64))
    strict: bool = False

    def stops(self, data: NodeData, growth: Growth) -> bool:
        return growth.leaves >= self.leaves

    def refuses(self, branches: int, growth: Growth) -> bool:
        return self.strict and growth.leaves + branches - 1 > self.leaves

    def limits(self) -> Limits | None:
        return None if self.strict else Limits(max_leaves=self.leaves)


class AllOf(StopCriterion):
    """Stop where all of these do; of none, nowhere."""

    criteria: tuple[StopCriterion, ...] = ()

    def stops(self, data: NodeData, growth: Growth) -> bool:
        return bool(self.criteria) and all(each.stops(data, growth) for each in self.criteria)

    def refuses(self, branches: int, growth: Growth) -> bool:
        return bool(self.criteria) and all(each.refuses(branches, growth) for each in self.criteria)

    def limits(self) -> Limits | None:
        if len(self.criteria) > 1:
            return None
        return self.criteria[0].limits() if self.criteria else Limits()


class AnyOf(StopCriterion):
    """Stop where any of these does."""

    criteria: tuple[StopCriterion, ...] = ()

    def stops(self, data: NodeData, growth: Growth) -> bool:
        return any(each.stops(data, growth) for each in self.criteria)

    def refuses(self, branches: int, growth: Growth) -> bool:
        return any(each.refuses(branches, growth) for each in self.criteria)

    def limits(self) -> Limits | None:
        found = Limits()
        for each in self.criteria:
            limits = each.limits()
            if limits is None:
                return None
            found |= limits
        return found
