"""Tables and curves of single answers have the numbers of scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score, roc_curve

from intemi.analysis import ROC, InvalidComparison, PerClass, Reliability
from intemi.analysis.answers import roc_points
from intemi.series import Series
from tests.analysis.plots.examples import answers

GIVEN = answers(2, folds=3)
CLASSES = ["class 0", "class 1", "class 2"]


def of(learner: int, **chosen: int) -> Series:
    return GIVEN.where(machine=f"learner number {learner}", **chosen)


def test_precision_recall_and_f1_are_those_of_scikit_learn() -> None:
    found = PerClass()(GIVEN)
    for learner in (0, 1):
        rows = found.where(machine=f"learner number {learner}")
        expected = precision_recall_fscore_support(list(of(learner)["Class"]), list(of(learner)["Predicted"]))
        for label, values in zip(("precision", "recall", "F1", "cases"), expected, strict=True):
            assert np.asarray(rows[label], dtype=float) == pytest.approx(values)
        assert list(rows["class"]) == CLASSES


def test_what_is_never_answered_has_no_precision() -> None:
    probabilities = {"P(a)": [1.0, 1.0], "P(b)": [0.0, 0.0]}
    given = Series({"Predicted": ["a", "a"], "Class": ["a", "b"], "machine": ["x"] * 2, **probabilities})
    second = PerClass()(given).row(1)
    assert math.isnan(second["precision"])  # type: ignore[arg-type]
    assert second["recall"] == 0.0


def test_points_of_curves_are_those_of_scikit_learn() -> None:
    rows = of(0)
    inside, scores = np.array(list(rows["Class"])) == "class 1", np.array(rows["P(class 1)"])
    expected = roc_curve(inside, scores, drop_intermediate=False)
    for found, values in zip(roc_points(inside, scores), expected[:2], strict=True):
        assert found == pytest.approx(values)


def test_areas_are_the_means_over_folds_of_those_of_scikit_learn() -> None:
    found = ROC(points=20)(GIVEN)
    for learner in (0, 1):
        for name in CLASSES:
            rows = found.where(machine=f"learner number {learner}", **{"class": name})
            areas = []
            for fold in (1, 2, 3):
                test = of(learner, Fold=fold)
                areas.append(roc_auc_score(np.array(list(test["Class"])) == name, list(test[f"P({name})"])))
            assert rows["AUC"][0] == pytest.approx(np.mean(areas))
            assert rows["sd"][0] == pytest.approx(np.std(areas, ddof=1))
            assert (np.diff(rows["hits"]) >= -1e-12).all()
            assert rows["hits"][-1] == 1.0
            assert len(rows) == 21


def test_shares_are_those_of_the_calibration_curve_of_scikit_learn() -> None:
    found = Reliability(bins=5)(GIVEN).where(machine="learner number 1", **{"class": "class 2"})
    rows = of(1)
    inside = np.array(list(rows["Class"])) == "class 2"
    shares, probabilities = calibration_curve(inside, list(rows["P(class 2)"]), n_bins=5)
    on_edges = np.isin(np.array(rows["P(class 2)"]) * 5 % 1, 0)
    assert not on_edges.any() or len(found) == len(shares)
    if not on_edges.any():
        assert found["share"] == pytest.approx(shares)
        assert found["probability"] == pytest.approx(probabilities)
    assert sum(found["cases"]) == len(rows)


def test_rows_without_a_class_do_not_count_and_none_at_all_is_refused() -> None:
    unknown = GIVEN.with_column("Class", [None] * len(GIVEN))
    with pytest.raises(InvalidComparison, match="no row whose class is known"):
        PerClass()(unknown)
    half = GIVEN.with_column("Class", [None if row % 2 else name for row, name in enumerate(GIVEN["Class"])])
    assert sum(PerClass()(half)["cases"]) == len(GIVEN) / 2
