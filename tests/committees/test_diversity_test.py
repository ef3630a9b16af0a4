"""The diversity test: agreement and accuracy of members, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from intemi.kernel import ConfigurationError, Project
from intemi.machines import Bagging, ClassificationTest, DecisionTree, DiversityTest, SklearnDataset
from intemi.machines.measures import Margins

WINE = SklearnDataset("wine").run().outputs["data"]
TRAINING, TEST = WINE.select_rows(range(0, 178, 2)), WINE.select_rows(range(1, 178, 2))


def test_agreement_is_the_kappa_of_scikit_learn() -> None:
    with Project(workers=1, seed=1) as project:
        bagged = project.request(Bagging(DecisionTree(), size=4), data=project.given(TRAINING))
        found = project.run(DiversityTest(), data=project.given(TEST), classifier=bagged.classifier)
        series = project.query(found, labels=["Agreement", "Mean accuracy", "First", "Second"])
        members = bagged.outputs["members"]
    assert len(series) == 6
    for row in series:
        one, other = (members[row[each] - 1].classify(TEST) for each in ("First", "Second"))
        assert row["Agreement"] == pytest.approx(cohen_kappa_score(one, other))
        assert row["Mean accuracy"] == pytest.approx(np.mean([one == TEST.classes, other == TEST.classes]))


def test_one_member_has_none_to_be_compared_with() -> None:
    tree = DecisionTree().run(TRAINING).outputs["classifier"]
    with pytest.raises(ConfigurationError, match="must be a committee of at least 2 members"):
        DiversityTest().run(TEST, tree)


def test_margins_are_above_zero_exactly_where_answers_are_right() -> None:
    tree = DecisionTree().run(TRAINING).outputs["classifier"]
    margins = ClassificationTest(measures=(Margins(),)).run(TEST, tree).results["Margins"]
    assert ((margins > 0) == (tree.classify(TEST) == TEST.classes)).all()
