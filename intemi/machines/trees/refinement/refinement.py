"""What refinements are asked: direct prunings know the tree alone, validators also how it does on other rows."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Self

from intemi.data import Data
from intemi.kernel import Component, ConfigurationError, Machine, parameter
from intemi.machines.distributors import CVDistributor, FirstFold, HoldOutDistributor
from intemi.machines.interfaces import Floats
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.decisions import Laplace, Proportions
from intemi.machines.trees.tree import Tree
from intemi.machines.two_samples import TwoSamples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intemi.machines.trees.refinement.selection import Chosen
    from intemi.machines.trees.refinement.tables import Validation


class Refinement(Component, abstract=True):
    """How a grown tree is cut back."""


class DirectPruning(Refinement):
    """Cuts a grown tree back by what it knows itself."""

    @abstractmethod
    def pruned(self, tree: Tree, data: Data | None = None) -> Tree:
        """The tree with some of its nodes made leaves; `data` are what it was grown on, for those that need them."""

    def pruned_for(self, tree: Tree, data: Data, decision: DecisionModule) -> Tree:
        """The same for a tree whose leaves answer by a decision module, to most prunings a matter of indifference."""
        return self.pruned(tree, data)

    def decision(self) -> DecisionModule | None:
        """What the leaves have to answer, if the pruning counts on it; otherwise any decision module does."""
        return None


SELECTION = ("se", "se_of", "tef", "averages", "passes")
"""The parameters of a validator that decide among prunings and do not make any."""


class Validator(Refinement):
    """Cuts a grown tree back so far as is best for rows that such trees were not grown on."""

    se: float = parameter(default=0.0, at_least=0, search=(0.0, 0.5, 1.0))
    """How many standard errors worse than the best a smaller tree may be."""
    se_of: Literal["theory", "sample", "sd"] = "theory"
    """Whose standard errors: those of a share of so many rows, or of the mean over the passes; "sd" is not divided by
    the root of their number, so it is the deviation of a single pass."""
    tef: float = parameter(default=0.0, at_least=0, search=(0.0, 0.5, 1.0))
    """The weight of the training error, that of the validation error being 1."""
    averages: Literal["folds", "rows"] = "folds"
    """Whether passes count alike, or rows."""
    passes: Machine | None = CVDistributor(folds=10)
    """Distributes rows into training and validation; after a single hold-out the tree of its training part is cut."""

    def check(self) -> None:
        if self.passes is not None and not {"training", "test"} <= set(self.passes.outputs):
            raise ConfigurationError(
                f"{self.kind}: passes must be a distributor, which gives out training and test, got {self.passes!r}"
            )
        if self.se_of != "theory" and self.is_single:
            raise ConfigurationError(f"{self.kind}: se_of={self.se_of!r} needs several passes, got {self.passes!r}")

    @property
    def is_single(self) -> bool:
        """Whether there is one pass only, so that the tree that is validated is the one to be cut."""
        is_one_sample = isinstance(self.passes, HoldOutDistributor) and self.passes.samples == 1
        return is_one_sample or isinstance(self.passes, FirstFold | TwoSamples)

    def growth_key(self) -> Self:
        """The same without what only selects, so that all selections share the work before them."""
        key: Self = _growth_key(self)
        return key

    def without_passes(self) -> Self:
        """The same once the passes are over: it only chooses, and draws nothing."""
        return self.with_part("passes", None)

    def read_by(self, decision: DecisionModule) -> DecisionModule:
        """A decision module that the tables can be made with instead: most need no more than the classes of nodes."""
        return Proportions() if type(decision) is Laplace else decision

    def rate(self, shares: Floats) -> Floats:
        """What the errors of a tree amount to, given their shares of the rows."""
        return shares

    @abstractmethod
    def table(self, tree: Tree, counts: Floats, decision: DecisionModule) -> Validation:
        """How the prunings of a tree do; `counts`: validation class weights of each node."""

    @property
    def needs_rows(self) -> bool:
        """Whether class weights in the nodes are not enough."""
        return False

    def table_of_rows(self, tree: Tree, data: Data, decision: DecisionModule) -> Validation:
        """How the prunings of a tree do on rows; asked only of those that need them."""
        raise ConfigurationError(f"{self.kind}: it needs rows, so it must have a method table_of_rows")

    @abstractmethod
    def choose(self, tree: Tree, tables: Sequence[Validation], decision: DecisionModule) -> Chosen:
        """Where to cut this tree, by what all passes say."""


@lru_cache(maxsize=1024)
def _growth_key(validator: Any) -> Any:
    kept = {name: value for name, value in validator.parameters().items() if name not in SELECTION}
    return type(validator)(**kept, passes=None)
