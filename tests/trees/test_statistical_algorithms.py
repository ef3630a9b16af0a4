"""Algorithms that choose features by tests: they are settings of one machine, and CTree grows the trees of partykit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from intemi.data import Data
from intemi.kernel import ConfigurationError, Model
from intemi.machines.trees.decision_tree import DecisionTree
from intemi.machines.trees.statistical_algorithms import CRUISE1D, CRUISE2D, FACT, QUEST, Cal5, CTree
from intemi.testing import check_machine
from scripts.reference_data import WIDE
from tests.datasets import load
from tests.learning.tables import mixed, numeric
from tests.trees.small_nodes import C9, C9_CLASSES, K20, K20_CLASSES, L10, L10_CLASSES

ALGORITHMS = {
    "cal5": Cal5(),
    "cal5 by q": Cal5(selector="q"),
    "fact": FACT(),
    "quest": QUEST(),
    "cruise 1d": CRUISE1D(),
    "cruise 2d": CRUISE2D(bootstrap=5),
    "cruise 2d in nodes": CRUISE2D(bootstrap=5, bootstrap_scope="node", max_pairs=4),
    "ctree": CTree(),
    "ctree by resampling": CTree(resample=99),
}


def grown(algorithm: DecisionTree, data: Data) -> Model:
    return algorithm.run(data)


def shown(algorithm: DecisionTree, data: Data) -> list[str]:
    return str(grown(algorithm, data).outputs["tree"]).splitlines()


def test_cal5_closes_intervals_that_are_sure() -> None:
    assert shown(Cal5(), numeric(K20, classes=K20_CLASSES)) == [
        "x0 <= 8.5: a (8)",
        "8.5 < x0 <= 12.5: a (4/2)",
        "x0 > 12.5: b (8/1)",
    ]


def test_cal5_knows_two_selectors() -> None:
    with pytest.raises(ConfigurationError, match="Cal5: selector must be one of 'information', 'q', got 'gini'"):
        Cal5(selector="gini")  # type: ignore[arg-type]


def test_fact_makes_a_branch_for_each_class() -> None:
    model = grown(FACT(min_class=3), numeric(C9, classes=C9_CLASSES))
    assert model.results["Leaves"] == 3
    assert model.outputs["tree"].parameters.tolist() == pytest.approx([3.5, 7.0])


def test_fact_answers_what_costs_least() -> None:
    """To take a C for anything else costs 20: the region of C begins earlier, at 5.5 instead of 7."""
    data = numeric(C9, classes=C9_CLASSES)
    costs = ((0, 1, 20), (1, 0, 20), (1, 1, 0))
    plain, costly = (FACT(min_class=1, cost=cost).run(data) for cost in (None, costs))
    assert plain.outputs["tree"].parameters.tolist() == pytest.approx([3.5, 7.0])
    assert costly.outputs["tree"].parameters.tolist() == pytest.approx([3.5, 5.5])
    answers = [each.outputs["classifier"].classify(data) for each in (plain, costly)]
    assert [int(np.array(costs)[each, data.classes].sum()) for each in answers] == [20, 1]


def test_costs_of_one_leave_fact_as_it_is() -> None:
    for name in ("iris", "glass", "vehicle"):
        data = load(name)
        ones = tuple(tuple(float(i != j) for j in range(len(data.labels))) for i in range(len(data.labels)))
        one, other = (FACT(cost=cost).run(data).outputs["classifier"] for cost in (None, ones))
        assert (one.classify(data) == other.classify(data)).all()


def test_fact_cuts_distances_from_the_mean() -> None:
    model = grown(FACT(), numeric(L10, classes=L10_CLASSES))
    assert model.results["Training error"] == pytest.approx(0.1)


def test_quest_cuts_at_the_root_of_the_quadratic_discriminant() -> None:
    model = grown(QUEST(), numeric([1, 2, 3, 4, 5, 7, 9, 11, 13], classes=[0] * 4 + [1] * 5))
    assert model.outputs["tree"].parameters.tolist() == pytest.approx([4.782031], abs=1e-6)


def test_cruise_2d_sees_classes_in_opposite_corners() -> None:
    grid = [(x, y) for x in range(1, 5) for y in range(1, 5)]
    # Linear discriminants of either feature are of no use, so the tree ends here; but the feature was chosen.
    first, second = zip(*grid, strict=True)
    data = numeric(first, second, classes=[int((x > 2) != (y > 2)) for x, y in grid])
    assert grown(CRUISE2D(), data).results["Leaves"] == 1


def test_ctree_of_iris_is_that_of_partykit() -> None:
    from sklearn.datasets import load_iris

    features, target = load_iris(return_X_y=True)
    tree = grown(CTree(), numeric(*features.T, classes=target.tolist())).outputs["tree"]
    assert tree.feature.tolist() == [2, 3, 2]
    left_values = [1.9, 1.7, 4.8]  # partykit writes the value below a cut, ours lie in the middle
    right_values = [3.0, 1.8, 4.9]
    assert all(a <= cut < b for a, cut, b in zip(left_values, tree.parameters, right_values, strict=True))


def test_ctree_passes_on_what_its_parts_are_told() -> None:
    learner = CTree(statistic="maximum", form="maximum", adjustment="none", resample=19)
    assert isinstance(learner, DecisionTree)
    selector = learner.get("splitter.selector")
    assert (selector.statistic, selector.adjustment, selector.resample) == ("maximum", "none", 19)
    assert learner.get("splitter.splitter.quality.form") == "maximum"
    assert learner.is_random
    assert not CTree().is_random


def test_ctree_by_resampling_stops_where_the_exact_test_does() -> None:
    """Three of a class and three of another, tidy: no p below 0.1 is possible, though the limit says 0.038."""
    data = numeric([1, 2, 3, 4, 5, 6], classes=[0, 0, 0, 1, 1, 1])
    small = {"min_split": 2.0, "min_bucket": 1.0}
    assert grown(CTree(**small), data).results["Leaves"] == 2
    assert grown(CTree(resample=499, **small), data).results["Leaves"] == 1
    assert grown(CTree(resample=499, alpha=0.2, **small), data).results["Leaves"] == 2


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_is_a_machine_that_keeps_the_promises(name: str) -> None:
    check_machine(ALGORITHMS[name], data=mixed(rows=60))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_duplicates_with_different_classes_single_rows_and_constant_features_make_leaves(name: str) -> None:
    for data in (
        numeric([1, 1, 1], classes=[0, 1, 1]),
        numeric([1], classes=[2]),
        numeric([1, 2, 3], classes=[1, 1, 1]),
        numeric([np.nan] * 3, classes=[0, 1, 1]),
    ):
        assert grown(ALGORITHMS[name], data).results["Leaves"] == 1


@pytest.mark.parametrize("name", ALGORITHMS)
def test_missing_values_and_weights_are_no_obstacle(name: str) -> None:
    data = mixed(rows=90, missing=0.2, weighted=True)
    model = grown(ALGORITHMS[name], data)
    wrong = model.outputs["classifier"].classify(data) != data.classes
    assert model.results["Training error"] == pytest.approx(data.weights[wrong].sum() / data.weights.sum())
    of_classes = np.bincount(data.classes, data.weights)
    assert model.results["Training error"] < 1 - of_classes.max() / of_classes.sum()


@cache
def reference() -> dict[str, dict[str, str]]:
    """What partykit gives on each data set of the wide check."""
    return {row["dataset"]: row for row in WIDE.rows("full_trees.csv") if "ctree" in row["program"]}


LARGE = ("ann-thyroid", "letter", "optdigits", "pendigits", "satimage")


@pytest.mark.wide
@pytest.mark.parametrize(
    "name", [name for name in WIDE.names() if name not in LARGE and not np.isnan(WIDE.load(name).features).any()]
)
def test_ctree_has_the_leaves_and_the_errors_of_partykit(name: str) -> None:
    data, expected = WIDE.load(name), reference()[name]
    model = grown(CTree(), data)
    errors = round(model.results["Training error"] * len(data))
    assert (model.results["Leaves"], errors) == (int(expected["leaves"]), int(expected["training_errors"]))
