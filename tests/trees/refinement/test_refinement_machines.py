"""The machines that refine trees: what they leave, what they share, and that they are proper machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from intemi import Project
from intemi.data import Data
from intemi.kernel import BindingError, ConfigurationError, Input, Machine, Model, MultiOutput
from intemi.machines import (
    C45,
    CART,
    J48,
    KNN,
    BestFirstTree,
    CVDistributor,
    FirstFold,
    GivenFolds,
    HoldOutDistributor,
    Majority,
    SklearnDataset,
    SSVTree,
    Standardization,
)
from intemi.machines.trees import (
    CostComplexity,
    DecisionTree,
    Degree,
    DepthImpurityValidation,
    ErrorBased,
    Expansions,
    Fractional,
    Laplace,
    MaxDepth,
    MEstimate,
    MEstimateError,
    MEstimateValidation,
    OptimalSize,
    PathCombined,
    PathError,
    PessimisticError,
    Proportions,
    ReducedError,
    Refiltering,
    RefinedTree,
    Refinement,
)
from intemi.machines.trees.pruning import cut_at
from intemi.machines.trees.refinement.machines import ErrorsOfPrunings, NodeCounts, PrunedTree, ValidationPasses
from intemi.machines.trees.refinement.refiltering import RightRows
from intemi.testing import check_machine
from tests import datasets
from tests.trees.examples import D1, table_of, tree_of
from tests.trees.refinement.validating import MAJORITY

REFINEMENTS: list[Refinement] = [
    PessimisticError(),
    ErrorBased(),
    ErrorBased(raising=True),
    MEstimateError(),
    ReducedError(),
    CostComplexity(se=1),
    CostComplexity(se=1, se_of="sample", averages="rows", risk="gini"),
    CostComplexity(passes=HoldOutDistributor(share=0.7)),
    Degree(tef=0.5),
    OptimalSize(),
    MEstimateValidation(),
    DepthImpurityValidation(),
    Expansions(),
    Expansions(estimate="rmse", exhausted="carry"),
]


def iris() -> Data:
    """The iris data."""
    with Project() as project:
        data: Data = project.run(SklearnDataset("iris")).outputs["data"]
    return data


def run(machine: Machine, data: Data, **options: Any) -> Any:
    """What a machine leaves, in a project of its own."""
    with Project(**options) as project:
        capsule = project.run(machine, data=project.given(data))
        return dict(capsule.outputs), capsule.results


# Proper machines

TREE = tree_of(DecisionTree(), D1)
COUNTS = NodeCounts().run(TREE, D1).outputs["counts"]
KEY = CostComplexity().growth_key()


def test_machines_are_proper_ones() -> None:
    check_machine(NodeCounts, tree=TREE, data=D1)
    check_machine(ErrorsOfPrunings, tree=TREE, counts=COUNTS)
    check_machine(ErrorsOfPrunings(ReducedError().growth_key()), tree=TREE, counts=COUNTS)
    check_machine(ValidationPasses, data=D1)
    tables = [KEY.table(TREE, COUNTS, MAJORITY)] * 2
    check_machine(PrunedTree, tree=TREE, data=D1, tables=tables)
    check_machine(PrunedTree(ErrorBased()), tree=TREE, data=D1, tables=[])
    check_machine(RightRows, data=D1, classifier=DecisionTree(stop=MaxDepth(depth=2)).run(D1).outputs["classifier"])
    check_machine(Refiltering, data=D1)
    check_machine(Refiltering(C45(refinement=ErrorBased())), data=D1)


@pytest.mark.parametrize("refinement", REFINEMENTS, ids=repr)
def test_refined_trees_are_proper_machines(refinement: Refinement) -> None:
    check_machine(RefinedTree(DecisionTree(), refinement), data=iris())


# Counting


def test_rows_are_counted_in_the_nodes_they_reach() -> None:
    assert COUNTS.tolist() == TREE.class_weights.tolist()
    empty = D1.select_rows([])
    assert NodeCounts().run(TREE, empty).outputs["counts"].tolist() == np.zeros((9, 2)).tolist()


@pytest.mark.parametrize("name", ["vote", "hepatitis", "credit-a", "iris", "glass"])
@pytest.mark.parametrize(
    "learner",
    [CART(refinement=None), C45(collapse=False, refinement=None), BestFirstTree()],
    ids=["CART", "C45", "BestFirst"],
)
def test_training_rows_are_counted_as_they_were_grown_on(learner: DecisionTree, name: str) -> None:
    data = datasets.load(name)
    tree = tree_of(learner, data)
    counts = NodeCounts().run(tree, data).outputs["counts"]
    np.testing.assert_allclose(counts, tree.class_weights, rtol=1e-9, atol=1e-4)  # tiny parts are dropped in growth


def test_rows_with_missing_values_are_counted_in_parts() -> None:
    data = table_of({"x": [1, 2, 3, 8, 9]}, "AAABB")
    tree = tree_of(DecisionTree(missing_values=Fractional()), data)
    gaps = table_of({"x": [None, 1, None]}, "AAB", weights=[2.0, 1.0, 10.0])
    counts = NodeCounts().run(tree, gaps).outputs["counts"]
    assert counts.tolist() == [pytest.approx([3, 10]), pytest.approx([2.2, 6]), pytest.approx([0.8, 4])]


def test_rows_of_unknown_class_are_not_counted() -> None:
    from intemi.data import Column, Table

    data = Data(Table([Column("x")], [[1, 2, 8, 9]], Column("class", ("A", "B")), [0, -1, 1, -1]))
    counts = NodeCounts().run(tree_of(DecisionTree(), table_of({"x": [1, 2, 8, 9]}, "AABB")), data).outputs["counts"]
    assert counts.tolist() == [[1, 1], [1, 0], [0, 1]]


# Refined trees


class TwiceInTwo(Machine):
    """Two folds, twice."""

    data = Input(Data)
    training = MultiOutput(Data)
    test = MultiOutput(Data)

    def run(self, data: Data) -> Model:
        rows = np.arange(len(data))
        tests = [data.select_rows(rows % 2 == 0), data.select_rows(rows % 2 == 1)]
        return Model(training=[*tests[::-1], *tests[::-1]], test=[*tests, *tests])


@pytest.mark.parametrize("refinement", REFINEMENTS, ids=repr)
def test_a_refined_tree_is_never_larger_and_tells_of_itself(refinement: Refinement) -> None:
    data = datasets.load("heart-statlog")
    outputs, results = run(RefinedTree(DecisionTree(), refinement), data)
    full = tree_of(DecisionTree(), data)
    tree, classifier = outputs["tree"], outputs["classifier"]
    assert tree.leaf_count <= full.leaf_count
    assert (results["Size"], results["Leaves"], results["Depth"]) == (len(tree), tree.leaf_count, tree.depth)
    assert classifier.tree == tree
    is_held_out = isinstance(getattr(refinement, "passes", None), HoldOutDistributor)
    assert tree.weights[0] == (round(0.7 * len(data)) if is_held_out else len(data))
    if not is_held_out:
        wrong = (classifier.classify(data) != data.classes).mean()
        assert results["Training error"] == pytest.approx(wrong)


def test_a_refinement_is_a_parameter_of_every_algorithm() -> None:
    from intemi.machines import trees

    for name in "ID3 CART C45 SSVTree AUCTree Cal5 FACT QUEST CRUISE1D CRUISE2D CTree BestFirstTree".split():  # noqa: SIM905
        algorithm = getattr(trees, name)
        assert algorithm(refinement=PessimisticError()) == RefinedTree(algorithm(refinement=None), PessimisticError())


def test_names_promise_what_their_authors_and_programs_do() -> None:
    assert C45() == C45(refinement=ErrorBased(cf=0.25, slack=0.1, raising=True))
    assert CART() == CART(refinement=CostComplexity(se=1))
    assert J48(confidence=0.1) == C45(refinement=ErrorBased(cf=0.1, estimator="j48", slack=0.1, raising=True))
    assert J48(binary=True, min_objects=5).learner == C45(5, binary=True, refinement=None)
    for bare in (C45(refinement=None), CART(refinement=None)):
        assert isinstance(bare, DecisionTree)


@pytest.mark.parametrize("passes", [HoldOutDistributor(share=0.7), FirstFold(CVDistributor(10))], ids=repr)
def test_one_pass_cuts_the_tree_of_its_training_part(passes: Any) -> None:
    data = iris()
    with Project() as project:
        given = project.given(data)
        parts = project.run(passes, data=given)
        [training], [test] = parts.outputs["training"], parts.outputs["test"]
        tree = tree_of(DecisionTree(), training)
        counts = NodeCounts().run(tree, test).outputs["counts"]
        for validator in (ReducedError(passes=passes), OptimalSize(passes=passes)):
            found = project.run(RefinedTree(DecisionTree(), validator), data=given).outputs["tree"]
            table = validator.table(tree, counts, MAJORITY)
            assert found == cut_at(tree, validator.choose(tree, [table], MAJORITY).nodes)


def test_several_passes_cut_the_tree_of_all_rows() -> None:
    data = iris()
    folds = GivenFolds(tuple(row % 5 for row in range(150)))
    validator = CostComplexity(se=1, passes=folds)
    tables = []
    for fold in range(5):
        is_test = np.arange(150) % 5 == fold
        tree = tree_of(DecisionTree(), data.select_rows(~is_test))
        counts = NodeCounts().run(tree, data.select_rows(is_test)).outputs["counts"]
        tables.append(validator.table(tree, counts, MAJORITY))
    full = tree_of(DecisionTree(), data)
    expected = validator.choose(full, tables, MAJORITY)
    outputs, results = run(RefinedTree(DecisionTree(), validator), data)
    assert outputs["tree"] == cut_at(full, expected.nodes)
    assert results["Chosen"] == expected.results["Chosen"]


@pytest.mark.parametrize(
    ("passes", "least", "most"),
    [(CVDistributor(folds=3), 1, 1), (HoldOutDistributor(share=0.5, samples=8), 3.9, 4.2), (TwiceInTwo(), 2, 2)],
    ids=["folds", "samples", "repeated folds"],
)
def test_tables_tell_how_often_a_row_was_validated(passes: Machine, least: float, most: float) -> None:
    tables = run(ValidationPasses(distributor=passes), iris())[0]["tables"]
    assert least <= tables[0].repeats <= most
    assert {table.repeats for table in tables} == {tables[0].repeats}


def test_one_table_in_one_of_several_passes_is_a_single_pass() -> None:
    """A hold-out of two samples is no single pass: the tree of all rows is cut."""
    outputs, _ = run(RefinedTree(DecisionTree(), CostComplexity(passes=HoldOutDistributor(samples=2))), iris())
    assert outputs["tree"].weights[0] == 150


def test_answers_that_a_pruning_counts_on_go_with_the_tree() -> None:
    data = datasets.load("heart-statlog")
    for refinement, decision in (
        (MEstimateError(m=8), MEstimate(m=8)),
        (PathError(w=0.5), PathCombined(w=0.5)),
        (ErrorBased(), Laplace()),
        (CostComplexity(), Laplace()),
    ):
        learner = DecisionTree(decision=Laplace())
        assert run(RefinedTree(learner, refinement), data)[0]["classifier"].decision == decision
    outputs, results = run(RefinedTree(DecisionTree(), MEstimateValidation()), data)
    assert outputs["classifier"].decision == MEstimate(m=results["Chosen"])


def test_learners_that_differ_in_their_answers_share_trees() -> None:
    with Project() as project:
        data = project.given(iris())
        for decision in (Proportions(), Laplace(), MEstimate(), PathCombined()):
            project.run(RefinedTree(DecisionTree(decision=decision), CostComplexity()), data=data)
        counts = project.counts().physical
        assert (counts["DecisionTree"], counts["NodeCounts"]) == (11, 10)
        assert counts["ErrorsOfPrunings"] <= 30  # Laplace's answers are of the same classes as proportions


def test_a_tree_is_grown_once_for_itself_and_all_refinements() -> None:
    with Project() as project:
        data = project.given(iris())
        project.run(SSVTree(), data=data)
        for refinement in REFINEMENTS:
            project.run(SSVTree(refinement=refinement), data=data)
        assert project.counts().physical["DecisionTree"] == 1 + 10 + 1  # of all rows, of folds, of a part


def test_results_do_not_depend_on_workers_and_unification() -> None:
    data = datasets.load("heart-statlog")
    for refinement in (CostComplexity(se=1), ReducedError(), MEstimateValidation()):
        machine = RefinedTree(DecisionTree(), refinement)
        found = [run(machine, data, **options) for options in ({"workers": 1}, {"workers": 4}, {"unification": 0})]
        assert [(outputs["tree"], results) for outputs, results in found[1:]] == [
            (found[0][0]["tree"], found[0][1])
        ] * 2


class Neither(Refinement):
    """Neither a direct pruning nor a validator."""


def test_what_cannot_be_refined_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"RefinedTree: refinement\.passes must be a distributor, got None"):
        RefinedTree(DecisionTree(), CostComplexity(passes=None))
    with pytest.raises(ConfigurationError, match="refinement must be a direct pruning or a validator, got Neither"):
        RefinedTree(DecisionTree(), Neither())
    with pytest.raises(ConfigurationError, match="Degree: passes must be a distributor, which gives out training and"):
        Degree(passes=DecisionTree())


# Refiltering


def test_refiltering_leaves_out_what_was_learned_wrong() -> None:
    """Errors at 2 and 7 in the first round, none in the second."""
    data = table_of({"x": [1, 2, 3, 4, 5, 6, 7, 8]}, "ABAABBAB")
    outputs, results = run(Refiltering(DecisionTree(stop=MaxDepth(depth=2))), data)
    assert results == {"Rounds": 2, "Removed": 2}
    assert outputs["tree"].parameters.tolist() == [4.5]
    assert outputs["tree"].class_weights.tolist() == [[3, 3], [3, 0], [0, 3]]


def test_refiltering_ends_when_it_must() -> None:
    data = table_of({"x": [1, 2, 3, 4, 5, 6, 7, 8]}, "ABAABBAB")
    stump = DecisionTree(stop=MaxDepth(depth=2))
    assert run(Refiltering(stump, most=1), data)[1] == {"Rounds": 1, "Removed": 0}
    assert run(Refiltering(DecisionTree()), data)[1] == {"Rounds": 1, "Removed": 0}  # nothing is wrong
    assert run(Refiltering(Majority()), data)[1] == {"Rounds": 1, "Removed": 0}  # one class would be left
    few = table_of({"x": [1, 2, 3, 4]}, "ABAB")
    assert run(Refiltering(stump), few)[1] == {"Rounds": 1, "Removed": 0}  # three rows would be left
    assert run(Refiltering(stump, least=3), few)[1] == {"Rounds": 2, "Removed": 1}


def test_refiltering_wraps_any_learner() -> None:
    data = datasets.load("heart-statlog")
    for learner in (CART(surrogates=0, refinement=CostComplexity(se=1)), KNN(k=5)):
        outputs, results = run(Refiltering(learner), data)
        assert set(outputs) == set(learner.outputs)
        assert results["Removed"] > 0
    with pytest.raises(BindingError, match="learner must have the role Learner"):
        Refiltering(Standardization())


def test_passes_are_the_folds_of_the_seed() -> None:
    """Inner folds are drawn anew in each repetition, and are the same for everybody within one."""
    first, second = (CVDistributor(folds=3, seed=seed) for seed in (1, 2))
    data = datasets.load("heart-statlog")
    errors = {
        run(RefinedTree(DecisionTree(), CostComplexity(passes=passes)), data)[1]["Validation error"]
        for passes in (first, second, first)
    }
    assert len(errors) == 2
