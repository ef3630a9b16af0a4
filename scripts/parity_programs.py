"""The programs we compare with, and how our learner is set to do what each of them does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from intemi.data import Column, Data, Table
from intemi.machines.interfaces import Classifier
from intemi.machines.trees.algorithms import C45
from intemi.machines.trees.best_first_algorithms import BestFirstTree
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.quality import Gini, InformationGain, SplitQuality
from intemi.machines.trees.refinement.error_based import ErrorBased
from intemi.machines.trees.splitters.exhaustive import ExhaustiveSearch
from intemi.machines.trees.splitters.nominal import TwoSets
from intemi.machines.trees.statistical_algorithms import CTree
from intemi.machines.trees.stop import AnyOf, MaxDepth, MaxErrors, MinNodeSize
from intemi.machines.trees.tree import Tree
from scripts.parity_components import (
    AnyOfEqual,
    LeavesBehind,
    OrderOfAllRows,
    StayBehind,
    UndoVainSplits,
    UnroundedGini,
    left_behind,
    profiles,
    unseen_with_others,
)
from scripts.parity_roots import feature_before_in_r, same_cart_test, same_feature_in_r, same_test
from scripts.reference_data import ReferenceData


@dataclass(frozen=True)
class Outcome:
    """What is compared of a tree."""

    leaves: int
    errors: int
    root: str
    nodes: int | None = None
    """Not compared where they are not counted alike."""


@dataclass(frozen=True)
class Grown:
    """A tree of ours, counted as the other program counts."""

    tree: Tree
    leaves: int
    errors: int
    nodes: int | None = None
    truth: float = 0.0
    """The sum, over the training cases, of the probability of the true class."""
    all_nodes: int = 0
    """Nodes, where they are compared whatever the program."""


@dataclass(frozen=True)
class Program:
    """A program with its options, as the reference names them, and how we do the same."""

    name: str
    options: str
    """What its options begin with in the reference."""
    ours: str
    grow: Callable[[Data], Grown]
    root_agrees: Callable[[Tree, str, Data], bool]
    about: str
    """What has to be known of it, for the page."""

    @property
    def title(self) -> str:
        """The name with the options that matter."""
        return f"{self.name} `{self.options.split(' cp=')[0].split(' random')[0].split(' (')[0]}`"


def rows_of(program: Program, collection: ReferenceData) -> list[dict[str, str]]:
    """What a program gave on the data sets of a collection, grown on all cases."""
    found = []
    for row in collection.rows("full_trees.csv"):
        options = row["options"].split(" (")[0]
        is_meant = options == program.options or options.startswith(f"{program.options} minsplit")
        if row["program"] == program.name and is_meant:
            found.append(row)
    return found


def grown(learner: DecisionTree, data: Data) -> Grown:
    """The tree of a learner, and how many rows it gets wrong."""
    model = learner.run(data)
    tree = model.outputs["tree"]
    errors = round(model.results["Training error"] * len(data))
    return Grown(tree, tree.leaf_count, errors, truth=truth(model.outputs["classifier"], data), all_nodes=len(tree))


def truth(classifier: Classifier, data: Data) -> float:
    """The sum of the probabilities of the true classes."""
    return float(classifier.probabilities(data)[np.arange(len(data)), data.classes].sum())


# rpart


def rpart(quality: SplitQuality, draw: int | None = None) -> Callable[[Data], Grown]:
    """Grown to purity, at most 30 levels of splits, no surrogates; R has put the classes into alphabetical order.

    With the number of a `draw`, one of equally good splits is drawn.
    """
    search = ExhaustiveSearch(quality=quality, nominal=TwoSets(enumerated=24), scale=True)
    learner = DecisionTree(
        splitter=LeavesBehind(splitter=search if draw is None else AnyOfEqual(splitter=search, number=draw)),
        stop=AnyOf((MaxErrors(), MinNodeSize(), MaxDepth(depth=31))),
        missing_values=StayBehind(),
        pruning=UndoVainSplits(),
    )

    def grow(data: Data) -> Grown:
        tree = learner.run(with_sorted_classes(data)).outputs["tree"]
        behind, inner = left_behind(tree), tree.branch_count > 0
        answers = tree.class_weights.argmax(axis=1)
        answers[behind] = answers[tree.parent[behind]]
        ends = np.flatnonzero(~inner)
        right = tree.class_weights[ends, answers[ends]].sum()
        answering = np.where(behind, tree.parent, np.arange(len(tree)))[ends]
        shares = tree.class_weights[answering] / tree.weights[answering, None]
        return Grown(
            tree,
            int((~inner & ~behind).sum()),
            round(float(tree.weights[0] - right)),
            truth=float((tree.class_weights[ends] * shares).sum()),
            all_nodes=int((~behind).sum()),
        )

    return grow


def with_sorted_classes(data: Data) -> Data:
    """The same data, its classes in alphabetical order."""
    labels, target = sorted(data.labels), data.target
    assert target is not None
    codes = np.array([labels.index(label) for label in data.labels])
    return Data(Table(data.columns, data.features, Column(target.name, tuple(labels)), codes[data.classes]))


# WEKA's SimpleCart and BFTree


def weka_cart(quality: SplitQuality) -> Callable[[Data], Grown]:
    """Best-first growth to the end, which is any growth; many symbols in the order of all rows."""

    def grow(data: Data) -> Grown:
        splitter = OrderOfAllRows(quality=quality, profiles=profiles(data))
        learner = BestFirstTree(quality=quality)
        has_many = len(data.labels) > 2 and any(len(column.categories or ()) > splitter.few for column in data.columns)
        return grown(learner.replace("splitter", splitter) if has_many else learner, data)

    return grow


# scikit-learn


def fully_grown(quality: SplitQuality) -> DecisionTree:
    """Two branches until nodes are pure, also by splits that gain nothing."""
    return DecisionTree(splitter=ExhaustiveSearch(quality=quality, allow_zero_gain=True))


def _j48(binary: bool) -> Callable[[Data], Grown]:
    return lambda data: grown(C45(binary=binary, refinement=None), data)


def _pruned_j48(pruning: ErrorBased, binary: bool = False) -> Callable[[Data], Grown]:
    """The tree of C4.5, pruned."""

    def grow(data: Data) -> Grown:
        learner = C45(binary=binary, refinement=None)
        tree = learner.run(data).outputs["tree"]
        tree = pruning.pruned(unseen_with_others(tree) if binary else tree, data)
        classifier = TreeClassifier(data.columns, data.labels, tree, learner.decision)
        wrong = int((classifier.classify(data) != data.classes).sum())
        return Grown(tree, tree.leaf_count, wrong, len(tree), truth(classifier, data), len(tree))

    return grow


C45_RULES = (
    "Nothing had to be set apart: gain ratio among features of at least average gain, the cost of a threshold, two or "
    "more cases in two branches, missing values in parts, thresholds at existing values, subtrees undone that save no "
    "errors."
)
PRUNING_RULES = (
    "The same trees, pruned by the errors to be expected of their leaves, a tenth of an error at least having to be "
    "saved; here nodes are compared, too."
)
RPART_RULES = (
    "Grown until nodes are pure or 30 levels deep. A split is scored on the cases whose value is known, its gain times "
    "their number. Without surrogates a case with a missing value goes no further: it stays in the node, which answers "
    "for it. Splits that save no errors are undone in the end (cp = 0), cases left behind not counting. R had sorted "
    "the classes by name."
)
WEKA_CART_RULES = (
    "A case with a missing value counts in both branches in parts, already when splits are scored. A node whose best "
    "split leaves fewer than two cases in a branch is a leaf. Of more than two classes and four symbols only sets are "
    "tried that follow an order; WEKA takes the order from *all* training data in every node, which our "
    "`BestFirstTree` does not: here it is told to. Of a root that tests a nominal feature the reference "
    "often tells only that it does."
)
SKLEARN_RULES = (
    "It looks at features in an order drawn at random and takes the first of equally good splits, so its trees differ "
    "from seed to seed. Numeric data without missing values only."
)
JUST_AS_J48 = ErrorBased(estimator="j48", slack=0.1, raising=True)
PROGRAMS = (
    Program("WEKA 3.6.14 J48", "-U -M 2", "`C45(refinement=None)`", _j48(binary=False), same_test, C45_RULES),
    Program(
        "WEKA 3.6.14 J48", "-U -M 2 -B", "`C45(binary=True, refinement=None)`", _j48(binary=True), same_test, C45_RULES
    ),
    Program(
        "WEKA 3.6.14 J48",
        "-C 0.25 -M 2",
        "`J48()`",
        _pruned_j48(JUST_AS_J48),
        same_test,
        PRUNING_RULES,
    ),
    Program(
        "WEKA 3.6.14 J48",
        "-C 0.25 -M 2 -S",
        "`J48(raising=False)`",
        _pruned_j48(JUST_AS_J48.replace("raising", False)),
        same_test,
        PRUNING_RULES,
    ),
    Program(
        "WEKA 3.6.14 J48",
        "-C 0.05 -M 2",
        "`J48(confidence=0.05)`",
        _pruned_j48(JUST_AS_J48.replace("cf", 0.05)),
        same_test,
        PRUNING_RULES,
    ),
    Program(
        "WEKA 3.6.14 J48",
        "-C 0.25 -M 2 -B",
        "the same with raising and `C45(binary=True, refinement=None)`",
        _pruned_j48(JUST_AS_J48, binary=True),
        same_test,
        f"{PRUNING_RULES} To a split into one symbol and the others, a symbol that was not there when the node was "
        "split is one of the others in WEKA, and like a missing value with us. Rows with such symbols come down when "
        "a branch is raised, so here they go with the others, too: else eight trees differ.",
    ),
    Program(
        "R rpart 4.1.19",
        "split=gini cp=0",
        "exhaustive search with Gini gain, set to rpart's ways",
        rpart(Gini()),
        same_feature_in_r,
        RPART_RULES,
    ),
    Program(
        "R rpart 4.1.19",
        "split=information cp=0",
        "the same with information gain",
        rpart(InformationGain()),
        same_feature_in_r,
        RPART_RULES,
    ),
    Program(
        "WEKA 3.6.14 SimpleCart",
        "-U -M 2",
        "`BestFirstTree()` with WEKA's order of symbols and its arithmetic",
        weka_cart(UnroundedGini()),
        same_cart_test,
        f"{WEKA_CART_RULES} Gains are compared to the last bit, so that rounding decides between equal ones: here too, "
        "where weights are whole numbers.",
    ),
    Program(
        "WEKA 3.6.14 BFTree",
        "-P UNPRUNED -M 2",
        "`BestFirstTree()` with WEKA's order of symbols",
        weka_cart(Gini()),
        same_cart_test,
        f"{WEKA_CART_RULES} Gains of features are rounded to seven decimals, thresholds to five.",
    ),
    Program(
        "WEKA 3.6.14 BFTree",
        "-P UNPRUNED -M 2 -G",
        "the same with information gain",
        weka_cart(InformationGain()),
        same_cart_test,
        f"{WEKA_CART_RULES} Gains of features are rounded to seven decimals, thresholds to five.",
    ),
    Program(
        "R partykit 1.2 ctree",
        "defaults",
        "`CTree()`",
        lambda data: grown(CTree(), data),
        feature_before_in_r,
        "Quadratic statistics, α = 0.05 with Bonferroni's correction, at least 20 cases to split and 7 in a branch. "
        "partykit sends a case whose tested value is missing to a branch drawn at random, we send it with most others. "
        "Of features whose p are both below about 1.5e-154 partykit takes the one of the larger statistic, whatever "
        "the degrees of freedom, since it compares log(1 − p); we take the smaller p. "
        "The reference names as the root the column that follows the tested one; this is allowed for.",
    ),
    Program(
        "scikit-learn 1.9.1",
        "criterion=gini random_state=0",
        "exhaustive search with Gini gain, splits without gain allowed",
        lambda data: grown(fully_grown(Gini()), data),
        same_test,
        SKLEARN_RULES,
    ),
    Program(
        "scikit-learn 1.9.1",
        "criterion=entropy random_state=0",
        "the same with information gain",
        lambda data: grown(fully_grown(InformationGain()), data),
        same_test,
        SKLEARN_RULES,
    ),
)
"""C4.5, CART, best-first trees, CTree, and CART once more."""
