"""Meta decision trees: trees whose leaves name the classifier that is to answer (Todorovski and Džeroski)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from intemi.data import Data
from intemi.kernel import Input, Job, Machine, Model, MultiInput, Output
from intemi.kernel.machine import Best
from intemi.machines.classifiers.training import rows_to_learn_from
from intemi.machines.committees.accuracy_growth import SAME, AccuracyGrowth, Rows
from intemi.machines.committees.combiner import CrossCombiner
from intemi.machines.committees.meta_attributes import DistributionProperties, MetaAttributes
from intemi.machines.committees.meta_data import MetaData, answers_for, numbered
from intemi.machines.committees.predictions import Predictions
from intemi.machines.committees.route import Route
from intemi.machines.fairness.reads import Reads
from intemi.machines.interfaces import Classifier, Floats
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.components import DecisionModule
from intemi.machines.trees.rules import conditions_of
from intemi.machines.trees.tree import Tree

META_TREE_REPORTS: Mapping[str, Best] = {"Size": "lowest", "Leaves": "lowest"}


class MostAccurate(DecisionModule):
    """The candidate that is right most often: in the node, then in its parent, then in the root, then the first.

    The `class_weights` of its trees are the weights of the rows that each candidate gets right.
    """

    def probabilities(self, tree: Tree) -> Floats:
        answers = np.zeros_like(tree.class_weights)
        for node in range(len(tree)):
            answers[node, self.named(tree, node)] = 1.0
        return answers

    def named(self, tree: Tree, node: int) -> int:
        """What a node names."""
        parent = max(int(tree.parent[node]), 0)
        if tree.branch_weight[node] <= 0 and node:  # a branch without rows answers like its parent
            return self.named(tree, parent)
        best = np.arange(tree.class_weights.shape[1])
        for each in (node, parent, 0):
            rights = tree.class_weights[each, best]
            best = best[rights >= rights.max() - SAME]
        return int(best[0])


class MLC45(Machine):
    """Learn from meta attributes which classifier is right where: a tree whose classes are the classifiers.

    `meta` has the attributes and the true classes, `predictions` what each classifier answered for the same rows.
    Results: "Size" (all nodes) and "Leaves", and "Used", the numbers of the classifiers that the tree asks or names.
    """

    reads = Reads.TARGETS

    meta = Input(Data)
    predictions = MultiInput(Predictions)
    classifier = Output(Classifier)
    tree = Output(Tree)

    growth: AccuracyGrowth = AccuracyGrowth()
    names: tuple[str, ...] = ()

    reports = META_TREE_REPORTS

    def run(self, meta: Data, predictions: Sequence[Predictions]) -> Model:
        data = rows_to_learn_from(self.kind, meta)
        right = np.stack([answers_for(data, each) == data.classes for each in predictions], axis=1)
        names = self.names or numbered(len(predictions))
        rows = Rows(data.columns, data.features, right.astype(np.float64), data.weights)
        tree = self.growth.tree(rows, names, len(data.labels))
        classifier = TreeClassifier(data.columns, names, tree, MostAccurate())
        results = {"Size": len(tree), "Leaves": tree.leaf_count, "Used": used_by(classifier)}
        return Model(classifier=classifier, tree=tree, results=results)


def used_by(meta_tree: TreeClassifier) -> tuple[int, ...]:
    """The numbers of the classifiers that the tree of a meta-level names, or whose attributes it tests."""
    tree = meta_tree.tree
    named = set(meta_tree.node_classes[tree.branch_count == 0].tolist())
    tested = {tree.columns[feature].name for feature in tree.feature.tolist()}
    for number, name in enumerate(tree.labels):
        if any(column.startswith(f"{name} ") for column in tested):
            named.add(number)
    return tuple(sorted(named))


def meta_tree_text(meta_tree: TreeClassifier) -> str:
    """A meta decision tree for people: a line for each branch, and the classifier that each leaf names."""
    tree, named = meta_tree.tree, meta_tree.node_classes
    lines: list[str] = []

    def tell(node: int, depth: int) -> None:
        for child, condition in zip(tree.children(node), conditions_of(tree, node), strict=True):
            line = f"{'|   ' * depth}{condition}"
            if tree.branch_count[child]:
                lines.append(line)
                tell(child, depth + 1)
            else:
                lines.append(f"{line}: {tree.labels[int(named[child])]}")

    if not tree.branch_count[0]:
        return tree.labels[int(named[0])]
    tell(0, 0)
    return "\n".join(lines)


class MetaDecisionTree(CrossCombiner):
    """Learn a tree that names, for each row, the learner that is to answer; by what is known of their answers.

    With `DistributionProperties`, the default, the tree asks how sure learners are, and mentions no feature and no
    class. Only the learners that it uses are trained on all data. Results: "Size" and "Leaves" of the tree, and the
    "Members" that it uses.

    >>> from intemi.kernel import Project
    >>> from intemi.machines import C45, KNN, SklearnDataset
    >>> with Project() as project:
    ...     iris = project.request(SklearnDataset("iris"))
    ...     tree = project.run(MetaDecisionTree((C45(), KNN()), names=("c45", "knn")), data=iris.data)
    ...     sorted(tree.results)
    ['Leaves', 'Members', 'Size']
    """

    tree = Output(Tree)

    attributes: MetaAttributes = DistributionProperties()
    growth: AccuracyGrowth = AccuracyGrowth()

    reports = META_TREE_REPORTS

    async def run(self, job: Job, data: Any) -> Model:
        names, told = self.called(), self.on_folds(job, data, self.distributor)
        table = job.request(MetaData(self.attributes, names), data=data, predictions=told, name="meta data")
        learned = job.request(MLC45(self.growth, names), meta=table.meta, predictions=told, name="meta tree")
        await learned
        used = learned.results["Used"]
        members = [job.request(self.learners[place], data=data, name=names[place]).classifier for place in used]
        route = Route(self.attributes, names, used)
        meta = learned.classifier
        routed = job.request(route, data=data, predictions=told, members=members, meta=meta, name="route")
        results = {**learned.results, "Members": tuple(names[place] for place in used)}
        del results["Used"]
        return Model(classifier=routed.classifier, members=members, tree=learned.tree, results=results)
