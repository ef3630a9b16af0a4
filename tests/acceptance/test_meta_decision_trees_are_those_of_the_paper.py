"""Vectors of meta decision trees: attributes, growth, trees of the paper, and how methods are compared (M1 to M10)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intemi.analysis import PairedTTest, relative_improvement
from intemi.data import Column, Data, Table
from intemi.kernel import Machine, Project
from intemi.machines import (
    AC45,
    C45,
    KNN,
    MLC45,
    AccuracyGrowth,
    DistributionProperties,
    MetaDecisionTree,
    NaiveBayes,
    OneR,
    Predictions,
    SelectBest,
    error_correlation,
)
from intemi.machines.committees.accuracy_growth import Candidate, Rows
from intemi.machines.committees.meta_attributes import Answered
from intemi.machines.committees.meta_decision_tree import MostAccurate, meta_tree_text
from intemi.machines.trees.classifier import TreeClassifier
from intemi.machines.trees.splits import ThresholdSplit
from intemi.machines.trees.tree import Tree
from intemi.series import Series
from scripts.reference_data import HOME

CLASSES = Column("class", ("0", "1"))


def told(answers: Any, probabilities: Any = None, labels: tuple[str, ...] = ("0", "1")) -> Predictions:
    answers = np.array(answers, dtype=np.int32)
    shares = np.eye(len(labels))[answers] if probabilities is None else np.array(probabilities, dtype=np.float64)
    return Predictions(labels, np.arange(len(answers), dtype=np.int32), answers, shares)


def grown(growth: AccuracyGrowth, data: Data, *answers: Any, names: tuple[str, ...] = ()) -> TreeClassifier:
    """The meta decision tree of attributes, true classes and answers."""
    predictions = [told(each, labels=data.labels) for each in answers]
    made: TreeClassifier = MLC45(growth, names).run(data, predictions).outputs["classifier"]
    return made


def rightness(columns: dict[str, list[float]], *right: list[int]) -> tuple[Data, list[list[int]]]:
    """Data with attributes whose true class is 0, and answers that are right where they are told to be."""
    count = len(right[0])
    data = Data(Table([Column(name) for name in columns], list(columns.values()), CLASSES, [0] * count))
    return data, [[1 - each for each in of_one] for of_one in right]


def best_splits(growth: AccuracyGrowth, data: Data, answers: list[list[int]]) -> list[Candidate]:
    right = np.stack([np.array(each) == data.classes for each in answers], axis=1).astype(float)
    rows = Rows(data.columns, data.features, right, data.weights)
    return list(growth.candidates(rows, data.features, len(data.labels)))


def cut_of(candidate: Candidate) -> float:
    assert isinstance(candidate.split, ThresholdSplit)
    return float(candidate.split.cuts[0])


@pytest.mark.parametrize(
    ("distribution", "greatest", "entropy"),
    [
        ((0.875, 0.125), 0.875, 0.543564),
        ((0.625, 0.375), 0.625, 0.954434),
        ((1, 0), 1, 0),
        ((0.5, 0.5), 0.5, 1),
        ((0.25, 0.25, 0.5), 0.5, 1.5),
        ((1 / 3, 1 / 3, 1 / 3), 1 / 3, 1.584963),
        ((0.7, 0.2, 0.1), 0.7, 1.156780),
        ((0, 0, 0), 1 / 3, 1.584963),
        ((2, 2, 4), 0.5, 1.5),
    ],
)
def test_m1_properties_of_distributions(distribution: tuple[float, ...], greatest: float, entropy: float) -> None:
    labels = tuple("abc"[: len(distribution)])
    data = Data(Table([Column("x")], [[0.0]]))
    answered = Answered(data, ("c",), labels, [told([0], [distribution], labels)], (False,))
    found = DistributionProperties().table(answered)
    assert [column.name for column in found.columns] == ["c maxprob", "c entropy"]
    assert found.features[:, 0].round(6).tolist() == [round(greatest, 6), entropy]


CONFIDENCES = {"Conf1": [0.875] * 4 + [0.625] * 4, "Conf2": [0.875] * 8}
FIRST, SECOND, TRUE = [0, 0, 1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 1, 0, 1]


def test_m2_the_papers_illustration() -> None:
    data = Data(Table([Column(name) for name in CONFIDENCES], list(CONFIDENCES.values()), CLASSES, TRUE))
    (only,) = best_splits(AccuracyGrowth(), data, [FIRST, SECOND])
    assert (only.gain, only.split_information) == (0.25, 1.0)
    tree = grown(AccuracyGrowth(), data, FIRST, SECOND, names=("C1", "C2"))
    assert meta_tree_text(tree) == "Conf1 <= 0.625: C2\nConf1 > 0.625: C1"
    assert len(tree.tree) == 3


def test_m2_the_ordinary_tree_beside_it() -> None:
    columns = [Column("Conf1"), Column("C1", ("0", "1")), Column("Conf2"), Column("C2", ("0", "1"))]
    values = [CONFIDENCES["Conf1"], FIRST, CONFIDENCES["Conf2"], SECOND]
    data = Data(Table(columns, values, CLASSES, TRUE))
    ordinary = C45(min_objects=1, collapse=False, mdl=False, refinement=None).run(data).outputs["tree"]
    assert len(ordinary) == 11
    assert columns[ordinary.feature[0]].name == "C1"
    right = np.eye(2)[data.classes]
    rows = Rows(data.columns, data.features, right, data.weights)
    gains = {
        columns[each.split.feature].name: each.gain for each in AccuracyGrowth().candidates(rows, data.features, 2)
    }
    assert gains == {"Conf1": 0.0, "C1": 0.25, "C2": 0.25}
    assert rows.errors / rows.weight == 0.5


KNN_MAXPROB = [0.95, 0.92, 0.90, 0.88, 0.85, 0.81, 0.70, 0.66, 0.62, 0.58, 0.55, 0.51]
C45_ENTROPY = [0.30, 0.05, 0.60, 0.10, 0.45, 0.20, 0.90, 0.10, 0.80, 0.05, 0.95, 0.12]
RIGHT = (
    [1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0],
    [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
    [0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0],
)
THREE, THREE_ANSWERS = rightness({"knn_maxprob": KNN_MAXPROB, "c45_entropy": C45_ENTROPY}, *RIGHT)
THREE_NAMES = ("KNN", "C45", "LTREE")


def test_m3_a_tree_of_two_levels() -> None:
    by_maxprob, by_entropy = best_splits(AccuracyGrowth(), THREE, THREE_ANSWERS)
    assert (cut_of(by_entropy), round(by_entropy.gain, 6), round(by_entropy.ratio, 6)) == (0.30, 0.416667, 0.425227)
    assert round(by_entropy.split_information, 6) == 0.979869
    assert (cut_of(by_maxprob), by_maxprob.gain, round(by_maxprob.ratio, 6)) == (0.81, 0.25, 0.255136)
    tree = grown(AccuracyGrowth(), THREE, *THREE_ANSWERS, names=THREE_NAMES)
    assert meta_tree_text(tree).splitlines() == [
        "c45_entropy <= 0.3",
        "|   knn_maxprob <= 0.81: C45",
        "|   knn_maxprob > 0.81: KNN",
        "c45_entropy > 0.3: LTREE",
    ]
    named = tree.classify(THREE)
    assert all(RIGHT[member][row] for row, member in enumerate(named.tolist()))


def test_m3_the_left_branch() -> None:
    left = np.array(C45_ENTROPY) <= 0.30
    data, answers = THREE.select_rows(left), [np.array(each)[left].tolist() for each in THREE_ANSWERS]
    by_maxprob = best_splits(AccuracyGrowth(), data, answers)[0]
    assert (cut_of(by_maxprob), round(by_maxprob.gain, 6), round(by_maxprob.ratio, 6)) == (0.81, 0.142857, 0.144999)


def test_m4_with_the_penalty_of_release_8() -> None:
    by_entropy = best_splits(AccuracyGrowth(penalty=True), THREE, THREE_ANSWERS)[1]
    assert round(by_entropy.gain, 6) == 0.166667
    tree = grown(AccuracyGrowth(penalty=True), THREE, *THREE_ANSWERS, names=THREE_NAMES)
    assert meta_tree_text(tree) == "c45_entropy <= 0.3: C45\nc45_entropy > 0.3: LTREE"


def test_m5_growth_ends_where_one_is_best_everywhere() -> None:
    attribute = {"a": [0.0] * 4 + [1.0] * 4}
    data, answers = rightness(attribute, [1, 1, 1, 0, 1, 0, 1, 1], [1, 0, 0, 0, 1, 0, 1, 0])
    tree = grown(AccuracyGrowth(), data, *answers, names=("A", "B"))
    assert (len(tree.tree), meta_tree_text(tree)) == (1, "A")


def read(columns: list[str], nodes: Any) -> TreeClassifier:
    """A meta decision tree of tests: (column, cut, left, right), or the name of a classifier."""
    names, flat, level = ["KNN", "C45", "LTREE"], [], [nodes]
    while level:
        following = []
        for node in level:
            weights = [float(node == name) for name in names]
            plain: dict[str, Any] = {"class_weights": weights, "branch_weight": 1.0}
            if not isinstance(node, str):
                place = len(flat) + (len(level) - level.index(node)) + len(following)
                test = {"kind": "thresholds", "feature": node[0], "cuts": [node[1]]}
                plain |= {"tests": [test], "children": [place, place + 1], "quality": 0.0}
                plain |= {"default_branch": -1, "expansion": len(flat) + 1}
                following += node[2:]
            flat.append(plain)
        level = following
    described = [{"name": name, "categories": None} for name in columns]
    tree = Tree.from_plain({"columns": described, "labels": names, "nodes": flat})
    return TreeClassifier(tree.columns, tree.labels, tree, MostAccurate())


def test_m6_trees_of_the_paper_are_read_and_followed() -> None:
    inner = ("c45_weight", 0.00385, "KNN", ("c45_entropy", 0.14144, "C45", "LTREE"))
    tree = read(["knn_maxprob", "c45_weight", "c45_entropy"], ("knn_maxprob", 0.77147, inner, "KNN"))
    queries = np.array([(0.60, 0.010, 0.10), (0.60, 0.010, 0.50), (0.60, 0.001, 0.10)]).T
    asked = Data(Table(tree.columns, queries))
    assert [tree.labels[each] for each in tree.classify(asked)] == ["C45", "LTREE", "KNN"]
    assert len(tree.tree) == 7
    assert meta_tree_text(tree).splitlines() == [
        "knn_maxprob <= 0.77147",
        "|   c45_weight <= 0.00385: KNN",
        "|   c45_weight > 0.00385",
        "|   |   c45_entropy <= 0.14144: C45",
        "|   |   c45_entropy > 0.14144: LTREE",
        "knn_maxprob > 0.77147: KNN",
    ]


def test_m6_the_tree_of_original_features() -> None:
    five, two = "short-line-density-5", "short-line-density-2"
    tree = read([five, two], (five, 0.0, (two, 0.0, "KNN", "LTREE"), (five, 0.111111, "LTREE", "C45")))
    assert len(tree.tree) == 7
    assert meta_tree_text(tree).splitlines()[-2:] == [f"|   {five} <= 0.111111: LTREE", f"|   {five} > 0.111111: C45"]
    asked = Data(Table(tree.columns, np.array([(0, 0), (0, 0.2), (0.05, 0), (0.2, 0)]).T))
    assert [tree.labels[each] for each in tree.classify(asked)] == ["KNN", "LTREE", "LTREE", "C45"]


def test_an_unknown_attribute_leads_to_all_branches_in_parts() -> None:
    tree = grown(AccuracyGrowth(), THREE, *THREE_ANSWERS, names=THREE_NAMES)
    unknown = Data(Table(THREE.columns, [[np.nan], [np.nan]]))
    assert tree.probabilities(unknown).round(6).tolist() == [[round(3 / 12, 6), round(4 / 12, 6), round(5 / 12, 6)]]


def test_m7_improvements_are_averaged_geometrically() -> None:
    errors, others = (0.10, 0.05, 0.20), (0.12, 0.04, 0.25)
    single = [relative_improvement([one], [other]) for one, other in zip(errors, others, strict=True)]
    assert np.round(single, 6).tolist() == [0.166667, -0.25, 0.2]
    assert round(relative_improvement(errors, others), 6) == 0.058964


def test_m8_correlation_of_errors() -> None:
    classes = np.array([0, 0, 1, 1, 2, 2])
    answers = np.array([[0, 1, 1, 0, 2, 2], [0, 1, 1, 2, 2, 1], [1, 0, 1, 0, 2, 2]])
    pairs = [round(error_correlation([answers[i], answers[j]], classes), 6) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert pairs == [0.333333, 0.333333, 0.0]
    assert round(error_correlation(answers, classes), 6) == 0.222222
    assert np.isnan(error_correlation([classes, classes], classes))


def test_m9_the_paired_test_of_repetition_means() -> None:
    one = [0.10, 0.12, 0.11, 0.09, 0.13, 0.10, 0.12, 0.11, 0.10, 0.12]
    other = [0.12, 0.13, 0.11, 0.12, 0.14, 0.11, 0.13, 0.13, 0.10, 0.14]
    first, second = (Series({"Error": each, "Repetition": list(range(10))}) for each in (one, other))
    found = PairedTTest()(first, second).row(0)
    assert (round(found["t"], 6), round(found["p"], 6)) == (-4.333333, 0.001896)


LEARNERS = (OneR(), NaiveBayes(), C45())


def classifier_of(project: Project, machine: Machine, data: Data) -> Any:
    return project.run(machine, data=project.given(data)).outputs["classifier"]


@pytest.mark.parametrize("name", ["iris", "survey", "monks-1"])
def test_m10_a_tree_of_depth_0_is_select_best(name: str) -> None:
    data = HOME.load(name)
    with Project() as project:
        shallow = MetaDecisionTree(LEARNERS, growth=AccuracyGrowth(max_depth=0))
        routed, best = (classifier_of(project, each, data) for each in (shallow, SelectBest(LEARNERS)))
        assert np.array_equal(routed.classify(data), best.classify(data))
        assert np.array_equal(routed.probabilities(data), best.probabilities(data))


def test_m10_copies_of_a_learner_are_that_learner() -> None:
    data = HOME.load("iris")
    with Project() as project:
        routed = classifier_of(project, MetaDecisionTree((KNN(k=3),) * 4), data)
        assert np.array_equal(routed.probabilities(data), classifier_of(project, KNN(k=3), data).probabilities(data))
        assert routed.used == ("KNN",)


@st.composite
def meta_rows(draw: st.DrawFn) -> Rows:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, members = draw(st.integers(2, 30)), draw(st.integers(1, 4))
    values = np.round(rng.random((3, count)), 1)
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    right = (rng.random((count, members)) < 0.6).astype(float)
    columns = tuple(Column(name) for name in "abc")
    return Rows(columns, values, right, np.ones(count))


def errors_of(tree: Tree, rows: Rows) -> float:
    meta = TreeClassifier(tree.columns, tree.labels, tree, MostAccurate())
    shares = meta.probabilities(Data(Table(rows.columns, rows.values)))
    return rows.weight - float((shares * rows.right).sum())


def named(rows: Rows) -> tuple[str, ...]:
    return tuple(f"C{number}" for number in range(rows.right.shape[1]))


@given(meta_rows())
def test_gains_are_never_negative_and_a_tree_is_no_worse_than_select_best(rows: Rows) -> None:
    assert all(each.gain >= -1e-12 for each in AccuracyGrowth().candidates(rows, rows.values, 2))
    tree = AccuracyGrowth().tree(rows, named(rows), 2)
    assert errors_of(tree, rows) <= rows.errors + 1e-9


@given(meta_rows(), st.data())
def test_the_order_of_classifiers_and_copies_of_them_change_nothing_but_names(rows: Rows, data: st.DataObject) -> None:
    members = rows.right.shape[1]
    order = data.draw(st.permutations(range(members)))
    tree = AccuracyGrowth().tree(rows, named(rows), 2)
    for places in (list(order), [*range(members), 0]):
        other = AccuracyGrowth().tree(
            Rows(rows.columns, rows.values, rows.right[:, places], rows.weights), tuple(map(str, range(len(places)))), 2
        )
        assert np.array_equal(tree.feature, other.feature)
        assert np.array_equal(tree.parameters, other.parameters)
        assert np.allclose(tree.class_weights[:, places], other.class_weights)


@given(meta_rows())
def test_a_tree_of_one_split_is_the_best_of_all(rows: Rows) -> None:
    values = np.nan_to_num(rows.values, nan=0.5)
    rows = Rows(rows.columns, values, rows.right, rows.weights)
    tree = AccuracyGrowth(criterion="gain", max_depth=1, min_side=2.0).tree(rows, named(rows), 2)
    best = rows.errors
    if rows.weight >= 4:
        for feature, cut in product(range(3), np.unique(values)):
            below = values[feature] <= cut
            if 2 <= below.sum() <= len(below) - 2:
                parts = rows.taken(np.flatnonzero(below)), rows.taken(np.flatnonzero(~below))
                best = min(best, sum(part.errors for part in parts))
    assert abs(errors_of(tree, rows) - best) < 1e-9


@pytest.mark.parametrize("right", [[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 0]])
def test_classifiers_that_are_equal_everywhere_are_one_leaf_with_the_first(right: list[int]) -> None:
    data, answers = rightness({"a": [1.0, 2.0, 3.0, 4.0]}, right, right)
    tree = grown(AccuracyGrowth(min_objects=1), data, *answers, names=("A", "B"))
    assert meta_tree_text(tree) == "A"


def test_a_tie_in_a_leaf_goes_to_the_one_that_is_better_above() -> None:
    right = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [1, 1, 0], [0, 1, 0]])
    rows = Rows((Column("a"),), np.array([[0, 0, 0, 0, 1, 1, 1, 1.0]]), right.astype(float), np.ones(8))
    tree = AccuracyGrowth().tree(rows, ("A", "B", "C"), 2)
    assert [MostAccurate().named(tree, node) for node in (1, 2)] == [2, 1]


@pytest.mark.parametrize("low", [0.1, 0.3, 0.7, 1.0, 1e-300])
def test_values_that_no_number_lies_between_are_divided(low: float) -> None:
    high = float(np.nextafter(low, 2.0))
    data, answers = rightness({"a": [low, low, high, high]}, [1, 1, 0, 0], [0, 0, 1, 1])
    tree = grown(AccuracyGrowth(), data, *answers, names=("A", "B"))
    assert tree.classify(data).tolist() == [0, 0, 1, 1]


def test_reduced_errors_prune_what_the_rest_of_the_rows_do_not_confirm() -> None:
    rng = np.random.default_rng(3)
    rows = Rows((Column("a"),), rng.random((1, 90)), (rng.random((90, 3)) < 0.5).astype(float), np.ones(90))
    full, pruned = (AccuracyGrowth(prune=how).tree(rows, ("A", "B", "C"), 2) for how in ("none", "rep"))  # type: ignore[arg-type]
    assert len(pruned) < len(full)


def test_ac45_is_the_same_growth_with_classes_for_classifiers() -> None:
    data = HOME.load("iris")
    made = AC45().run(data)
    assert made.results["Training error"] < 0.05
    assert made.outputs["tree"].quality[0] == pytest.approx(1 / 3)
