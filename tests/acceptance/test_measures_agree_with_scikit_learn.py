"""Every measure is that of scikit-learn, on random tables with weights; or, where it has none, that of brute force."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from intemi.experiments import catalogue
from intemi.machines.measures import (
    F1,
    MCC,
    PRAUC,
    ROCAUC,
    BalancedAccuracy,
    BrierScore,
    CalibrationError,
    ClassificationAccuracy,
    ConfusionMatrix,
    Correctness,
    Kappa,
    LogLoss,
    MeanCost,
    Measure,
    Precision,
    Recall,
    TopKAccuracy,
)
from intemi.machines.measures.measure import Evidence

TOLERANCE = 1e-9
RATIOS: list[tuple[type[Any], Any]] = [
    (Precision, reference.precision_score),
    (Recall, reference.recall_score),
    (F1, reference.f1_score),
]


@st.composite
def tables(draw: st.DrawFn, all_classes: bool = False) -> Evidence:
    """Answers and probabilities for cases of two to five classes; some classes may not occur, some weights are 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, size = draw(st.integers(2, 5)), draw(st.integers(1, 40))
    occurring = count if all_classes else draw(st.integers(1, count))
    true = rng.integers(occurring, size=size)
    if all_classes:
        true = np.concatenate([np.arange(count), true])
    answers = rng.integers(draw(st.integers(1, count)), size=len(true))
    digits = draw(st.sampled_from([1, 2, 15]))  # few digits make many equal probabilities
    probabilities = np.round(rng.dirichlet(np.ones(count), size=len(true)), digits) + 10.0**-digits
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    kind = draw(st.sampled_from(["ones", "counts", "reals", "some zero"]))
    weights = {
        "ones": np.ones(len(true)),
        "counts": rng.integers(1, 5, size=len(true)).astype(float),
        "reals": rng.random(len(true)) + 0.01,
        "some zero": rng.integers(0, 3, size=len(true)).astype(float),
    }[kind]
    if all_classes:
        weights[:count] = np.maximum(weights[:count], 1.0)
    weights[-1] = max(weights[-1], 1.0)
    labels = tuple("abcde"[:count])
    return Evidence(true.astype(np.int32), answers.astype(np.int32), probabilities, weights, labels)


def counted(evidence: Evidence) -> tuple[Any, Any, Any, dict[str, Any]]:
    """What scikit-learn is given: rows without weight are left out, because their classes would count there."""
    kept = evidence.weights > 0
    assert evidence.probabilities is not None
    weights = {"sample_weight": evidence.weights[kept]}
    return evidence.true[kept], evidence.answers[kept], evidence.probabilities[kept], weights


