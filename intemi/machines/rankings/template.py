"""Selection of features by a ranking, as one transformation: a template with a place for the ranking."""

from __future__ import annotations

from intemi.data import Data
from intemi.machines.rankings.selection import Count, FeatureChoice, FeatureSelection
from intemi.machines.roles import Ranker, placeholder
from intemi.machines.structure.scheme import Scheme

SEVERAL = Count()


def selection_by_ranking(choice: FeatureChoice = SEVERAL) -> Scheme:
    """Rank features and select the best of them; whatever ranking fills the place at "ranking".

    It is a transformation: it stands before any learner, and its number of features can be tuned.

    >>> from intemi.machines import KNN, FScoreRanking, TransformAndClassify
    >>> selection = selection_by_ranking(Count(3)).fill(ranking=FScoreRanking())
    >>> TransformAndClassify(selection, KNN()).missing()
    []
    """
    scheme = Scheme(data=Data)
    ranked = scheme.add(placeholder(Ranker), data=scheme.data, name="ranking")
    selected = scheme.add(FeatureSelection(choice), data=scheme.data, ranking=ranked.ranking, name="selection")
    scheme.expose(transformed=selected.transformed, transformation=selected.transformation)
    return scheme
