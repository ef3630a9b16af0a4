"""An example of each machine that combiners are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from intemi.data import Column, Data, Table
from intemi.kernel import Machine
from intemi.machines import (
    AC45,
    KNN,
    MLC45,
    Arbiters,
    Cascading,
    CorrespondenceAnalysis,
    CrossPredictions,
    InnerFolds,
    Majority,
    MetaData,
    MetaDecisionTree,
    NaiveBayes,
    PredictedProbabilities,
    Route,
    SelectBest,
    Stack,
    Stacking,
    Voting,
)
from intemi.machines.committees.arbiters import RIGHT, WRONG, Arbitrate, RightOrWrong
from intemi.machines.committees.cascading import Cascade
from intemi.machines.committees.cross_predictions import OutOfFold
from intemi.machines.committees.predictions import predictions_of
from intemi.machines.committees.select_best import MeasuredPredictions
from tests.learning.tables import nominal, outputs
from tests.learning.test_classifiers import blobs

Example = tuple[Machine, dict[str, Any]]

DATA = blobs(24)
TWO_LEARNERS = KNN(k=3), NaiveBayes()


def classifier() -> Any:
    return outputs(KNN(k=3), data=DATA)["classifier"]


PREDICTED = predictions_of(classifier(), DATA)


def told_of_two() -> dict[str, Any]:
    return {"data": DATA, "predictions": [PREDICTED] * 2, "members": [classifier()] * 2}


def on_meta_level(labels: tuple[str, ...]) -> Any:
    """A classifier of the probabilities that two classifiers answer."""
    columns = [Column(f"{name} {label}") for name in ("1", "2") for label in DATA.labels]
    classes = np.arange(len(DATA)) % len(labels)
    return outputs(Majority(), data=Data(Table(columns, np.zeros((6, 24)), Column("c", labels), classes)))["classifier"]


def judge() -> Any:
    table = Table(DATA.columns, DATA.features, Column("c", (WRONG, RIGHT)), np.arange(24) % 2)
    return outputs(Majority(), data=Data(table))["classifier"]


COMBINERS: dict[type[Machine], Callable[[], Example]] = {
    CrossPredictions: lambda: (CrossPredictions(NaiveBayes(), InnerFolds(3)), {"data": DATA}),
    OutOfFold: lambda: (OutOfFold(), {"data": DATA, "training": [DATA], "parts": [PREDICTED]}),
    InnerFolds: lambda: (InnerFolds(3), {"data": DATA}),
    MetaData: lambda: (MetaData(), {"data": DATA, "predictions": [PREDICTED] * 2}),
    MeasuredPredictions: lambda: (MeasuredPredictions(), {"data": DATA, "predictions": [PREDICTED] * 2}),
    Stack: lambda: (Stack(), {**told_of_two(), "meta": on_meta_level(DATA.labels)}),
    Route: lambda: (Route(PredictedProbabilities()), {**told_of_two(), "meta": on_meta_level(("1", "2"))}),
    MLC45: lambda: (MLC45(), {"meta": DATA, "predictions": [PREDICTED] * 2}),
    AC45: lambda: (AC45(), {"data": DATA}),
    CorrespondenceAnalysis: lambda: (CorrespondenceAnalysis(), {"data": nominal([0, 1, 1, 2], classes=[0, 1, 1, 2])}),
    Cascade: lambda: (Cascade(("one",)), {"data": DATA, "levels": [classifier()]}),
    RightOrWrong: lambda: (RightOrWrong(), {"meta": DATA, "predictions": PREDICTED}),
    Arbitrate: lambda: (Arbitrate(), {**told_of_two(), "arbiters": [judge()] * 2}),
    Voting: lambda: (Voting(TWO_LEARNERS), {"data": DATA}),
    SelectBest: lambda: (SelectBest(TWO_LEARNERS, distributor=InnerFolds(3)), {"data": DATA}),
    Stacking: lambda: (Stacking(TWO_LEARNERS, distributor=InnerFolds(3)), {"data": DATA}),
    Cascading: lambda: (Cascading(TWO_LEARNERS), {"data": DATA}),
    Arbiters: lambda: (Arbiters(TWO_LEARNERS, distributor=InnerFolds(3)), {"data": DATA}),
    MetaDecisionTree: lambda: (MetaDecisionTree(TWO_LEARNERS, distributor=InnerFolds(3)), {"data": DATA}),
}