def theirs(function: Any, *values: Any, **options: Any) -> Any:
    """What scikit-learn says, without its warnings of what is not defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*values, **options)


def same(measure: Measure, evidence: Evidence, expected: Any) -> None:
    np.testing.assert_allclose(measure.measured(evidence), expected, rtol=0, atol=TOLERANCE, err_msg=measure.name)


@given(tables())
def test_measures_of_answers(evidence: Evidence) -> None:
    true, answers, _, weights = counted(evidence)
    classes = range(len(evidence.labels))
    same(ClassificationAccuracy(), evidence, reference.accuracy_score(true, answers, **weights))
    same(BalancedAccuracy(), evidence, theirs(reference.balanced_accuracy_score, true, answers, **weights))
    same(Kappa(), evidence, theirs(reference.cohen_kappa_score, true, answers, labels=[*classes], **weights))
    same(MCC(), evidence, theirs(reference.matthews_corrcoef, true, answers, **weights))
    same(ConfusionMatrix(), evidence, reference.confusion_matrix(true, answers, labels=[*classes], **weights))


@given(tables())
def test_precision_recall_and_f1_of_each_class_and_averaged(evidence: Evidence) -> None:
    true, answers, _, weights = counted(evidence)
    present = sorted({*true.tolist(), *answers.tolist()})
    for measure, function in RATIOS:
        for average in ("macro", "weighted"):
            same(measure(average), evidence, theirs(function, true, answers, average=average, **weights))
        each = theirs(function, true, answers, average=None, labels=present, **weights)
        ours = measure("each").measured(evidence)
        np.testing.assert_allclose(ours[present], each, rtol=0, atol=TOLERANCE)
        assert np.isnan(np.delete(ours, present)).all()
        same(measure(label=evidence.labels[present[0]]), evidence, each[0])


@given(tables())
def test_measures_of_probabilities(evidence: Evidence) -> None:
    true, _, probabilities, weights = counted(evidence)
    classes = np.arange(len(evidence.labels))
    same(LogLoss(), evidence, reference.log_loss(true, probabilities, labels=classes, **weights))
    for half in (False, True):
        expected = reference.brier_score_loss(true, probabilities, labels=classes, scale_by_half=half, **weights)
        same(BrierScore(half), evidence, expected)


@given(tables(all_classes=True))
def test_areas_under_curves_where_all_classes_occur(evidence: Evidence) -> None:
    true, _, probabilities, weights = counted(evidence)
    wanted = true[:, None] == np.arange(len(evidence.labels))
    for average in ("macro", "weighted"):
        areas = reference.roc_auc_score(wanted, probabilities, average=average, **weights)
        same(ROCAUC(average), evidence, areas)  # type: ignore[arg-type]
        areas = reference.average_precision_score(wanted, probabilities, average=average, **weights)
        same(PRAUC(average), evidence, areas)  # type: ignore[arg-type]
    same(ROCAUC("each"), evidence, reference.roc_auc_score(wanted, probabilities, average=None, **weights))
    same(PRAUC("each"), evidence, reference.average_precision_score(wanted, probabilities, average=None, **weights))
    same(PRAUC(label="b"), evidence, reference.average_precision_score(wanted[:, 1], probabilities[:, 1], **weights))


@given(tables())
def test_areas_are_averaged_over_the_classes_that_occur(evidence: Evidence) -> None:
    true, _, probabilities, weights = counted(evidence)
    rows = [(true == each, probabilities[:, each]) for each in np.unique(true)]
    precisions = [reference.average_precision_score(wanted, scores, **weights) for wanted, scores in rows]
    same(PRAUC(), evidence, np.mean(precisions))
    areas = [reference.roc_auc_score(wanted, scores, **weights) for wanted, scores in rows if not wanted.all()]
    same(ROCAUC(), evidence, np.mean(areas) if areas else np.nan)


@given(tables(), st.integers(1, 6))
def test_top_k_accuracy(evidence: Evidence, k: int) -> None:
    true, _, probabilities, weights = counted(evidence)
    ranked = [sorted(range(len(row)), key=lambda each: (-row[each], each)) for row in probabilities]
    hits = [label in order[:k] for label, order in zip(true, ranked, strict=True)]
    same(TopKAccuracy(k), evidence, np.average(hits, weights=weights["sample_weight"]))
    has_ties = any(len(set(row)) < len(row) for row in probabilities)
    if len(evidence.labels) > 2 and not has_ties:  # of two classes it wants scores, and it breaks ties another way
        expected = theirs(
            reference.top_k_accuracy_score, true, probabilities, k=k, labels=[*range(len(evidence.labels))], **weights
        )
        same(TopKAccuracy(k), evidence, expected)


@given(tables(), st.integers(1, 15))
def test_the_calibration_error_is_that_of_brute_force(evidence: Evidence, bins: int) -> None:
    true, answers, probabilities, weights = counted(evidence)
    expected, total = 0.0, weights["sample_weight"].sum()
    for index in range(bins):
        low, high = index / bins, (index + 1) / bins
        inside = [
            (weight, probability, label == answer)
            for label, answer, row, weight in zip(true, answers, probabilities, weights["sample_weight"], strict=True)
            if low < (probability := row[answer]) <= high or (index == 0 and probability == 0)
        ]
        if inside:
            size = sum(weight for weight, _, _ in inside)
            right = sum(weight * is_right for weight, _, is_right in inside) / size
            sure = sum(weight * probability for weight, probability, _ in inside) / size
            expected += size / total * abs(right - sure)
    same(CalibrationError(bins), evidence, expected)


@given(tables(), st.integers(0, 2**32 - 1))
def test_the_mean_cost_is_that_of_brute_force(evidence: Evidence, seed: int) -> None:
    count = len(evidence.labels)
    cost = np.random.default_rng(seed).integers(0, 10, size=(count, count)).astype(float)
    true, answers, _, weights = counted(evidence)
    paid = [cost[answer][label] for label, answer in zip(true, answers, strict=True)]
    same(MeanCost(cost.tolist()), evidence, np.average(paid, weights=weights["sample_weight"]))
    same(MeanCost(1 - np.eye(count)), evidence, 1 - reference.accuracy_score(true, answers, **weights))


@given(tables())
def test_rows_without_weight_might_as_well_not_be_there(evidence: Evidence) -> None:
    true, answers, probabilities, weights = counted(evidence)
    without = Evidence(true, answers, probabilities, weights["sample_weight"], evidence.labels)
    for measure in complete_measures():
        same(measure, evidence, measure.measured(without))


@cache
def complete_measures() -> list[Measure]:
    """All of ours that need no parameters and give one number, or one of each class."""
    found = [catalogue.entries()[name] for name in catalogue.fitting(Measure) if name != "Correctness"]
    ours = [entry for entry in found if not entry.needs and entry.gives.__module__.startswith("intemi.")]
    measures = [entry.make({}) for entry in ours]
    assert all(isinstance(measure, Measure) for measure in measures)
    return measures


def evidence_of(true: list[int], answers: list[int], weights: list[float] | None = None) -> Evidence:
    """Answers of which the classifier is sure, of three classes."""
    return Evidence(
        np.array(true, np.int32),
        np.array(answers, np.int32),
        np.eye(3)[answers],
        np.ones(len(true)) if weights is None else np.array(weights),
        ("a", "b", "c"),
    )


def test_of_one_class_alone_correlations_are_zero_and_areas_are_not_defined() -> None:
    alone = evidence_of([1, 1, 1], [1, 1, 1])
    assert MCC().measured(alone) == 0 == theirs(reference.matthews_corrcoef, [1, 1, 1], [1, 1, 1])
    assert np.isnan(ROCAUC().measured(alone))
    assert np.isnan(Kappa().measured(alone))
    assert F1().measured(alone) == Precision().measured(alone) == PRAUC().measured(alone) == 1


def test_a_class_that_is_never_answered_has_a_precision_of_zero() -> None:
    found = evidence_of([0, 0, 1], [0, 0, 0])
    np.testing.assert_allclose(Precision("each").measured(found), [2 / 3, 0, np.nan])
    assert Precision(label="b").measured(found) == F1(label="b").measured(found) == 0


def test_where_nothing_has_weight_nothing_is_defined() -> None:
    nothing = evidence_of([0, 1], [0, 0], [0.0, 0.0])
    for measure in (ClassificationAccuracy(), MCC(), F1(), BrierScore(), CalibrationError(), TopKAccuracy(), PRAUC()):
        assert np.isnan(measure.measured(nothing)), measure


def test_correctness_has_a_value_for_each_row() -> None:
    assert Correctness().measured(evidence_of([0, 1, 2], [0, 0, 2])).tolist() == [True, False, True]


def test_what_cannot_be_measured_is_refused() -> None:
    found = evidence_of([0, 1], [0, 0])
    with pytest.raises(ValueError, match="Precision: label must be a class of the data, a, b, c, got 'd'"):
        Precision(label="d").measured(found)
    with pytest.raises(ValueError, match="MeanCost: cost is for 2 classes, but the data have 3"):
        MeanCost(((0, 1), (1, 0))).measured(found)
    with pytest.raises(ValueError, match="MeanCost: cost must have as many rows as columns"):
        MeanCost(((0, 1),))
    with pytest.raises(ValueError, match="Recall: average must be left out where label names a class"):
        Recall(average="weighted", label="a")
