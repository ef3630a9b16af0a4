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
from intemi.machines.committees.select_best import ErrorsOfPredictions
from intemi.machines.trees import DiscriminantAxes

PINNED_COMBINERS: list[tuple[Callable[[], Component], str]] = [
    (lambda: AC45(), "d7534b1e95b9cecdeaad643936782fe3"),
    (lambda: AccuracyGrowth(), "9cbf1551c1a0494553d98bab4ed187b2"),
    (lambda: Arbiters(), "60419bc70ab87e7fb005ba896f0d3d02"),
    (lambda: Arbitrate(), "e9844e3b0722c547b835a71d37cbcc51"),
    (lambda: AttributeUnion((PredictedLabels(),)), "a95f7d66cff803377504cf17f1743428"),
    (lambda: CN2(), "9e1e1f3cfe4577cbe574689a6b1c1d18"),
    (lambda: Cascade(("one",)), "85cd80c64c205ca07cdeaa5d61f1ae23"),
    (lambda: Cascading(), "e693ea42a7fe6d05ca2b871dcd7d3ea3"),
    (lambda: CorrespondenceAnalysis(), "f4274a3e7a3efbed87225f441924a398"),
    (lambda: CrossPredictions(), "342b4fec596b206380084fb6bb050ef3"),
    (lambda: DiscriminantAxes(), "49aa177b8d869226f05e1cc4072d7e0c"),
    (lambda: DistributionProperties(), "d42fc7a0f9670688caa9a8f9e6adc249"),
    (lambda: ErrorsOfPredictions(), "b9cbfafbfa506b54d12ed764ad808f7e"),
    (lambda: InnerFolds(), "72f54ba1ac0cf18f343705825c9d61e5"),
    (lambda: LinearRegression(), "bb4a3aad23b587ab98c78f28e416e9d3"),
    (lambda: Logistic(), "d4b3825eb4eb8b9458e79792dc099fc0"),
    (lambda: MLC45(), "ce2a979cb9dd0601ef5faa978b011591"),
    (lambda: MetaData(), "1824e3f6b3fe5e06e5e0e75b04c77307"),
    (lambda: MetaDecisionTree(), "1d9351d94e812a6420eb5a49a5d24c2c"),
    (lambda: MostAccurate(), "ad74dd7f7f066be2d3e8fa118208bc80"),
    (lambda: OneR(), "b04070b27a98f42a827e89516e24036f"),
    (lambda: OriginalFeatures(), "9508526a7b1e0c5624a7c21fd726cd5f"),
    (lambda: OutOfFold(), "9ccb4ade404b2986ee58839d3886c8ac"),
    (lambda: PredictedLabels(), "7f9f319b4c55e31a301da7cbbab32b31"),
    (lambda: PredictedProbabilities(), "b890e4d583b9944dba7d49c5d036c66f"),
    (lambda: RightOrWrong(), "c1828fbded3e9e18d217fd3d2b6322ee"),
    (lambda: Route(), "e99929c2e4a3f4f55438aa4399c02446"),
    (lambda: SelectBest(), "ba34ae23ab1ea90561d2db703e4ef7f6"),
    (lambda: Stack(), "2e49e3e9e245a45910092a91287925d8"),
    (lambda: Stacking(), "a1f0cfa072ae96920dfd9a1baf920394"),
    (lambda: TunedKNN(), "b6f6488a4e37abeedc03ff662b66cd82"),
    (lambda: Voting(), "7d0ae677ab254dd983e21a4229286636"),
    (lambda: Combiner(), "c1da3872ee98ba12f72911352214a0bb"),
    (lambda: CrossCombiner(), "d6cc0c8838b9add7a463f8d96e5624bb"),
]
