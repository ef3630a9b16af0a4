"""Kernels never read or write beside their arrays: random tables and settings, with every index checked.

Kernels are compiled anew for this, with checks, in a process of their own and with machine code kept apart. That takes
two minutes, so `make test` does it for one grower of three, which sends every row to one branch.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from intemi.data import Column, Data, Table
from intemi.kernel import ConfigurationError, Project
from intemi.machines import CVDistributor, HoldOutDistributor
from intemi.machines.trees import (
    AUC,
    C45,
    CART,
    CRUISE1D,
    CRUISE2D,
    FACT,
    ID3,
    QUEST,
    SSV,
    Accuracy,
    AllOf,
    AnyOf,
    AUCTree,
    BestFirstTree,
    BestSplitGain,
    BranchForEach,
    Cal5,
    CostComplexity,
    CriticalValue,
    CTree,
    DecisionTree,
    Degree,
    Depth,
    DepthImpurityValidation,
    ErrorBased,
    ExhaustiveSearch,
    FilteredGainRatio,
    Fractional,
    GainRatio,
    Gini,
    HillClimbing,
    ImputeNode,
    InformationGain,
    MajorityBranch,
    MaxDepth,
    MaxErrors,
    MaxLeaves,
    MaxMinority,
    MEstimateValidation,
    MinimumError,
    MinNodeSize,
    MissingPolicy,
    NominalSplits,
    OptimalSize,
    PermutationStatistic,
    PessimisticError,
    ReducedError,
    RefinedTree,
    Refinement,
    SmallSets,
    SplitQuality,
    SSVAlpha,
    SSVLexicographic,
    SSVTree,
    StopCriterion,
    SumMinority,
    SumOfImpurity,
    Surrogates,
    Tree,
    TreeClassifier,
    Twoing,
    TwoSets,
    Validator,
)
from intemi.machines.trees.refinement.machines import TreeLearner
from tests.profiles import FULL, by_profile
from tests.trees.examples import learned, tree_of

TABLES, REFINED = by_profile(quick=(60, 15), full=(300, 150))
ROOT = Path(__file__).parents[2]
QUALITIES: list[SplitQuality] = [
    Accuracy(), InformationGain(), GainRatio(), FilteredGainRatio(), FilteredGainRatio(mdl=False), Gini(), Twoing(),
    SSV(), SSV(tie="accuracy"), SSVLexicographic(), SSVAlpha(), AUC(), AUC(pairs="maximum"), PermutationStatistic(),
    PermutationStatistic(form="maximum"), SumMinority(), MaxMinority(), SumOfImpurity(),
]  # fmt: skip
NOMINAL: list[NominalSplits] = [
    BranchForEach(), BranchForEach(empty=True), BranchForEach(heavy="two"), TwoSets(), TwoSets(enumerated=2),
    TwoSets(enumerated=3, order="profile"), SmallSets(), SmallSets(count=1), SmallSets(count=50),
]  # fmt: skip
STOPS: list[StopCriterion] = [
    MaxErrors(), AnyOf((MaxErrors(), MinNodeSize())), MaxLeaves(leaves=4), MaxDepth(depth=3), MaxErrors(rate=0.2),
    AllOf((MinNodeSize(size=5), MaxDepth(depth=2))), AllOf(), AnyOf(),
]  # fmt: skip
SIMPLE: list[MissingPolicy] = [MajorityBranch(), ImputeNode()]
POLICIES = by_profile(quick=SIMPLE, full=[*SIMPLE, Fractional(), Surrogates(), Surrogates(most=1)])
FIRST: list[DecisionTree] = [ID3(), CART(refinement=None, surrogates=0), SSVTree()]
OTHERS: list[DecisionTree] = [
    AUCTree(), CART(refinement=None), C45(refinement=None), C45(binary=True, refinement=None),
    CTree(min_split=2, min_bucket=1), BestFirstTree(), BestFirstTree(expansions=4, enumerated=12, min_objects=1),
]  # fmt: skip
NAMED = by_profile(quick=FIRST, full=FIRST + OTHERS)

STATISTICAL: list[TreeLearner] = [
    QUEST(), QUEST(alpha=0.5, min_branch=3.0), CRUISE1D(), CRUISE1D(alpha=0.001), CRUISE2D(bootstrap=2), Cal5(),
    Cal5(selector="q"), Cal5(threshold=0.6, alpha=0.1), CTree(), CTree(alpha=0.5, adjustment="none"), FACT(),
    FACT(threshold=1.0, min_class=2.0),
]  # fmt: skip


def random_column(rng: np.random.Generator, name: str, size: int) -> tuple[Column, np.ndarray]:
    """A column of one of many kinds, some of its values missing."""
    kind = rng.integers(7)
    values = [
        lambda: rng.normal(size=size),
        lambda: rng.integers(0, 3, size).astype(float),
        lambda: np.round(rng.normal(size=size) * 100),
        lambda: np.full(size, 7.0),
        lambda: rng.choice([-1e308, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e308], size),
    ]
    categories = None
    if kind < len(values):
        column = values[kind]()
    else:
        symbols = int(rng.choice([1, 2, 3, 5, 12, 30, 300]))
        categories = tuple(f"s{index}" for index in range(symbols))
        column = rng.integers(0, symbols, size).astype(float)
    column[rng.random(size) < rng.choice([0.0, 0.0, 0.2, 0.9, 1.0], p=[0.3, 0.3, 0.2, 0.15, 0.05])] = np.nan
    return Column(name, categories), column


def random_data(rng: np.random.Generator) -> tuple[Data, Data]:
    """Data to learn from, and others with the same columns."""
    size = int(rng.choice([1, 2, 3, 8, 30, 100, 700], p=[0.05, 0.1, 0.1, 0.25, 0.25, 0.15, 0.1]))
    columns = [random_column(rng, f"f{index}", 2 * size) for index in range(rng.integers(0, 6))]
    labels = tuple(f"c{index}" for index in range(rng.choice([1, 2, 3, 7, 40])))
    classes = rng.integers(0 if rng.random() < 0.8 else -1, len(labels), 2 * size)
    if columns and rng.random() < 0.5:  # something to find
        classes = np.where(np.nan_to_num(columns[0][1]) > 0.5, 0, classes)
    weights = [None, rng.random(2 * size) * 3, rng.integers(0, 3, 2 * size), rng.choice([1e-9, 1.0, 1e9], 2 * size)]
    features = np.array([values for _, values in columns]).reshape(len(columns), 2 * size)
    table = Table([c for c, _ in columns], features, Column("class", labels), classes, weights[rng.integers(4)])
    data = Data(table)
    if len(columns) > 1 and rng.random() < 0.3:
        data = data.select_columns(rng.random(len(columns)) < 0.7)
    rows = np.arange(size) if rng.random() < 0.6 else rng.integers(0, size, size)
    return data.select_rows(rows), data.select_rows(np.arange(size, 2 * size))


def random_tree(rng: np.random.Generator) -> DecisionTree:
    """A named algorithm, or any mixture of parts."""
    if rng.random() < 0.25:
        return NAMED[rng.integers(len(NAMED))]
    return DecisionTree(
        splitter=ExhaustiveSearch(
            quality=QUALITIES[rng.integers(len(QUALITIES))],
            nominal=NOMINAL[rng.integers(len(NOMINAL))],
            min_branch=float(rng.choice([0, 1, 2, 7])),
            scale=bool(rng.integers(2)),
            allow_zero_gain=bool(rng.random() < 0.2),
            threshold="value" if rng.integers(2) else "middle",
        ),
        stop=STOPS[rng.integers(len(STOPS))],
        missing_values=POLICIES[rng.integers(len(POLICIES))],
        search=HillClimbing(ties="last" if rng.random() < 0.2 else "first"),
        prospects=BestSplitGain() if rng.random() < 0.2 else DecisionTree().prospects,
    )


def fuzz(seed: int) -> None:
    """Grow a tree of random data with random settings, and ask it."""
    rng = np.random.default_rng(seed)
    data, others = random_data(rng)
    grow_and_ask(random_tree(rng), data, others, seed)


def fuzz_statistical(seed: int) -> None:
    """The same with one of the algorithms that choose features by tests."""
    data, others = random_data(np.random.default_rng(seed))
    machine = STATISTICAL[seed % len(STATISTICAL)]
    assert isinstance(machine, DecisionTree)
    grow_and_ask(machine, data, others, seed)


def grow_and_ask(machine: DecisionTree, data: Data, others: Data, seed: int) -> None:
    if not ((data.classes >= 0) & (data.weights > 0)).any():
        with pytest.raises(ConfigurationError, match="there is no row whose class is known"):
            learned(machine, data)
        return
    classifier = learned(machine, data).outputs["classifier"]
    tree = classifier.tree
    assert np.isfinite(tree.class_weights).all(), seed
    assert len(tree) == 1 + tree.branch_count.sum(), seed
    for asked in (data, others):
        leaves = classifier.leaves(asked)
        assert ((leaves >= -1) & (leaves < len(tree))).all(), seed
        assert (tree.branch_count[leaves[leaves >= 0]] == 0).all(), seed
        probabilities = classifier.probabilities(asked)
        assert np.allclose(probabilities.sum(axis=1), 1.0), seed
        assert (classifier.classify(asked) < len(data.labels)).all(), seed
    assert Tree.from_plain(tree.plain()) == tree, seed


REFINEMENTS: list[Refinement] = [
    CostComplexity(), CostComplexity(risk="gini"), CostComplexity(risk="entropy", se=1), Degree(),
    Degree(select="leaves"), Depth(), OptimalSize(), ReducedError(), MEstimateValidation(), CriticalValue(),
    DepthImpurityValidation(), DepthImpurityValidation(candidates="exact", impurity="entropy"), ErrorBased(),
    ErrorBased(raising=True), MinimumError(), PessimisticError(),
]  # fmt: skip
"""Between them they call every kernel of refinement: counting, strengths, pruning, grids, optimal."""


def fuzz_refinement(seed: int) -> None:
    """Refine a tree of random data with random settings, by two passes or by rows held out, and ask what is left."""
    rng = np.random.default_rng(seed)
    data, others = random_data(rng)
    refinement = REFINEMENTS[seed % len(REFINEMENTS)]
    if isinstance(refinement, Validator) and not isinstance(refinement, ReducedError):
        one_pass, many = HoldOutDistributor(0.7, seed=seed), CVDistributor(2, seed=seed)
        refinement = refinement.replace("passes", one_pass if rng.random() < 0.3 else many)
    machine = NAMED[rng.integers(len(NAMED))]
    useful = (data.classes >= 0) & (data.weights > 0)
    if useful.sum() < 4:
        return
    with Project(workers=1) as project:
        done = project.run(RefinedTree(machine, refinement), data=project.given(data))
    classifier = done.outputs["classifier"]
    for asked in (data, others):
        assert np.allclose(classifier.probabilities(asked).sum(axis=1), 1.0), seed


def mistake() -> None:
    """A tree that looks for a feature that is not there."""
    data = Data(Table([Column("x")], [[1.0, 2.0]], Column("class", ("A", "B")), [0, 1]))
    tree = tree_of(DecisionTree(), data)
    wrong = replace(tree, feature=np.array([3], dtype=np.int32))
    TreeClassifier(tree.columns, tree.labels, wrong, DecisionTree().decision).leaves(data)


PROGRAM = f"""
import gc, warnings
from {__name__} import fuzz, fuzz_refinement, fuzz_statistical, mistake

gc.disable()  # what is made here is made by compilers, and is kept
warnings.filterwarnings("ignore", ".*Cannot cache compiled function")
for seed in range({TABLES}):
    fuzz(seed)
    if {FULL}:
        fuzz_statistical(seed)
for seed in range({REFINED}):
    fuzz_refinement(seed)
print("done")
mistake()
"""


def test_random_trees_of_random_tables_and_their_refinements_stay_within_their_arrays(tmp_path: Path) -> None:
    """One process for all of them, since nearly all of its time is compilation; an index that is wrong ends it."""
    numba = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, **numba},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.stdout == "done\n", done.stderr
    assert "IndexError" in done.stderr.splitlines()[-1]
