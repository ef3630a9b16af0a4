"""Pre-pruning that grows no more than it looks at: the trees of all passes go on together, and stop together."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from intemi.kernel import ConfigurationError, Job, Model, Output, parameter
from intemi.machines.roles import Learner, Ranker
from intemi.machines.trees.decision_tree import TREE_REPORTS, DecisionTree
from intemi.machines.trees.refinement.expansions import Expansions
from intemi.machines.trees.refinement.machines import RefinedTree
from intemi.machines.trees.search.hill_climbing import HillClimbing
from intemi.machines.trees.stop import AnyOf, MaxLeaves
from intemi.machines.trees.tree import Tree

FURTHER = 4
"""How many times as far the trees grow if the rule has not stopped."""


class LockstepTree(Learner, Ranker):
    """Grow a best-first tree, two branches a split, as far as a rule of pre-pruning says, and no other much further.

    The tree is that of `RefinedTree`, which grows the trees of all passes to their ends: these can be used by other
    refinements too, those that end early cannot. Trees grow by `first` expansions, then four times as far, and so on,
    until the rule stops or they are exhausted.

    >>> from intemi.kernel import Project
    >>> from intemi.machines.loading import SklearnDataset
    >>> from intemi.machines.trees import BestFirstTree
    >>> rule = Expansions(rule="first_increase")
    >>> with Project() as project:
    ...     data = project.request(SklearnDataset("wine")).data
    ...     early = project.run(LockstepTree(BestFirstTree(), rule, first=2), data=data)
    ...     early.outputs["tree"] == project.run(BestFirstTree(refinement=rule), data=data).outputs["tree"]
    True
    """

    tree = Output(Tree)

    uses_weights = True

    learner: DecisionTree
    refinement: Expansions
    first: int = parameter(default=8, at_least=1)

    reports = TREE_REPORTS

    def check(self) -> None:
        if self.refinement.rule == "min":
            raise ConfigurationError(f"{self.kind}: refinement.rule must stop somewhere, got 'min', which looks at all")
        if self.refinement.passes is None:
            raise ConfigurationError(f"{self.kind}: refinement.passes must be a distributor, got None")
        if not isinstance(self.learner.search, HillClimbing) or self.learner.pruning is not None:
            raise ConfigurationError(
                f"{self.kind}: learner must climb a hill and prune nothing, so that a tree that ends early is the "
                f"beginning of any other, got search={self.learner.search!r}, pruning={self.learner.pruning!r}"
            )

    async def run(self, job: Job, data: Any) -> Model:
        most = self.first
        while True:
            refined = _up_to(self.learner, self.refinement, most)
            validation = refined.passes()
            assert validation is not None, "there is a distributor: see check"
            passes = job.request(validation, data=data, name="passes")
            tree = job.request(refined.grower(), data=data, name="tree")
            await passes
            await tree
            tables, grown = [job.load(table) for table in passes.tables], job.load(tree.tree)
            if grown.branch_count.max() > 2:
                raise ConfigurationError(
                    f"{self.kind}: learner must make two branches a split, got one of {grown.branch_count.max()}"
                )
            is_exhausted = all(len(table) <= most for table in tables)
            if is_exhausted or self.refinement.has_stopped(tables):
                break
            most *= FURTHER
        done = job.request(refined, data=data, name="refined")
        await done
        return Model(classifier=done.classifier, tree=done.tree, ranking=done.ranking, results=done.results)


@lru_cache(maxsize=256)
def _up_to(learner: DecisionTree, refinement: Expansions, expansions: int) -> RefinedTree:
    """The same with trees that end after so many expansions."""
    stop = AnyOf((learner.stop, MaxLeaves(leaves=expansions + 1)))
    return RefinedTree(learner.with_part("stop", stop), refinement)
