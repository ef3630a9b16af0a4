"""Every learner, tree component and refinement with a number to tune says which values are worth trying."""

from __future__ import annotations

import types
import typing
from typing import Any

import pytest

from intemi.data import Data
from intemi.experiments.catalogue import Entry, entries
from intemi.experiments.describing import search_values
from intemi.kernel import Project
from intemi.machines import (
    ClassificationTest,
    CVDistributor,
    Grid,
    ParameterSearch,
    Repeater,
    Scheme,
    SklearnDataset,
    default_scenarios,
)
from intemi.machines.trees import CART, MaxLeaves
from intemi.query import Query

NOT_TUNED = {
    "BayesOptions": "leaf and alpha are beliefs held beforehand",
    "Chain": "length is how often a step is to run",
    "Collapse": "slack is a tolerance for rounding",
    "Committee": "size is how many of its members are asked",
    "CommitteeTest": "sizes is how many members are looked at",
    "CorrespondenceAnalysis": "all axes are kept by default",
    "CVCommittee": "size is how many of the trees decide; CVCommitteeTest looks at all sizes at once",
    "ForestRanking": "repeats are effort, the more the better",
    "FromShare": "share is what a learning curve goes through",
    "LockstepTree": "first changes when trees are looked at, not which one is chosen",
    "Normalization": "low and high are the range that is wanted",
    "PermutationRanking": "repeats are effort, the more the better",
    "PairwiseTests": "bootstrap and max_pairs are effort, the more the better",
    "RandomSubset": "features is a number of the data's features, or a rule that follows their number",
    "SelectAndSplit": "retry is what happens when the chosen feature has no split",
    "SmallSets": "count bounds the effort",
    "Standardization": "ddof is a convention",
    "Threshold": "the scale of its threshold is that of a ranking",
    "TwoSets": "enumerated is up to where all subsets are looked at",
}
OUTSIDE = (
    "intemi.machines.search",
    "intemi.machines.meta_learning",
    "intemi.machines.measures",
    "intemi.kernel",
    "intemi.data",
)
"""What searches, measures and reads is not searched itself."""
PROTOCOL = ("Distributors", "Loaders", "Repeater", "SVMTraining")


def is_numeric(hint: Any) -> bool:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return any(map(is_numeric, typing.get_args(hint)))
    return hint in (int, float)


def tunable() -> dict[str, Entry]:
    """What the package has with a numeric parameter, but for the protocol of experiments."""
    return {
        name: entry
        for name, entry in entries().items()
        if not entry.is_algorithm
        and not entry.is_abstract
        and entry.gives.__module__.startswith("intemi.")
        and not entry.gives.__module__.startswith(OUTSIDE)
        and name not in PROTOCOL
        and not any(role.heading() in PROTOCOL for role in entry.roles)
        and any(is_numeric(each.hint) for each in entry.parameters().values() if each.name != "seed")
    }


def test_each_has_a_range_or_a_reason_why_not() -> None:
    without = {name for name, entry in tunable().items() if not search_values(entry)}
    assert without == set(NOT_TUNED)


def test_there_are_learners_components_and_refinements_among_them() -> None:
    assert {"KNN", "SVM", "NaiveBayes", "MaxLeaves", "MinNodeSize", "ErrorBased", "CostComplexity"} <= set(tunable())
    assert len(tunable()) > 40


@pytest.mark.parametrize("name", sorted(name for name, entry in tunable().items() if search_values(entry)))
def test_all_values_are_allowed_differ_and_go_up(name: str) -> None:
    entry = tunable()[name]
    for parameter, values in search_values(entry).items():
        assert len(set(values)) == len(values) > 1
        assert list(values) == sorted(values)
        for value in values:
            needed = {each: search_values(entry)[each][0] for each in entry.needs}
            made: Any = entry.make({**needed, parameter: value})
            assert made.get(parameter) == value
            assert type(made.get(parameter)) is type(value)


def test_a_search_of_a_tree_takes_them() -> None:
    test = Scheme(training=Data, test=Data)
    tree = test.add(CART(refinement=None).replace("stop", MaxLeaves()), data=test.training, name="tree")
    test.add(ClassificationTest(), data=test.test, classifier=tree.classifier, name="test")
    cv = Repeater(CVDistributor(folds=2), test, seed=1)
    found = default_scenarios(cv)
    leaves = found["test/tree.stop"]
    assert leaves.paths == ("test/tree.stop.leaves",)
    with Project() as project:
        search = ParameterSearch(cv, Grid(leaves), Query("test/test", "Accuracy").mean())
        done = project.run(search, data=project.request(SklearnDataset("iris")).data)
    assert len(done.results["Tried"]) == 6
