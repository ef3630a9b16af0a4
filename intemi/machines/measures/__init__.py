"""Measures of classification: small values that say how good answers are, and which of two values is better."""

from __future__ import annotations

from intemi.machines.measures.answers import (
    MCC,
    BalancedAccuracy,
    ClassificationAccuracy,
    ConfusionMatrix,
    Correctness,
    Kappa,
    Margins,
    MeanCost,
)
from intemi.machines.measures.classes import F1, PRAUC, ROCAUC, Precision, Recall
from intemi.machines.measures.measure import Measure
from intemi.machines.measures.probabilities import BrierScore, CalibrationError, LogLoss, TopKAccuracy

__all__ = [
    "Measure",
    "ClassificationAccuracy",
    "BalancedAccuracy",
    "Kappa",
    "MCC",
    "Precision",
    "Recall",
    "F1",
    "MeanCost",
    "LogLoss",
    "BrierScore",
    "CalibrationError",
    "TopKAccuracy",
    "ROCAUC",
    "PRAUC",
    "ConfusionMatrix",
    "Correctness",
    "Margins",
    "USUAL_MEASURES",
]

USUAL_MEASURES: tuple[Measure, ...] = (
    ClassificationAccuracy(),
    BalancedAccuracy(),
    Kappa(),
    LogLoss(),
    ROCAUC(),
    ConfusionMatrix(),
)
"""What a test measures unless it is told otherwise."""
