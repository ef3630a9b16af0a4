"""Pinned digests of combiners, of what they are made of, and of the learners that came with them."""

from __future__ import annotations

from collections.abc import Callable

from intemi.kernel import Component
from intemi.machines import (
    AC45,
    CN2,
    MLC45,
    AccuracyGrowth,
    Arbiters,
    AttributeUnion,
    Cascading,
    CorrespondenceAnalysis,
    CrossPredictions,
    DistributionProperties,
    InnerFolds,
    LinearRegression,
    Logistic,
    MetaData,
    MetaDecisionTree,
    OneR,
    OriginalFeatures,
    PredictedLabels,
    PredictedProbabilities,
    Route,
    SelectBest,
    Stack,
    Stacking,
    TunedKNN,
    Voting,
)
from intemi.machines.committees.arbiters import Arbitrate, RightOrWrong
from intemi.machines.committees.cascading import Cascade
from intemi.machines.committees.combiner import Combiner, CrossCombiner
from intemi.machines.committees.cross_predictions import OutOfFold
from intemi.machines.committees.meta_decision_tree import MostAccurate
from intemi.machines.trees import DiscriminantAxes

PINNED_COMBINERS: list[tuple[Callable[[], Component], str]] = [
    (lambda: AC45(), "4c8545edd4db0070afc3edcc43fb4ce7"),
    (lambda: AccuracyGrowth(), "c7f1326586aa7dfcb1f71386870a805f"),
    (lambda: Arbiters(), "5df5470dd69adcb4130f6ecc74cd337d"),
    (lambda: Arbitrate(), "2e7e19d633d715729e32ccdd2de8d304"),
    (lambda: AttributeUnion((PredictedLabels(),)), "c1b4e14938dc46fc22f789573db91841"),
    (lambda: CN2(), "a2ea9431d5fe1fdc9e41b300f7e3657f"),
    (lambda: Cascade(("one",)), "b5b105d88a0872604e0c33314dbfd101"),
    (lambda: Cascading(), "cb392056c45159ec0dc35e486a70148a"),
    (lambda: CorrespondenceAnalysis(), "fb2a878775e3394f76fdaed254e3244f"),
    (lambda: CrossPredictions(), "f9b1f70b4ed3a0101bd01006fc799bef"),
    (lambda: DiscriminantAxes(), "1961653252dd35a56e22566062b991f6"),
    (lambda: DistributionProperties(), "02a9a978d0f4bf6974560fcb87443e23"),
    (lambda: InnerFolds(), "811bee817267e8bbe902cba511a57db4"),
    (lambda: LinearRegression(), "38eba03424f923f7fe32450f1c287e19"),
    (lambda: Logistic(), "6f670855e592dca58338166e1829bdba"),
    (lambda: MLC45(), "4f57c548507c51f2a8c9d4205215c03a"),
    (lambda: MetaData(), "1c5ef68e1d7f1c74589fae36a68a1968"),
    (lambda: MetaDecisionTree(), "12c0088fc1f2e4351e0aef4741cc370d"),
    (lambda: MostAccurate(), "d620f87ab3cb930caec439408aab2d5e"),
    (lambda: OneR(), "f567cc691411623114a4d6a9a842c325"),
    (lambda: OriginalFeatures(), "0003842b72beb560340d5b7d9d6df021"),
    (lambda: OutOfFold(), "dc2a79172d0f68bd0e57b6db96cfc53a"),
    (lambda: PredictedLabels(), "d990578c8034e23aef50eea1067b8b1b"),
    (lambda: PredictedProbabilities(), "855b4505ab00868b17de0ffdad466cef"),
    (lambda: RightOrWrong(), "0857789743bb1a6c5af7235401666fa9"),
    (lambda: Route(), "cada71599e53dff4a17c2914dafe1d91"),
    (lambda: SelectBest(), "d8535cd0b09cfbd36960ad52c9f832cb"),
    (lambda: Stack(), "5230cd1980240ebb15d70c49831356c5"),
    (lambda: Stacking(), "d08e446d109173fa6656edd3729ff2b5"),
    (lambda: TunedKNN(), "07779a7042b626597f10c6d4fcef55c7"),
    (lambda: Voting(), "f2eab21ff76a58495e4b25b2d366da35"),
    (lambda: Combiner(), "ebc54bd7ded4e7356b89a4fa00329155"),
    (lambda: CrossCombiner(), "010978508f04749adc34b954caf59965"),
]
